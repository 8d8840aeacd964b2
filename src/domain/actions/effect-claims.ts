// The claims of effects in a chain, 32 bytes each outside the heap: finds two of one effect that are live at one time.
const KEY_BYTES = 16;
const UNTIL = 24;
const ROW_BYTES = 32;
const FIRST_ROWS = 256;
const NONE = -1;
const KEY = /^[0-9a-f]{64}$/;

/** A claim that was made while another one of its effect was live. */
export interface SecondClaim {
  /** The sequence of its entry. */
  sequence: number;
  /** That of the other one. */
  other: number;
}

/** Collects claims in any order. */
export class EffectClaims {
  #rows = Buffer.alloc(FIRST_ROWS * ROW_BYTES);
  #count = 0;

  /** `from`: the sequence of the claim; `until`: that of the entry by which it failed; null: none. */
  addClaim(keys: readonly string[], from: number, until: number | null): void {
    for (const key of keys) {
      const start = this.#count * ROW_BYTES;
      if (start === this.#rows.length)
        this.#rows = Buffer.concat([this.#rows, Buffer.alloc(start)]);
      this.#rows.write(key.slice(0, 2 * KEY_BYTES), start, 'hex');
      this.#rows.writeDoubleBE(from, start + KEY_BYTES);
      this.#rows.writeDoubleBE(until ?? Number.POSITIVE_INFINITY, start + UNTIL);
      this.#count++;
    }
  }

  /** Finds the earliest second claim; null: there is none. */
  findSecond(): SecondClaim | null {
    const rows = this.#rows;
    const order = new Uint32Array(this.#count).map((_, at) => at * ROW_BYTES);
    // Sequences are positive, so their bytes sort as they do.
    order.sort((a, b) => rows.compare(rows, b, b + UNTIL, a, a + UNTIL));
    let found: SecondClaim | null = null;
    /** The claim of the effect that lives longest so far. */
    let live = NONE;
    for (const at of order) {
      if (live !== NONE && this.#hasSameKey(live, at)) {
        const [sequence, end] = [this.#readFrom(at), this.#readUntil(live)];
        if (sequence < end && sequence < (found?.sequence ?? Number.POSITIVE_INFINITY))
          found = { sequence, other: this.#readFrom(live) };
        if (this.#readUntil(at) <= end) continue;
      }
      live = at;
    }
    return found;
  }

  #readFrom(at: number): number {
    return this.#rows.readDoubleBE(at + KEY_BYTES);
  }

  #readUntil(at: number): number {
    return this.#rows.readDoubleBE(at + UNTIL);
  }

  #hasSameKey(a: number, b: number): boolean {
    return this.#rows.compare(this.#rows, b, b + KEY_BYTES, a, a + KEY_BYTES) === 0;
  }
}

/** The keys of a committed list of effects; what is no key is left out, since it may have been tampered with. */
export function readEffectKeys(text: string | undefined): string[] {
  if (text === undefined) return [];
  const keys = JSON.parse(text) as unknown;
  if (!Array.isArray(keys)) return [];
  return [...new Set(keys)].filter(
    (key): key is string => typeof key === 'string' && KEY.test(key),
  );
}
