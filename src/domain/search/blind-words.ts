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

/** Digests a word; remembers most digests for as long as it is kept. */
export type WordDigester = (word: string) => number;

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
  return (word) => {
    const cut = word.slice(0, WORD_MAX);
    let digest = known.get(cut);
    if (digest === undefined) {
      digest = createHmac('sha256', key).update(cut).digest().readUIntBE(0, DIGEST_BYTES);
      if (known.size === KNOWN_MAX) known.clear();
      known.set(cut, digest);
    }
    return digest;
  };
}

/** A text as it is indexed. `pause` is awaited after each piece of some milliseconds: the longest text takes 200. */
export async function indexText(
  text: string,
  blind: WordDigester,
  pause: () => Promise<void>,
): Promise<number[]> {
  const digests: number[] = [];
  for (const word of await readLongWords(text, pause))
    for (const term of splitTerms(word)) {
      digests.push(blind(term));
      if (digests.length % TERMS === 0) await pause();
    }
  return digests;
}

/** A query in which what stands in quotes is a phrase, and what follows a minus is excluded; `a-b` are two words. */
export function parseBlindQuery(query: string, blind: WordDigester): BlindQuery {
  const found: BlindQuery = { words: [], phrases: [], excluded: [] };
  for (const [, notPhrase, phrase, notWord, word = ''] of query.normalize('NFKC').matchAll(PART)) {
    const words = readWords(phrase ?? word);
    if (words.length === 0) continue;
    const isExcluded = (notPhrase || notWord) === '-';
    const parts =
      phrase === undefined
        ? words.map((queryWord) => toQueryTerms(queryWord).map(blind))
        : [words.flatMap((phraseWord) => [...splitTerms(phraseWord)]).map(blind)];
    if (isExcluded) found.excluded.push(...parts);
    else if (phrase === undefined) found.words.push(...parts);
    else found.phrases.push(...parts);
  }
  return found;
}
