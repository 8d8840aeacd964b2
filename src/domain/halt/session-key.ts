// Names a session without saying its id, which a caller chose: what a halt of it has as its target.
import { createHmac } from 'node:crypto';
import { canonicalize } from '@assay/json';
import type { ActPlace, ReadSessionKey } from './halt.ts';

/** Bytes of a keyed digest; 22 characters. */
const KEY_BYTES = 16;

/** Creates the function that derives keys of sessions. The same id of another agent is another session. */
export const createSessionKeys =
  (ledgerKey: string): ReadSessionKey =>
  (organizationId, { workspaceId, agent, sessionId }: ActPlace) => {
    if (sessionId === null) return null;
    const named = canonicalize(['session', organizationId, workspaceId, agent, sessionId]);
    const digest = createHmac('sha256', ledgerKey).update(named).digest();
    return digest.subarray(0, KEY_BYTES).toString('base64url');
  };
