// Verifies a stored chain: reads its notes, replays every entry in order, then checks histories of amended decisions.
import type { mongo, Types } from 'mongoose';
import { type Chain, SEQUENCES } from '../chains.ts';
import type { Columns } from '../columns.ts';
import type { Contents } from '../contents/contents.ts';
import { readDecryptedEntries } from '../contents/decrypted-entries.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Stored } from '../entry.ts';
import { toObjectId } from '../ledger.model.ts';
import { readIntact } from '../bson-reader.ts';
import { ChainReplay, type ReplayResult } from './chain-replay.ts';
import { checkHaltedActs } from '../halts/halted-acts.ts';
import { checkRegisters } from '../register-checks.ts';
import { checkVotes } from '../votes/vote-check.ts';
import { checkHistories } from './histories.ts';
import { readNotes } from './notes.ts';
import { findSignedBreak } from '../log/signed-break.ts';
import { readSignedTreeHeads } from '../log/signed-heads.ts';
import type { Range, Verification, VerifiedPosition } from './report.ts';

const CURSOR_BATCH = 200;

/** Facts about a chain from outside its own collections. They MUST be read before it is verified. */
export interface ChainKnowledge {
  now: Date;
  /** The highest sequence known from elsewhere; 0: none is. */
  reached: number;
  /** Time until which the audit and attested values of a deleted organisation were erased; null: it exists. */
  erasedUntil: Date | null;
  /** The position to verify from; null: the whole chain. */
  after: VerifiedPosition | null;
  /** Public keys that sign tree heads, base64; absent: signed heads are not compared. */
  logKeys?: readonly string[];
}

/** A range of the chain and its replay by another thread; null: that failed. */
export interface ReplayedRange {
  range: Range;
  replayed: ReplayResult | null;
}

/** A chain in its database. */
export interface StoredChain {
  db: mongo.Db;
  chain: Chain;
  columns: Columns;
  /** Absent: contents are stored as they are. */
  contents?: Contents | undefined;
  /** 24 hex digits. */
  organizationId: string;
  /** An abort ends the verification; absent: it runs to the end. */
  signal?: AbortSignal | undefined;
}

/** The input of `verifyChain`. */
export interface ChainVerification extends StoredChain, ChainKnowledge {
  /** Ranges replayed by other threads, in order from the first entry to verify. */
  ranges?: readonly ReplayedRange[];
}

/**
 * Verifies a chain in constant memory, from its first entry or after a verified position. A broken or tampered chain
 * MUST be reported, not thrown. Entries appended in the meantime are left to the next verification.
 * @throws the reason of the abort signal, and errors of the database
 */
export async function verifyChain(verification: ChainVerification): Promise<Verification> {
  const { db, chain, columns, erasedUntil } = verification;
  const organizationId = toObjectId(verification.organizationId);
  const entries = db.collection<Stored>(chain.collection);
  // The notes are read first: a head noted after the newest entry was read may be beyond it.
  const signed = await readSignedTreeHeads(verification);
  const reached = Math.max(verification.reached, signed.reached);
  const notes = await readNotes(db, chain, { organizationId, reached });
  const newest = await readNewestSequence(entries, organizationId);
  const after = resolveStart(verification.after, newest);
  const replay = new ChainReplay({ genesis: chain.genesis, columns, notes, erasedUntil, after });
  const first = (after?.sequence ?? 0) + 1;
  await replayAll(replay, { first, before: newest + 1 }, verification);
  if (await hasStranger(entries, organizationId)) replay.reportStrangers();
  replay.reportUnsigned(await findSignedBreak(verification, signed, after));
  verification.signal?.throwIfAborted();
  const { suspected, histories: findings } = replay;
  await checkHistories({ ...verification, suspected, first, newest, findings });
  return replay.toVerification();
}

/** Joins the ranges that other threads have replayed, and replays the rest. */
async function replayAll(
  replay: ChainReplay,
  { first, before }: Range,
  verification: ChainVerification,
): Promise<void> {
  let next = first;
  for (const { range, replayed } of verification.ranges ?? []) {
    if (range.first !== next || range.before > before) break;
    if (!replayed || !replay.joinResult(replayed)) await replayStored(replay, range, verification);
    next = range.before;
  }
  await replayStored(replay, { first: next, before }, verification);
  if (replay.findings.broken) return;
  await checkHaltedActs(verification, { first, before }, replay.findings);
  await checkRegisters(verification, { first, before }, replay.findings);
  await checkVotes(verification, { first, before }, replay.findings);
}

/** Replays the stored entries of a range, in constant memory. */
export async function replayStored(
  replay: ChainReplay,
  { first, before }: Range,
  { db, chain, contents, organizationId, signal }: StoredChain,
): Promise<void> {
  const sequence = { $gte: first, $lt: before };
  const stored = db
    .collection(chain.collection)
    // Whole documents: a projection costs the database more than sending them.
    .find<Buffer>(
      { organizationId: toObjectId(organizationId), sequence },
      { ...MAJORITY, raw: true },
    )
    .sort({ sequence: 1 })
    .batchSize(CURSOR_BATCH);
  const opening = { organizationId, contents, signal, read: readIntact };
  for await (const run of readDecryptedEntries(stored, opening))
    for (const entry of run) replay.replayEntry(entry);
}

/** Returns the position to start after; null where the chain ends before it: that chain is verified from its start. */
export function resolveStart(
  after: VerifiedPosition | null,
  newest: number,
): VerifiedPosition | null {
  return after && after.sequence <= newest ? after : null;
}

/** Reads the newest sequence; the largest safe integer where it is invalid, so that the replay meets that entry. */
export async function readNewestSequence(
  entries: mongo.Collection<Stored>,
  organizationId: Types.ObjectId,
): Promise<number> {
  const numbered = { organizationId, sequence: SEQUENCES };
  const options = { ...MAJORITY, sort: { sequence: -1 }, projection: { sequence: 1 } } as const;
  const newest = await entries.findOne(numbered, options);
  if (!newest) return 0;
  return Number.isSafeInteger(newest.sequence) ? newest.sequence : Number.MAX_SAFE_INTEGER;
}

/** Returns whether there are entries that the replay cannot meet: their sequence is out of range or no number. */
async function hasStranger(
  entries: mongo.Collection<Stored>,
  organizationId: Types.ObjectId,
): Promise<boolean> {
  const elsewhere = [
    { sequence: { $not: { $gte: SEQUENCES.$gte } } },
    { sequence: { $not: { $lt: SEQUENCES.$lt } } },
    { sequence: { $type: 'array' } },
  ];
  const filter = { organizationId, $or: elsewhere } as mongo.Filter<Stored>;
  return (await entries.findOne(filter, { ...MAJORITY, projection: { _id: 1 } })) !== null;
}
