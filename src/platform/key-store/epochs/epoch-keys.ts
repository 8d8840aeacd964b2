// The epoch keys of a process, in memory that its threads share: one slot for each epoch that is not destroyed.
const SLOTS = 4;
const KEY_BYTES = 32;
const NUMBER_BYTES = 4;
/** The number of an empty slot. */
const NONE = 0;

export class EpochKeys {
  /** Memory that can be passed to a thread. */
  static allocateMemory(): SharedArrayBuffer {
    return new SharedArrayBuffer(SLOTS * (NUMBER_BYTES + KEY_BYTES));
  }

  readonly #numbers: Int32Array;
  readonly #keys: Uint8Array;

  constructor(memory: SharedArrayBuffer) {
    this.#numbers = new Int32Array(memory, 0, SLOTS);
    this.#keys = new Uint8Array(memory, SLOTS * NUMBER_BYTES);
  }

  /** Whether epochs are in use: a key is known. */
  isActive(): boolean {
    return this.getNewest() !== NONE;
  }

  /** The highest known epoch; 0: none. */
  getNewest(): number {
    let newest = NONE;
    for (let slot = 0; slot < SLOTS; slot++)
      newest = Math.max(newest, Atomics.load(this.#numbers, slot));
    return newest;
  }

  /** A copy of the key of an epoch; null: unknown or forgotten. */
  findKey(epoch: number): Buffer | null {
    for (let slot = 0; slot < SLOTS; slot++) {
      if (Atomics.load(this.#numbers, slot) !== epoch) continue;
      const key = Buffer.from(this.#getSlotBytes(slot));
      // Another thread may have emptied the slot while it was copied.
      if (Atomics.load(this.#numbers, slot) === epoch) return key;
    }
    return null;
  }

  /** Stores a key in an empty slot, or in that of the oldest epoch. */
  addKey(epoch: number, key: Uint8Array): void {
    if (key.length !== KEY_BYTES) throw new TypeError('an epoch key has 32 bytes');
    if (this.findKey(epoch)) return;
    let chosen = 0;
    for (let slot = 1; slot < SLOTS; slot++)
      if (Atomics.load(this.#numbers, slot) < Atomics.load(this.#numbers, chosen)) chosen = slot;
    Atomics.store(this.#numbers, chosen, NONE);
    this.#getSlotBytes(chosen).set(key);
    Atomics.store(this.#numbers, chosen, epoch);
  }

  /** Overwrites the keys of all epochs that are not listed. */
  keepOnly(epochs: readonly number[]): void {
    for (let slot = 0; slot < SLOTS; slot++) {
      if (epochs.includes(Atomics.load(this.#numbers, slot))) continue;
      Atomics.store(this.#numbers, slot, NONE);
      this.#getSlotBytes(slot).fill(0);
    }
  }

  #getSlotBytes(slot: number): Uint8Array {
    return this.#keys.subarray(slot * KEY_BYTES, (slot + 1) * KEY_BYTES);
  }
}
