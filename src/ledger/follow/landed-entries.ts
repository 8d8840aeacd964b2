// What this instance has appended and its consumers have not all had yet: they need not read it back (bench row ingest/R1).
import { sealedOf, type Stored } from '../entry.ts';

/** Of all organisations together; beyond it consumers read the database. */
const BYTES_MAX = 32 * 1024 * 1024;
/** Entries of one organisation. */
const ENTRIES_MAX = 4_096;
/** What gives way at a time, the oldest first: a quarter of what an organisation has. */
const GIVES_WAY = 4;
/** What an entry takes besides its values, roughly. */
const ENTRY_BYTES = 1_000;

export class LandedEntries {
  readonly #members: readonly string[];
  readonly #rows = new Map<string, Stored[]>();
  #bytes = 0;

  /** `members`: those that are kept of an entry. */
  constructor(members: Iterable<string>) {
    this.#members = [...new Set(['sequence', 'kind', ...members])];
  }

  /** Entries that are durable, in their order. */
  add(organizationId: string, entries: readonly Stored[]): void {
    for (const entry of entries) this.#addOne(organizationId, this.#kept(entry));
    const row = this.#rows.get(organizationId) ?? [];
    if (this.#bytes > BYTES_MAX || row.length > ENTRIES_MAX)
      this.#drop(organizationId, Math.ceil(row.length / GIVES_WAY));
  }

  /** The newest ones, in a row. */
  of(organizationId: string): readonly Stored[] {
    return [...(this.#rows.get(organizationId) ?? [])];
  }

  /** Nobody reads the entries up to a sequence any more. */
  passed(organizationId: string, sequence: number): void {
    const [first] = this.#rows.get(organizationId) ?? [];
    if (first) this.#drop(organizationId, sequence - first.sequence + 1);
  }

  #addOne(organizationId: string, entry: Stored): void {
    const row = this.#rows.get(organizationId) ?? [];
    const newest = row.at(-1);
    if (newest && newest.sequence !== entry.sequence - 1) this.#drop(organizationId, row.length);
    row.push(entry);
    this.#rows.set(organizationId, row);
    this.#bytes += bytesIn(entry);
  }

  /** The oldest ones. */
  #drop(organizationId: string, count: number): void {
    const row = this.#rows.get(organizationId) ?? [];
    for (const entry of row.splice(0, Math.max(0, count))) this.#bytes -= bytesIn(entry);
    if (row.length === 0) this.#rows.delete(organizationId);
  }

  #kept(entry: Stored): Stored {
    const kept: Record<string, unknown> = {};
    for (const name of this.#members) if (entry[name] !== undefined) kept[name] = entry[name];
    return kept as Stored;
  }
}

function bytesIn(entry: Stored): number {
  let bytes = ENTRY_BYTES;
  for (const value of Object.values(sealedOf(entry))) bytes += 2 * (value?.text?.length ?? 0);
  return bytes;
}
