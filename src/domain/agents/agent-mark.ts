// Marks of agents that are not registered: their names may be personal, and are scrubbed.
import { computeKeyedDigest } from '../keyed-digest.ts';

/** A keyed digest of the name, 22 characters. */
export const deriveAgentMark = (
  ledgerKey: string,
  organizationId: string,
  agentRef: string,
): string =>
  computeKeyedDigest(ledgerKey, `agent:${organizationId}:${agentRef}`).toString('base64url');
