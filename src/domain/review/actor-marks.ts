// Keyed digests of those whom `actor` names: the names are scrubbed, and a reviewer is compared with the digests.
import { createHmac } from 'node:crypto';
import type { Json } from '@assay/json';

/** `secret`: that of the organisation's effects. */
export function deriveActorMark(secret: string, name: string): string {
  const text = `actor\0${normalizeName(name)}`;
  return createHmac('sha256', secret).update(text).digest('base64url').slice(0, MARK_LENGTH);
}

const MARK_LENGTH = 22;

/** An address counts without case, `mailto:` and the name before it. */
function normalizeName(name: string): string {
  const plain = name.normalize('NFKC').trim().toLowerCase();
  const address = /<([^<>]+)>$/.exec(plain)?.[1] ?? plain;
  return address.replace(/^(?:mailto|acct):/, '').trim();
}

/** The ids of all subjects of an `actor`, as far as it is one. */
export function listActorNames(actor: Json | undefined): string[] {
  if (!Array.isArray(actor)) return [];
  return actor.flatMap((subject) => {
    const { id } = Object(subject) as { id?: unknown };
    return typeof id === 'string' ? [id] : [];
  });
}
