// The words of a run of decisions in one piece: each word once, for an index, and where it stands in which text of which decision.
import type { BlindQuery } from './blind-words.ts';

/** What a decision is found by. */
export interface SearchedDecision {
  /** Of the entry that ingested it. */
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
   * Of each decision its sequence, its generation and the number of its texts; of each text its length, and each word by its index in
   * `words`. Integers of 32 bits, little-endian.
   */
  places: Buffer;
}

const INTEGER_BYTES = 4;

export function packed(decisions: Iterable<SearchedDecision>): WordSegment {
  const indexes = new Map<number, number>();
  const numbers: number[] = [];
  for (const { sequence, generation, texts } of decisions) {
    numbers.push(sequence, generation, texts.length);
    for (const text of texts) {
      numbers.push(text.length);
      for (const word of text) numbers.push(indexOf(word, indexes));
    }
  }
  const places = Buffer.allocUnsafe(numbers.length * INTEGER_BYTES);
  for (const [at, number] of numbers.entries()) places.writeUInt32LE(number, at * INTEGER_BYTES);
  return { words: [...indexes.keys()], places };
}

/** A word that is new has the next index. */
function indexOf(word: number, indexes: Map<number, number>): number {
  const known = indexes.get(word);
  if (known !== undefined) return known;
  indexes.set(word, indexes.size);
  return indexes.size - 1;
}

/** In the order in which they were packed. */
export function* unpacked({ words, places }: WordSegment): Generator<SearchedDecision, void> {
  let at = 0;
  const next = (): number => {
    const number = places.readUInt32LE(at);
    at += INTEGER_BYTES;
    return number;
  };
  const nextText = (): number[] => {
    const text: number[] = [];
    for (let left = next(); left > 0; left--) text.push(words[next()] as number);
    return text;
  };
  while (at < places.length) {
    const [sequence, generation, count] = [next(), next(), next()];
    yield { sequence, generation, texts: Array.from({ length: count }, nextText) };
  }
}

/** Whether a query finds a decision. */
export function isFound(
  { texts }: SearchedDecision,
  { words, phrases, excluded }: BlindQuery,
): boolean {
  const has = (phrase: readonly number[]): boolean => texts.some((text) => holds(text, phrase));
  if (excluded.some(has)) return false;
  return phrases.length > 0 ? phrases.every(has) : words.some((word) => has([word]));
}

/** Whether a phrase stands in a text, its words next to each other. */
function holds(text: readonly number[], phrase: readonly number[]): boolean {
  const [first] = phrase;
  if (first === undefined) return true;
  for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1))
    if (phrase.every((word, place) => text[at + place] === word)) return true;
  return false;
}
