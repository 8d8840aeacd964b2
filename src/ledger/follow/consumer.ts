// What follows from entries: a consumer, and the one step by which it gets ahead (ledger.md, consumers).
import type { Connection, Model, mongo } from 'mongoose';
import { DURABLE, MAJORITY } from '../read-write-concerns.ts';
import type { CursorDocument, DeadLetterDocument } from './cursors.model.ts';
import type { EntryKind, Stored } from '../entry.ts';
import type { TailReader, MemberProjection } from './tail-reader.ts';
import { objectId } from '../ledger.model.ts';
import type { Probe } from '../probe.ts';

const TRANSACTION = { ...MAJORITY, ...DURABLE, readConcern: { level: 'snapshot' } } as const;

interface Following {
  /** Never changes: cursors go by it. */
  name: string;
  /** Absent: all kinds. */
  kinds?: readonly EntryKind[];
  /** Entries of one run, of any kind; what is read serves all consumers with the same number. Default 512. */
  batch?: number;
  /** Members that it looks at besides sequence and kind; others may be there or not. */
  projection?: MemberProjection;
}

/** Its effects and its cursor are one transaction, which may run again: nothing else may happen in `run`. */
export interface TransactionalConsumer extends Following {
  outside?: false;
  run(
    entries: Stored[],
    context: { session: mongo.ClientSession; organizationId: string },
  ): Promise<void>;
}

/** Its effect is no part of a transaction: harmless when repeated, and done before the cursor moves. */
export interface OutsideConsumer extends Following {
  outside: true;
  run(entries: Stored[], context: { organizationId: string }): Promise<void>;
}

export type Consumer = TransactionalConsumer | OutsideConsumer;

export interface StepParts {
  connection: Connection;
  cursors: Model<CursorDocument>;
  parked: Model<DeadLetterDocument>;
  probe: Probe;
}

/** A run of entries after a cursor. */
export interface ConsumerRun {
  consumer: Consumer;
  organizationId: string;
  from: number;
  /** Where the cursor stands afterwards. */
  to: number;
  /** Those of the kinds that the consumer follows. */
  entries: Stored[];
  /** It reaches the end of the chain. */
  isLast: boolean;
}

/** Another instance has moved the cursor: what was done here is undone with its transaction. */
export class CursorMoved extends Error {}

/** The next run; null at the end of the chain. */
export async function nextRun(
  { consumer, growth, size }: { consumer: Consumer; growth: TailReader; size: number },
  { cursors }: StepParts,
): Promise<ConsumerRun | null> {
  const { organizationId } = growth;
  const { name, kinds } = consumer;
  const cursor = await cursors.collection.findOne(
    { organizationId: objectId(organizationId), consumer: name },
    MAJORITY,
  );
  if (!cursor) return null;
  const from = cursor.sequence;
  const read = await growth.after(from, size);
  const newest = read.at(-1);
  if (!newest) return null;
  const entries = kinds ? read.filter(({ kind }) => kinds.includes(kind)) : read;
  return {
    consumer,
    organizationId,
    from,
    to: newest.sequence,
    entries,
    isLast: read.length < size,
  };
}

/** Has the effects of a run and moves the cursor, both or neither. @throws CursorMoved, and whatever the consumer throws */
export async function follow(run: ConsumerRun, parts: StepParts): Promise<void> {
  const { consumer, organizationId, entries } = run;
  if (entries.length === 0) return move(run, parts);
  if (consumer.outside) {
    await consumer.run(entries, { organizationId });
    await parts.probe('effects-written', organizationId);
    return move(run, parts);
  }
  await transaction(parts.connection, async (session) => {
    await consumer.run(entries, { session, organizationId });
    await parts.probe('effects-written', organizationId);
    await move(run, parts, session);
  });
  return parts.probe('cursor-moved', organizationId);
}

/** Puts the only entry of a run aside, so that those after it get their effects. */
export async function deadLetter(
  run: ConsumerRun,
  { error, at }: { error: unknown; at: Date },
  parts: StepParts,
): Promise<void> {
  const { consumer, organizationId, to } = run;
  const row = {
    consumer: consumer.name,
    organizationId: objectId(organizationId),
    sequence: to,
    error: String(error),
    at,
  };
  await transaction(parts.connection, async (session) => {
    await parts.parked.collection.insertOne(row as DeadLetterDocument, { session });
    await move(run, parts, session);
  });
}

/** The driver's own: Mongoose's switches asynchronous context tracking on, which every promise of the process would pay for. */
function transaction(
  connection: Connection,
  work: (session: mongo.ClientSession) => Promise<void>,
): Promise<void> {
  return connection
    .getClient()
    .withSession((session) => session.withTransaction(() => work(session), TRANSACTION));
}

async function move(
  { consumer, organizationId, from, to }: ConsumerRun,
  { cursors }: StepParts,
  session?: mongo.ClientSession,
): Promise<void> {
  const filter = {
    organizationId: objectId(organizationId),
    consumer: consumer.name,
    sequence: from,
  };
  const options = session ? { session } : DURABLE;
  const { matchedCount } = await cursors.collection.updateOne(
    filter,
    { $set: { sequence: to } },
    options,
  );
  if (matchedCount === 0) throw new CursorMoved();
}
