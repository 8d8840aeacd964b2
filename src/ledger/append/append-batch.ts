// Appends one batch of one organisation: seals and inserts it until every append is answered (ledger.md, appending).
import { type Act, type Halt, Halts, type ReadSessionKey } from '../../domain/halt/halt.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Chain } from '../chains.ts';
import type { Stored } from '../entry.ts';
import type { Heads } from '../heads/heads.ts';
import { toHaltEntry } from '../halts/halt-entries.ts';
import { insertBatch } from './insert-batch.ts';
import { BatchRegisters, loadRegisters } from '../registers/batch-registers.ts';
import { readShown } from '../shown-read.ts';
import { beginPromises, type PendingPromises, type PromiseBatch } from './promises.ts';
import type { AppendQueue } from './append-queue.ts';
import type { PendingAppend } from './pending-append.ts';
import type { Probe } from '../probe.ts';
import { answerReplays, resolveReplay } from './idempotent-replays.ts';
import { createGenesisHead, Refusal, toHead, sealDraft } from './seal.ts';
import type { Head, InsertFailure, LedgerStore } from './store.ts';
import { computeBackoff, retryRead } from '../../platform/concurrency/backoff.ts';
import { sleep, type Timer } from '../../platform/concurrency/timer.ts';
import { createUnavailableError } from './unavailable.ts';
import type { Contents, EncryptDocument } from '../contents/contents.ts';

export interface BatchDeps {
  store: LedgerStore;
  chain: Chain;
  clock: Clock;
  timer: Timer;
  heads: Heads;
  probe: Probe;
  /** Absent: contents are stored as they are. */
  contents?: Contents;
  /** Returns what promises the entries of a batch; absent or null: nothing does. */
  getPromiser?: () => PromiseBatch | null;
  /** Derives what a halt of a session names; absent: no session is halted. */
  readSessionKey?: ReadSessionKey;
  /** False while the clock cannot be trusted: nothing is sealed. */
  ready: () => boolean;
  /** Called once the entries are durable, with their values readable. */
  onSealed: (organizationId: string, entries: readonly Stored[]) => void;
}

/**
 * Appends one batch. It resolves when every append in it is answered: sealed, repeated, superseded or failed. An append
 * MUST NOT be acknowledged before its entry is durable on a majority. Two calls for one queue MUST NOT overlap.
 * @throws AppError when the rest cannot be appended now; the caller fails the unanswered appends
 */
export async function appendBatch(
  queue: AppendQueue,
  batch: readonly PendingAppend[],
  deps: BatchDeps,
): Promise<void> {
  let rest = [...batch];
  for (let conflicts = 0; rest.length > 0;) {
    if (queue.head === null) await readHead(queue, conflicts, deps);
    const documents = await sealBatch(queue, rest, deps);
    if (documents.length === 0) return refuseRest(queue, rest, deps);
    const promises = beginPromises(queue.organizationId, documents, deps);
    const { durable, failed } = await insertDocuments(queue, documents, deps);
    await answerDurable(queue, { durable, batch: rest, promises }, deps);
    rest = rest.filter(({ done }) => !done);
    queue.contention.noteBatch(failed === null);
    const culprit = failed && rest.find(({ id }) => id.equals(failed.document._id));
    if (failed && culprit)
      rest = await resolveFailure(queue, { rest, culprit, reason: failed.reason }, deps);
    if (queue.head === null) conflicts++;
  }
}

/** Inserts the documents; the queue goes on from what became durable, or reads the head again. */
async function insertDocuments(
  queue: AppendQueue,
  documents: Stored[],
  deps: BatchDeps,
): ReturnType<typeof insertBatch> {
  const inserted = await insertBatch(queue, documents, deps);
  if (inserted.head) queue.acceptHead(inserted.head, inserted.durable);
  else queue.discardHead();
  return inserted;
}

/** Reads the newest entry from a majority, after it has checked that the chain still reaches every known head. */
async function readHead(queue: AppendQueue, conflicts: number, deps: BatchDeps): Promise<void> {
  const { store, chain, timer, heads } = deps;
  for (let attempt = conflicts; ; attempt++) {
    await sleep(timer, computeBackoff(attempt));
    if (queue.trusted === null) await heads.confirm(queue.organizationId, null);
    const newest = await retryRead(timer, () => store.readNewest(queue.organizationObjectId));
    const head = newest ? toHead(newest) : createGenesisHead(chain);
    const { trusted } = queue;
    if (!trusted || head.sequence > trusted.sequence || head.chainHash === trusted.chainHash) {
      queue.acceptHead(head);
      if (head.sequence > 0) heads.noteHead(queue.organizationId, head);
      return;
    }
    await heads.confirm(queue.organizationId, trusted).catch((error: unknown) => {
      // The missing head is noted: from now on the note decides whether the quarantine was released.
      queue.distrustHead();
      throw error;
    });
  }
}

/** Seals the drafts that no limit and no halt refuses; returns none when all are refused. */
async function sealBatch(
  queue: AppendQueue,
  batch: readonly PendingAppend[],
  deps: BatchDeps,
): Promise<Stored[]> {
  const head = queue.head ?? createGenesisHead(deps.chain);
  const isKnown = queue.halts.control === (head.control ?? 0);
  const halts = isKnown ? queue.halts : await loadHalts(queue, head, deps);
  await loadRegisters(queue, { head, batch }, deps);
  const encrypt = await prepareEncryption(queue, { head, batch }, deps);
  if (!deps.ready()) throw createUnavailableError("This instance's clock cannot be trusted");
  deps.heads.checkClockSkew(queue.organizationId, head.createdAt);
  const documents = sealDrafts(queue, batch, { head, halts, ...deps });
  documents.forEach(encrypt);
  await deps.probe('sealed', queue.organizationId);
  return documents;
}

/** Seals drafts one on the other; a halt among them forbids what comes after it. */
function sealDrafts(
  queue: AppendQueue,
  batch: readonly PendingAppend[],
  { chain, clock, readSessionKey = returnNull, ...at }: BatchDeps & { head: Head; halts: Halts },
): Stored[] {
  let { head, halts } = at;
  const now = clock.now();
  const documents: Stored[] = [];
  const registers = new BatchRegisters(queue);
  const findHalt = (organizationId: string, act: Act): Halt | null =>
    halts.findBlocking(organizationId, act, readSessionKey);
  for (const pending of batch) {
    const ids = { _id: pending.id, organizationId: queue.organizationObjectId };
    const document = sealDraft(pending.draft, ids, { head, now, chain, findHalt, registers });
    pending.refusal = document instanceof Refusal ? document : null;
    if (document instanceof Refusal) continue;
    if (document.kind === 'halt') halts = halts.addEntries([toHaltEntry(document)]);
    registers.addEntry(document);
    documents.push(document);
    head = document;
  }
  return documents;
}

const returnNull = (): null => null;

/** Returns the halts as of the head that is built on; reads those that are not known, until it has them all. */
async function loadHalts(
  queue: AppendQueue,
  { control: upTo = 0 }: Head,
  { store, timer }: BatchDeps,
): Promise<Halts> {
  const known = queue.halts.control < upTo ? queue.halts : new Halts();
  const range = { after: known.control, upTo };
  queue.halts = await readShown(timer, 'The halts', async () => {
    const halts = known.addEntries(await store.readHalts(queue.organizationObjectId, range));
    return halts.control === upTo ? halts : null;
  });
  return queue.halts;
}

/** Prepares the encryption of the contents of the entries after a head. @throws AppError `SERVICE_UNAVAILABLE` */
async function prepareEncryption(
  { organizationId }: AppendQueue,
  { head, batch }: { head: Head; batch: readonly PendingAppend[] },
  { contents }: BatchDeps,
): Promise<EncryptDocument> {
  if (!contents) return () => undefined;
  const sequences = batch.map((_, index) => head.sequence + 1 + index);
  return contents.createEncryption(organizationId, sequences).catch((cause: unknown) => {
    throw createUnavailableError('The keys of the entries cannot be read', cause);
  });
}

/** Returns the entry with its values as they were before they were encrypted. */
function restoreValues(entry: Stored, { draft }: PendingAppend): Stored {
  if (entry['content'] === undefined) return entry;
  const { sealed } = draft.fields as Partial<Stored>;
  return Object.assign({}, entry, { sealed, content: undefined });
}

/** Refuses the batch: a limit is reached, or it is halted. Replays of earlier requests are still answered. */
async function refuseRest(
  queue: AppendQueue,
  batch: PendingAppend[],
  deps: BatchDeps,
): Promise<void> {
  for (const pending of await answerReplays(queue, batch, deps)) {
    const why = pending.refusal?.why ?? 'monthlyLimit';
    if (why === 'monthlyLimit') pending.reject(new AppError('USAGE_LIMIT_EXCEEDED'));
    else if (why === 'superseded') pending.settle({ kind: 'superseded' });
    else if ('halt' in why) pending.settle({ kind: 'halted', halt: why.halt });
    else if ('grantId' in why) pending.settle({ kind: 'ungranted', grantId: why.grantId });
    else pending.settle({ kind: 'exceeded', passed: why.passed });
  }
}

/** The durable entries of a batch, its appends, and what promises its entries. */
interface DurableBatch {
  durable: readonly Stored[];
  batch: readonly PendingAppend[];
  promises: PendingPromises;
}

/** Answers the appends whose entries are durable, and reports the new head. */
async function answerDurable(
  queue: AppendQueue,
  { durable, batch, promises }: DurableBatch,
  deps: BatchDeps,
): Promise<void> {
  const newest = durable.at(-1);
  if (!newest) return;
  const { organizationId } = queue;
  await deps.probe('acknowledged', organizationId);
  const findPromise = await promises.settle();
  const pendingById = new Map(batch.map((pending) => [pending.id.toHexString(), pending]));
  const now = deps.clock.now().getTime();
  const entries = durable.map((entry) => {
    const pending = pendingById.get(entry._id.toHexString());
    if (!pending) return entry;
    const opened = restoreValues(entry, pending);
    queue.latency.addSample(now - pending.queuedAt.getTime());
    pending.settle({ kind: 'sealed', entry: opened, promise: findPromise(entry) });
    return opened;
  });
  deps.heads.noteHead(organizationId, newest);
  deps.onSealed(organizationId, entries);
  await deps.probe('answered', organizationId);
}

/** Answers the append that stopped the batch where its failure is final; returns the unanswered appends, in order. */
async function resolveFailure(
  queue: AppendQueue,
  {
    rest,
    culprit,
    reason,
  }: { rest: PendingAppend[]; culprit: PendingAppend; reason: InsertFailure },
  deps: BatchDeps,
): Promise<PendingAppend[]> {
  if (reason.kind === 'rejected') {
    culprit.reject(toRejectionError(reason));
  } else if (reason.index === 'following') {
    culprit.settle({ kind: 'superseded' });
  } else if (reason.index === 'idempotency') {
    return resolveReplay(queue, { rest, culprit }, deps);
  } else {
    queue.contention.noteConflict(deps.clock.now().getTime());
    await deps.probe('conflict', queue.organizationId);
  }
  return rest.filter(({ done }) => !done);
}

function toRejectionError({
  documentAtFault,
  cause,
}: Extract<InsertFailure, { kind: 'rejected' }>): AppError {
  // The server's state was at fault: a retry with the same key gets the right answer.
  if (!documentAtFault)
    return createUnavailableError('The database did not take this entry', cause);
  return new AppError('VALIDATION_ERROR', 'The database rejected this document', { cause });
}
