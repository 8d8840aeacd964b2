// Writes outbox rows in the transaction of the change that causes them.
import { type Model, type mongo, type QueryFilter, Types } from 'mongoose';
import type { Clock } from '../clock.ts';
import { type OutboxDocument, RETENTION_MS } from './outbox.model.ts';
import { TRANSACTION } from '../mongo/concerns.ts';

export interface OutboxRow {
  /** 24 hex digits. */
  organizationId: string;
  topic: string;
  /** Lane of one receiver or record of this organisation. Unset: the organisation's common lane. */
  lane?: string;
  /** Workspace of the event, if it has one: 24 hex digits. */
  workspaceId?: string;
  /** The record that the row is about, if that may be erased. */
  subject?: string;
  /** Sequence of the chain entry that the row is about. */
  sequence?: number;
  payload: Record<string, unknown>;
}

/** A row under way, and the rows that its delivery causes. */
export interface SettledRow {
  row: OutboxDocument;
  followUps: readonly OutboxRow[];
}

export interface OutboxWriter {
  /** Writes rows, in the current transaction if there is one. */
  queue(...rows: OutboxRow[]): Promise<void>;
  /** Writes rows in the session's transaction. They are due at once, and expire after the retention, delivered or not. */
  write(rows: readonly OutboxRow[], session: mongo.ClientSession): Promise<void>;
  /**
   * Adds to the `count` of the unattempted row of the same topic and subject, or writes one that is due in a
   * minute, in the session's transaction. `at` is the newest.
   */
  incrementPending(
    row: OutboxRow & { subject: string },
    more: { count: number; at: Date },
    session: mongo.ClientSession,
  ): Promise<void>;
  /** Settles claimed rows and writes their follow-ups in one transaction; skips rows withdrawn or claimed elsewhere. */
  replace(rows: readonly SettledRow[]): Promise<void>;
  /** Makes a row due at once and restarts its retry schedule, delivered or not; null when there is none. */
  renew(where: QueryFilter<OutboxDocument>): Promise<OutboxDocument | null>;
  /** Removes all rows about erased records, in the session's transaction. */
  withdraw(
    organizationId: string,
    subjects: readonly string[],
    session: mongo.ClientSession,
  ): Promise<void>;
}

const GATHER_MS = 60_000;

export function createOutboxWriter({
  rows: model,
  clock,
  onWritten,
}: {
  rows: Model<OutboxDocument>;
  clock: Clock;
  /** Rows of these topics are due, or will be as soon as the transaction is committed. */
  onWritten: (topics: ReadonlySet<string>) => void;
}): OutboxWriter {
  const createPendingFields = () => {
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + RETENTION_MS);
    return {
      status: 'pending',
      attempts: 0,
      dueAt: now,
      lastError: null,
      expiresAt,
      createdAt: now,
    } as const;
  };
  async function write(rows: readonly OutboxRow[], session: mongo.ClientSession): Promise<void> {
    if (rows.length === 0) return;
    const common = createPendingFields();
    await model.collection.insertMany(
      rows.map(({ organizationId, ...row }) => ({
        _id: new Types.ObjectId(),
        organizationId: new Types.ObjectId(organizationId),
        ...row,
        ...common,
      })),
      { session },
    );
    onWritten(collectTopics(rows));
  }

  /** Marks the rows that are still claimed as done, and returns their ids. */
  async function settle(
    rows: readonly SettledRow[],
    session: mongo.ClientSession,
  ): Promise<ReadonlySet<string>> {
    const where = {
      _id: { $in: rows.map(({ row }) => row._id) },
      organizationId: { $in: rows.map(({ row }) => row.organizationId) },
      claim: { $in: rows.map(({ row }) => row.claim) },
      status: 'pending',
    } as const;
    const claimed = await model.collection
      .find(where as never, { session, projection: { _id: 1 } })
      .toArray();
    const done = { $set: { status: 'done', lastError: null } } as const;
    await model.collection.updateMany(where as never, done, { session });
    return new Set(claimed.map(({ _id }) => _id.toHexString()));
  }

  return {
    write,

    async queue(...rows) {
      const common = createPendingFields();
      await model.insertMany(rows.map((row) => ({ ...row, ...common })));
      onWritten(collectTopics(rows));
    },
    async replace(rows) {
      await model.db.getClient().withSession((session) =>
        session.withTransaction(async () => {
          const claimed = await settle(rows, session);
          await write(
            rows
              .filter(({ row }) => claimed.has(row._id.toHexString()))
              .flatMap(({ followUps }) => followUps),
            session,
          );
        }, TRANSACTION),
      );
    },
    async incrementPending({ organizationId, topic, subject, payload }, { count, at }, session) {
      const { dueAt, status, attempts, ...common } = createPendingFields();
      const members = Object.entries(payload).map(([name, value]) => [`payload.${name}`, value]);
      await model.collection.updateOne(
        { organizationId: new Types.ObjectId(organizationId), topic, subject, status, attempts },
        {
          $inc: { 'payload.count': count },
          $max: { 'payload.at': at },
          $set: Object.fromEntries(members) as object,
          $setOnInsert: { dueAt: new Date(dueAt.getTime() + GATHER_MS), ...common },
        },
        { upsert: true, session },
      );
    },
    async renew(where) {
      const { createdAt: _kept, ...fields } = createPendingFields();
      const renewed = await model
        .findOneAndUpdate(
          where,
          { $set: fields, $unset: { claim: 1 } },
          { returnDocument: 'after' },
        )
        .lean<OutboxDocument>();
      if (renewed) onWritten(collectTopics([renewed]));
      return renewed;
    },
    async withdraw(organizationId, subjects, session) {
      const filter = {
        organizationId: new Types.ObjectId(organizationId),
        subject: { $in: [...subjects] },
      };
      await model.collection.deleteMany(filter, { session });
    },
  };
}

const collectTopics = (rows: readonly { topic: string }[]): ReadonlySet<string> =>
  new Set(rows.map(({ topic }) => topic));
