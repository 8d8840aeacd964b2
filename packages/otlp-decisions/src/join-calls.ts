// One call may have several spans within each other: that of the framework, of the client of MCP, and of its server.
import { canonicalize, type Json } from '@assay/json';
import type { ToolCall } from './dialect.ts';
import { exportLimits } from './export-limits.ts';
import type { ExportedSpan } from './span.ts';
import type { DialectSpan } from './trace-context.ts';

/** A span that describes a call of a tool. */
export interface CallSpan extends DialectSpan, ToolCall {
  tool: string;
  decisionId: string | null;
}

/** Joins the spans of one call into the outermost one, which learns from the others what it does not say. */
export function joinCalls(
  trace: readonly ExportedSpan[],
  found: readonly CallSpan[],
): ReadonlyMap<ExportedSpan, CallSpan> {
  const parents = new Map(trace.map(({ spanId, parentSpanId }) => [spanId, parentSpanId]));
  const byId = new Map(found.map((call) => [call.span.spanId, call]));
  const joined = new Map(found.map((call) => [call.span, { ...call }]));
  const outers = listOuters(found, { parents, byId, texts: new Map() });
  for (const inner of outers.keys()) {
    const outermost = joined.get(findOutermost(inner, outers).span);
    joined.delete(inner.span);
    if (outermost) learnFrom(outermost, inner);
  }
  return joined;
}

function learnFrom(outer: CallSpan, inner: CallSpan): void {
  if (isMissing(outer.arguments)) outer.arguments = inner.arguments;
  outer.callId ??= inner.callId;
  outer.decisionId ??= inner.decisionId;
}

/** Spans within another one of their call: directly at most one, since a second one is a further call. */
function listOuters(
  found: readonly CallSpan[],
  ancestry: Ancestry,
): ReadonlyMap<CallSpan, CallSpan> {
  const outers = new Map<CallSpan, CallSpan>();
  const taken = new Set<CallSpan>();
  for (const inner of found) {
    const outer = findOuter(inner.span, ancestry);
    if (!outer || taken.has(outer) || !isSameCall(outer, inner, ancestry)) continue;
    taken.add(outer);
    outers.set(inner, outer);
  }
  return outers;
}

interface Ancestry {
  parents: ReadonlyMap<string, string | null>;
  byId: ReadonlyMap<string, CallSpan>;
  /** Arguments in canonical form, each written once: many calls may be within one. */
  texts: Map<CallSpan, string>;
}

/** The nearest call around a span. */
function findOuter({ spanId }: ExportedSpan, { parents, byId }: Ancestry): CallSpan | undefined {
  let at = parents.get(spanId) ?? null;
  for (let step = 0; at !== null && at !== spanId && step < exportLimits.ancestors; step++) {
    const call = byId.get(at);
    if (call) return call;
    at = parents.get(at) ?? null;
  }
  return undefined;
}

function findOutermost(inner: CallSpan, outers: ReadonlyMap<CallSpan, CallSpan>): CallSpan {
  let call = inner;
  for (let step = 0; step < exportLimits.ancestors; step++) call = outers.get(call) ?? call;
  return call;
}

/** Whether a call within another is the same one: by the id of the call, or as a call of MCP. */
function isSameCall(outer: CallSpan, inner: CallSpan, { texts }: Ancestry): boolean {
  if (!isSameTool(outer.tool, inner.tool)) return false;
  const isKnown = !isMissing(outer.arguments) && !isMissing(inner.arguments);
  if (isKnown && writeArguments(outer, texts) !== writeArguments(inner, texts)) return false;
  if (outer.callId !== undefined && inner.callId !== undefined)
    return outer.callId === inner.callId;
  return [outer, inner].some(({ span }) => span.attributes.has('mcp.method.name'));
}

/** The name within its server may follow that of the server. */
const isSameTool = (outer: string, inner: string): boolean =>
  outer === inner || (outer.endsWith(inner) && /[^A-Za-z0-9]$/.test(outer.slice(0, -inner.length)));

const isMissing = (value: Json | undefined): boolean => value == null || value === '';

function writeArguments(call: CallSpan, texts: Map<CallSpan, string>): string {
  let text = texts.get(call);
  if (text === undefined) texts.set(call, (text = canonicalize(call.arguments ?? null)));
  return text;
}
