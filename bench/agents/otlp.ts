// Exports of spans as exporters send them, in protobuf: each span is a tool call that becomes a decision.
import protobuf from 'protobufjs/light.js';
import { DEFINITIONS } from '@assay/otlp-decisions';
import { UNIQUE } from '../decisions.ts';
import type { Block } from '../processes.ts';
import { requireStatuses, type Scene } from '../stage.ts';

/** Spans of one request, and requests in flight. */
const SPANS = 64;
const CONNECTIONS = 8;
const Request = protobuf.Root.fromJSON(DEFINITIONS).lookupType('ExportTraceServiceRequest');

interface Decision {
  agentId: string;
  inputContext: { prompt: string; conversationId: string };
  outputDecision: { action: unknown };
}

/** The spans of the decisions, one request after the other, in base64. */
function createExports(texts: readonly string[]): string[] {
  const spans = texts.map((text) => toSpan(JSON.parse(text) as Decision));
  const exports: string[] = [];
  for (let from = 0; from < spans.length; from += SPANS) {
    const some = Array.from({ length: SPANS }, (_, at) => spans[(from + at) % spans.length]);
    const scopeSpans = [{ scope: { name: 'bench', version: '1' }, spans: some }];
    const message = Request.fromObject({ resourceSpans: [{ scopeSpans }] });
    exports.push(Buffer.from(Request.encode(message).finish()).toString('base64'));
  }
  return exports;
}

function toSpan({ agentId, inputContext, outputDecision: { action } }: Decision): object {
  const call = typeof action === 'object' && action !== null ? action : { tool: action };
  const { tool, arguments: args = {} } = call as { tool: unknown; arguments?: unknown };
  const attributes = Object.entries({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': String(tool).slice(0, 60),
    'gen_ai.tool.call.arguments': JSON.stringify(args),
    'gen_ai.agent.name': agentId,
    'gen_ai.conversation.id': 'bench',
    'gen_ai.input.messages': JSON.stringify([
      { role: 'user', parts: [{ type: 'text', content: inputContext.prompt }] },
    ]),
  }).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  return {
    // Sixteen bytes, as an id of a trace has: the load generator makes each of them another.
    traceId: Buffer.from(UNIQUE),
    spanId: Buffer.from('unchange'),
    name: 'execute_tool',
    startTimeUnixNano: '1764000000000000000',
    endTimeUnixNano: '1764000000250000000',
    attributes,
  };
}

/** Exports of the first organisation's workspace; the figures are those of spans. */
export async function runExports(scene: Scene): Promise<Block> {
  const { stage, organizations, url, pid } = scene;
  const block = await stage.runLoad(
    [
      {
        port: Number(new URL(url).port),
        method: 'POST',
        path: '/v1/traces',
        headers: { 'X-API-Key': organizations[0]?.key ?? '' },
        content: { type: 'application/x-protobuf', bodies: createExports(stage.texts) },
        connections: CONNECTIONS,
      },
    ],
    { pids: [pid] },
  );
  const { operations, perSecond, cpuUs } = requireStatuses(block, ['200']);
  const each = Object.entries(cpuUs).map(([name, us]) => [name, us / SPANS]);
  return {
    ...block,
    operations: operations * SPANS,
    perSecond: perSecond * SPANS,
    cpuUs: Object.fromEntries(each) as Record<string, number>,
  };
}
