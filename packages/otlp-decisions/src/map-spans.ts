// Maps the spans of an export to decisions: each tool call is one, and the other spans say what it was about.
import type { Json } from '@assay/json';
import type { Dialect, DialectName } from './dialect.ts';
import { aiSdk } from './dialects/ai-sdk.ts';
import { claudeCode } from './dialects/claude-code.ts';
import { genai } from './dialects/genai.ts';
import { openinference } from './dialects/openinference.ts';
import { openllmetry } from './dialects/openllmetry.ts';
import { tableDialects } from './dialects/tables.ts';
import { type CallSpan, joinCalls } from './join-calls.ts';
import { type ExportedSpan, readText } from './span.ts';
import { createTraceContext, type DialectSpan, type TraceContext } from './trace-context.ts';

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

/** What an agent did, as its spans report it. */
export interface ReportedAction {
  tool: string;
  /** Undefined: no span holds them. */
  arguments?: Json;
}

/** One tool call of an agent. Texts are whole, and a long prompt may be that of many decisions. */
export interface SpanDecision {
  /** 32 hexadecimal digits. With the id of the span they are the same in every export of the call. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  spanName: string;
  /** The conventions that the span was read by, and the version of their mapping. */
  dialect: DialectName;
  mapping: string;
  /** The instrumentation, as `name@version`; empty: unknown. */
  scope: string;
  /** `service.name` of the resource; null: none was set. */
  service: string | null;
  /** The agent that the spans name; null: they name none. */
  agent: string | null;
  conversationId: string | null;
  /** The last message of the user before the call; null: no span holds it. */
  prompt: string | null;
  action: ReportedAction;
  callId: string | null;
  /** Milliseconds since 1970, with fractions; null: not given. */
  startMs: number | null;
  endMs: number | null;
  status: 'ok' | 'error';
  /** The text of an error, which may be empty; null: no error. */
  error: string | null;
  /** The attribute `assay.decision.id`: the decision that the call was asked for under; null: it was not. */
  decisionId: string | null;
}

export interface SpanCount {
  dialect: DialectName;
  /** `context`: it says what a call was about; `unmapped`: it says nothing that is read. */
  result: 'context' | 'unmapped';
  count: number;
}

export interface MappedSpans {
  /** In the order in which the calls began. */
  decisions: SpanDecision[];
  /** Spans that are no decision of their own. */
  counts: SpanCount[];
}

export function mapSpans(spans: readonly ExportedSpan[]): MappedSpans {
  const counts = new Map<string, SpanCount>();
  const decisions: SpanDecision[] = [];
  for (const trace of listTraces(spans)) {
    const read = trace.flatMap(findDialect);
    addCount(counts, { dialect: 'none', result: 'unmapped', count: trace.length - read.length });
    decisions.push(...mapTrace({ trace, read }, counts));
  }
  return {
    decisions: decisions.sort((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0)),
    counts: [...counts.values()].filter(({ count }) => count > 0),
  };
}

/** The spans of each trace, in the order of the export. */
function listTraces(spans: readonly ExportedSpan[]): Iterable<ExportedSpan[]> {
  const traces = new Map<string, ExportedSpan[]>();
  for (const span of spans) {
    const trace = traces.get(span.traceId);
    if (trace) trace.push(span);
    else traces.set(span.traceId, [span]);
  }
  return traces.values();
}

interface Trace {
  trace: readonly ExportedSpan[];
  /** Those in a dialect. */
  read: readonly DialectSpan[];
}

function mapTrace({ trace, read }: Trace, counts: Map<string, SpanCount>): SpanDecision[] {
  const context = createTraceContext(read);
  const found = joinCalls(trace, read.flatMap(findCall));
  return read.flatMap((each) => {
    const call = found.get(each.span);
    if (call) return [toDecision(call, context)];
    addCount(counts, { dialect: each.dialect.name, result: findResult(each), count: 1 });
    return [];
  });
}

/** The call of a span; none where it does not say which tool. */
function findCall({ span, dialect }: DialectSpan): CallSpan[] {
  if (!dialect.isToolCall(span)) return [];
  const { tool, ...call } = dialect.readToolCall(span);
  if (tool === undefined) return [];
  return [{ span, dialect, tool, ...call, decisionId: readText(span, DECISION) ?? null }];
}

function findDialect(span: ExportedSpan): DialectSpan[] {
  const dialect = DIALECTS.find((each) => each.isWrittenIn(span));
  return dialect ? [{ span, dialect }] : [];
}

const findResult = ({ span, dialect }: DialectSpan): SpanCount['result'] =>
  dialect.isToolCall(span) && dialect.readToolCall(span).tool === undefined
    ? 'unmapped'
    : 'context';

function addCount(counts: Map<string, SpanCount>, added: SpanCount): void {
  const key = `${added.dialect}/${added.result}`;
  const known = counts.get(key);
  if (known) known.count += added.count;
  else counts.set(key, { ...added });
}

function toDecision(call: CallSpan, context: TraceContext): SpanDecision {
  const { span, dialect, tool, callId, arguments: own, decisionId } = call;
  const { traceId, spanId, scope, service, startMs, endMs, error } = span;
  const { agent, conversation } = context.findBackground(span);
  const given = own == null || own === '' ? context.findArguments(tool, callId) : own;
  return {
    traceId,
    spanId,
    spanName: span.name,
    dialect: dialect.name,
    mapping: dialect.mapping,
    scope,
    service,
    agent: agent?.trim() || null,
    conversationId: conversation ?? null,
    prompt: context.findPrompt(startMs) ?? null,
    action: given === undefined ? { tool } : { tool, arguments: given },
    callId: callId ?? null,
    startMs,
    endMs,
    status: error === null ? 'ok' : 'error',
    error,
    decisionId,
  };
}
