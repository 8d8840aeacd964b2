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

/** Keeps four sums, so that no addition waits for the one before. `from` MUST be where a whole vector begins. */
function multiply(query: Int8Array, vectors: Int8Array, from: number): number {
  const multiplyAt = (i: number): number => (query[i] ?? 0) * (vectors[from + i] ?? 0);
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let i = 0; i < query.length; i += STEP) {
    a += multiplyAt(i) + multiplyAt(i + 4);
    b += multiplyAt(i + 1) + multiplyAt(i + 5);
    c += multiplyAt(i + 2) + multiplyAt(i + 6);
    d += multiplyAt(i + 3) + multiplyAt(i + 7);
  }
  return a + b + c + d;
}
