// What this instance has appended and its consumers have not all had yet, and what others appended in between: nobody reads the first back, and the second is read once (bench rows ingest/R1, workers).
import type { Connection } from 'mongoose';
import type { Chain } from '../chains.ts';
import { bytesOf } from '../contents/contents.ts';
import { partsBy } from '../entry-parts.ts';
import { sealedOf, type Stored } from '../entry.ts';
import { type MemberProjection, readEntries } from './tail-reader.ts';

export interface LandedEntriesDeps {
  connection: Connection;
  chain: Chain;
  /** The members that are kept of an entry, by dotted path. */
  projection: MemberProjection;
}

/** Sequences from the first to the last, that others have appended. */
interface Gap {
  first: number;
  last: number;
}

/** Of all organisations together; beyond it consumers read the database. */
const BYTES_MAX = 32 * 1024 * 1024;
/** Entries of one organisation. */
const ENTRIES_MAX = 4_096;
/** What gives way at a time, the oldest first: a quarter of what an organisation has. */
const GIVES_WAY = 4;
/** What an entry takes besides its values, roughly. */
const ENTRY_BYTES = 1_000;
/** Entries of others that are read at a time. */
const FILLED_MAX = 1_000;

const NOTHING = { entries: [] };

export class LandedEntries {
  readonly #deps: LandedEntriesDeps;
  readonly #keptOf: (entry: Stored) => Stored;
  readonly #rows = new Map<string, Stored[]>();
  #bytes = 0;

  constructor(deps: LandedEntriesDeps) {
    this.#deps = deps;
    this.#keptOf = partsBy([...new Set(['sequence', 'kind', ...Object.keys(deps.projection)])]);
  }

  /** Entries that are durable, in their order. */
  add(organizationId: string, entries: readonly Stored[]): void {
    const newest = this.#rows.get(organizationId)?.at(-1)?.sequence ?? 0;
    const more = entries.filter(({ sequence }) => sequence > newest);
    this.#put(organizationId, more.map(this.#keptOf));
    const row = this.#rows.get(organizationId) ?? [];
    if (this.#bytes > BYTES_MAX || row.length > ENTRIES_MAX)
      this.#drop(organizationId, Math.ceil(row.length / GIVES_WAY));
  }

  has(organizationId: string): boolean {
    return this.#rows.has(organizationId);
  }

  /** The newest ones, in a row. `passed`: from where on it begins, when that is known. */
  async inRow(organizationId: string, passed: number | null): Promise<readonly Stored[]> {
    const gaps = gapsIn(this.#rows.get(organizationId) ?? [], passed);
    if (gaps.length > 0) await this.#fill(organizationId, gaps);
    const row = this.#rows.get(organizationId) ?? [];
    return row.slice(
      row.findLastIndex(({ sequence }, at) => row[at - 1]?.sequence !== sequence - 1),
    );
  }

  /** Nobody reads the entries up to a sequence any more. */
  passed(organizationId: string, sequence: number): void {
    const row = this.#rows.get(organizationId) ?? [];
    const left = row.findIndex((entry) => entry.sequence > sequence);
    this.#drop(organizationId, left < 0 ? row.length : left);
  }

  /** Where there are too many, or they cannot be read now, the gaps stay. */
  async #fill(organizationId: string, gaps: readonly Gap[]): Promise<void> {
    const missing = gaps.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    if (missing > FILLED_MAX) return;
    const where = {
      $or: gaps.map(({ first, last }) => ({ sequence: { $gte: first, $lte: last } })),
    };
    const deps = Object.assign({ organizationId }, this.#deps);
    const { entries } = await readEntries(deps, where, missing).catch(() => NOTHING);
    this.#put(organizationId, entries);
    this.#rows.get(organizationId)?.sort((a, b) => a.sequence - b.sequence);
  }

  #put(organizationId: string, entries: readonly Stored[]): void {
    if (entries.length === 0) return;
    const row = this.#rows.get(organizationId) ?? [];
    for (const entry of entries) this.#bytes += bytesIn(entry);
    row.push(...entries);
    this.#rows.set(organizationId, row);
  }

  /** The oldest ones. */
  #drop(organizationId: string, count: number): void {
    const row = this.#rows.get(organizationId) ?? [];
    for (const entry of row.splice(0, count)) this.#bytes -= bytesIn(entry);
    if (row.length === 0) this.#rows.delete(organizationId);
  }
}

function gapsIn(row: readonly Stored[], passed: number | null): Gap[] {
  const gaps: Gap[] = [];
  let next = passed === null ? (row[0]?.sequence ?? 0) : passed + 1;
  for (const { sequence } of row) {
    if (sequence > next) gaps.push({ first: next, last: sequence - 1 });
    next = Math.max(next, sequence + 1);
  }
  return gaps;
}

function bytesIn(entry: Stored): number {
  let bytes = ENTRY_BYTES + (bytesOf(entry['content'])?.length ?? 0);
  const sealed = sealedOf(entry);
  for (const name in sealed) bytes += 2 * (sealed[name]?.text?.length ?? 0);
  return bytes;
}
