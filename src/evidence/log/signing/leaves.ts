// Reads the leaves of a log from where they are kept: chain hashes from the chain, heads from their collection.
import type { Platform } from '../../../platform/platform.ts';
import { isSequence } from '../../../ledger/chains.ts';
import { toCiphertext } from '../../../ledger/contents/contents.ts';
import type { HeadsLeafDocument } from '../log-heads.model.ts';
import type { LogChain } from '../logs.model.ts';

/** A leaf and, for chains, the hash of the entry and of the one before it. */
export interface Leaf {
  data: Buffer;
  chainHash: string;
  prevHash: string;
}

interface ChainRow {
  sequence: number;
  chainHash: string;
  prevHash: string;
}

/** The leaves from an index on, at most `limit`. */
export interface LeafQuery {
  organizationId: string;
  chain: LogChain;
  from: number;
  limit: number;
}

const HASH = /^[0-9a-f]{64}$/;

export const readLeaves = (platform: Platform, query: LeafQuery): Promise<Leaf[]> =>
  query.chain === 'heads' ? readHeadsLeaves(platform, query) : readChainLeaves(platform, query);

async function readChainRows({ models }: Platform, query: LeafQuery): Promise<ChainRow[]> {
  const { organizationId, from, limit } = query;
  const where = { organizationId, sequence: { $gt: from, $lte: from + limit } };
  const members = 'sequence chainHash prevHash';
  const sort = { sequence: 1 } as const;
  return query.chain === 'audit'
    ? models.auditEntries.find(where, members).sort(sort).limit(limit).lean<ChainRow[]>()
    : models.ledger.find(where, members).hint('chain').sort(sort).limit(limit).lean<ChainRow[]>();
}

async function readHeadsLeaves({ models }: Platform, { from, limit }: LeafQuery): Promise<Leaf[]> {
  const rows = await models.headsLeaves
    .find({ _id: { $gte: from, $lt: from + limit } })
    .sort({ _id: 1 })
    .lean<HeadsLeafDocument[]>();
  const leaves = rows.map(({ data }) => ({
    data: Buffer.from(toCiphertext(data) ?? []),
    chainHash: '',
    prevHash: '',
  }));
  const gap = rows.findIndex(({ _id }, at) => _id !== from + at);
  return gap === -1 ? leaves : leaves.slice(0, gap);
}

/** Stops at the first entry that is not the next one: rows without a place in the chain are left to verification. */
async function readChainLeaves(platform: Platform, query: LeafQuery): Promise<Leaf[]> {
  const rows = await readChainRows(platform, query);
  const inChain = rows.filter(({ sequence }) => isSequence(sequence));
  const gap = inChain.findIndex(
    ({ sequence, chainHash }, at) => sequence !== query.from + 1 + at || !HASH.test(chainHash),
  );
  return (gap === -1 ? inChain : inChain.slice(0, gap)).map(({ chainHash, prevHash }) => ({
    data: Buffer.from(chainHash, 'hex'),
    chainHash,
    prevHash,
  }));
}
