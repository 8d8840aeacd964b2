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

export function readActPlace({
  workspaceId,
  agentId,
  answer,
  sessionId,
  sealed,
}: PlacedDecision): ActPlace {
  const principal = sealed?.['principal']?.text;
  return {
    workspaceId,
    agent: answer?.agentMark ?? agentId,
    sessionId: sessionId ?? null,
    persons: listPersons(
      principal === undefined ? undefined : (JSON.parse(principal) as Principal),
    ),
  };
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

/** The act of an entry about a decision; null: it lets nothing go on. */
export function findAct(
  { kind, status, decision, state, actor }: ActingPayload,
  about: PlacedDecision & {
    tags?: readonly string[];
    review?: { decidedBy?: string | null } | null;
  },
): Act | null {
  if (about.tags?.includes(OBSERVED)) return null;
  if (kind === 'trace') return status === 'approved' ? readAct(about, 'policy') : null;
  if (kind === 'review')
    return decision === 'approve'
      ? readAct(about, actor.kind === 'system' ? 'policy' : 'person')
      : null;
  if (kind !== 'execution' || state !== 'claimed') return null;
  return readAct(about, about.review?.decidedBy ? 'person' : 'policy');
}
