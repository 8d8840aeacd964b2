// Claims of due rows, some at a time: a worker holds them for the time of a lease, and no other does.
import { Types, type Model } from 'mongoose';
import type { Clock } from '../clock.ts';
import { CLAIMED_MAX, type Claimed, type Lane, type Lanes } from './lanes.ts';
import type { OutboxDocument } from './outbox.model.ts';

/** Of a due row, what a claim is decided by. */
type ReadRow = Pick<OutboxDocument, '_id' | 'organizationId' | 'lane' | 'attempts' | 'dueAt'>;

/** What a lane is given for its turn. */
export interface Turn {
  lane: Lane;
  claimed: Claimed[];
  /** Deliveries that can begin beside each other. */
  places: number;
}

export interface OutboxClaims {
  /** Claims the oldest due rows of the next lanes that may go on, for so many deliveries at most: lanes take turns, whatever waits in each. */
  next(lanes: Lanes, room: number): Promise<Turn[]>;
}

const LEASE_MS = 60_000;
const READ = '_id organizationId lane attempts dueAt';
const anywhere = { crossTenant: true } as const;

export function createClaims({
  rows,
  topics,
  clock,
}: {
  rows: Model<OutboxDocument>;
  topics: readonly string[];
  clock: Clock;
}): OutboxClaims {
  function dueIn(lane: object): Promise<ReadRow[]> {
    const dueAt = { $lte: clock.now() };
    return rows
      .find({ topic: { $in: [...topics] }, status: 'pending', lane, dueAt }, READ, anywhere)
      .sort({ lane: 1, dueAt: 1 })
      .limit(CLAIMED_MAX)
      .lean<ReadRow[]>();
  }

  /** Those that nobody else has claimed since they were read, with all that has been gathered in them since. */
  async function hold(read: readonly ReadRow[]): Promise<Map<string, OutboxDocument>> {
    const claim = new Types.ObjectId();
    const dueAt = new Date(clock.now().getTime() + LEASE_MS);
    const change = { $set: { claim, dueAt }, $inc: { attempts: 1 } };
    await rows.collection.bulkWrite(
      read.map((row) => ({ updateOne: { filter: asRead(row), update: change } })),
      { ordered: false },
    );
    const ids = read.map(({ _id }) => _id);
    const held = rows.find({ _id: { $in: ids }, claim }, null, anywhere);
    return new Map(
      (await held.lean<OutboxDocument[]>()).map((row) => [row._id.toHexString(), row]),
    );
  }

  return {
    async next(lanes, room) {
      const $nin = lanes.closed();
      const later = await dueIn({ $gt: lanes.last() ?? '', $nin });
      const shares = lanes.share(later.length > 0 ? later : await dueIn({ $nin }), room);
      if (shares.length === 0) return [];
      const held = await hold(shares.flatMap((share) => share.rows));
      return shares.map(({ lane, places, rows: read }) => {
        const claimed = read.flatMap(({ _id, dueAt }) => {
          const row = held.get(_id.toHexString());
          return row ? [{ row, wasDueAt: dueAt }] : [];
        });
        return { lane, places, claimed };
      });
    },
  };
}

function asRead({ _id, organizationId, attempts, dueAt }: ReadRow) {
  return { _id, organizationId, status: 'pending', attempts, dueAt } as const;
}
