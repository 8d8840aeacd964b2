// One ordered insert, repeated until it is known which documents are durable (ledger.md, appending, 5).
import type { Stored } from '../entry.ts';
import type { AppendQueue } from './append-queue.ts';
import type { Probe } from '../probe.ts';
import { toHead } from './seal.ts';
import type { Head, InsertFailure, InsertOutcome, LedgerStore } from './store.ts';
import { computeBackoff, retryRead } from '../../platform/concurrency/backoff.ts';
import { sleep, type Timer } from '../../platform/concurrency/timer.ts';

/** The decided result of a batch. */
export interface InsertResult {
  /** Acknowledged by or read from a majority; as stored, which may be an earlier sealing of the same `_id`. */
  durable: readonly Stored[];
  /** The head that the rest builds on; null: another instance appended, so the head MUST be read again. */
  head: Head | null;
  /** The first document that is not stored, and why; null when all are. */
  failed: { document: Stored; reason: InsertFailure } | null;
}

export interface InsertDeps {
  store: LedgerStore;
  timer: Timer;
  probe: Probe;
}

const CHAIN_CONFLICT: InsertFailure = { kind: 'conflict', at: 0, index: 'chain' };

/**
 * Inserts sealed documents, in order. They MUST be sealed on `queue.head`. It resolves only when a majority has decided
 * about every document: an unknown outcome is read back, and the identical documents are sent again. It does not reject
 * while the database is unavailable; it keeps trying.
 */
export async function insertBatch(
  queue: AppendQueue,
  documents: readonly Stored[],
  deps: InsertDeps,
): Promise<InsertResult> {
  await deps.probe('before-insert', queue.organizationId);
  const outcome = await deps.store.insertOrdered(documents);
  await deps.probe('inserted', queue.organizationId);
  if (isUndecided(outcome)) return sendUntilKnown(queue, documents, deps);
  return {
    durable: getDurablePrefix(documents, outcome),
    ...toInsertResult(queue, documents, outcome),
  };
}

/** Returns whether the outcome is unknown, or one of our own documents is stored but maybe not on a majority. */
function isUndecided(outcome: InsertOutcome): boolean {
  return outcome.kind === 'unknown' || (outcome.kind === 'conflict' && outcome.index === '_id');
}

function getDurablePrefix(documents: readonly Stored[], outcome: InsertOutcome): readonly Stored[] {
  if (outcome.kind === 'unknown') return [];
  return outcome.kind === 'ok' ? documents : documents.slice(0, outcome.at);
}

function toInsertResult(
  queue: AppendQueue,
  documents: readonly Stored[],
  outcome: InsertOutcome,
): Omit<InsertResult, 'durable'> {
  if (outcome.kind === 'unknown') throw new TypeError('an unknown outcome has no result');
  const head = getNewestHead(getDurablePrefix(documents, outcome)) ?? queue.head;
  if (outcome.kind === 'ok') return { head, failed: null };
  const document = documents[outcome.at];
  if (!document) throw new RangeError(`no document ${outcome.at} in this batch`);
  return { head: isChainConflict(outcome) ? null : head, failed: { document, reason: outcome } };
}

/** Sends the byte-identical documents again until a majority read or an acknowledgement decides about each. */
async function sendUntilKnown(
  queue: AppendQueue,
  documents: readonly Stored[],
  deps: InsertDeps,
): Promise<InsertResult> {
  const { store, timer, probe } = deps;
  const durable: Stored[] = [];
  let undecided = documents;
  await probe('unknown', queue.organizationId);
  for (let attempt = 0; ; attempt++) {
    await sleep(timer, computeBackoff(attempt));
    const read = await readBack(queue, undecided, deps);
    durable.push(...read.found);
    const decided = await decideResult(queue, durable, read, deps);
    if (decided) return decided;
    await probe('before-resend', queue.organizationId);
    const outcome = await store.insertOrdered(read.missing);
    const prefix = getDurablePrefix(read.missing, outcome);
    durable.push(...prefix);
    if (!isUndecided(outcome) && !isChainConflict(outcome)) {
      const { head, failed } = toInsertResult(queue, read.missing, outcome);
      return { durable, head: getNewestHead(durable) ?? head, failed };
    }
    undecided = read.missing.slice(prefix.length);
  }
}

/** The sent documents as a majority read shows them. */
interface ReadBack {
  found: readonly Stored[];
  missing: readonly Stored[];
  /** Whether none is an earlier sealing: the missing documents would not link to one. */
  asSent: boolean;
}

async function readBack(
  queue: AppendQueue,
  sent: readonly Stored[],
  { store, timer }: InsertDeps,
): Promise<ReadBack> {
  const ids = sent.map(({ _id }) => _id);
  const found = await retryRead(timer, () => store.findByIds(queue.organizationObjectId, ids));
  return {
    found,
    missing: sent.filter(({ _id }) => !found.some((entry) => entry._id.equals(_id))),
    asSent: found.every((entry) => sent.some(({ chainHash }) => chainHash === entry.chainHash)),
  };
}

/** Returns the result where a majority read decides it; null: the missing documents MUST be sent again. */
async function decideResult(
  queue: AppendQueue,
  durable: readonly Stored[],
  { missing: [first], asSent }: ReadBack,
  deps: InsertDeps,
): Promise<InsertResult | null> {
  if (!first) return { durable, head: asSent ? getNewestHead(durable) : null, failed: null };
  if (asSent && !(await isTaken(queue, first, deps))) return null;
  return { durable, head: null, failed: { document: first, reason: CHAIN_CONFLICT } };
}

function getNewestHead(durable: readonly Stored[]): Head | null {
  const newest = durable.at(-1);
  return newest ? toHead(newest) : null;
}

/** Returns whether a sequence is taken. A resent sequence stays undecided until a majority shows its owner. */
function isChainConflict(outcome: InsertOutcome): boolean {
  return outcome.kind === 'conflict' && outcome.index === 'chain';
}

/** Only a foreign entry, read with majority at our sequence, allows sealing again. */
async function isTaken(
  queue: AppendQueue,
  document: Stored,
  { store, timer }: InsertDeps,
): Promise<boolean> {
  const owner = await retryRead(timer, () =>
    store.findAtSequence(queue.organizationObjectId, document.sequence),
  );
  return owner !== null && !owner._id.equals(document._id);
}
