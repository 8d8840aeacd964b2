// A set of digests of eight bytes, outside the heap: some 16 bytes for each.

const MARK_BYTES = 8;
const FIRST_SLOTS = 1024;

export class MarkSet {
  private slots = Buffer.alloc(FIRST_SLOTS * MARK_BYTES);
  private size = 0;
  private hasZero = false;

  /** Adds 16 hex digits of a digest; false when they were in it. */
  add(hex: string): boolean {
    const mark = BigInt(`0x${hex}`);
    if (mark === 0n) return !this.hasZero && (this.hasZero = true);
    if (2 * (this.size + 1) > this.slots.length / MARK_BYTES) this.expandSlots();
    if (!this.putMark(mark)) return false;
    this.size++;
    return true;
  }

  /** A slot that holds zero is free. */
  private putMark(mark: bigint): boolean {
    const { slots } = this;
    const count = slots.length / MARK_BYTES;
    for (let i = Number(mark & BigInt(count - 1)); ; i = (i + 1) % count) {
      const found = slots.readBigUInt64LE(i * MARK_BYTES);
      if (found === mark) return false;
      if (found !== 0n) continue;
      slots.writeBigUInt64LE(mark, i * MARK_BYTES);
      return true;
    }
  }

  private expandSlots(): void {
    const before = this.slots;
    this.slots = Buffer.alloc(2 * before.length);
    for (let at = 0; at < before.length; at += MARK_BYTES) {
      const mark = before.readBigUInt64LE(at);
      if (mark !== 0n) this.putMark(mark);
    }
  }
}
