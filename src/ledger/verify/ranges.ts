// Replays ranges of a chain in parallel: each assumes its start, and counts only if the range before it ended there.
import { toObjectId } from '../ledger.model.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Stored } from '../entry.ts';
import { ChainReplay, type ReplayResult } from './chain-replay.ts';
import { readNotes } from './notes.ts';
import type { Range, VerifiedPosition } from './report.ts';
import {
  type ChainKnowledge,
  resolveStart,
  readNewestSequence,
  type StoredChain,
  replayStored,
} from './verify-chain.ts';

type KnownChain = StoredChain & ChainKnowledge;

/** Splits the entries to verify into ranges; none where they are fewer than two ranges of `length`. */
export async function splitRanges(
  { db, chain, organizationId, after }: KnownChain,
  length: number,
): Promise<Range[]> {
  const entries = db.collection<Stored>(chain.collection);
  const newest = await readNewestSequence(entries, toObjectId(organizationId));
  const start = (resolveStart(after, newest)?.sequence ?? 0) + 1;
  const end = newest + 1;
  if (newest === Number.MAX_SAFE_INTEGER || end - start < 2 * length) return [];
  return Array.from({ length: Math.ceil((end - start) / length) }, (_, at) => ({
    first: start + at * length,
    before: Math.min(start + (at + 1) * length, end),
  }));
}

/** Replays one range; null: there is no readable position before it to start from. */
export async function replayRange(stored: KnownChain, range: Range): Promise<ReplayResult | null> {
  const { db, chain, columns, erasedUntil } = stored;
  const isFirst = range.first === (stored.after?.sequence ?? 0) + 1;
  const after = isFirst ? stored.after : await readPositionBefore(stored, range.first);
  if (!isFirst && after === null) return null;
  const organizationId = toObjectId(stored.organizationId);
  const notes = await readNotes(db, chain, { organizationId, reached: 0, range });
  const replay = new ChainReplay({ genesis: chain.genesis, columns, notes, erasedUntil, after });
  await replayStored(replay, range, stored);
  return replay.toResult();
}

const POSITION = { sequence: 1, chainHash: 1, createdAt: 1, usage: 1, control: 1 } as const;

/** Reads the position of the newest entry below a sequence; null: there is none, or its members are malformed. */
async function readPositionBefore(
  { db, chain, organizationId }: StoredChain,
  first: number,
): Promise<VerifiedPosition | null> {
  const entry = await db
    .collection<Stored>(chain.collection)
    .findOne(
      { organizationId: toObjectId(organizationId), sequence: { $lt: first } },
      { ...MAJORITY, sort: { sequence: -1 }, projection: POSITION },
    );
  if (!entry) return null;
  const { sequence, chainHash, createdAt, usage, control } = entry as Partial<Stored>;
  if (!Number.isSafeInteger(sequence) || typeof chainHash !== 'string') return null;
  if (!(createdAt instanceof Date) || Number.isNaN(createdAt.getTime())) return null;
  const { month, count } = usage ?? {};
  if (typeof month !== 'string' || typeof count !== 'number') return null;
  const place = { sequence: sequence as number, chainHash, createdAt: createdAt.toISOString() };
  const position = { ...place, usage: { month, count } };
  return control === undefined ? position : { ...position, control };
}
