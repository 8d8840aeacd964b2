// Multiplies many vectors of bytes with one, eight numbers a step (row memory).

/** Numbers a step; vectors are padded with zeros to a multiple of it. */
const STEP = 8;

export class DotProducts {
  /** Bytes of a vector, padding included. */
  readonly width: number;
  readonly #query: Int8Array;
  readonly #products: Int32Array;

  /** @param rows upper bound on the vectors of one call */
  constructor(dimensions: number, rows: number) {
    this.width = Math.ceil(dimensions / STEP) * STEP;
    this.#query = new Int8Array(this.width);
    this.#products = new Int32Array(rows);
  }

  /** The products of the query with each vector of `width` bytes; valid until the next call. */
  computeProducts(query: Int8Array, vectors: Int8Array): Int32Array {
    const rows = vectors.length / this.width;
    this.#query.fill(0);
    this.#query.set(query);
    for (let row = 0; row < rows; row++)
      this.#products[row] = multiply(this.#query, vectors, row * this.width);
    return this.#products.subarray(0, rows);
  }
}

/**
 * `from` MUST be where a whole vector begins. A product has no function of its own: one that was made for each vector
 * would take five times as long (row memory).
 */
function multiply(query: Int8Array, vectors: Int8Array, from: number): number {
  let a = 0;
  let b = 0;
  for (let i = 0, at = from; i < query.length; i += STEP, at += STEP) {
    a += (query[i] ?? 0) * (vectors[at] ?? 0) + (query[i + 1] ?? 0) * (vectors[at + 1] ?? 0);
    b +=
      (query[i + 2] ?? 0) * (vectors[at + 2] ?? 0) + (query[i + 3] ?? 0) * (vectors[at + 3] ?? 0);
    a +=
      (query[i + 4] ?? 0) * (vectors[at + 4] ?? 0) + (query[i + 5] ?? 0) * (vectors[at + 5] ?? 0);
    b +=
      (query[i + 6] ?? 0) * (vectors[at + 6] ?? 0) + (query[i + 7] ?? 0) * (vectors[at + 7] ?? 0);
  }
  return a + b;
}
