// Claims due rows in batches: a worker has them exclusively for the time of a lease.
import { Types, type Model, type QueryFilter } from 'mongoose';
import type { Clock } from '../clock.ts';
import {
  CLAIMED_MAX,
  type Claimed,
  type ClosedLanes,
  type LaneRow,
  type Lanes,
  type LaneAllocation,
} from './lanes.ts';
import type { OutboxDocument } from './outbox.model.ts';

/** The members of a due row that a claim needs. */
type ReadRow = LaneRow & Pick<OutboxDocument, '_id' | 'attempts' | 'dueAt'>;

/** The rows that a worker has claimed in one lane. */
export interface LaneClaim {
  row: LaneRow;
  claimed: Claimed[];
  /** Claimed rows behind an unclaimed row of an ordered lane: the worker gives them back. */
  surplus: Claimed[];
  /** Deliveries that can start concurrently. */
  slots: number;
}

export interface OutboxClaims {
  /**
   * Claims due rows of the next open organisations and lanes, for at most `room` deliveries, oldest first in each lane.
   * Organisations, and the lanes of each, are served in rotation.
   */
  claimNext(lanes: Lanes, room: number): Promise<LaneClaim[]>;
}

const LEASE_MS = 60_000;
const READ = '_id organizationId topic lane attempts dueAt';
const anywhere = { crossTenant: true } as const;
const BY_LANE = { organizationId: 1, lane: 1, dueAt: 1 } as const;
const OLDEST_FIRST = { createdAt: 1, _id: 1 } as const;

interface ClaimsDeps {
  rows: Model<OutboxDocument>;
  topics: readonly string[];
  /** Topics whose lanes are ordered. */
  ordered: ReadonlySet<string>;
  clock: Clock;
}

export function createClaims({ rows, topics, ordered, clock }: ClaimsDeps): OutboxClaims {
  const pending = { topic: { $in: [...topics] }, status: 'pending' } as const;

  function findDueRows(
    { lanes, unnamed }: ClosedLanes,
    where: QueryFilter<OutboxDocument>,
  ): Promise<ReadRow[]> {
    const closed = [
      { lane: { $in: lanes } },
      { lane: null, organizationId: { $in: unnamed } },
    ] as const;
    return rows
      .find(
        { ...pending, dueAt: { $lte: clock.now() }, $nor: [...closed], ...where },
        READ,
        anywhere,
      )
      .sort(BY_LANE)
      .limit(CLAIMED_MAX)
      .lean<ReadRow[]>();
  }

  /** Due rows grouped by organisation, starting after the one served last; an incompletely read group is left out. */
  async function findDueGroups(lanes: Lanes, closed: ClosedLanes): Promise<ReadRow[][]> {
    const $nin = closed.organizations;
    const last = lanes.lastOrganization();
    const after =
      last === '' ? [] : await findDueRows(closed, { organizationId: { $gt: last, $nin } });
    const due = after.length > 0 ? after : await findDueRows(closed, { organizationId: { $nin } });
    const groups = groupRows(due, ({ organizationId }) => organizationId.toHexString());
    if (due.length < CLAIMED_MAX) return groups;
    const [first = [], ...others] = groups;
    return others.length > 0 ? groups.slice(0, -1) : [await findLaterLanes(first, lanes, closed)];
  }

  /** Due rows of an organisation with more than one batch: those of the lanes after the one served last. */
  async function findLaterLanes(
    firstLanes: ReadRow[],
    lanes: Lanes,
    closed: ClosedLanes,
  ): Promise<ReadRow[]> {
    const [first] = firstLanes;
    const last = first ? lanes.lastLane(first.organizationId) : null;
    if (!first || last === null) return firstLanes;
    const { organizationId } = first;
    const later = await findDueRows(closed, { organizationId, lane: { $gt: last } });
    return later.length > 0 ? later : firstLanes;
  }

  /** Replaces the rows of ordered lanes by the due rows before the first one that is not due, oldest first. */
  async function applyLaneOrder(due: readonly ReadRow[], lanes: Lanes): Promise<ReadRow[]> {
    const isOrdered = ({ topic }: ReadRow): boolean => ordered.has(topic);
    const firsts = groupRows(due.filter(isOrdered), ({ organizationId, lane }) =>
      [organizationId.toHexString(), lane].join(' '),
    ).flatMap(([row]) => row ?? []);
    const found = await Promise.all(firsts.map((row) => findDueFromFirst(row, lanes)));
    return [...due.filter((row) => !isOrdered(row)), ...found.flat()];
  }

  async function findDueFromFirst(row: ReadRow, lanes: Lanes): Promise<ReadRow[]> {
    const { organizationId, topic, lane = null } = row;
    const waiting = await rows
      .find({ organizationId, topic, status: 'pending', lane }, READ)
      .sort(OLDEST_FIRST)
      .limit(CLAIMED_MAX)
      .lean<ReadRow[]>();
    const now = clock.now();
    const firstLater = waiting.findIndex(({ dueAt }) => dueAt > now);
    if (firstLater === 0) lanes.waitForFirst(row);
    return firstLater === -1 ? waiting : waiting.slice(0, firstLater);
  }

  /** Claims the rows that no other worker has claimed since they were read, and reads their current contents. */
  async function claimRows(read: readonly ReadRow[]): Promise<Map<string, OutboxDocument>> {
    const claim = new Types.ObjectId();
    const dueAt = new Date(clock.now().getTime() + LEASE_MS);
    const change = { $set: { claim, dueAt }, $inc: { attempts: 1 } };
    await rows.collection.bulkWrite(
      read.map((row) => ({ updateOne: { filter: toUnchangedFilter(row), update: change } })),
      { ordered: false },
    );
    const ids = read.map(({ _id }) => _id);
    const claimed = rows.find({ _id: { $in: ids }, claim }, null, anywhere);
    return new Map(
      (await claimed.lean<OutboxDocument[]>()).map((row) => [row._id.toHexString(), row]),
    );
  }

  return {
    async claimNext(lanes, room) {
      for (;;) {
        const groups = await findDueGroups(lanes, lanes.listClosed(room));
        if (groups.length === 0) return [];
        const allocations = lanes.allocateSlots(await applyLaneOrder(groups.flat(), lanes), room);
        // When every lane that was read waits for its first row, look for other lanes.
        if (allocations.length === 0 && groups.flat().some(({ topic }) => ordered.has(topic)))
          continue;
        if (allocations.length === 0) return [];
        const claimed = await claimRows(allocations.flatMap((allocation) => allocation.rows));
        return allocations.map((allocation) => toLaneClaim(allocation, claimed));
      }
    },
  };
}

function toLaneClaim(
  { row, rows: read, isOrdered, slots }: LaneAllocation<ReadRow>,
  claims: ReadonlyMap<string, OutboxDocument>,
): LaneClaim {
  const found = read.map(({ _id, dueAt }) => {
    const one = claims.get(_id.toHexString());
    return one ? { row: one, wasDueAt: dueAt } : null;
  });
  const firstGap = found.indexOf(null);
  const end = isOrdered && firstGap !== -1 ? firstGap : found.length;
  const omitMissing = (some: readonly (Claimed | null)[]) => some.flatMap((one) => one ?? []);
  return {
    row,
    slots,
    claimed: omitMissing(found.slice(0, end)),
    surplus: omitMissing(found.slice(end)),
  };
}

function groupRows<R>(rows: readonly R[], keyFor: (row: R) => string): R[][] {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const key = keyFor(row);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()];
}

function toUnchangedFilter({ _id, organizationId, attempts, dueAt }: ReadRow) {
  return { _id, organizationId, status: 'pending', attempts, dueAt } as const;
}
