// Keyed digests of effects: what was reserved is compared by them, and none can be guessed without the secret.
import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Secrets that are kept: deriving one takes as long as a tenth of judging a decision. */
const KEPT = 1000;

/** Finds the secrets of organisations. */
export function createEffectSecrets(ledgerKey: string): (organizationId: string) => string {
  const kept = new LRUCache<string, string>({ max: KEPT });
  return (organizationId) => {
    const known = kept.get(organizationId) ?? deriveEffectSecret(ledgerKey, organizationId);
    kept.set(organizationId, known);
    return known;
  };
}

/** The secret of an organisation's effects: hex, made of the ledger key. */
function deriveEffectSecret(ledgerKey: string, organizationId: string): string {
  return createHmac('sha256', ledgerKey).update(`effects:${organizationId}`).digest('hex');
}

/** The key of a filled effect, as 64 hex digits. */
export function deriveEffectKey(secret: string, effect: string): string {
  return createHmac('sha256', secret).update(effect).digest('hex');
}
