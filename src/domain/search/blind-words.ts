// Words for a search that nobody can read without the key: a text and a query, word by word, as keyed digests (docs/security.md).
import { createHmac } from 'node:crypto';
import type { Parts } from '../others-turn.ts';

/** Of a text as many characters are searched. */
const TEXT_MAX = 60_000;
/** Of one word as many characters count. */
const WORD_MAX = 64;
/** 12 hex digits: of a million different words one pair may share a digest. */
const DIGEST_DIGITS = 12;

const MARKS = /\p{M}+/gu;
const WORD = /[\p{L}\p{N}_]+/gu;
/** A phrase in quotes or what stands between spaces, with a minus before it where it is excluded. */
const PART = /(-?)"([^"]*)"?|(?<![^\s"])(-?)([^\s"]+)/gu;

/** Words that are digested before others have their turn: some 2 ms. */
const WORDS = 1_000;
/** Digests that are kept: as many as the longest text has words. */
const KNOWN_MAX = 30_000;

/** Digests words, most of them once, for as long as it is kept. */
export type Blind = (word: string) => string;

export function blindBy(key: Buffer): Blind {
  const known = new Map<string, string>();
  return (word) => {
    const cut = word.slice(0, WORD_MAX);
    let digest = known.get(cut);
    if (digest === undefined) {
      digest = createHmac('sha256', key).update(cut).digest('hex').slice(0, DIGEST_DIGITS);
      if (known.size === KNOWN_MAX) known.clear();
      known.set(cut, digest);
    }
    return digest;
  };
}

/** The words of a text in their order, without case and accents. */
function wordsOf(text: string): string[] {
  const folded = text.slice(0, TEXT_MAX).normalize('NFD').replace(MARKS, '').toLowerCase();
  return folded.match(WORD) ?? [];
}

/** A text as it is indexed; in parts. */
export function* blindText(text: string, blind: Blind): Parts<string> {
  const digests: string[] = [];
  for (const word of wordsOf(text)) {
    digests.push(blind(word));
    if (digests.length % WORDS === 0) yield;
  }
  return digests.join(' ');
}

/** A query as MongoDB reads it: phrases stay phrases, and what is excluded stays excluded. */
export function blindQuery(query: string, blind: Blind): string {
  const parts = [...query.matchAll(PART)].flatMap(([, not, phrase, without = '', word = '']) => {
    const words = wordsOf(phrase ?? word).map(blind);
    if (words.length === 0) return [];
    if (phrase !== undefined) return [`${not}"${words.join(' ')}"`];
    return words.map((one) => without + one);
  });
  return parts.join(' ');
}
