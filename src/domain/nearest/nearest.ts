// Collects the nearest owners so far, each by its best vector.

export interface Neighbour {
  id: number;
  /** Which of its vectors is the nearest. */
  part: number;
  /** Cosine, -1 to 1. */
  score: number;
}

export class Nearest {
  readonly #limit: number;
  readonly #least: number;
  readonly #found: Neighbour[] = [];

  constructor(limit: number, least: number) {
    this.#limit = limit;
    this.#least = least;
  }

  /** The score that a candidate must reach. */
  get least(): number {
    return this.#found[this.#limit - 1]?.score ?? this.#least;
  }

  addCandidate(one: Neighbour): void {
    const isFull = this.#found.length === this.#limit;
    if (one.score < this.least || (isFull && one.score === this.least)) return;
    const known = this.#found.findIndex(({ id }) => id === one.id);
    if ((this.#found[known]?.score ?? -Infinity) >= one.score) return;
    if (known !== -1) this.#found.splice(known, 1);
    const place = this.#found.findIndex(({ score }) => score < one.score);
    this.#found.splice(place === -1 ? this.#found.length : place, 0, one);
    this.#found.length = Math.min(this.#found.length, this.#limit);
  }

  /** Best first. */
  listNearest(): readonly Neighbour[] {
    return this.#found;
  }
}
