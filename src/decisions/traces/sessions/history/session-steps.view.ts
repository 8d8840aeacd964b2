// A step of a session, from a decision or from a later entry.
import { type CommittedValue, readSealed } from '../../../../domain/record/commitments.ts';
import { parsePayload } from '../../../../domain/record/payload.ts';
import { readStepKind, buildStepSummary } from '../../../../domain/sessions/session-step.ts';
import type { Sealed } from '../../../../ledger/entry.ts';
import type { TraceDocument } from '../../traces.model.ts';
import type { TraceView } from '../../traces.view.ts';
import type { SessionStep } from './agent-sessions.schemas.ts';

/** What is read of an entry to find its place. */
export interface PlacedStep extends Pick<TraceDocument, 'sequence' | 'verdict' | 'erasedAt'> {
  kind: 'decision' | 'child' | 'entry';
}

/** An entry that is no decision, opened where its words are shown. */
export type EntryOfStep = Sealed & { sealed?: Record<string, CommittedValue | null> };

const NOTHING = {
  isErased: false,
  parentTraceId: null,
  agentId: null,
  agentName: null,
  tool: null,
  summary: null,
  verdict: null,
  status: null,
  result: null,
  policy: null,
  reason: null,
  by: null,
};

export function toDecisionStep(
  view: TraceView,
  { kind, verdict, erasedAt }: PlacedStep,
): SessionStep {
  const { traceId, createdAt, agentId, agentName, status, matchedPolicy, hashChain } = view;
  const parent = view.parentTraceId;
  return {
    ...NOTHING,
    sequence: hashChain.sequence,
    at: createdAt,
    kind: kind === 'child' ? 'child' : 'decision',
    traceId,
    parentTraceId: typeof parent === 'string' ? parent : null,
    agentId,
    agentName,
    ...buildStepSummary(view.outputDecision),
    isErased: erasedAt != null,
    verdict,
    status,
    policy: matchedPolicy?.name ?? null,
    reason: matchedPolicy?.reason ?? null,
  };
}

/** Null: it is no step. */
export function toEntryStep(entry: EntryOfStep): SessionStep | null {
  const { sequence, traceId, createdAt: at, view, sealed } = entry;
  const parsed = parsePayload(view);
  const found = 'payload' in parsed ? readStepKind(parsed.payload) : null;
  if (!found || !('payload' in parsed)) return null;
  return {
    ...NOTHING,
    sequence,
    at,
    ...found,
    traceId: found.kind === 'halt' ? null : traceId,
    summary: readText(sealed, 'summary'),
    reason: readText(sealed, 'reason'),
    by: parsed.payload.actor,
  };
}

/** Null: not given, erased, or no text. */
function readText(sealed: EntryOfStep['sealed'], name: string): string | null {
  const text = readSealed(sealed, name);
  return typeof text === 'string' ? text : null;
}
