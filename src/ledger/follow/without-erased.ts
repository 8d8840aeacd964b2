// Drops erased records from the entries of a consumer that lagged behind the erasure.
import type { mongo } from 'mongoose';
import type { OutboxWriter } from '../../platform/outbox/outbox-writer.ts';
import type { Sealed } from '../entry.ts';

/** An entry about a decision that may have been erased. */
export interface Erasable extends Sealed {
  traceId: string;
  erasedAt?: Date | null;
}

/**
 * Withdraws the outbox rows about erased records, and returns the entries whose record was not erased. Every consumer
 * that writes outbox rows MUST call it: once it has reached the erasure, no row of its own can follow.
 */
export async function dropErased<T extends Erasable>(
  entries: readonly T[],
  outbox: Pick<OutboxWriter, 'withdraw'>,
  { session, organizationId }: { session: mongo.ClientSession; organizationId: string },
): Promise<T[]> {
  const erasures = entries.filter(({ kind }) => kind === 'erasure');
  const erased = new Set(erasures.map(({ traceId }) => traceId));
  if (erased.size > 0) await outbox.withdraw(organizationId, [...erased], session);
  return entries.filter(({ traceId, erasedAt }) => !erasedAt && !erased.has(traceId));
}
