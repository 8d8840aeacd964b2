// Marks of tools: agents give their names, which may say anything.
import { computeKeyedDigest } from '../keyed-digest.ts';

/** A keyed digest of the name as `action.names` has it, 22 characters. */
export const deriveToolMark = (ledgerKey: string, organizationId: string, name: string): string =>
  computeKeyedDigest(ledgerKey, `tool:${organizationId}:${name}`).toString('base64url');
