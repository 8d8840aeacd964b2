// What the spans of one trace in a request say about its tool calls: who acts, for which prompt, with which arguments.
import type { Json } from '@assay/json';
import type { CallBackground, Dialect, ModelCall } from './dialect.ts';
import { exportLimits } from './export-limits.ts';
import type { ExportedSpan } from './span.ts';

export interface DialectSpan {
  span: ExportedSpan;
  dialect: Dialect;
}

export interface TraceContext {
  /** Attributes of the span or its nearest ancestors; undefined where none has them. */
  findBackground(span: ExportedSpan): CallBackground;
  /** The arguments that a model gave the call, by its id, else by its tool if it was called once. */
  findArguments(tool: string, callId: string | undefined): Json | undefined;
  /** The last message of the user before the call. */
  findPrompt(startMs: number | null): string | undefined;
}

export function createTraceContext(spans: readonly DialectSpan[]): TraceContext {
  const byId = new Map(spans.map((each) => [each.span.spanId, each]));
  const backgrounds = new Map<string, CallBackground>();
  let calls: ReturnType<typeof indexCalls> | null = null;
  let prompts: Prompt[] | null = null;

  function readOwnBackground({ span, dialect }: DialectSpan): CallBackground {
    let background = backgrounds.get(span.spanId);
    if (!background) backgrounds.set(span.spanId, (background = dialect.readBackground(span)));
    return background;
  }

  return {
    findBackground(span) {
      const found: CallBackground = { agent: undefined, conversation: undefined };
      let at = byId.get(span.spanId);
      for (let step = 0; at && step < exportLimits.ancestors; step++) {
        const { agent, conversation } = readOwnBackground(at);
        found.agent ??= agent;
        found.conversation ??= conversation;
        if (found.agent !== undefined && found.conversation !== undefined) break;
        at = at.span.parentSpanId === null ? undefined : byId.get(at.span.parentSpanId);
      }
      return found;
    },

    findArguments(tool, callId) {
      calls ??= indexCalls(spans);
      return callId === undefined ? calls.byTool.get(tool)?.arguments : calls.byId.get(callId);
    },

    findPrompt(startMs) {
      prompts ??= listPrompts(spans);
      const before = prompts.findLast(({ at }) => startMs === null || at <= startMs);
      return (before ?? prompts[0])?.text;
    },
  };
}

/** The calls of all models. A call without an id is found by its tool, if that was called once. */
function indexCalls(spans: readonly DialectSpan[]): {
  byId: Map<string, Json | undefined>;
  byTool: Map<string, ModelCall | null>;
} {
  const byId = new Map<string, Json | undefined>();
  const byTool = new Map<string, ModelCall | null>();
  for (const { span, dialect } of spans)
    for (const call of dialect.listModelCalls(span)) {
      if (call.id !== undefined && byId.has(call.id)) continue;
      if (call.id !== undefined) byId.set(call.id, call.arguments);
      byTool.set(call.tool, byTool.has(call.tool) ? null : call);
    }
  return { byId, byTool };
}

interface Prompt {
  at: number;
  text: string;
}

/** Prompts by the time of their spans. */
function listPrompts(spans: readonly DialectSpan[]): Prompt[] {
  const prompts: Prompt[] = [];
  for (const { span, dialect } of spans) {
    const text = dialect.readPrompt(span);
    if (text !== undefined) prompts.push({ at: span.startMs ?? 0, text });
  }
  return prompts.sort((a, b) => a.at - b.at);
}
