// Which committed values are still kept, and which are shown: eight bytes an entry outside the heap.

const CHUNK_ENTRIES = 8192;
/** Names with a bit of their own: some twenty occur. Values under further names are kept one by one. */
const NAMES_MAX = 32;

/** Bits per entry, one for each name. */
interface Bits {
  kept: Uint32Array;
  shown: Uint32Array;
}

export class KeptValues {
  private length = 0;
  private readonly names = new Map<string, number>();
  private readonly chunks: Bits[] = [];
  /** Whether a value is shown, by index and name. */
  private readonly others = new Map<string, boolean>();

  /** Adds the kept values of the next entry. */
  addEntry(kept: readonly string[], isShown: (name: string) => boolean): void {
    const index = this.length++;
    if (index % CHUNK_ENTRIES === 0)
      this.chunks.push({
        kept: new Uint32Array(CHUNK_ENTRIES),
        shown: new Uint32Array(CHUNK_ENTRIES),
      });
    for (const name of kept) this.keepValue(index, name, isShown(name));
  }

  /** Removes a value of the entry at an index; null when there was none, else whether it is shown. */
  takeValue(index: number, name: string): 'shown' | 'withheld' | null {
    const bit = this.names.get(name);
    if (bit === undefined) return this.takeOther(`${index}.${name}`);
    const { kept, shown } = this.chunks[Math.floor(index / CHUNK_ENTRIES)] as Bits;
    const at = index % CHUNK_ENTRIES;
    if (!isSet(kept, at, bit)) return null;
    kept[at] = (kept[at] as number) & ~(1 << bit);
    return isSet(shown, at, bit) ? 'shown' : 'withheld';
  }

  private keepValue(index: number, name: string, isShown: boolean): void {
    const bit = this.names.get(name) ?? this.names.size;
    if (bit === NAMES_MAX) {
      this.others.set(`${index}.${name}`, isShown);
      return;
    }
    this.names.set(name, bit);
    const { kept, shown } = this.chunks.at(-1) as Bits;
    const at = index % CHUNK_ENTRIES;
    kept[at] = (kept[at] as number) | (1 << bit);
    if (isShown) shown[at] = (shown[at] as number) | (1 << bit);
  }

  private takeOther(key: string): 'shown' | 'withheld' | null {
    const isShown = this.others.get(key);
    this.others.delete(key);
    if (isShown === undefined) return null;
    return isShown ? 'shown' : 'withheld';
  }
}

function isSet(bits: Uint32Array, at: number, bit: number): boolean {
  return ((bits[at] as number) & (1 << bit)) !== 0;
}
