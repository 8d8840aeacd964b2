// Blind words: texts and queries as keyed digests of their words, unreadable without the key (security.md).
import { createHmac } from 'node:crypto';
import { readLongWords, readWords, splitTerms, toQueryTerms } from './words.ts';

/** Characters of a word that count. */
const WORD_MAX = 64;
/** 48 bits: of twenty million different words one pair may share a digest, and a double holds it exactly. */
const DIGEST_BYTES = 6;

/** A phrase in quotes or what stands between spaces, with a minus before it where it is excluded. */
const PART = /(-?)"([^"]*)"?|(?<![^\s"])(-?)([^\s"]+)/gu;

/** Terms that are digested between two pauses: some 2 ms. */
const TERMS = 1_000;
/** Digests kept in the cache: as many as the longest text has words. */
const KNOWN_MAX = 30_000;

/** Digests a term; remembers most digests for as long as it is kept. */
export type WordDigester = (term: string) => number;

/** A query by digests. */
export interface BlindQuery {
  /** Where there are no phrases, one of these has to be there: a word, by terms next to each other. */
  words: number[][];
  /** Each of these has to be there, in one text. */
  phrases: number[][];
  /** None of these may be there. */
  excluded: number[][];
}

export function createWordDigester(key: Buffer): WordDigester {
  const known = new Map<string, number>();
  return (term) => {
    let digest = known.get(term);
    if (digest === undefined) {
      digest = createHmac('sha256', key).update(term).digest().readUIntBE(0, DIGEST_BYTES);
      if (known.size === KNOWN_MAX) known.clear();
      known.set(term, digest);
    }
    return digest;
  };
}

const computeWordDigest = (word: string, blind: WordDigester): number =>
  blind(word.slice(0, WORD_MAX));

/** A text as it is indexed. `pause` is awaited after each piece of some milliseconds: the longest text takes 200. */
export async function indexText(
  text: string,
  blind: WordDigester,
  pause: () => Promise<void>,
): Promise<number[]> {
  const digests: number[] = [];
  for (const word of await readLongWords(text, pause))
    for (const term of splitTerms(word)) {
      digests.push(computeWordDigest(term, blind));
      if (digests.length % TERMS === 0) await pause();
    }
  return digests;
}

/** A query in which what stands in quotes is a phrase, and what follows a minus is excluded; `a-b` are two words. */
export function parseBlindQuery(query: string, blind: WordDigester): BlindQuery {
  const found: BlindQuery = { words: [], phrases: [], excluded: [] };
  for (const { words, isPhrase, isExcluded } of splitQuery(query)) {
    const parts = isPhrase ? [toPhrase(words)] : words.map(toQueryTerms);
    const digests = parts.map((part) => part.map((term) => computeWordDigest(term, blind)));
    if (isExcluded) found.excluded.push(...digests);
    else if (isPhrase) found.phrases.push(...digests);
    else found.words.push(...digests);
  }
  return found;
}

/** The same for a filter: every word has to be there, and what is written without a blank stands together. */
export function parseStrictQuery(query: string, blind: WordDigester): BlindQuery {
  const found: BlindQuery = { words: [], phrases: [], excluded: [] };
  for (const { words, isPhrase, isExcluded } of splitQuery(query)) {
    const [first = ''] = words;
    const part = isPhrase || words.length > 1 ? toPhrase(words) : toQueryTerms(first);
    const digests = part.map((term) => computeWordDigest(term, blind));
    (isExcluded ? found.excluded : found.phrases).push(digests);
  }
  return found;
}

const toPhrase = (words: readonly string[]): string[] =>
  words.flatMap((word) => [...splitTerms(word)]);

/** The parts of a query that have words. */
function* splitQuery(query: string) {
  for (const [, notPhrase, phrase, notWord, word = ''] of query.normalize('NFKC').matchAll(PART)) {
    const words = readWords(phrase ?? word);
    const isExcluded = (notPhrase || notWord) === '-';
    if (words.length > 0) yield { words, isPhrase: phrase !== undefined, isExcluded };
  }
}
