// Maintains word segments: one document for a run of decisions costs a tenth of a document for each (row ingest/R1).
import type { mongo, Types } from 'mongoose';
import {
  packDecisions,
  type SearchedDecision,
  unpackDecisions,
  type WordSegment,
} from '../../../domain/search/word-segment.ts';
import { toCiphertext } from '../../../ledger/contents/contents.ts';
import type { Models } from '../../../models.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { WordSegmentDocument } from './word-segments.model.ts';

/** The effect of an entry on the index. A correction replaces the texts that it contains. */
export type WordChange =
  | { kind: 'trace'; traceId: string; decision: SearchedDecision }
  | { kind: 'correction'; traceId: string; texts: readonly (readonly number[] | null)[] }
  | { kind: 'erasure'; traceId: string };

/** A segment as read from the database. */
export type StoredSegment = Pick<WordSegmentDocument, '_id' | 'from' | 'to' | 'words'> & {
  places: unknown;
};

/** A segment in memory, which is written if it has changed. */
interface Segment {
  /** Null: it is new. */
  id: Types.ObjectId | null;
  from: number;
  to: number;
  decisions: Map<number, SearchedDecision>;
  /** Number of words in all texts added so far. */
  words: number;
  isChanged: boolean;
}

/** A segment with this number of decisions or words is full. */
const DECISIONS_MAX = 256;
const WORDS_MAX = 32_768;
/** Segments in memory: some 100 KB each. */
const HELD_MAX = 64;
/** Segments written with one command: a few milliseconds. */
const WRITTEN_MAX = 8;

/** Joins the transaction of the session. */
export function createWordSegments({
  wordSegments,
  traces,
}: Pick<Models, 'wordSegments' | 'traces'>) {
  /** Sequences of the changed decisions, by `traceId`. */
  async function loadSequences(
    organizationId: string,
    changes: readonly WordChange[],
  ): Promise<Map<string, number>> {
    const sequences = new Map<string, number>();
    for (const change of changes)
      if (change.kind === 'trace') sequences.set(change.traceId, change.decision.sequence);
    const others = changes.map(({ traceId }) => traceId).filter((id) => !sequences.has(id));
    if (others.length === 0) return sequences;
    const found = await traces
      .find({ organizationId, traceId: { $in: others } }, 'traceId sequence')
      .lean<Pick<TraceDocument, 'traceId' | 'sequence'>[]>();
    for (const { traceId, sequence } of found) sequences.set(traceId, sequence);
    return sequences;
  }

  async function findNewestSegment(
    organizationId: string,
    sequence: number,
    session: mongo.ClientSession,
  ): Promise<Segment | null> {
    const found = await wordSegments
      .findOne({ organizationId, from: { $lte: sequence } })
      .sort({ from: -1 })
      .session(session)
      .lean<StoredSegment>();
    return found && readSegment(found);
  }

  /** The segments that hold these sequences, oldest first. */
  async function findHoldingSegments(
    organizationId: string,
    sequences: Iterable<number>,
    session: mongo.ClientSession,
  ): Promise<Segment[]> {
    const segments: Segment[] = [];
    for (const sequence of [...sequences].sort((a, b) => a - b)) {
      const last = segments.at(-1);
      if (last && sequence <= last.to) continue;
      const found = await findNewestSegment(organizationId, sequence, session);
      if (found && found.from !== last?.from) segments.push(found);
    }
    return segments;
  }

  async function write(
    organizationId: string,
    segments: readonly Segment[],
    session: mongo.ClientSession,
  ): Promise<void> {
    const changed = segments.filter(({ isChanged }) => isChanged);
    for (let at = 0; at < changed.length; at += WRITTEN_MAX) {
      const some = changed.slice(at, at + WRITTEN_MAX);
      const operations = some.map((segment) => toOperation(organizationId, segment));
      await wordSegments.bulkWrite(operations as never[], { session });
    }
  }

  async function storeLot(
    organizationId: string,
    changes: readonly WordChange[],
    session: mongo.ClientSession,
  ): Promise<void> {
    const sequences = await loadSequences(organizationId, changes);
    const segments = await findHoldingSegments(
      organizationId,
      collectTouched(changes, sequences),
      session,
    );
    for (const change of changes) apply(change, sequences.get(change.traceId), segments);
    await write(organizationId, segments, session);
  }

  return {
    /** Expects the changes in the order of their entries. */
    async store(
      organizationId: string,
      changes: readonly WordChange[],
      session: mongo.ClientSession,
    ): Promise<void> {
      for (const lot of splitLots(changes)) await storeLot(organizationId, lot, session);
    },
  };
}

/** Splits changes into lots, each changing at most `HELD_MAX` segments besides the newest. */
function* splitLots(changes: readonly WordChange[]): Generator<WordChange[], void> {
  let lot: WordChange[] = [];
  let older = 0;
  for (const change of changes) {
    lot.push(change);
    if (change.kind !== 'trace') older += 1;
    if (older < HELD_MAX) continue;
    yield lot;
    [lot, older] = [[], 0];
  }
  if (lot.length > 0) yield lot;
}

/** Sequences of the changed decisions and of the first new one, which finds the newest segment that may take it. */
function collectTouched(
  changes: readonly WordChange[],
  sequences: ReadonlyMap<string, number>,
): Set<number> {
  const added = changes.flatMap((change) =>
    change.kind === 'trace' ? [change.decision.sequence] : [],
  );
  const firstAdded = added[0] ?? Infinity;
  return new Set([
    ...[...sequences.values()].filter((sequence) => sequence < firstAdded),
    ...added.slice(0, 1),
  ]);
}

/** `segments`: those of the changed decisions, oldest first; new ones are appended. */
function apply(change: WordChange, sequence: number | undefined, segments: Segment[]): void {
  if (change.kind === 'trace') return addDecision(change.decision, segments);
  const segment = segments.find(({ decisions }) => decisions.has(sequence ?? 0));
  const decision = segment?.decisions.get(sequence ?? 0);
  if (!segment || !decision) return;
  segment.isChanged = true;
  if (change.kind === 'erasure') return void segment.decisions.delete(decision.sequence);
  const texts = decision.texts.map((text, at) => change.texts[at] ?? text);
  segment.decisions.set(decision.sequence, Object.assign({}, decision, { texts }));
}

function addDecision(decision: SearchedDecision, segments: Segment[]): void {
  const { sequence } = decision;
  let open = segments.at(-1);
  if (!open || open.decisions.size >= DECISIONS_MAX || open.words >= WORDS_MAX) {
    open = {
      id: null,
      from: sequence,
      to: sequence,
      decisions: new Map(),
      words: 0,
      isChanged: true,
    };
    segments.push(open);
  }
  open.to = sequence;
  open.isChanged = true;
  takeDecision(decision, open);
}

function takeDecision(decision: SearchedDecision, segment: Segment): void {
  segment.decisions.set(decision.sequence, decision);
  for (const { length } of decision.texts) segment.words += length;
}

function readSegment(stored: StoredSegment): Segment {
  const { _id: id, from, to } = stored;
  const segment = { id, from, to, decisions: new Map(), words: 0, isChanged: false };
  for (const decision of unpackDecisions(toWordSegment(stored))) takeDecision(decision, segment);
  return segment;
}

/** Converts a stored segment to its packed form. */
export function toWordSegment({ words, places }: StoredSegment): WordSegment {
  const { buffer, byteOffset, length } = toCiphertext(places) ?? new Uint8Array();
  return { words, places: Buffer.from(buffer, byteOffset, length) };
}

function toOperation(organizationId: string, { id, from, to, decisions }: Segment): object {
  const filter = id ? { organizationId, _id: id } : { organizationId, from };
  if (decisions.size === 0) return { deleteOne: { filter } };
  const { words, places } = packDecisions(decisions.values());
  return { updateOne: { filter, update: { $set: { to, words, places } }, upsert: true } };
}
