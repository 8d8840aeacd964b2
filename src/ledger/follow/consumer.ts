// A consumer of ledger entries, and the step that advances it: effects and cursor (ledger.md, consumers).
import type { Connection, Model, mongo } from 'mongoose';
import type { Chain } from '../chains.ts';
import { DURABLE, MAJORITY } from '../read-write-concerns.ts';
import type { CursorDocument, DeadLetterDocument } from './cursors.model.ts';
import type { EntryKind, Sealed, Stored } from '../entry.ts';
import type { TailReader } from './tail-reader.ts';
import { objectId } from '../ledger.model.ts';
import type { Probe } from '../probe.ts';
import { truncate } from '../../domain/names/truncate.ts';

const MAX_ERROR_LENGTH = 500;
const MAX_COMMIT_MS = 10_000;
const TRANSACTION = {
  ...MAJORITY,
  ...DURABLE,
  readConcern: { level: 'snapshot' },
  maxCommitTimeMS: MAX_COMMIT_MS,
} as const;
/** Code of the server's. */
const WRITE_CONFLICT = 112;

interface ConsumerBase<T extends Sealed> {
  /** Never changes: cursors are stored under it. */
  name: string;
  /** Where it begins in organisations that are older than it: at the first entry, or with what is appended from now on. */
  from: 'start' | 'head';
  /** Those of these organisations in which it begins now; once begun it goes on for good. Absent: all. */
  beginsIn?: (organizationIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Absent: all kinds. */
  kinds?: readonly EntryKind[];
  /** Entries of one run, of any kind: fewer where it writes much for each, and below 512 by itself. Absent: 2,048. */
  batch?: number | ((organizationId: string) => Promise<number>);
  /** Runs of one turn; then the other consumers of the organisation have theirs. Few for one that is slow. Default 20. */
  runsInTurn?: number;
  /** Members that it reads besides sequence and kind, or single committed values; others may be there or not. */
  projection?: { readonly [Member in keyof T | `sealed.${string}`]?: 1 };
}

/** Its effects and its cursor are one transaction, which may be retried: nothing else may happen in `run`. `T`: the documents of its kinds. */
export interface TransactionalConsumer<T extends Sealed = Sealed> extends ConsumerBase<T> {
  transactional?: true;
  run(
    entries: T[],
    context: { session: mongo.ClientSession; organizationId: string },
  ): Promise<void>;
}

/** Its effects happen outside a transaction, before the cursor moves, at least once: they are idempotent. */
export interface IdempotentConsumer<T extends Sealed = Sealed> extends ConsumerBase<T> {
  transactional: false;
  run(entries: T[], context: { organizationId: string }): Promise<void>;
}

export type Consumer<T extends Sealed = Sealed> = TransactionalConsumer<T> | IdempotentConsumer<T>;

export interface ConsumerStepDeps {
  connection: Connection;
  chain: Chain;
  cursors: Model<CursorDocument>;
  deadLetters: Model<DeadLetterDocument>;
  probe: Probe;
}

/** Names a consumer's place in the chain of an organisation. */
export function placeKey(consumer: string, organizationId: string): string {
  return `${consumer}:${organizationId}`;
}

/** A run of entries after a cursor. */
export interface ConsumerRun {
  consumer: Consumer;
  organizationId: string;
  from: number;
  /** The cursor afterwards. */
  to: number;
  /** Those of the kinds that the consumer follows. */
  entries: Stored[];
  /** Whether it reaches the end of the chain. */
  isLast: boolean;
}

/** Another instance has moved the cursor: the transaction of this run is rolled back. */
export class CursorConflict extends Error {}

/** A transaction of another instance, which may have been killed in it, holds the cursor: nothing was done. */
export class CursorHeld extends Error {}

/** Entries of one run of most consumers: what a busy organisation appends between two rounds, so that one transaction takes it. */
export const BATCH = 2_048;

/** Entries of one run of a consumer. */
export async function batchOf({ batch }: Consumer, organizationId: string): Promise<number> {
  return Math.min(
    BATCH,
    typeof batch === 'function' ? await batch(organizationId) : (batch ?? BATCH),
  );
}

/** Who takes fewer runs by itself: the others would have more rounds than they need. */
const LEAST_TOGETHER = 512;

/** Entries of one run together with others, whose effects are undone with its own; null: it runs by itself. */
export async function jointBatchOf(
  consumer: Consumer,
  organizationId: string,
): Promise<number | null> {
  if (consumer.transactional === false || consumer.beginsIn) return null;
  const batch = await batchOf(consumer, organizationId);
  return batch < LEAST_TOGETHER ? null : batch;
}

/** Contents of a run may be megabytes, so they are read for those alone who want them. */
export function readsContents({ projection }: Consumer): boolean {
  return projection !== undefined && 'content' in projection;
}

/** Whether a consumer whose cursor has not moved yet may begin. */
async function mayBegin({ beginsIn }: Consumer, organizationId: string): Promise<boolean> {
  return !beginsIn || (await beginsIn([organizationId])).has(organizationId);
}

/** The next run; null at the end of the chain, and where the consumer does not begin yet. */
export async function nextRun(
  { consumer, tail, size }: { consumer: Consumer; tail: TailReader; size: number },
  { cursors }: ConsumerStepDeps,
): Promise<ConsumerRun | null> {
  const { organizationId } = tail;
  const { name } = consumer;
  const cursor = await cursors.collection.findOne(
    { organizationId: objectId(organizationId), consumer: name },
    MAJORITY,
  );
  if (!cursor) return null;
  const from = cursor.sequence;
  if (from === 0 && !(await mayBegin(consumer, organizationId))) return null;
  const { entries, isLast } = await tail.after(from, size);
  const newest = entries.at(-1);
  if (!newest) return null;
  return {
    consumer,
    organizationId,
    from,
    to: newest.sequence,
    entries: entriesFor(consumer, entries),
    isLast,
  };
}

/** Those of the kinds that it follows. */
export function entriesFor({ kinds }: Consumer, entries: readonly Stored[]): Stored[] {
  return entries.filter(({ kind }) => !kinds || kinds.includes(kind));
}

/** Produces the effects of a run and moves the cursor, both or neither. @throws CursorConflict, CursorHeld, and whatever the consumer throws */
export async function runStep(run: ConsumerRun, deps: ConsumerStepDeps): Promise<void> {
  const { consumer, organizationId, entries } = run;
  if (entries.length === 0) return moveCursor(run, deps);
  if (consumer.transactional === false) {
    await consumer.run(entries, { organizationId });
    await deps.probe('effects-written', organizationId);
    return moveCursor(run, deps);
  }
  const { from, to } = run;
  return runTransaction({ organizationId, from, to, runs: [{ consumer, entries }] }, deps);
}

/** What several consumers do with the entries between two sequences. */
interface SharedRun {
  organizationId: string;
  from: number;
  to: number;
  /** `entries`: those of the kinds that the consumer follows. */
  runs: readonly { consumer: TransactionalConsumer; entries: Stored[] }[];
}

/** All effects and all cursors, or nothing. @throws CursorConflict, CursorHeld, and whatever a consumer throws */
export async function runTransaction(
  { organizationId, from, to, runs }: SharedRun,
  deps: ConsumerStepDeps,
): Promise<void> {
  const names = runs.map(({ consumer }) => consumer.name);
  await inTransaction(deps.connection, async (session) => {
    // First: whoever else runs them, or was killed in it, is met before anything is done.
    await moveCursors({ organizationId, names, from, to }, deps, session);
    for (const { consumer, entries } of runs)
      if (entries.length > 0) await consumer.run(entries, { session, organizationId });
    await deps.probe('effects-written', organizationId);
  });
  await deps.probe('cursor-moved', organizationId);
}

/** Stores the only entry of a run as a dead letter and moves the cursor past it. */
export async function deadLetter(
  run: ConsumerRun,
  { error, at }: { error: unknown; at: Date },
  deps: ConsumerStepDeps,
): Promise<void> {
  const { consumer, organizationId, to } = run;
  await inTransaction(deps.connection, async (session) => {
    const about = await subjectOf(run, deps, session);
    const row = {
      consumer: consumer.name,
      organizationId: objectId(organizationId),
      sequence: to,
      traceId: about.traceId,
      error: about.isErased ? null : truncate(String(error), MAX_ERROR_LENGTH),
      at,
    };
    await deps.deadLetters.collection.insertOne(row as DeadLetterDocument, { session });
    await moveCursor(run, deps, session);
  });
}

/** What the only entry of a run is about; of what was erased an error may not tell either. */
async function subjectOf(
  { organizationId: hex, to }: ConsumerRun,
  { connection, chain }: ConsumerStepDeps,
  session: mongo.ClientSession,
): Promise<{ traceId: string | null; isErased: boolean }> {
  const entries = connection.collection<Stored>(chain.collection);
  const organizationId = objectId(hex);
  const options = { session, projection: { traceId: 1 } };
  const entry = await entries.findOne({ organizationId, sequence: to }, options);
  const traceId = entry?.traceId ?? null;
  if (traceId === null) return { traceId, isErased: false };
  const erasure = { organizationId, traceId, kind: 'erasure' } as const;
  return { traceId, isErased: (await entries.findOne(erasure, options)) !== null };
}

/**
 * The driver's own: Mongoose's switches asynchronous context tracking on, which every promise of the process would pay for. Not its
 * `withTransaction`, which would keep trying for two minutes: whoever stands in the way may have been killed, and others wait to be followed.
 */
function inTransaction(
  connection: Connection,
  work: (session: mongo.ClientSession) => Promise<void>,
): Promise<void> {
  return connection.getClient().withSession(async (session) => {
    session.startTransaction(TRANSACTION);
    try {
      await work(session);
    } catch (error) {
      await session.abortTransaction();
      throw error;
    }
    await session.commitTransaction();
  });
}

/** Consumers of an organisation that have had the effects of the entries between two sequences. */
interface CursorMove {
  organizationId: string;
  names: readonly string[];
  from: number;
  to: number;
}

/** @throws CursorConflict when one of them is no longer where it was, CursorHeld when it is being moved */
async function moveCursors(
  { organizationId, names, from, to }: CursorMove,
  { cursors }: ConsumerStepDeps,
  session?: mongo.ClientSession,
): Promise<void> {
  const filter = {
    organizationId: objectId(organizationId),
    consumer: { $in: [...names] },
    sequence: from,
  };
  const options = session ? { session } : DURABLE;
  const moving = cursors.collection.updateMany(filter, { $set: { sequence: to } }, options);
  const { matchedCount } = await moving.catch((cause: unknown) => {
    const isHeld = (cause as { code?: unknown }).code === WRITE_CONFLICT;
    throw isHeld ? new CursorHeld('another transaction holds the cursor', { cause }) : cause;
  });
  if (matchedCount < names.length) throw new CursorConflict();
}

function moveCursor(
  { consumer, organizationId, from, to }: ConsumerRun,
  deps: ConsumerStepDeps,
  session?: mongo.ClientSession,
): Promise<void> {
  return moveCursors({ organizationId, names: [consumer.name], from, to }, deps, session);
}
