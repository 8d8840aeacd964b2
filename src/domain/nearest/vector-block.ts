// Many vectors of bytes, compared with a query one block at a time.
import type { DotProducts } from './dot-products.ts';
import type { Nearest } from './nearest.ts';

/** Vectors in a block. */
export const BLOCK_ROWS = 4096;
/** Bytes stored per vector besides the vector itself. */
const BYTES_OF_OWNER = 17;

/** The owner of a vector. */
export interface Owner {
  id: number;
  /** Which of its vectors. */
  part: number;
  group: number;
}

export class VectorBlock {
  readonly #width: number;
  readonly #vectors: Int8Array;
  /** One over the length of each vector; 0 for a removed one. */
  readonly #factors = new Float32Array(BLOCK_ROWS);
  readonly #ids = new Float64Array(BLOCK_ROWS);
  readonly #parts = new Uint8Array(BLOCK_ROWS);
  readonly #groups = new Uint32Array(BLOCK_ROWS);
  #rows = 0;

  /** @param width that of the `DotProducts` it is compared by */
  constructor(width: number) {
    this.#width = width;
    this.#vectors = new Int8Array(width * BLOCK_ROWS);
  }

  get isFull(): boolean {
    return this.#rows === BLOCK_ROWS;
  }

  get bytes(): number {
    return (this.#width + BYTES_OF_OWNER) * BLOCK_ROWS;
  }

  addVector({ id, part, group }: Owner, vector: Int8Array): void {
    const row = this.#rows++;
    this.#vectors.set(vector, row * this.#width);
    this.#factors[row] = 1 / measureVector(vector);
    this.#ids[row] = id;
    this.#parts[row] = part;
    this.#groups[row] = group;
  }

  /** Forgets the vectors of an owner. */
  remove(id: number): void {
    for (let row = this.#ids.indexOf(id); row !== -1; row = this.#ids.indexOf(id, row + 1)) {
      this.#vectors.fill(0, row * this.#width, (row + 1) * this.#width);
      this.#factors[row] = 0;
      this.#ids[row] = -1;
    }
  }

  /** Offers every vector, of one group or of all, to the nearest so far. */
  compare(query: Int8Array, { products, group, nearest }: Comparison): void {
    const dotProducts = products.computeProducts(
      query,
      this.#vectors.subarray(0, this.#rows * this.#width),
    );
    const factor = 1 / measureVector(query);
    for (let row = 0; row < this.#rows; row++) {
      const scale = (this.#factors[row] ?? 0) * factor;
      if (scale === 0 || (group !== null && this.#groups[row] !== group)) continue;
      const score = (dotProducts[row] ?? 0) * scale;
      if (score >= nearest.least)
        nearest.addCandidate({ id: this.#ids[row] ?? 0, part: this.#parts[row] ?? 0, score });
    }
  }
}

interface Comparison {
  products: DotProducts;
  /** Null: all. */
  group: number | null;
  nearest: Nearest;
}

function measureVector(vector: Int8Array): number {
  let square = 0;
  for (const value of vector) square += value * value;
  return Math.sqrt(square) || 1;
}
