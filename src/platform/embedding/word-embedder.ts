// The built-in embedder: a text is the mean of its words' vectors, rare words counting more (memory-search.md).
import { readFile } from 'node:fs/promises';
import { type Embedder, toByteVector } from './embedder.ts';

export const WORD_MODEL = 'glove-6b-100d-40k-1';
const DIMENSIONS = 100;
/** Smoothing that makes frequent words count less ("SIF", Arora, Liang and Ma 2017); words are ordered by frequency. */
const SMOOTHING = 3e-4;
const estimateFrequency = (rank: number): number => 0.1 / (rank + 2.7);

/** Upper bound on the words of a text that are read. */
const WORDS_MAX = 512;
/** `issueRefund` and `issue_refund` are two words. */
const WORD = /\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{Lo}+/gu;

interface Vocabulary {
  ranks: ReadonlyMap<string, number>;
  vectors: Int8Array;
  /** The weight of each word, divided by the length of its vector. */
  factors: Float32Array;
}

/** Computes vectors of texts in full precision. */
export function createWordVectors() {
  let loading: Promise<Vocabulary> | null = null;
  return {
    async computeVectors(texts: readonly string[]): Promise<Float32Array[]> {
      loading ??= loadVocabulary();
      const vocabulary = await loading;
      return texts.map((text) => sumVectors(vocabulary, text));
    },
  };
}

export function createWordEmbedder(): Embedder {
  const vectors = createWordVectors();
  return {
    model: WORD_MODEL,
    dimensions: DIMENSIONS,
    embed: async (texts) => (await vectors.computeVectors(texts)).map(toByteVector),
  };
}

async function loadVocabulary(): Promise<Vocabulary> {
  const [words, bytes] = await Promise.all([
    readFile(new URL('./words.txt', import.meta.url), 'utf8'),
    readFile(new URL('./word-vectors.bin', import.meta.url)),
  ]);
  const list = words.split('\n');
  const vectors = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  const factors = Float32Array.from(list, (_word, rank) => computeFactor(vectors, rank));
  return { ranks: new Map(list.map((word, rank) => [word, rank])), vectors, factors };
}

function computeFactor(vectors: Int8Array, rank: number): number {
  let square = 0;
  for (let at = rank * DIMENSIONS; at < (rank + 1) * DIMENSIONS; at++)
    square += (vectors[at] ?? 0) ** 2;
  return SMOOTHING / (SMOOTHING + estimateFrequency(rank)) / Math.sqrt(square || 1);
}

function sumVectors({ ranks, vectors, factors }: Vocabulary, text: string): Float32Array {
  const sum = new Float32Array(DIMENSIONS);
  let count = 0;
  for (const [word] of text.normalize('NFKC').matchAll(WORD)) {
    if (++count > WORDS_MAX) break;
    const rank = ranks.get(word.toLowerCase());
    if (rank === undefined) continue;
    const factor = factors[rank] ?? 0;
    const from = rank * DIMENSIONS;
    for (let at = 0; at < DIMENSIONS; at++)
      sum[at] = (sum[at] ?? 0) + factor * (vectors[from + at] ?? 0);
  }
  return sum;
}
