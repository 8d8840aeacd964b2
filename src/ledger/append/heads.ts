// Notes of former heads, kept in a collection of their own so that a truncated chain is found before anything is built on it.
import type { mongo, Types } from 'mongoose';
import type { AppError } from '../../errors.ts';
import { MAX_SKEW_MS } from '../../domain/record/chain.ts';
import type { Clock } from '../../platform/clock.ts';
import { DURABLE, MAJORITY } from '../read-write-concerns.ts';
import type { Position } from '../entry.ts';
import { objectId } from '../ledger.model.ts';
import type { LedgerStore } from './store.ts';
import { persistently, sleep, type Timer } from '../timer.ts';
import { unavailable } from './unavailable.ts';

const WRITE_DELAY_MS = 250;
/** A member that has just become primary may lag behind the majority for a moment. */
const CONFIRM_READS = 20;
const CONFIRM_PAUSE_MS = 100;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** A row of the append-only collection: a head that a chain once had. */
export interface HeadRow extends Position {
  organizationId: Types.ObjectId;
  at: Date;
}

/** Guards the heads that appenders load. */
export interface Heads {
  /** Resolves when the chain holds `known`, or the newest noted head when null. @throws AppError `SERVICE_UNAVAILABLE`: quarantined */
  confirm(organizationId: string, known: Position | null): Promise<void>;
  /** Notes a head; it is written within 250 ms. */
  note(organizationId: string, head: Position): void;
  /** Writes the notes that are due. */
  flush(): Promise<void>;
  /** Organisations whose chain no longer reaches a head that it once had. */
  quarantined(): string[];
  /** Looks at the time of a head that is built on: what lies ahead of the clock dates everything that follows. */
  lookAtTime(organizationId: string, createdAt: Date): void;
  /** Organisations whose newest head lay ahead of the clock. */
  datedAhead(): string[];
}

export interface HeadDeps {
  collection: mongo.Collection<HeadRow>;
  store: LedgerStore;
  clock: Clock;
  timer: Timer;
  onQuarantine: (organizationId: string, missing: Position) => void;
  onDatedAhead: (organizationId: string, createdAt: Date) => void;
}

/** The heads of one chain. */
export function createHeads(deps: HeadDeps): Heads {
  const { collection, store, clock, timer, onQuarantine, onDatedAhead } = deps;
  const pending = new Map<string, Position>();
  const quarantined = new Set<string>();
  const datedAhead = new Set<string>();
  let writing: Promise<void> | null = null;
  let isScheduled = false;

  async function write(): Promise<void> {
    isScheduled = false;
    const rows = [...pending].map(([hex, { sequence, chainHash }]) => ({
      organizationId: objectId(hex),
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

  return {
    async confirm(organizationId, known) {
      if (quarantined.has(organizationId)) throw quarantineError();
      const id = objectId(organizationId);
      const newest = { ...MAJORITY, sort: { sequence: -1 } } as const;
      const row =
        known ??
        (await persistently(timer, () => collection.findOne({ organizationId: id }, newest)));
      if (!row) return;
      for (let read = 0; read < CONFIRM_READS; read++) {
        if (read > 0) await sleep(timer, CONFIRM_PAUSE_MS);
        const entry = await persistently(timer, () => store.at(id, row.sequence));
        if (entry?.chainHash === row.chainHash) return;
      }
      quarantined.add(organizationId);
      onQuarantine(organizationId, { sequence: row.sequence, chainHash: row.chainHash });
      throw quarantineError();
    },
    note(organizationId, head) {
      pending.set(organizationId, head);
      if (isScheduled) return;
      isScheduled = true;
      timer.after(WRITE_DELAY_MS, () => void flush());
    },
    flush,
    quarantined: () => [...quarantined],
    lookAtTime(organizationId, createdAt) {
      if (createdAt.getTime() - clock.now().getTime() <= MAX_SKEW_MS)
        return void datedAhead.delete(organizationId);
      if (!datedAhead.has(organizationId)) onDatedAhead(organizationId, createdAt);
      datedAhead.add(organizationId);
    },
    datedAhead: () => [...datedAhead],
  };
}

function quarantineError(): AppError {
  return unavailable("This organisation's chain is quarantined");
}

/** Keeps, per organisation, one row an hour of those older than an hour, and one row a day of those older than a day: the newest. */
export async function thinHeads(collection: mongo.Collection<HeadRow>, now: Date): Promise<number> {
  const hourAgo = now.getTime() - HOUR_MS;
  const dayAgo = now.getTime() - DAY_MS;
  const hours = await thin(collection, { from: dayAgo, to: hourAgo, unit: 'hour' });
  const days = await thin(collection, { from: 0, to: dayAgo, unit: 'day' });
  return hours + days;
}

/** Rows from `from` to before `to`, milliseconds since the epoch, by hour or by day. */
interface ThinnedPeriod {
  from: number;
  to: number;
  unit: 'hour' | 'day';
}

interface Slot {
  _id: { organizationId: Types.ObjectId; start: Date };
  newest: number;
}

async function thin(collection: mongo.Collection<HeadRow>, period: ThinnedPeriod): Promise<number> {
  const slotMs = period.unit === 'hour' ? HOUR_MS : DAY_MS;
  let removed = 0;
  for await (const { _id, newest } of collection.aggregate<Slot>(crowdedSlots(period))) {
    const end = Math.min(_id.start.getTime() + slotMs, period.to);
    const { deletedCount } = await collection.deleteMany({
      organizationId: _id.organizationId,
      at: { $gte: _id.start, $lt: new Date(end) },
      sequence: { $lt: newest },
    });
    removed += deletedCount;
  }
  return removed;
}

/** The hours or days of an organisation that have more than one row, with the newest of each. */
function crowdedSlots({ from, to, unit }: ThinnedPeriod): mongo.Document[] {
  const start = { $dateTrunc: { date: '$at', unit } };
  return [
    { $match: { at: { $gte: new Date(from), $lt: new Date(to) } } },
    {
      $group: {
        _id: { organizationId: '$organizationId', start },
        newest: { $max: '$sequence' },
        rows: { $sum: 1 },
      },
    },
    { $match: { rows: { $gt: 1 } } },
  ];
}

/** `newest` serves confirming, `age` serves thinning. */
export const headIndexes: readonly mongo.IndexDescription[] = [
  { key: { organizationId: 1, sequence: -1 }, name: 'newest' },
  { key: { at: 1 }, name: 'age' },
];
