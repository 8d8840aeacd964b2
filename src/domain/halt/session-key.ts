// Names a session without saying its id, which a caller chose: what a halt of it has as its target.
import { canonicalize } from '@assay/json';
import { computeKeyedDigest } from '../keyed-digest.ts';
import type { ActPlace, ReadSessionKey } from './halt.ts';

/** Creates the function that derives keys of sessions. The same id of another agent is another session. */
export const createSessionKeys =
  (ledgerKey: string): ReadSessionKey =>
  (organizationId, { workspaceId, agent, sessionId }) => {
    if (sessionId === null) return null;
    return deriveSessionName(ledgerKey, organizationId, { workspaceId, agent, sessionId });
  };

/** 22 characters. `sessionId` null: the session of an agent that names none. */
export function deriveSessionName(
  ledgerKey: string,
  organizationId: string,
  { workspaceId, agent, sessionId }: Omit<ActPlace, 'persons'>,
): string {
  const named = canonicalize(['session', organizationId, workspaceId, agent, sessionId]);
  return computeKeyedDigest(ledgerKey, named).toString('base64url');
}
