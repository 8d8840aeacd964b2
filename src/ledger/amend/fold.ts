// The only code that updates a chain's collection: folds amendments onto their trace, assigns reviews, releases idempotency keys, erases audit values.
import type { mongo, Types } from 'mongoose';
import { AUDIT, type Chain } from '../chains.ts';
import { ABOUT_ONE, DURABLE, MAJORITY } from '../read-write-concerns.ts';
import type { IdempotentConsumer } from '../follow/consumer.ts';
import type { Stored } from '../entry.ts';
import { objectId } from '../ledger.model.ts';
import { type ChangedColumns, projectionOf, sourcesOf } from './changed-columns.ts';

/** Members that may change; everything else of a stored document is immutable. */
const MUTABLE = new Set([
  ...[
    'foldedTo',
    'status',
    'humanOverride',
    'rationale',
    'triggeringCondition',
    'erasedAt',
    'deletedAt',
  ],
  ...['review.status', 'review.decidedAt', 'review.decidedBy'],
  ...[
    'review.assignedTo',
    'review.assignedAt',
    'review.escalatedTo',
    'review.escalatedAt',
    'review.escalationReason',
  ],
]);
const COMMITTED_VALUE = /^(?:sealed|changed)\.[A-Za-z0-9]+$/;

/** The members of a review item that are not part of the chain. */
export interface ReviewAssignment {
  assignedTo?: Types.ObjectId | null;
  assignedAt?: Date | null;
  escalatedTo?: Types.ObjectId | null;
  escalatedAt?: Date | null;
  escalationReason?: string | null;
}

interface Change {
  filter: { organizationId: Types.ObjectId } & Record<string, unknown>;
  set: Readonly<Record<string, unknown>>;
  unset?: Readonly<Record<string, ''>>;
}

type Entries = mongo.Collection<Stored>;

/** @throws TypeError when a path is not on the allow-list */
async function update(collection: Entries, { filter, set, unset = {} }: Change): Promise<boolean> {
  const forbidden = Object.keys(set).find(
    (path) => !MUTABLE.has(path) && !COMMITTED_VALUE.test(path),
  );
  if (forbidden !== undefined) throw new TypeError(`${forbidden} of a stored entry is immutable`);
  const changes = { $set: set, ...(Object.keys(unset).length > 0 ? { $unset: unset } : {}) };
  const { matchedCount } = await collection.updateOne(
    filter as mongo.Filter<Stored>,
    changes as object,
    DURABLE,
  );
  return matchedCount === 1;
}

/** Folds the amendments of one chain. */
export interface Fold {
  /** Folds an amendment onto its trace, after every earlier one; idempotent. */
  applyFold(entry: Stored): Promise<void>;
  /** The same for the amendments at these sequences, oldest first. */
  applyAt(organizationId: string, sequences: readonly number[]): Promise<void>;
  /** Assigns or escalates a pending review item; false when there is none. */
  assignReview(
    organizationId: Types.ObjectId,
    reviewId: Types.ObjectId,
    fields: ReviewAssignment,
  ): Promise<boolean>;
}

/** The fold over the collection of a chain. */
export function createFold(db: mongo.Db, chain: Chain): Fold {
  const collection = db.collection<Stored>(chain.collection);

  async function applyInOrder(
    entry: Stored,
    { subject, set, elsewhere }: ChangedColumns,
  ): Promise<boolean> {
    const { organizationId } = entry;
    for (const other of elsewhere) {
      await update(collection, {
        filter: { organizationId, sequence: other.sequence },
        set: other.set,
      });
    }
    const foldedTo = entry.after === subject ? { $in: [null, 0, subject] } : entry.after;
    const unset: Record<string, ''> =
      entry.kind === 'erasure' ? { [chain.idempotencyField]: '', 'review.context': '' } : {};
    return update(collection, {
      filter: { organizationId, sequence: subject, foldedTo },
      set,
      unset,
    });
  }

  /** The amendments up to `entry` that are not folded yet. */
  async function unfolded(
    { organizationId, traceId, sequence }: Stored,
    subject: number,
  ): Promise<Stored[]> {
    const trace = await collection.findOne({ organizationId, sequence: subject }, MAJORITY);
    if (!trace) return [];
    const from = Math.max(subject, Number(trace.foldedTo ?? 0));
    const filter = { organizationId, traceId, sequence: { $gt: from, $lte: sequence } };
    return (await collection.find(filter, ABOUT_ONE).sort({ sequence: 1 }).toArray()) as Stored[];
  }

  async function project(entry: Stored): Promise<ChangedColumns | null> {
    if (entry.kind !== 'erasure') return projectionOf(entry, new Map());
    const { organizationId, traceId, sequence } = entry;
    const filter = {
      organizationId,
      traceId,
      kind: 'correction',
      sequence: { $lt: sequence },
    } as const;
    return projectionOf(
      entry,
      sourcesOf(await collection.find(filter, ABOUT_ONE).sort({ sequence: 1 }).toArray()),
    );
  }

  async function applyFold(entry: Stored): Promise<void> {
    const projection = await project(entry);
    if (!projection || (await applyInOrder(entry, projection))) return;
    for (const earlier of await unfolded(entry, projection.subject)) {
      const changes = await project(earlier);
      if (changes) await applyInOrder(earlier, changes);
    }
  }

  return {
    applyFold,
    async applyAt(organizationId, sequences) {
      const filter = {
        organizationId: objectId(organizationId),
        sequence: { $in: [...sequences] },
      };
      const amendments = collection.find(filter, MAJORITY).sort({ sequence: 1 });
      for await (const entry of amendments) await applyFold(entry as Stored);
    },
    assignReview: (organizationId, reviewId, fields) => {
      const set = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [`review.${name}`, value]),
      );
      return update(collection, {
        filter: {
          organizationId,
          kind: 'trace',
          'review._id': reviewId,
          'review.status': 'pending',
        },
        set,
      });
    },
  };
}

/** Repairs the fold after a crash between an append and its fold. */
export function foldConsumer({ applyAt }: Fold): IdempotentConsumer {
  return {
    name: 'fold',
    kinds: ['correction', 'review', 'status', 'erasure'],
    transactional: false,
    run: (entries, { organizationId }) =>
      applyAt(
        organizationId,
        entries.map(({ sequence }) => sequence),
      ),
  };
}

interface Release {
  collection: Entries;
  chain: Chain;
  entry: Stored;
  before: Date;
}

/** Removes the idempotency key from one entry, provided it is still there and older than `before`. */
export async function releaseIdempotencyKey({
  collection,
  chain,
  entry,
  before,
}: Release): Promise<void> {
  const { _id, organizationId } = entry;
  const filter = {
    _id,
    organizationId,
    [chain.idempotencyField]: entry[chain.idempotencyField],
    createdAt: { $lt: before },
  };
  await collection.updateOne(
    filter as mongo.Filter<Stored>,
    { $unset: { [chain.idempotencyField]: '' } } as object,
    DURABLE,
  );
}

/** Removes the idempotency keys from all entries older than `before`, in every organisation; returns how many. */
export async function releaseExpiredIdempotencyKeys(
  db: mongo.Db,
  chain: Chain,
  before: Date,
): Promise<number> {
  const filter = { [chain.idempotencyField]: { $exists: true }, createdAt: { $lt: before } };
  const unset = { $unset: { [chain.idempotencyField]: '' } };
  const collection = db.collection(chain.collection);
  const { modifiedCount } = await collection.updateMany(filter, unset, {
    ...DURABLE,
    hint: chain.idempotencyIndex,
  });
  return modifiedCount;
}

/** Erases the committed values of a deleted organisation's audit chain and their copies, except in the entry that records the deletion. */
export async function eraseAuditValues(
  db: mongo.Db,
  organizationId: Types.ObjectId,
  except: number,
): Promise<void> {
  const auditEntries = db.collection(AUDIT.collection);
  const filter = { organizationId, sequence: { $ne: except }, sealed: { $ne: {} } };
  await auditEntries.updateMany(filter, { $set: { sealed: {}, detail: null } }, DURABLE);
}
