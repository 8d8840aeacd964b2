// What this instance has appended and its consumers have not had yet: they need not read it back (bench row ingest/R1).
import { sealedOf, type Stored } from '../entry.ts';

/** Of all organisations together; beyond it consumers read the database. */
const BYTES_MAX = 16 * 1024 * 1024;
/** Entries of one organisation; the oldest give way. */
const ENTRIES_MAX = 2_048;
/** What an entry takes besides its values, roughly. */
const ENTRY_BYTES = 1_000;

interface Row {
  entries: Stored[];
  bytes: number;
}

export class LandedEntries {
  readonly #members: readonly string[];
  readonly #rows = new Map<string, Row>();
  #bytes = 0;

  /** `members`: those that are kept of an entry. */
  constructor(members: Iterable<string>) {
    this.#members = [...new Set(['sequence', 'kind', ...members])];
  }

  /** Entries that are durable, in their order. */
  add(organizationId: string, entries: readonly Stored[]): void {
    for (const entry of entries) this.#addOne(organizationId, entry);
    if (this.#bytes > BYTES_MAX) this.take(organizationId);
  }

  /** The newest ones in a row, once. */
  take(organizationId: string): readonly Stored[] {
    const row = this.#rows.get(organizationId);
    if (!row) return [];
    this.#rows.delete(organizationId);
    this.#bytes -= row.bytes;
    return row.entries;
  }

  #addOne(organizationId: string, entry: Stored): void {
    const before = this.#rows.get(organizationId)?.entries;
    const isNext = before?.at(-1)?.sequence === entry.sequence - 1;
    if (before && (!isNext || before.length >= ENTRIES_MAX)) this.take(organizationId);
    const row = this.#rows.get(organizationId) ?? { entries: [], bytes: 0 };
    const bytes = bytesIn(entry);
    row.entries.push(this.#kept(entry));
    row.bytes += bytes;
    this.#bytes += bytes;
    this.#rows.set(organizationId, row);
  }

  #kept(entry: Stored): Stored {
    const kept: Record<string, unknown> = {};
    for (const name of this.#members) if (entry[name] !== undefined) kept[name] = entry[name];
    return kept as Stored;
  }
}

function bytesIn(entry: Stored): number {
  const lengths = Object.values(sealedOf(entry)).map((value) => 2 * (value?.text.length ?? 0));
  return lengths.reduce((sum, length) => sum + length, ENTRY_BYTES);
}
