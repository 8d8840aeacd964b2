// Notes of former heads in a collection of their own, so that a truncated chain is found before an append builds on it.
import type { mongo, Types } from 'mongoose';
import type { AppError } from '../../errors.ts';
import { MAX_SKEW_MS } from '../../domain/record/chain.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Chain } from '../chains.ts';
import { DURABLE, MAJORITY } from '../../platform/mongo/concerns.ts';
import { CONFIRM_PAUSE_MS, CONFIRM_READS } from '../reads.ts';
import type { Position } from '../entry.ts';
import { readHeadSequences } from '../follow/head-sequences.ts';
import { toObjectId } from '../ledger.model.ts';
import type { LedgerStore } from '../append/store.ts';
import { retryRead } from '../../platform/concurrency/backoff.ts';
import { sleep, type Timer } from '../../platform/concurrency/timer.ts';
import { createUnavailableError } from '../append/unavailable.ts';

const WRITE_DELAY_MS = 250;

/** A row of the append-only collection: a head that a chain once had. */
export interface HeadRow extends Position {
  organizationId: Types.ObjectId;
  at: Date;
}

/** Returns the collection of the heads noted of one chain. */
export function getHeadCollection(db: mongo.Db, { collection }: Chain): mongo.Collection<HeadRow> {
  return db.collection(`heads_${collection}`);
}

/** Guards appenders against truncated chains: a chain MUST NOT be appended to while it lacks a head it once had. */
export interface Heads {
  /**
   * Resolves when a majority shows that the chain holds `known`, or, when it is null or the chain is quarantined, the
   * newest noted head. Otherwise it quarantines the chain. @throws AppError `SERVICE_UNAVAILABLE`: quarantined
   */
  confirm(organizationId: string, known: Position | null): Promise<void>;
  /** Notes a head, which MUST be acknowledged by a majority; it is written within 250 ms. */
  noteHead(organizationId: string, head: Position): void;
  /** Writes the pending notes. */
  flush(): Promise<void>;
  /** Lists the organisations whose chain lacks a head that it once had. */
  listQuarantined(): string[];
  /** Finds the organisations of which any instance noted a head since. */
  findNotedSince(since: Date): Promise<string[]>;
  /** Finds the highest sequences noted since, by organisation. */
  findNotedHeads(since: Date): Promise<Map<string, number>>;
  /** Reads the newest sequence of each of these chains; empty ones are left out. */
  readNewest(organizationIds: readonly string[]): Promise<Map<string, number>>;
  /** Compares the time of a head with the clock: a future-dated head dates every following entry. */
  checkClockSkew(organizationId: string, createdAt: Date): void;
  /** Lists the organisations whose newest head was ahead of the clock. */
  listFutureDated(): string[];
}

export interface HeadDeps {
  db: mongo.Db;
  chain: Chain;
  store: LedgerStore;
  clock: Clock;
  timer: Timer;
  onQuarantine: (organizationId: string, missing: Position) => void;
  onDatedAhead: (organizationId: string, createdAt: Date) => void;
}

/** Creates the guard of one chain's heads. */
export function createHeads(deps: HeadDeps): Heads {
  const { db, chain, store, clock, timer, onQuarantine, onDatedAhead } = deps;
  const collection = getHeadCollection(db, chain);
  const pending = new Map<string, Position>();
  const quarantined = new Set<string>();
  const datedAhead = new Set<string>();
  let writing: Promise<void> | null = null;
  let isScheduled = false;

  async function write(): Promise<void> {
    isScheduled = false;
    const rows = [...pending].map(([hex, { sequence, chainHash }]) => ({
      organizationId: toObjectId(hex),
      sequence,
      chainHash,
      at: clock.now(),
    }));
    pending.clear();
    // A lost note weakens the guard only until the next one.
    if (rows.length > 0)
      await collection.insertMany(rows, { ...DURABLE, ordered: false }).catch(() => {});
  }

  async function flush(): Promise<void> {
    await writing;
    writing = write();
    await writing;
  }

  /** Reads the newest noted head that no release has set aside. */
  async function readNewestNote(organizationId: Types.ObjectId): Promise<HeadRow | null> {
    const options = { ...MAJORITY, sort: { sequence: -1 } } as const;
    return retryRead(timer, () => collection.findOne({ organizationId }, options));
  }

  /** Returns whether a majority shows the head within `reads` reads. */
  async function isShown(
    organizationId: Types.ObjectId,
    { sequence, chainHash }: Position,
    reads: number,
  ): Promise<boolean> {
    for (let read = 0; read < reads; read++) {
      if (read > 0) await sleep(timer, CONFIRM_PAUSE_MS);
      const entry = await retryRead(timer, () => store.findAtSequence(organizationId, sequence));
      if (entry?.chainHash === chainHash) return true;
    }
    return false;
  }

  /** Quarantines a chain. The missing head is noted first, so that every instance and every later start finds it. */
  async function quarantine(organizationId: string, missing: Position): Promise<void> {
    const { sequence, chainHash } = missing;
    const row = {
      organizationId: toObjectId(organizationId),
      sequence,
      chainHash,
      at: clock.now(),
    };
    await retryRead(timer, () => collection.insertOne(row, DURABLE));
    quarantined.add(organizationId);
    onQuarantine(organizationId, { sequence, chainHash });
  }

  return {
    async confirm(organizationId, known) {
      const id = toObjectId(organizationId);
      const isKnownMissing = quarantined.has(organizationId);
      const head = isKnownMissing
        ? await readNewestNote(id)
        : (known ?? (await readNewestNote(id)));
      if (!head || (await isShown(id, head, isKnownMissing ? 1 : CONFIRM_READS)))
        return void quarantined.delete(organizationId);
      if (!isKnownMissing) await quarantine(organizationId, head);
      throw quarantineError();
    },
    noteHead(organizationId, { sequence, chainHash }) {
      pending.set(organizationId, { sequence, chainHash });
      if (isScheduled) return;
      isScheduled = true;
      timer.schedule(WRITE_DELAY_MS, () => void flush());
    },
    flush,
    listQuarantined: () => [...quarantined],
    async findNotedSince(since) {
      const noted = [{ $match: { at: { $gte: since } } }, { $group: { _id: '$organizationId' } }];
      const found = await collection
        .aggregate<{ _id: Types.ObjectId }>(noted, { hint: 'changed' })
        .toArray();
      return found.map(({ _id }) => _id.toHexString());
    },
    async findNotedHeads(since) {
      const group = { _id: '$organizationId', sequence: { $max: '$sequence' } };
      const found = await collection
        .aggregate<{ _id: Types.ObjectId; sequence: number }>(
          [{ $match: { at: { $gte: since } } }, { $group: group }],
          { hint: 'changed' },
        )
        .toArray();
      return new Map(found.map(({ _id, sequence }) => [_id.toHexString(), sequence]));
    },
    readNewest: (organizationIds) =>
      readHeadSequences(db.collection(chain.collection), organizationIds),
    checkClockSkew(organizationId, createdAt) {
      if (createdAt.getTime() - clock.now().getTime() <= MAX_SKEW_MS)
        return void datedAhead.delete(organizationId);
      if (!datedAhead.has(organizationId)) onDatedAhead(organizationId, createdAt);
      datedAhead.add(organizationId);
    },
    listFutureDated: () => [...datedAhead],
  };
}

function quarantineError(): AppError {
  return createUnavailableError("This organisation's chain is quarantined");
}

/** Indexes of the notes: `newest` serves confirming, `changed` serves sweeping and thinning. */
export const headIndexes: readonly mongo.IndexDescription[] = [
  { key: { organizationId: 1, sequence: -1 }, name: 'newest' },
  { key: { at: 1, organizationId: 1 }, name: 'changed' },
];
