// Folds amendments onto their trace in order, and keeps who handles a review and who asked, which no entry says.
import type { mongo, Types } from 'mongoose';
import type { ErasurePayload } from '../../domain/record/payload.ts';
import { AMENDMENT_KINDS } from '../../domain/record/trace-state.ts';
import type { Chain } from '../chains.ts';
import type { Columns } from '../columns.ts';
import type { Stored } from '../entry.ts';
import type { Contents } from '../contents/contents.ts';
import { createEntryUpdates } from '../entry-updates.ts';
import type { IdempotentConsumer } from '../follow/consumer.ts';
import { toObjectId } from '../ledger.model.ts';
import { DURABLE, MAJORITY } from '../../platform/mongo/concerns.ts';
import { ABOUT_ONE } from '../reads.ts';
import { createEncryptedValues } from './encrypted-values.ts';
import { type Projection, projectAmendment, collectValueSources } from './projection.ts';

/** The persons who handle a review item. */
export interface ReviewAssignment {
  assignedTo?: Types.ObjectId | null;
  assignedAt?: Date | null;
  escalatedTo?: Types.ObjectId | null;
  escalatedAt?: Date | null;
  escalationReason?: string | null;
}

/** Folds the amendments of one chain. */
export interface Fold {
  /** Folds an amendment onto its trace. Every earlier amendment MUST be folded first; the call is idempotent. */
  applyFold(entry: Stored): Promise<void>;
  /** Folds the amendments at these sequences, oldest first. Sequences without an entry are skipped. */
  applyFolds(organizationId: string, sequences: readonly number[]): Promise<void>;
  /** Assigns or escalates a pending review item; false when there is none. */
  assignReview(
    organizationId: Types.ObjectId,
    reviewId: Types.ObjectId,
    fields: ReviewAssignment,
  ): Promise<boolean>;
  /** Notes when a pending review was asked about, unless that was noted after `before`. */
  noteAsk(
    organizationId: Types.ObjectId,
    traceId: string,
    asked: { at: Date; before: Date },
  ): Promise<void>;
}

export interface FoldDeps {
  db: mongo.Db;
  chain: Chain;
  columns: Columns;
  /** Absent: contents are stored as they are. */
  contents?: Contents;
}

/** Creates the fold over the collection of a chain. */
export function createFold({ db, chain, columns, contents }: FoldDeps): Fold {
  const collection = db.collection<Stored>(chain.collection);
  const updateEntry = createEntryUpdates(collection, columns);
  const encryptedValues = contents && createEncryptedValues({ collection, updateEntry, contents });
  const deadLetters = db.collection('parked');

  /** Folds one amendment; false when an earlier one is not folded yet, or this one already is. */
  async function applyInOrder(
    { organizationId, kind, after }: Stored,
    { subject, set, lostColumns, erasedCopies }: Projection,
  ): Promise<boolean> {
    for (const other of erasedCopies) {
      const filter = { organizationId, sequence: other.sequence };
      await updateEntry({ filter, set: other.set });
    }
    const foldedTo = after === subject ? { $in: [null, 0, subject] } : after;
    const filter = { organizationId, sequence: subject, foldedTo };
    const removed = kind === 'erasure' ? [...columns.erasable, ...lostColumns] : [];
    return updateEntry({ filter, set, removed });
  }

  /** Finds the amendments up to `entry` that are not folded yet, oldest first. */
  async function findUnfolded(
    { organizationId, traceId, sequence }: Stored,
    subject: number,
  ): Promise<Stored[]> {
    const trace = await collection.findOne({ organizationId, sequence: subject }, MAJORITY);
    if (!trace) return [];
    const from = Math.max(subject, Number(trace.foldedTo ?? 0));
    const filter = { organizationId, traceId, sequence: { $gt: from, $lte: sequence } };
    return (await collection.find(filter, ABOUT_ONE).sort({ sequence: 1 }).toArray()) as Stored[];
  }

  /** Returns the entry with its values decrypted. */
  async function openEntry<T extends Stored | null>(entry: T): Promise<T> {
    if (!entry || !contents) return entry;
    return contents.decryptOne(entry.organizationId.toHexString(), entry);
  }

  async function projectChange(entry: Stored): Promise<Projection | null> {
    const nothing = { trace: null, sources: new Map<string, number>() };
    const projection = projectAmendment(await openEntry(entry), columns, nothing);
    if (!projection || !encryptedValues) return projection;
    const set = await encryptedValues.encryptChanges(entry, projection.subject, projection.set);
    return Object.assign({}, projection, { set });
  }

  async function project(entry: Stored): Promise<Projection | null> {
    if (entry.kind !== 'erasure') return projectChange(entry);
    const { organizationId, traceId } = entry;
    const about = { organizationId, traceId } as const;
    const before = { kind: 'correction', sequence: { $lt: entry.sequence } } as const;
    const corrections = collection.find({ ...about, ...before }, ABOUT_ONE).sort({ sequence: 1 });
    const found = await collection.findOne({ ...about, kind: 'trace' }, ABOUT_ONE);
    const trace = await openEntry(found as Stored | null);
    const sources = collectValueSources(await corrections.toArray());
    return projectAmendment(entry, columns, { trace, sources });
  }

  /** Erases the error texts of dead letters: they may repeat what the decision said. */
  async function eraseErrors({ organizationId, traceId }: Stored): Promise<void> {
    const filter = { organizationId, traceId, error: { $ne: null } };
    await deadLetters.updateMany(filter, { $set: { error: null } }, DURABLE);
  }

  async function applyUnfolded(entry: Stored): Promise<void> {
    const projection = await project(entry);
    if (!projection || (await applyInOrder(entry, projection))) return;
    for (const earlier of await findUnfolded(entry, projection.subject)) {
      const changes = await project(earlier);
      if (changes) await applyInOrder(earlier, changes);
    }
  }

  /** Folds the entry. An erasure destroys the keys after the fold: the lost columns are derived from the values. */
  async function applyFold(entry: Stored): Promise<void> {
    if (entry.kind !== 'erasure') return applyUnfolded(entry);
    await eraseErrors(entry);
    await applyUnfolded(entry);
    const { erased } = JSON.parse(entry.view) as ErasurePayload;
    await encryptedValues?.erase(entry.organizationId, erased);
  }

  return {
    applyFold,
    async applyFolds(organizationId, sequences) {
      const filter = {
        organizationId: toObjectId(organizationId),
        sequence: { $in: [...sequences] },
      };
      const amendments = collection.find(filter, MAJORITY).sort({ sequence: 1 });
      for await (const entry of amendments) await applyFold(entry as Stored);
    },
    async assignReview(organizationId, reviewId, fields) {
      const pending = { 'review._id': reviewId, 'review.status': 'pending' };
      const filter = { organizationId, kind: 'trace', ...pending } as const;
      const members = Object.entries(fields).map(([name, value]) => [`review.${name}`, value]);
      const set = Object.fromEntries(members) as Record<string, unknown>;
      if (!encryptedValues) return updateEntry({ filter, set });
      const item = await collection.findOne(filter as object, MAJORITY);
      if (!item) return false;
      return updateEntry({
        filter,
        set: await encryptedValues.encryptChanges(item, item.sequence, set),
      });
    },
    async noteAsk(organizationId, traceId, { at, before }) {
      const pending = { 'review.status': 'pending', 'review.askedAt': { $not: { $gt: before } } };
      const filter = { organizationId, traceId, kind: 'trace', ...pending };
      await updateEntry({ filter, set: { 'review.askedAt': at } });
    },
  };
}

/** Creates the consumer that repairs the fold after a crash between an append and its fold. */
export function createFoldConsumer({ applyFolds }: Fold): IdempotentConsumer {
  return {
    name: 'fold',
    from: 'start',
    kinds: AMENDMENT_KINDS,
    transactional: false,
    consume: (entries, { organizationId }) =>
      applyFolds(
        organizationId,
        entries.map(({ sequence }) => sequence),
      ),
  };
}
