// Timed maintenance of stored chains: releases expired idempotency keys, thins old head rows.
import type { Connection } from 'mongoose';
import type { Clock } from '../platform/clock.ts';
import type { Chain } from './chains.ts';
import { releaseExpiredIdempotencyKeys } from './entry-updates.ts';
import { headIndexes, notedHeads } from './heads/heads.ts';
import { thinHeads } from './heads/thin-heads.ts';

/** Head rows have no Mongoose model, so a migration builds their indexes. */
export async function buildHeadIndexes(
  connection: Connection,
  chains: readonly Chain[],
): Promise<void> {
  const db = connection.getClient().db(connection.name);
  for (const chain of chains) await notedHeads(db, chain).createIndexes([...headIndexes]);
}

export function createLedgerMaintenance({
  connection,
  clock,
  chains,
}: {
  connection: Connection;
  clock: Clock;
  chains: readonly Chain[];
}) {
  const db = () => connection.getClient().db(connection.name);
  return {
    async releaseIdempotencyKeys(): Promise<void> {
      for (const chain of chains) {
        if (chain.idempotencyTtlMs !== null)
          await releaseExpiredIdempotencyKeys(
            db(),
            chain,
            new Date(clock.now().getTime() - chain.idempotencyTtlMs),
          );
      }
    },
    async thinHeads(): Promise<void> {
      for (const chain of chains) await thinHeads(notedHeads(db(), chain), clock.now());
    },
  };
}
