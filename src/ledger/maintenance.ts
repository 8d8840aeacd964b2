// Timed maintenance of stored chains: releases expired idempotency keys and thins old head rows, reading only due rows.
import type { Connection } from 'mongoose';
import type { Clock } from '../platform/clock.ts';
import { type Chain, DECISIONS } from './chains.ts';
import { releaseExpiredIdempotencyKeys } from './entry-updates.ts';
import { headIndexes, getHeadCollection } from './heads/heads.ts';
import { thinHeads } from './heads/thin-heads.ts';

/** Head rows have no Mongoose model, so a migration builds their indexes. */
export async function buildHeadIndexes(
  connection: Connection,
  chains: readonly Chain[],
): Promise<void> {
  const db = connection.getClient().db(connection.name);
  for (const chain of chains) {
    await getHeadCollection(db, chain).createIndexes([...headIndexes]);
    // The index of earlier versions: `changed` replaces it.
    await getHeadCollection(db, chain)
      .dropIndex('age')
      .catch(() => undefined);
  }
}

const INDEX_NOT_FOUND = 27;
const NAMESPACE_NOT_FOUND = 26;

/** Drops the hash index of earlier versions: segments of hashes replace it. Idempotent. */
export function dropHashIndex(connection: Connection): Promise<void> {
  return dropIndex(connection, 'hash');
}

/** Drops the text index of earlier versions: blind words replace it. Idempotent. */
export function dropTextIndex(connection: Connection): Promise<void> {
  return dropIndex(connection, 'search');
}

async function dropIndex(connection: Connection, name: string): Promise<void> {
  try {
    await connection.collection(DECISIONS.collection).dropIndex(name);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== INDEX_NOT_FOUND && code !== NAMESPACE_NOT_FOUND) throw error;
  }
}

/** The progress of one kind of maintenance. */
interface Progress {
  _id: string;
  to: Date;
}

export interface LedgerMaintenance {
  /** Releases idempotency keys that have expired. */
  releaseIdempotencyKeys(): Promise<void>;
  /** Deletes old head rows but a few. */
  thinHeads(): Promise<void>;
}

/** Creates the maintenance jobs of some chains. Each remembers its progress and MAY be interrupted. */
export function createLedgerMaintenance({
  connection,
  clock,
  chains,
}: {
  connection: Connection;
  clock: Clock;
  chains: readonly Chain[];
}): LedgerMaintenance {
  const getDatabase = () => connection.getClient().db(connection.name);

  /** Runs `work` from where it ended last time; the first time from the beginning. */
  async function resumeWork(
    name: string,
    work: (from: Date, now: Date) => Promise<void>,
  ): Promise<void> {
    const progress = getDatabase().collection<Progress>('maintenance');
    const now = clock.now();
    const before = await progress.findOne({ _id: name });
    await work(before?.to ?? new Date(0), now);
    await progress.updateOne({ _id: name }, { $max: { to: now } }, { upsert: true });
  }

  return {
    async releaseIdempotencyKeys() {
      for (const chain of chains) {
        const { collection, idempotencyTtlMs } = chain;
        if (idempotencyTtlMs === null) continue;
        await resumeWork(`release:${collection}`, async (from, now) => {
          const toExpiry = (at: Date): Date => new Date(at.getTime() - idempotencyTtlMs);
          const due = { from: toExpiry(from), before: toExpiry(now) };
          await releaseExpiredIdempotencyKeys(getDatabase(), chain, due);
        });
      }
    },
    async thinHeads() {
      for (const chain of chains)
        await resumeWork(`thin:${chain.collection}`, async (from, now) => {
          await thinHeads(getHeadCollection(getDatabase(), chain), { from, now });
        });
    },
  };
}
