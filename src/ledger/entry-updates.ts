// The only code that updates stored entries: allow-listed members, idempotency keys, erasures, earlier versions.
import type { mongo, Types } from 'mongoose';
import { ATTESTATION_KINDS } from '../domain/record/payload-members.ts';
import { AUDIT, type Chain, DECISIONS, type HoldPaths } from './chains.ts';
import type { Columns } from './columns.ts';
import type { Stored } from './entry.ts';
import { toObjectId } from './ledger.model.ts';
import { DURABLE } from '../platform/mongo/concerns.ts';

const COMMITTED_VALUE = /^(?:sealed|changed)\.[A-Za-z0-9]+$/;

/** An update of one entry: members to set and paths to remove. */
export interface EntryUpdate {
  filter: { organizationId: Types.ObjectId } & Record<string, unknown>;
  set: Readonly<Record<string, unknown>>;
  /** Paths that an erasure removes. */
  removed?: readonly string[];
}

/** Updates one entry; false when there is no such entry. @throws TypeError when a path is not on the allow-list */
export type UpdateEntry = (update: EntryUpdate) => Promise<boolean>;

/**
 * Creates the update function of a chain. It MUST NOT change any member but the amended and assignable columns, the
 * committed values, `content` and `foldedTo`: everything else of a stored entry is immutable.
 */
export function createEntryUpdates(
  collection: mongo.Collection<Stored>,
  columns: Columns,
): UpdateEntry {
  const amended = columns.amended.map(([path]) => path);
  const mutable = new Set(['foldedTo', 'content', ...amended, ...columns.assignable]);
  return async ({ filter, set, removed = [] }) => {
    const forbidden = Object.keys(set).find(
      (path) => !mutable.has(path) && !COMMITTED_VALUE.test(path),
    );
    if (forbidden !== undefined) throw new TypeError(`${forbidden} of a stored entry is immutable`);
    const unset = Object.fromEntries(removed.map((path) => [path, '']));
    const changes = { $set: set, ...(removed.length > 0 && { $unset: unset }) };
    const { matchedCount } = await collection.updateOne(
      filter as mongo.Filter<Stored>,
      changes as object,
      DURABLE,
    );
    return matchedCount === 1;
  };
}

/** Removes the idempotency key from one entry, provided that it still has the key and is older than `before`. */
export async function releaseIdempotencyKey(
  collection: mongo.Collection<Stored>,
  { idempotencyField, hold }: Chain,
  { entry, before }: { entry: Stored; before: Date },
): Promise<void> {
  const filter = {
    _id: entry._id,
    organizationId: entry.organizationId,
    [idempotencyField]: entry[idempotencyField],
    ...toExpired(hold, before),
  };
  const unset = { $unset: { [idempotencyField]: '' } };
  await collection.updateOne(filter as mongo.Filter<Stored>, unset as object, DURABLE);
}

/** Selects entries whose key has expired: recorded and, where they were held, ended before that time. */
function toExpired(hold: HoldPaths | null, before: Date): Record<string, unknown> {
  const recorded = { createdAt: { $lt: before } };
  if (hold === null) return recorded;
  const { status, open, endedAt } = hold;
  return {
    ...recorded,
    [endedAt]: { $not: { $gte: before } },
    $or: [{ [status]: { $ne: open } }, { deletedAt: { $ne: null } }],
  };
}

/** Upper bound on how much older an id may be than its entry: ids are made before sealing, and clocks differ. */
const ID_MARGIN_MS = 60 * 60 * 1000;

/**
 * Removes the idempotency keys from the entries between `from` and `before`, in every organisation; returns how many.
 * Ids grow with time, so no other entry is read. A key that remains because its entry was future-dated is released
 * when it is used again.
 */
export async function releaseExpiredIdempotencyKeys(
  db: mongo.Db,
  chain: Chain,
  due: { from: Date; before: Date },
): Promise<number> {
  const { idempotencyField, hold } = chain;
  const collection = db.collection(chain.collection);
  const filter = {
    _id: toIdRange(due),
    [idempotencyField]: { $exists: true },
    ...toExpired(hold, due.before),
  };
  const unset = { $unset: { [idempotencyField]: '' } };
  const options = { ...DURABLE, hint: '_id_' };
  const { modifiedCount } = await collection.updateMany(filter, unset, options);
  return modifiedCount + (await releaseEndedHolds(collection, chain, due));
}

/** Removes the keys of decisions that were held longer than a key lives: they are found by the entries that end them. */
async function releaseEndedHolds(
  collection: mongo.Collection,
  { idempotencyField, hold }: Chain,
  due: { from: Date; before: Date },
): Promise<number> {
  if (hold === null) return 0;
  const ends = collection
    .find({ _id: toIdRange(due), kind: { $in: [...hold.endedBy] } }, { hint: '_id_' })
    .project<{ organizationId: Types.ObjectId; traceId: string }>({
      organizationId: 1,
      traceId: 1,
    });
  let released = 0;
  for await (const { organizationId, traceId } of ends) {
    const filter = {
      organizationId,
      traceId,
      kind: 'trace',
      [idempotencyField]: { $exists: true },
      ...toExpired(hold, due.before),
    };
    const unset = { $unset: { [idempotencyField]: '' } };
    released += (await collection.updateOne(filter, unset, DURABLE)).modifiedCount;
  }
  return released;
}

function toIdRange({ from, before }: { from: Date; before: Date }) {
  return {
    $gte: toFirstId(from.getTime() - ID_MARGIN_MS),
    $lt: toFirstId(before.getTime() + 1000),
  };
}

/** Returns the lowest id of the second that contains `ms`. */
function toFirstId(ms: number): Types.ObjectId {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return toObjectId(seconds.toString(16).padStart(8, '0').padEnd(24, '0'));
}

/** Columns of a decision in versions before blind words: clear texts for a text index. */
export const EARLIER_COLUMNS = ['rationale', 'triggeringCondition'] as const;

/**
 * Stores entries of earlier versions once they are encrypted, and removes the columns that the chain no longer proves.
 * `before`: the values as they were read; what has changed since stays as it is.
 */
export async function storeEncrypted(
  collection: mongo.Collection<Stored>,
  encrypted: readonly { entry: Stored; before: unknown; emptied: readonly string[] }[],
): Promise<void> {
  const updates = encrypted.map(({ entry, before, emptied }) => {
    const { _id, organizationId, sealed, content, generation } = entry;
    const unset = Object.fromEntries([...EARLIER_COLUMNS, ...emptied].map((name) => [name, '']));
    const set = {
      ...(sealed !== undefined && { sealed }),
      ...(content !== undefined && { content }),
      ...(generation !== undefined && { generation }),
    };
    const changes = { ...(Object.keys(set).length > 0 && { $set: set }), $unset: unset };
    const filter = { _id, organizationId, sealed: before ?? null } as mongo.Filter<Stored>;
    return { updateOne: { filter, update: changes as object } };
  });
  if (updates.length > 0) await collection.bulkWrite(updates, { ordered: false, ...DURABLE });
}

/**
 * Erases the committed values of a deleted organisation's audit chain and their copies, except in the entry at the
 * sequence `except`, which records the deletion.
 */
export async function eraseAuditValues(
  db: mongo.Db,
  organizationId: string,
  except: number,
): Promise<void> {
  const auditEntries = db.collection(AUDIT.collection);
  const filter = {
    organizationId: toObjectId(organizationId),
    sequence: { $ne: except },
    sealed: { $ne: {} },
  };
  await auditEntries.updateMany(filter, { $set: { sealed: {}, detail: null } }, DURABLE);
}

/** Erases the committed values of a deleted organisation's attestations; erasure entries do so for its decisions. */
export async function eraseAttestedValues(db: mongo.Db, organizationId: string): Promise<void> {
  const named = ATTESTATION_KINDS.map((kind) => ({
    traceId: { $gte: `${kind}:`, $lt: `${kind};` },
  }));
  const filter = {
    organizationId: toObjectId(organizationId),
    kind: { $in: [...ATTESTATION_KINDS] },
    sealed: { $ne: {} },
    $or: named,
  };
  const attestations = db.collection(DECISIONS.collection);
  await attestations.updateMany(filter, { $set: { sealed: {} }, $unset: { content: '' } }, DURABLE);
}
