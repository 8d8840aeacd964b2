// Maintains the indexes of words and of facets: what a decision, a correction and an erasure change in its segments.
import type { Model, mongo } from 'mongoose';
import { perInstance } from '../../../platform/per-instance.ts';
import {
  packDecisions,
  type SearchedDecision,
  unpackDecisions,
  type WordSegment,
} from '../../../domain/search/word-segment.ts';
import { toCiphertext } from '../../../ledger/contents/contents.ts';
import { type OpenSegment, SegmentIndex } from '../../../ledger/follow/segment-index.ts';
import type { Models } from '../../../models.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { WordSegmentDocument } from './word-segments.model.ts';

/** The effect of an entry on the index. A correction replaces the texts that it contains. */
export type WordChange =
  | { kind: 'trace'; traceId: string; decision: SearchedDecision }
  | { kind: 'correction'; traceId: string; texts: readonly (readonly number[] | null)[] }
  | { kind: 'erasure'; traceId: string };

/** A segment with this number of decisions or words is full. */
const DECISIONS_MAX = 256;
const WORDS_MAX = 32_768;
/** Segments in memory: some 100 KB each. */
const HELD_MAX = 64;

type Segments = Model<WordSegmentDocument>;

/** Creates an index of digests, by decision. */
function createIndex(segments: Segments): SegmentIndex<WordSegmentDocument, SearchedDecision> {
  return new SegmentIndex(segments, {
    weigh: ({ texts }) => texts.reduce((words, { length }) => words + length, 0),
    isFull: ({ items, weight }) => items.size >= DECISIONS_MAX || weight >= WORDS_MAX,
    pack: ({ to, items }) => Object.assign({ to }, packDecisions(items.values())),
    unpack: (stored) => unpackDecisions(toWordSegment(stored)),
  });
}

/** The segments as searches read them. */
export const openSegments = perInstance(({ models: { wordSegments, facetSegments } }) => ({
  words: createIndex(wordSegments),
  facets: createIndex(facetSegments),
}));

/** Joins the transaction of the session. */
export function createSegments(segmentsModel: Segments, { traces }: Pick<Models, 'traces'>) {
  const index = createIndex(segmentsModel);

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

  async function storeLot(
    organizationId: string,
    changes: readonly WordChange[],
    session: mongo.ClientSession,
  ): Promise<void> {
    const sequences = await loadSequences(organizationId, changes);
    const touched = collectTouched(changes, sequences);
    const segments = await index.open(organizationId, touched, session);
    for (const change of changes)
      if (change.kind === 'trace') index.add(change.decision, segments);
      else applyChange(change, sequences.get(change.traceId) ?? 0, segments);
    await index.write(organizationId, segments, session);
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

function applyChange(
  change: Exclude<WordChange, { kind: 'trace' }>,
  sequence: number,
  segments: readonly OpenSegment<SearchedDecision>[],
): void {
  const segment = segments.find(({ items }) => items.has(sequence));
  const decision = segment?.items.get(sequence);
  if (!segment || !decision) return;
  segment.isChanged = true;
  if (change.kind === 'erasure') return void segment.items.delete(sequence);
  const texts = decision.texts.map((text, at) => change.texts[at] ?? text);
  segment.items.set(sequence, Object.assign({}, decision, { texts }));
}

/** Converts a segment as read from the database to its packed form. */
export function toWordSegment({
  words,
  places,
}: Pick<WordSegmentDocument, 'words' | 'places'>): WordSegment {
  const { buffer, byteOffset, length } = toCiphertext(places) ?? new Uint8Array();
  return { words, places: Buffer.from(buffer, byteOffset, length) };
}
