// A set of sequences in one bit each, so that a replay can remember something of every entry.

const PAGE_BYTES = 4096;
const PAGE_BITS = PAGE_BYTES * 8;

/** The pages of a set by number: the form in which threads exchange it. */
export type Pages = ReadonlyMap<number, Uint8Array>;

/** A set of sequences in memory: one page of 4 KB for each 32,768 sequences that occur. */
export class SequenceSet {
  readonly #pages = new Map<number, Uint8Array>();

  get pages(): Pages {
    return this.#pages;
  }

  addAll(pages: Pages): void {
    for (const [page, more] of pages) {
      const bytes = this.#pages.get(page) ?? new Uint8Array(PAGE_BYTES);
      this.#pages.set(
        page,
        bytes.map((byte, at) => byte | (more[at] as number)),
      );
    }
  }

  add(sequence: number): void {
    const page = Math.floor(sequence / PAGE_BITS);
    let bytes = this.#pages.get(page);
    if (!bytes) this.#pages.set(page, (bytes = new Uint8Array(PAGE_BYTES)));
    const bit = sequence % PAGE_BITS;
    bytes[bit >> 3] = (bytes[bit >> 3] as number) | (1 << (bit & 7));
  }

  has(sequence: number): boolean {
    const bytes = this.#pages.get(Math.floor(sequence / PAGE_BITS));
    const bit = sequence % PAGE_BITS;
    return bytes !== undefined && ((bytes[bit >> 3] as number) & (1 << (bit & 7))) !== 0;
  }
}
