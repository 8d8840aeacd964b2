// Says of a stored decision or of a later entry about it what a halt has to be asked before its action goes on.
import { OBSERVED } from '../otlp/observed.ts';
import { listPersons, type Principal } from '../workload/principal.ts';
import type { Act, ActPlace } from './halt.ts';

/** The members of a stored decision that say where it stands. */
export interface PlacedDecision {
  workspaceId: string;
  agentId: string;
  /** Absent: erased. */
  answer?: { agentMark?: string } | null;
  sessionId?: string | null;
  /** Decrypted, or no person is known. */
  sealed?: Readonly<Record<string, { text: string } | null | undefined>> | null;
}

/** Where a decision stands that is made for `principal`. */
export const toActPlace = (
  { workspaceId, agentId, answer, sessionId }: PlacedDecision,
  principal: Principal | undefined,
): ActPlace => ({
  workspaceId,
  agent: answer?.agentMark ?? agentId,
  sessionId: sessionId ?? null,
  persons: listPersons(principal),
});

export function readActPlace(decision: PlacedDecision): ActPlace {
  const text = decision.sealed?.['principal']?.text;
  return toActPlace(decision, text === undefined ? undefined : (JSON.parse(text) as Principal));
}

/** `by`: who lets the action go on. */
export const readAct = (decision: PlacedDecision, by: Act['by']): Act => ({
  by,
  ...readActPlace(decision),
});

/** What is read of an entry to see whether it lets an agent act. */
interface ActingPayload {
  kind: string;
  status?: string;
  decision?: string;
  state?: string;
  actor: { kind: string };
}

/** What is read of a decision to see who lets its action go on. */
interface JudgedDecision {
  tags?: readonly string[];
  review?: { decidedBy?: unknown } | null;
}

/** Who lets an action go on by an entry about its decision; null: no one. The seal and the verification ask the same. */
export function findPermitter(
  { kind, status, decision, state, actor }: ActingPayload,
  { tags, review }: JudgedDecision,
): Act['by'] | null {
  if (tags?.includes(OBSERVED)) return null;
  if (kind === 'trace') return status === 'approved' ? 'policy' : null;
  if (kind === 'review' && decision === 'approve')
    return actor.kind === 'system' ? 'policy' : 'person';
  if (kind !== 'execution' || state !== 'claimed') return null;
  return review?.decidedBy ? 'person' : 'policy';
}

/** The act of an entry about a decision; null: it lets nothing go on. */
export function findAct(
  entry: ActingPayload,
  decision: PlacedDecision & JudgedDecision,
): Act | null {
  const by = findPermitter(entry, decision);
  return by && readAct(decision, by);
}
