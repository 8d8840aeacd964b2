// One ordered insert, asked about until it is known what is in: the only reader of insert outcomes (ledger.md, appending, 5).
import type { Stored } from '../entry.ts';
import type { AppendQueue } from './append-queue.ts';
import type { Probe } from '../probe.ts';
import { headOf } from './seal.ts';
import type { Head, InsertOutcome, LedgerStore, Stop } from './store.ts';
import { backoff, persistently, sleep, type Timer } from '../timer.ts';

/** What is known of a batch after its insert. */
export interface InsertResult {
  /** In, and acknowledged by or read with a majority; as stored, which may be an earlier sealing of the same `_id`. */
  landed: readonly Stored[];
  /** What the rest builds on; null: somebody else appended, read it. */
  head: Head | null;
  /** Why the rest is not in; null when there is none. */
  stop: { document: Stored; reason: Stop } | null;
}

export interface InsertDeps {
  store: LedgerStore;
  timer: Timer;
  probe: Probe;
}

const COLLISION: Stop = { kind: 'duplicate', at: 0, race: 'chain' };

/** Inserts documents that were sealed, in order, on a trusted head. */
export async function insertBatch(
  lane: AppendQueue,
  documents: readonly Stored[],
  parts: InsertDeps,
): Promise<InsertResult> {
  await parts.probe('before-insert', lane.organizationId);
  const outcome = await parts.store.insertOrdered(documents);
  await parts.probe('inserted', lane.organizationId);
  if (isOpen(outcome)) return untilKnown(lane, documents, parts);
  return { landed: landedOf(documents, outcome), ...following(lane, documents, outcome) };
}

/** Nothing can be said yet: the outcome is unknown, or one of ours is in that no majority may know of. */
function isOpen(outcome: InsertOutcome): boolean {
  return outcome.kind === 'unknown' || (outcome.kind === 'duplicate' && outcome.race === 'own');
}

function landedOf(documents: readonly Stored[], outcome: InsertOutcome): readonly Stored[] {
  if (outcome.kind === 'unknown') return [];
  return outcome.kind === 'ok' ? documents : documents.slice(0, outcome.at);
}

function following(
  lane: AppendQueue,
  documents: readonly Stored[],
  outcome: InsertOutcome,
): Omit<InsertResult, 'landed'> {
  if (outcome.kind === 'unknown') throw new TypeError('an unknown outcome has no successor');
  const newest = landedOf(documents, outcome).at(-1);
  const head = newest ? headOf(newest) : lane.head;
  if (outcome.kind === 'ok') return { head, stop: null };
  const document = documents[outcome.at];
  if (!document) throw new RangeError(`no document ${outcome.at} in this batch`);
  const isCollision = outcome.kind === 'duplicate' && outcome.race === 'chain';
  return { head: isCollision ? null : head, stop: { document, reason: outcome } };
}

/** Sends the byte-identical documents again until a majority read, or an acknowledgement, says of each whether it is in. */
async function untilKnown(
  lane: AppendQueue,
  documents: readonly Stored[],
  parts: InsertDeps,
): Promise<InsertResult> {
  const { store, timer, probe } = parts;
  const landed: Stored[] = [];
  let open = documents;
  await probe('unknown', lane.organizationId);
  for (let attempt = 0; ; attempt++) {
    await sleep(timer, backoff(attempt));
    const ids = open.map(({ _id }) => _id);
    const found = await persistently(timer, () => store.byIds(lane.id, ids));
    landed.push(...found);
    const asSent = found.every((entry) => open.some((sent) => sent.chainHash === entry.chainHash));
    open = open.filter(({ _id }) => !found.some((entry) => entry._id.equals(_id)));
    const [first] = open;
    if (!first)
      return { landed, head: asSent ? headOf(landed.at(-1) as Stored) : null, stop: null };
    if (!asSent || (await isTaken(lane, first, parts))) {
      return { landed, head: null, stop: { document: first, reason: COLLISION } };
    }
    await probe('before-resend', lane.organizationId);
    const outcome = await store.insertOrdered(open);
    landed.push(...landedOf(open, outcome));
    if (isDecided(outcome)) {
      const next = following(lane, open, outcome);
      return {
        landed,
        ...next,
        head: landed.length > 0 ? headOf(landed.at(-1) as Stored) : next.head,
      };
    }
    open = open.slice(landedOf(open, outcome).length);
  }
}

/** A collision on a sequence that was sent before decides nothing until a majority shows who holds it. */
function isDecided(outcome: InsertOutcome): boolean {
  return !isOpen(outcome) && !(outcome.kind === 'duplicate' && outcome.race === 'chain');
}

/** Only a foreign entry, read with majority at our sequence, allows sealing anew. */
async function isTaken(
  lane: AppendQueue,
  document: Stored,
  { store, timer }: InsertDeps,
): Promise<boolean> {
  const holder = await persistently(timer, () => store.at(lane.id, document.sequence));
  return holder !== null && !holder._id.equals(document._id);
}
