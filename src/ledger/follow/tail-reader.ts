// Reads the tail of a chain once for all consumers of a round; the own recent appends are not read back.
import type { Connection, mongo } from 'mongoose';
import { type Chain, SEQUENCES } from '../chains.ts';
import { toCiphertext } from '../contents/contents.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Stored } from '../entry.ts';
import { toObjectId } from '../ledger.model.ts';

/** Members to read. */
export type MemberProjection = Readonly<Record<string, 1>>;

export interface TailReaderDeps {
  connection: Connection;
  chain: Chain;
  organizationId: string;
  /** The members that any of the consumers reads. */
  projection: MemberProjection;
  /** The newest contiguous entries that this instance has in memory. */
  landed?: readonly Stored[];
}

/** Contiguous entries, oldest first. */
export interface Tail {
  entries: readonly Stored[];
  /** Whether they reached the end of the chain when they were read. */
  isLast: boolean;
}

/** The known part of the tail: entries after `from`. */
interface KnownTail extends Tail {
  from: number;
}

/** Upper bound on the contents of one read; the entry that exceeds it is its last. */
const CONTENT_BYTES = 4 * 1024 * 1024;

/** Reads the new entries of one organisation for one round of its consumers. */
export class TailReader {
  readonly organizationId: string;
  readonly #deps: TailReaderDeps;
  #known: Promise<KnownTail> | null = null;

  constructor(deps: TailReaderDeps) {
    this.organizationId = deps.organizationId;
    this.#deps = deps;
    const { landed = [] } = deps;
    const from = (landed[0]?.sequence ?? 0) - 1;
    if (landed.length > 0) this.#known = Promise.resolve({ from, entries: landed, isLast: true });
  }

  /** Reads at most `size` entries after the sequence `from`; it MUST NOT return none before the end of the chain. */
  async readAfter(from: number, size: number): Promise<Tail> {
    const known = this.#known && sliceKnown(await this.#known, from, size);
    if (known) return known;
    const reading = this.#read(from, size);
    this.#known = reading;
    return reading.catch((error: unknown) => {
      this.#known = null;
      throw error;
    });
  }

  async #read(from: number, size: number): Promise<KnownTail> {
    const sequence = { $gt: from, $lt: SEQUENCES.$lt };
    const { entries, isCut } = await readEntries(this.#deps, { sequence }, size);
    return { from, entries, isLast: !isCut && entries.length < size };
  }
}

/** Reads the first matching entries, at most `limit` and 4 MiB of contents; `isCut`: the contents were the limit. */
export async function readEntries(
  { connection, chain, organizationId, projection }: TailReaderDeps,
  where: mongo.Filter<Stored>,
  limit: number,
): Promise<{ entries: Stored[]; isCut: boolean }> {
  const filter = Object.assign({ organizationId: toObjectId(organizationId) }, where);
  const options = { ...MAJORITY, projection: { _id: 0, ...projection, sequence: 1, kind: 1 } };
  const found = connection.collection<Stored>(chain.collection).find(filter, options);
  const entries: Stored[] = [];
  let bytes = 0;
  for await (const entry of found.sort({ sequence: 1 }).limit(limit)) {
    entries.push(entry as Stored);
    bytes += toCiphertext(entry['content'])?.length ?? 0;
    if (bytes > CONTENT_BYTES) return { entries, isCut: true };
  }
  return { entries, isCut: false };
}

/** Returns the known entries after `from`; null: they have to be read. */
function sliceKnown(known: KnownTail, from: number, size: number): Tail | null {
  if (from < known.from) return null;
  const start = known.entries.findIndex(({ sequence }) => sequence > from);
  const entries = start < 0 ? [] : known.entries.slice(start, start + size);
  const isLast = known.isLast && entries.length < size;
  return entries.length > 0 || isLast ? { entries, isLast } : null;
}
