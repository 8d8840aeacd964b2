// Reads the tail of a chain once for all consumers that read as many entries and whose cursors are at the same place.
import type { Connection } from 'mongoose';
import type { Chain } from '../chains.ts';
import { MAJORITY } from '../read-write-concerns.ts';
import type { Stored } from '../entry.ts';
import { objectId } from '../ledger.model.ts';

/** Members to read. */
export type MemberProjection = Readonly<Record<string, 1>>;

export interface TailReaderDeps {
  connection: Connection;
  chain: Chain;
  organizationId: string;
  /** The members that the consumers read, together. */
  projection: MemberProjection;
}

interface TailSlice {
  from: number;
  size: number;
  entries: Promise<Stored[]>;
}

/** The new entries of one organisation, as one round of its consumers reads them. */
export class TailReader {
  readonly organizationId: string;
  readonly #deps: TailReaderDeps;
  #newest: TailSlice | null = null;

  constructor(deps: TailReaderDeps) {
    this.organizationId = deps.organizationId;
    this.#deps = deps;
  }

  /** At most `size` entries after the sequence `from`, oldest first; fewer only at the end of the chain. */
  async after(from: number, size: number): Promise<Stored[]> {
    if (this.#newest?.from !== from || this.#newest.size !== size)
      this.#newest = { from, size, entries: this.#read(from, size) };
    try {
      return await this.#newest.entries;
    } catch (error) {
      this.#newest = null;
      throw error;
    }
  }

  #read(from: number, size: number): Promise<Stored[]> {
    const { connection, chain, organizationId, projection } = this.#deps;
    const filter = { organizationId: objectId(organizationId), sequence: { $gt: from } };
    const options = { ...MAJORITY, projection: { _id: 0, ...projection, sequence: 1, kind: 1 } };
    const found = connection.collection<Stored>(chain.collection).find(filter, options);
    return found.sort({ sequence: 1 }).limit(size).toArray() as Promise<Stored[]>;
  }
}
