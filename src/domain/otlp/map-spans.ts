// Maps the spans of an export to decisions: each tool call is one, and the other spans say what it was about.
import type { Json, JsonObject } from '@assay/json';
import { groupBy } from '../group-by.ts';
import { NO_ARGUMENTS } from './observed.ts';
import type { ReportedAction } from './guarded-action.ts';
import type { Dialect, DialectName } from './dialect.ts';
import { aiSdk } from './dialects/ai-sdk.ts';
import { claudeCode } from './dialects/claude-code.ts';
import { genai } from './dialects/genai.ts';
import { openinference } from './dialects/openinference.ts';
import { openllmetry } from './dialects/openllmetry.ts';
import { tableDialects } from './dialects/tables.ts';
import { joinCalls, type ToldCall } from './join-calls.ts';
import { truncateText, limitArguments } from './limit-arguments.ts';
import { readText, type ExportedSpan } from './span.ts';
import { createTraceContext, type SpokenSpan, type TraceContext } from './trace-context.ts';

/** The specific ones first: all of them use names of the conventions. */
const DIALECTS: readonly Dialect[] = [
  claudeCode,
  aiSdk,
  openinference,
  ...tableDialects,
  openllmetry,
  genai,
];

/** Names the decision that a guarded call was asked for under. */
const DECISION = 'assay.decision.id';

/** A decision after the fact. */
export interface ObservedCall {
  dialect: DialectName;
  /** The same for every export of the span. */
  key: string;
  body: JsonObject;
  tags: string[];
  /** The decision that the call was asked for under; null: it was not. */
  decisionId: string | null;
  /** The whole act, and the agent that the spans name; null: they name none. */
  act: ReportedAction;
  agent: string | null;
}

export interface SpanCount {
  dialect: DialectName;
  /** `context`: it says what a call was about; `unmapped`: it says nothing that is read. */
  result: 'context' | 'unmapped';
  count: number;
}

export interface MappedSpans {
  calls: ObservedCall[];
  counts: SpanCount[];
}

export function mapSpans(spans: readonly ExportedSpan[]): MappedSpans {
  const counts = new Map<string, SpanCount>();
  const calls: TimedCall[] = [];
  for (const trace of groupBy(spans, ({ traceId }) => traceId).values()) {
    const spoken = trace.flatMap(findDialect);
    addCount(counts, { dialect: 'none', result: 'unmapped', count: trace.length - spoken.length });
    calls.push(...mapTrace({ trace, spoken }, counts));
  }
  return {
    calls: calls.sort((a, b) => a.at - b.at).map(({ call }) => call),
    counts: [...counts.values()].filter(({ count }) => count > 0),
  };
}

interface TimedCall {
  at: number;
  call: ObservedCall;
}

interface Trace {
  trace: readonly ExportedSpan[];
  spoken: readonly SpokenSpan[];
}

function mapTrace({ trace, spoken }: Trace, counts: Map<string, SpanCount>): TimedCall[] {
  const context = createTraceContext(spoken);
  const found = joinCalls(trace, spoken.flatMap(readTold));
  return spoken.flatMap((each) => {
    const call = found.get(each.span);
    if (call) return [{ at: each.span.startMs ?? 0, call: mapCall(call, context) }];
    addCount(counts, { dialect: each.dialect.name, result: findResult(each), count: 1 });
    return [];
  });
}

/** The call of a span; none where it does not say which tool. */
function readTold({ span, dialect }: SpokenSpan): ToldCall[] {
  if (!dialect.isToolCall(span)) return [];
  const { tool, ...call } = dialect.readToolCall(span);
  if (tool === undefined) return [];
  return [{ span, dialect, tool, ...call, decisionId: readText(span, DECISION) ?? null }];
}

function findDialect(span: ExportedSpan): SpokenSpan[] {
  const dialect = DIALECTS.find((each) => each.isWrittenIn(span));
  return dialect ? [{ span, dialect }] : [];
}

const findResult = ({ span, dialect }: SpokenSpan): SpanCount['result'] =>
  dialect.isToolCall(span) && dialect.readToolCall(span).tool === undefined
    ? 'unmapped'
    : 'context';

function addCount(counts: Map<string, SpanCount>, added: SpanCount): void {
  const key = `${added.dialect}/${added.result}`;
  const known = counts.get(key);
  if (known) known.count += added.count;
  else counts.set(key, { ...added });
}

function mapCall(found: ToldCall, context: TraceContext): ObservedCall {
  const { span, dialect, tool, callId, arguments: own, decisionId } = found;
  const given = own == null || own === '' ? context.findArguments(tool, callId) : own;
  const { traceId, spanId } = span;
  return {
    dialect: dialect.name,
    key: `otlp:${traceId}:${spanId}`,
    body: {
      ...describeAgent(span, context),
      outputDecision: describeAction(tool, given),
      metadata: describeRun(span),
      ...(span.startMs !== null && { timestamp: new Date(span.startMs).toISOString() }),
      adapter: {
        kind: 'otlp',
        mapping: dialect.mapping,
        mode: 'observed',
        scope: truncateText(span.scope, LIMITS.scope),
        traceId,
        spanId,
        ...(callId !== undefined && { callId: truncateText(callId, LIMITS.callId) }),
      },
    },
    tags: given === undefined ? [NO_ARGUMENTS] : [],
    decisionId,
    act: given === undefined ? { tool } : { tool, arguments: given },
    agent: context.findBackground(span).agent?.trim() || null,
  };
}

/** Characters of texts; those of prompt, agent and conversation are limits of a decision. */
const LIMITS = {
  agent: 200,
  prompt: 50_000,
  conversation: 256,
  tool: 200,
  scope: 200,
  callId: 200,
  error: 1000,
} as const;

const UNNAMED = 'unnamed agent';

function describeAgent(span: ExportedSpan, context: TraceContext): JsonObject {
  const { agent, conversation } = context.findBackground(span);
  const named = [agent, span.service ?? undefined, span.scope, UNNAMED];
  const agentId = named.map((name) => truncateText(name?.trim() ?? '', LIMITS.agent)).find(Boolean);
  const prompt = context.findPrompt(span.startMs) ?? `span ${span.name}`;
  return {
    agentId: agentId ?? UNNAMED,
    inputContext: {
      prompt: truncateText(prompt, LIMITS.prompt),
      ...(conversation !== undefined && {
        conversationId: truncateText(conversation, LIMITS.conversation),
      }),
    },
  };
}

function describeAction(tool: string, given: Json | undefined): JsonObject {
  const name = truncateText(tool, LIMITS.tool);
  if (given === undefined) return { action: { tool: name } };
  const { shown, whole } = limitArguments(given);
  return {
    action: { tool: name, arguments: shown },
    ...(whole !== null && { toolCalls: [{ tool: name, arguments: whole }] }),
  };
}

function describeRun({ startMs, endMs, error }: ExportedSpan): JsonObject {
  const isTimed = startMs !== null && endMs !== null && endMs >= startMs;
  return {
    ...(isTimed && { latencyMs: Math.round((endMs - startMs) * 1000) / 1000 }),
    ...(error !== null && { error: truncateText(error, LIMITS.error) || 'failed' }),
  };
}
