// Consumers of ledger entries, and the step that advances one: effects and cursor (ledger.md, consumers).
import type { Connection, Model, mongo } from 'mongoose';
import { truncate } from '@assay/json';
import type { Chain } from '../chains.ts';
import { DURABLE, MAJORITY, TRANSACTION } from '../../platform/mongo/concerns.ts';
import type { CursorDocument, DeadLetterDocument } from './cursors.model.ts';
import type { EntryKind, Sealed, Stored } from '../entry.ts';
import type { TailReader } from './tail-reader.ts';
import { toObjectId } from '../ledger.model.ts';
import type { Probe } from '../probe.ts';

const MAX_ERROR_LENGTH = 500;
const MAX_COMMIT_MS = 10_000;
const EFFECTS_TRANSACTION = { ...TRANSACTION, maxCommitTimeMS: MAX_COMMIT_MS } as const;
/** Error code of the server. */
const WRITE_CONFLICT = 112;

interface ConsumerBase<T extends Sealed> {
  /** MUST NOT change: cursors are stored under it. */
  name: string;
  /** Where it begins in organisations that are older than the consumer: at the first entry, or at the current head. */
  from: 'start' | 'head';
  /** Returns in which of these organisations it begins now; once begun it never ends. Absent: in all. */
  beginsIn?: (organizationIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Kinds of entries to consume; absent: all. */
  kinds?: readonly EntryKind[];
  /** Entries per run, of any kind. Below 512 the consumer runs in a transaction of its own. Absent: 2,048. */
  batch?: number | ((organizationId: string) => Promise<number>);
  /** Runs before the other consumers of the organisation run; a slow consumer sets it low. Default 20. */
  runsInTurn?: number;
  /** Members that it reads besides sequence and kind, or single committed values; it MUST NOT rely on others. */
  projection?: { readonly [Member in keyof T | `sealed.${string}`]?: 1 };
}

/**
 * A consumer whose effects and cursor are one transaction, which may be retried: it MUST NOT have effects outside the
 * session. `T`: the documents of its kinds.
 */
export interface TransactionalConsumer<T extends Sealed = Sealed> extends ConsumerBase<T> {
  transactional?: true;
  consume(
    entries: T[],
    context: { session: mongo.ClientSession; organizationId: string },
  ): Promise<void>;
}

/** A consumer whose effects happen before the cursor moves, at least once: they MUST be idempotent. */
export interface IdempotentConsumer<T extends Sealed = Sealed> extends ConsumerBase<T> {
  transactional: false;
  consume(entries: T[], context: { organizationId: string }): Promise<void>;
}

export type Consumer<T extends Sealed = Sealed> = TransactionalConsumer<T> | IdempotentConsumer<T>;

export interface ConsumerStepDeps {
  connection: Connection;
  chain: Chain;
  cursors: Model<CursorDocument>;
  deadLetters: Model<DeadLetterDocument>;
  probe: Probe;
}

/** Returns the key of a consumer's place in the chain of an organisation. */
export function toPlaceKey(consumer: string, organizationId: string): string {
  return `${consumer}:${organizationId}`;
}

/** A run of entries after a cursor. */
export interface ConsumerRun {
  consumer: Consumer;
  organizationId: string;
  from: number;
  /** The cursor afterwards. */
  to: number;
  /** The entries of the kinds that the consumer follows. */
  entries: Stored[];
  /** Whether the run reaches the end of the chain. */
  isLast: boolean;
}

/** Thrown when another instance has moved the cursor: the transaction of this run is rolled back. */
export class CursorConflict extends Error {}

/** Thrown when a transaction of another instance, maybe a killed one, has taken the cursor: nothing was done. */
export class CursorTaken extends Error {}

/** Default entries per run: what a busy organisation appends between two rounds, so that one transaction suffices. */
export const BATCH = 2_048;

/** Resolves with the entries per run of a consumer. */
export async function resolveBatchSize(
  { batch }: Consumer,
  organizationId: string,
): Promise<number> {
  return Math.min(
    BATCH,
    typeof batch === 'function' ? await batch(organizationId) : (batch ?? BATCH),
  );
}

/** Smallest batch of a joined run: a smaller one would cost the other consumers more rounds. */
const LEAST_TOGETHER = 512;

/** Resolves with the entries per run that is joined with other consumers; null: it needs a transaction of its own. */
export async function resolveJointBatchSize(
  consumer: Consumer,
  organizationId: string,
): Promise<number | null> {
  if (consumer.transactional === false || consumer.beginsIn) return null;
  const batch = await resolveBatchSize(consumer, organizationId);
  return batch < LEAST_TOGETHER ? null : batch;
}

/** Returns whether a consumer reads contents: they may be megabytes per run, so other lanes do not read them. */
export function isReadingContents({ projection }: Consumer): boolean {
  return projection !== undefined && 'content' in projection;
}

/** Returns whether a consumer whose cursor has not moved yet may begin. */
async function mayBegin({ beginsIn }: Consumer, organizationId: string): Promise<boolean> {
  return !beginsIn || (await beginsIn([organizationId])).has(organizationId);
}

/** Reads the next run; null at the end of the chain, without a cursor, and where the consumer does not begin yet. */
export async function readNextRun(
  { consumer, tail, size }: { consumer: Consumer; tail: TailReader; size: number },
  { cursors }: ConsumerStepDeps,
): Promise<ConsumerRun | null> {
  const { organizationId } = tail;
  const { name } = consumer;
  const cursor = await cursors.collection.findOne(
    { organizationId: toObjectId(organizationId), consumer: name },
    MAJORITY,
  );
  if (!cursor) return null;
  const from = cursor.sequence;
  if (from === 0 && !(await mayBegin(consumer, organizationId))) return null;
  const { entries, isLast } = await tail.readAfter(from, size);
  const newest = entries.at(-1);
  if (!newest) return null;
  return {
    consumer,
    organizationId,
    from,
    to: newest.sequence,
    entries: filterEntries(consumer, entries),
    isLast,
  };
}

/** Returns the entries of the kinds that a consumer follows. */
export function filterEntries({ kinds }: Consumer, entries: readonly Stored[]): Stored[] {
  return entries.filter(({ kind }) => !kinds || kinds.includes(kind));
}

/**
 * Produces the effects of a run and moves the cursor. A transactional consumer does both or neither; an idempotent one
 * moves the cursor after its effects. @throws CursorConflict, CursorTaken, and any error of the consumer
 */
export async function runStep(run: ConsumerRun, deps: ConsumerStepDeps): Promise<void> {
  const { consumer, organizationId, entries } = run;
  if (entries.length === 0) return moveCursor(run, deps);
  if (consumer.transactional === false) {
    await consumer.consume(entries, { organizationId });
    await deps.probe('effects-written', organizationId);
    return moveCursor(run, deps);
  }
  const { from, to } = run;
  return runTransaction({ organizationId, from, to, runs: [{ consumer, entries }] }, deps);
}

/** A run of several consumers over the entries between two sequences. */
interface SharedRun {
  organizationId: string;
  from: number;
  to: number;
  /** `entries` are of the kinds that the consumer follows. */
  runs: readonly { consumer: TransactionalConsumer; entries: Stored[] }[];
}

/**
 * Produces all effects and moves all cursors in one transaction, or does nothing.
 * @throws CursorConflict, CursorTaken, and any error of a consumer
 */
export async function runTransaction(
  { organizationId, from, to, runs }: SharedRun,
  deps: ConsumerStepDeps,
): Promise<void> {
  const names = runs.map(({ consumer }) => consumer.name);
  await runInTransaction(deps.connection, async (session) => {
    // The cursors move first: a concurrent or killed transaction conflicts before any effect is produced.
    await moveCursors({ organizationId, names, from, to }, deps, session);
    for (const { consumer, entries } of runs)
      if (entries.length > 0) await consumer.consume(entries, { session, organizationId });
    await deps.probe('effects-written', organizationId);
  });
  await deps.probe('cursor-moved', organizationId);
}

/** Stores the only entry of a run as a dead letter and moves the cursor past it. */
export async function storeDeadLetter(
  run: ConsumerRun,
  { error, at }: { error: unknown; at: Date },
  deps: ConsumerStepDeps,
): Promise<void> {
  const { consumer, organizationId, to } = run;
  await runInTransaction(deps.connection, async (session) => {
    const about = await readSubject(run, deps, session);
    const row = {
      consumer: consumer.name,
      organizationId: toObjectId(organizationId),
      sequence: to,
      traceId: about.traceId,
      error: about.isErased ? null : truncate(String(error), MAX_ERROR_LENGTH),
      at,
    };
    await deps.deadLetters.collection.insertOne(row as DeadLetterDocument, { session });
    await moveCursor(run, deps, session);
  });
}

/** Reads the trace of the only entry of a run, and whether it was erased: its error text MUST NOT be stored then. */
async function readSubject(
  { organizationId: hex, to }: ConsumerRun,
  { connection, chain }: ConsumerStepDeps,
  session: mongo.ClientSession,
): Promise<{ traceId: string | null; isErased: boolean }> {
  const entries = connection.collection<Stored>(chain.collection);
  const organizationId = toObjectId(hex);
  const options = { session, projection: { traceId: 1 } };
  const entry = await entries.findOne({ organizationId, sequence: to }, options);
  const traceId = entry?.traceId ?? null;
  if (traceId === null) return { traceId, isErased: false };
  const erasure = { organizationId, traceId, kind: 'erasure' } as const;
  return { traceId, isErased: (await entries.findOne(erasure, options)) !== null };
}

/**
 * Runs `work` in a transaction of the driver: Mongoose's would enable asynchronous context tracking, which slows every
 * promise of the process. Not `withTransaction`, which retries for two minutes: the holder of the conflicting lock may
 * have been killed, and other organisations wait.
 */
function runInTransaction(
  connection: Connection,
  work: (session: mongo.ClientSession) => Promise<void>,
): Promise<void> {
  return connection.getClient().withSession(async (session) => {
    session.startTransaction(EFFECTS_TRANSACTION);
    try {
      await work(session);
    } catch (error) {
      await session.abortTransaction();
      throw error;
    }
    await session.commitTransaction();
  });
}

/** A move of the cursors of several consumers of an organisation. */
interface CursorMove {
  organizationId: string;
  names: readonly string[];
  from: number;
  to: number;
}

/** Moves cursors. @throws CursorConflict when one is no longer at `from`, CursorTaken when one is being moved */
async function moveCursors(
  { organizationId, names, from, to }: CursorMove,
  { cursors }: ConsumerStepDeps,
  session?: mongo.ClientSession,
): Promise<void> {
  const filter = {
    organizationId: toObjectId(organizationId),
    consumer: { $in: [...names] },
    sequence: from,
  };
  const options = session ? { session } : DURABLE;
  const moving = cursors.collection.updateMany(filter, { $set: { sequence: to } }, options);
  const { matchedCount } = await moving.catch((cause: unknown) => {
    const isTaken = (cause as { code?: unknown }).code === WRITE_CONFLICT;
    throw isTaken ? new CursorTaken('another transaction holds the cursor', { cause }) : cause;
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
