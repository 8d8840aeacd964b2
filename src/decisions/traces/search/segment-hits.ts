// Reads what look-ups find in the segments: only where the indexes say that all of them may meet.
import { createTooSlowError } from '../../../errors.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import type { SearchHit, WordSegment } from '../../../domain/search/word-segment.ts';
import type { SegmentIndex } from '../../../ledger/follow/segment-index.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import type { WordSegmentDocument } from './word-segments.model.ts';
import { toWordSegment } from './word-segments.ts';

type Reader = Pick<Tenant, 'organizationId' | 'signal'>;
type Index = Pick<SegmentIndex<WordSegmentDocument, never>, 'readBeginnings' | 'readNewest'>;
type Indexes = Readonly<Record<'words' | 'facets', Index>>;
type Items<T> = AsyncGenerator<T, void>;

/** What is looked for in one index. */
export interface LookUp {
  index: keyof Indexes;
  /** Segments that may match have a word of each set. */
  sets: number[][];
  /** Each has to find a decision. */
  finds: ((segment: WordSegment) => SearchHit[])[];
}

/** The sequences that a segment may have: from its beginning to the one of the next. */
interface Run {
  from: number;
  before: number;
}

/** Runs that are looked at together. */
const RUNS_IN_TURN = 32;
/** Sets that narrow what is read: each is a cursor. */
const SETS_MAX = 16;

/** What all look-ups find, newest first. @throws AppError `VALIDATION_ERROR` when too slow */
export async function* readHits(
  indexes: Indexes,
  reader: Reader,
  lookUps: readonly LookUp[],
): Items<SearchHit> {
  const until = performance.now() + READ_MAX_MS;
  const isAlone = lookUps.length === 1;
  const runs = lookUps.map(({ index, sets }) =>
    readRuns(indexes[index], reader, { sets, isAlone }),
  );
  for await (const lot of readLots(meetAll(runs), RUNS_IN_TURN)) {
    if (performance.now() > until) throw createTooSlowError();
    let hits: SearchHit[] | null = null;
    for (const [at, { index, finds }] of lookUps.entries()) {
      const met = [...new Set(lot.map((runsOfAll) => runsOfAll[at] as Run))];
      const $in = listBeginnings(met, hits);
      const found = await findIn(indexes[index].readNewest(reader, { $in }), finds);
      hits = hits ? retainCommon(found, hits) : found;
    }
    yield* hits ?? [];
  }
}

/** What is found in segments, newest first. */
async function findIn(
  segments: AsyncIterable<WordSegmentDocument>,
  finds: LookUp['finds'],
): Promise<SearchHit[]> {
  const found: SearchHit[] = [];
  for await (const stored of segments) {
    const segment = toWordSegment(stored);
    found.push(
      ...finds
        .map((find) => find(segment))
        .reduce(retainCommon)
        .reverse(),
    );
  }
  return found;
}

export async function* readLots<T>(items: AsyncIterable<T>, size: number): Items<T[]> {
  let lot: T[] = [];
  for await (const item of items) {
    if (lot.push(item) < size) continue;
    yield lot;
    lot = [];
  }
  if (lot.length > 0) yield lot;
}

/** Where the runs begin that have a hit, if hits are known; both are newest first. */
function listBeginnings(runs: readonly Run[], hits: readonly SearchHit[] | null): number[] {
  let at = 0;
  const hasHit = ({ from, before }: Run): boolean => {
    while ((hits?.[at]?.sequence ?? 0) >= before) at += 1;
    return (hits?.[at]?.sequence ?? 0) >= from;
  };
  return runs.filter((run) => !hits || hasHit(run)).map(({ from }) => from);
}

function retainCommon(some: readonly SearchHit[], others: readonly SearchHit[]): SearchHit[] {
  const sequences = new Set(others.map(({ sequence }) => sequence));
  return some.filter(({ sequence }) => sequences.has(sequence));
}

/** Runs whose segments have a word of each set, newest first. A look-up that is alone needs no ends. */
function readRuns(
  index: Index,
  reader: Reader,
  { sets, isAlone }: { sets: readonly number[][]; isAlone: boolean },
): Items<Run> {
  const ofSets = sets
    .slice(0, SETS_MAX)
    .map(($in) => toRuns(index.readBeginnings(reader, { words: { $in } }, 'words')));
  const all = isAlone ? [] : [toRuns(index.readBeginnings(reader, {}, 'run'))];
  return [...all, ...ofSets].reduce((ones, others) =>
    meet(ones, others, (one, other) => one.from === other.from && one),
  );
}

async function* toRuns(beginnings: Items<{ from: number }>): Items<Run> {
  let before = Infinity;
  for await (const { from } of beginnings) {
    yield { from, before };
    before = from;
  }
}

/** A run of each stream, where they overlap, newest first. */
async function* meetAll([ones, others]: Items<Run>[]): Items<Run[]> {
  if (ones && others) yield* meet(ones, others, (one, other) => isMet(one, other) && [one, other]);
  else if (ones) for await (const run of ones) yield [run];
}

const isMet = (one: Run, other: Run): boolean => one.from < other.before && other.from < one.before;

/** What `combine` makes of the items of two streams that are side by side, newest first. */
async function* meet<T>(
  ones: Items<Run>,
  others: Items<Run>,
  combine: (one: Run, other: Run) => T | false,
): Items<T> {
  try {
    let [one, other] = [await ones.next(), await others.next()];
    while (!one.done && !other.done) {
      const met = combine(one.value, other.value);
      if (met) yield met;
      const ahead = one.value.from - other.value.from;
      if (ahead >= 0) one = await ones.next();
      if (ahead <= 0) other = await others.next();
    }
  } finally {
    await ones.return();
    await others.return();
  }
}
