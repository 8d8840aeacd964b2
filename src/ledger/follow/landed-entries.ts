// Buffer of recent appends that consumers have not consumed yet, so that no instance reads back what it has written.
import type { Connection } from 'mongoose';
import type { Chain } from '../chains.ts';
import { toCiphertext } from '../contents/contents.ts';
import { getCommittedValues, type Stored } from '../entry.ts';
import { type MemberProjection, readEntries } from './tail-reader.ts';

export interface LandedEntriesDeps {
  connection: Connection;
  chain: Chain;
  /** The entry members to keep, by dotted path. */
  projection: MemberProjection;
}

/** Sequences that other instances have appended, both bounds included. */
interface Gap {
  first: number;
  last: number;
}

/** Upper bound over all organisations; beyond it consumers read the database. */
const BYTES_MAX = 32 * 1024 * 1024;
/** Upper bound on the entries of one organisation. */
const ENTRIES_MAX = 4_096;
/** The part of an organisation's entries that is dropped at a time, oldest first: a quarter. */
const GIVES_WAY = 4;
/** Approximate bytes of an entry besides its values. */
const ENTRY_BYTES = 1_000;
/** Upper bound on entries of other instances to read at a time. */
const FILLED_MAX = 1_000;

const NOTHING = { entries: [] };

/** Keeps the newest entries of each organisation in memory. A buffer only: consumers read the database for the rest. */
export class LandedEntries {
  readonly #deps: LandedEntriesDeps;
  readonly #keptOf: (entry: Stored) => Stored;
  readonly #rows = new Map<string, Stored[]>();
  #bytes = 0;

  constructor(deps: LandedEntriesDeps) {
    this.#deps = deps;
    this.#keptOf = createPartCopier([
      ...new Set(['sequence', 'kind', ...Object.keys(deps.projection)]),
    ]);
  }

  /** Adds entries; they MUST be durable and in order of sequence. */
  addEntries(organizationId: string, entries: readonly Stored[]): void {
    const newest = this.#rows.get(organizationId)?.at(-1)?.sequence ?? 0;
    const more = entries.filter(({ sequence }) => sequence > newest);
    this.#put(organizationId, more.map(this.#keptOf));
    const row = this.#rows.get(organizationId) ?? [];
    if (this.#bytes > BYTES_MAX || row.length > ENTRIES_MAX)
      this.#drop(organizationId, Math.ceil(row.length / GIVES_WAY));
  }

  hasEntries(organizationId: string): boolean {
    return this.#rows.has(organizationId);
  }

  /** Returns the newest contiguous entries; reads gaps after `consumedTo`, where that is known, from the database. */
  async readContiguous(
    organizationId: string,
    consumedTo: number | null,
  ): Promise<readonly Stored[]> {
    const gaps = findGaps(this.#rows.get(organizationId) ?? [], consumedTo);
    if (gaps.length > 0) await this.#fill(organizationId, gaps);
    const row = this.#rows.get(organizationId) ?? [];
    return row.slice(
      row.findLastIndex(({ sequence }, at) => row[at - 1]?.sequence !== sequence - 1),
    );
  }

  /** Drops the entries up to a sequence: every consumer has consumed them. */
  trimTo(organizationId: string, sequence: number): void {
    const row = this.#rows.get(organizationId) ?? [];
    const left = row.findIndex((entry) => entry.sequence > sequence);
    this.#drop(organizationId, left < 0 ? row.length : left);
  }

  /** Reads the entries in the gaps; leaves the gaps where the entries are too many or cannot be read now. */
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
    for (const entry of entries) this.#bytes += estimateEntryBytes(entry);
    row.push(...entries);
    this.#rows.set(organizationId, row);
  }

  /** Drops the oldest entries. */
  #drop(organizationId: string, count: number): void {
    const row = this.#rows.get(organizationId) ?? [];
    for (const entry of row.splice(0, count)) this.#bytes -= estimateEntryBytes(entry);
    if (row.length === 0) this.#rows.delete(organizationId);
  }
}

function findGaps(row: readonly Stored[], consumedTo: number | null): Gap[] {
  const gaps: Gap[] = [];
  let next = consumedTo === null ? (row[0]?.sequence ?? 0) : consumedTo + 1;
  for (const { sequence } of row) {
    if (sequence > next) gaps.push({ first: next, last: sequence - 1 });
    next = Math.max(next, sequence + 1);
  }
  return gaps;
}

function estimateEntryBytes(entry: Stored): number {
  let bytes = ENTRY_BYTES + (toCiphertext(entry['content'])?.length ?? 0);
  const sealed = getCommittedValues(entry);
  for (const name in sealed) bytes += 2 * (sealed[name]?.text?.length ?? 0);
  return bytes;
}

type Members = Record<string, unknown>;

/**
 * Creates a function that copies an entry with `_id` and the members at these dotted paths only. The paths are split
 * once: to split them for each entry took four times as long (row ingest/R1).
 */
function createPartCopier(paths: readonly string[]): (entry: Stored) => Stored {
  const members = paths.map((path) => path.split('.'));
  return (entry) => {
    const part: Members = { _id: entry._id };
    for (const path of members) copyMember(entry, part, path);
    return part as Stored;
  };
}

function copyMember(from: Members, to: Members, path: readonly string[], at = 0): void {
  const name = path[at] as string;
  const value = from[name];
  if (value === undefined) return;
  if (at === path.length - 1) to[name] = value;
  else if (isMembers(value)) copyMember(value, (to[name] ??= {}) as Members, path, at + 1);
}

/** Returns whether a value is a plain object; ids, dates and buffers are not. */
function isMembers(value: unknown): value is Members {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
