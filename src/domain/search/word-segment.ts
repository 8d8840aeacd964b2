// A segment packs the words of a run of decisions: each word once, for an index, and its positions in every text.
import type { BlindQuery } from './blind-words.ts';

/** A decision as the search sees it. */
export interface SearchedDecision {
  /** The sequence of the entry that ingested it. */
  sequence: number;
  generation: number;
  /** Digests of words, in the order of each text. */
  texts: readonly (readonly number[])[];
}

/** A run of decisions, as it is stored. */
export interface WordSegment {
  /** Each digest once. */
  words: number[];
  /**
   * Integers of 32 bits, little-endian. Each decision: its sequence, its generation and the number of its texts; each
   * text: its length, and the index in `words` of each of its words.
   */
  places: Buffer;
}

const INTEGER_BYTES = 4;
/** The index of a word that a segment does not have. */
const NOWHERE = -1;

export function packDecisions(decisions: Iterable<SearchedDecision>): WordSegment {
  const indexes = new Map<number, number>();
  const numbers: number[] = [];
  for (const { sequence, generation, texts } of decisions) {
    numbers.push(sequence, generation, texts.length);
    for (const text of texts) {
      numbers.push(text.length);
      for (const word of text) numbers.push(toWordIndex(word, indexes));
    }
  }
  const places = Buffer.allocUnsafe(numbers.length * INTEGER_BYTES);
  const view = new DataView(places.buffer, places.byteOffset, places.length);
  for (let at = 0; at < numbers.length; at++)
    view.setUint32(at * INTEGER_BYTES, numbers[at] as number, true);
  return { words: [...indexes.keys()], places };
}

/** A word that is new has the next index. */
function toWordIndex(word: number, indexes: Map<number, number>): number {
  const known = indexes.get(word);
  if (known !== undefined) return known;
  indexes.set(word, indexes.size);
  return indexes.size - 1;
}

/** Yields the decisions in the order in which they were packed. */
export function* unpackDecisions({
  words,
  places,
}: WordSegment): Generator<SearchedDecision, void> {
  const reader = new Reader(places);
  while (reader.readNext()) {
    const { sequence, generation, texts } = reader;
    const toWord = (index: number): number => words[index] as number;
    const read = texts.map(([from, to]) => Array.from(reader.numbers.subarray(from, to), toWord));
    yield { sequence, generation, texts: read };
  }
}

/** Identifies a decision. */
export type SearchHit = Pick<SearchedDecision, 'sequence' | 'generation'>;

/** The decisions that a query finds in their first `texts`, in the order in which they were packed. */
export function findHits(
  { words, places }: WordSegment,
  query: BlindQuery,
  texts = Infinity,
): SearchHit[] {
  const indexedQuery = toIndexedQuery(query, words);
  if (!indexedQuery) return [];
  return selectHits(places, (reader) => isFound(reader, indexedQuery, texts));
}

/** The decisions that have a word of each set, at most 31, in the order in which they were packed. */
export function findByWords(
  { words, places }: WordSegment,
  sets: readonly ReadonlySet<number>[],
): SearchHit[] {
  const marks = words.map((word) =>
    sets.reduce((mark, set, at) => (set.has(word) ? mark | (1 << at) : mark), 0),
  );
  const all = 2 ** sets.length - 1;
  if (marks.reduce((sum, mark) => sum | mark, 0) !== all) return [];
  return selectHits(places, ({ numbers, texts }) => {
    let found = 0;
    for (const [from, to] of texts)
      for (let at = from; at < to && found !== all; at++)
        found |= marks[numbers[at] as number] as number;
    return found === all;
  });
}

function selectHits(places: Buffer, isWanted: (decision: Reader) => boolean): SearchHit[] {
  const hits: SearchHit[] = [];
  const reader = new Reader(places);
  while (reader.readNext()) {
    const { sequence, generation } = reader;
    if (isWanted(reader)) hits.push({ sequence, generation });
  }
  return hits;
}

/** The index of the first number, and the one behind the last. */
type Span = [from: number, to: number];

/** Reads one decision after another as numbers, so that misses leave no garbage. */
class Reader {
  readonly numbers: Uint32Array;
  sequence = 0;
  generation = 0;
  /** Where the texts of the decision stand in `numbers`. */
  readonly texts: Span[] = [];
  #at = 0;

  constructor(places: Buffer) {
    const view = new DataView(places.buffer, places.byteOffset, places.length);
    this.numbers = new Uint32Array(places.length / INTEGER_BYTES);
    for (let at = 0; at < this.numbers.length; at++)
      this.numbers[at] = view.getUint32(at * INTEGER_BYTES, true);
  }

  /** Reads the next decision; false at the end. */
  readNext(): boolean {
    if (this.#at >= this.numbers.length) return false;
    this.sequence = this.#take();
    this.generation = this.#take();
    this.texts.length = this.#take();
    for (let text = 0; text < this.texts.length; text++) {
      const length = this.#take();
      const span = (this.texts[text] ??= [0, 0]);
      span[0] = this.#at;
      span[1] = this.#at += length;
    }
    return true;
  }

  #take(): number {
    return this.numbers[this.#at++] as number;
  }
}

/** A query by the indexes of its words in a segment; null when it finds nothing there. */
function toIndexedQuery(query: BlindQuery, words: readonly number[]): BlindQuery | null {
  const toIndexes = (phrase: readonly number[]): number[] =>
    phrase.map((word) => words.indexOf(word));
  const isThere = (phrase: readonly number[]): boolean => !phrase.includes(NOWHERE);
  const phrases = query.phrases.map(toIndexes);
  if (!phrases.every(isThere)) return null;
  const excluded = query.excluded.map(toIndexes).filter(isThere);
  return { words: query.words.map(toIndexes).filter(isThere), phrases, excluded };
}

function isFound(
  decision: Reader,
  { words, phrases, excluded }: BlindQuery,
  texts: number,
): boolean {
  const isThere = (phrase: readonly number[]): boolean => hasPhrase(decision, phrase, texts);
  if (excluded.some(isThere)) return false;
  return phrases.length > 0 ? phrases.every(isThere) : words.some(isThere);
}

/** Whether a phrase stands in one of the first texts, its words next to each other. */
function hasPhrase(
  { numbers, texts }: Reader,
  phrase: readonly number[],
  textsMax: number,
): boolean {
  for (let text = 0; text < Math.min(texts.length, textsMax); text++) {
    const span = texts[text] as Span;
    const last = span[1] - phrase.length;
    for (let at = span[0]; at <= last; at++)
      if (numbers[at] === phrase[0] && isPhraseStart(at, numbers, phrase)) return true;
  }
  return false;
}

function isPhraseStart(at: number, numbers: Uint32Array, phrase: readonly number[]): boolean {
  return phrase.every((word, place) => numbers[at + place] === word);
}
