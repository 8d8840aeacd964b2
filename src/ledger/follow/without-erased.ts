// What a consumer owes to records that were erased while it lagged behind.
import type { mongo } from 'mongoose';
import type { OutboxWriter } from '../../platform/outbox/outbox-writer.ts';
import type { Sealed } from '../entry.ts';

interface Erasable extends Sealed {
  traceId: string;
  erasedAt?: Date | null;
}

/**
 * Takes the outbox's rows about erased records away, and returns the entries whose record was not erased.
 * Each consumer that writes rows does it when it comes to the erasure: no row of its own can follow.
 */
export async function withoutErased<T extends Erasable>(
  entries: readonly T[],
  outbox: Pick<OutboxWriter, 'withdraw'>,
  { session, organizationId }: { session: mongo.ClientSession; organizationId: string },
): Promise<T[]> {
  const erasures = entries.filter(({ kind }) => kind === 'erasure');
  const erased = new Set(erasures.map(({ traceId }) => traceId));
  if (erased.size > 0) await outbox.withdraw(organizationId, [...erased], session);
  return entries.filter(({ traceId, erasedAt }) => !erasedAt && !erased.has(traceId));
}
