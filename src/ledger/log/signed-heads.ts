// Compares a chain with the tree heads that were signed of it: the key that signs them is not in the database.
import type { mongo } from 'mongoose';
import { parseCheckpoint } from '../../domain/log/checkpoint.ts';
import { hashLeaf } from '../../domain/log/merkle-tree.ts';
import { isSignedBy, LOG_KEY, parseNote } from '../../domain/log/signed-note.ts';
import { splitHashes, type Tile, TiledTree } from '../../domain/log/tiles.ts';
import { DECISIONS, isSequence } from '../chains.ts';
import { toLockedBytes } from '../contents/contents.ts';
import { toObjectId } from '../ledger.model.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Break, VerifiedPosition } from '../verify/report.ts';
import type { ChainVerification } from '../verify/verify-chain.ts';

/** A tree head whose signature holds. */
interface SignedHead {
  size: number;
  root: Buffer;
}

/** The signed heads of a chain, ascending by size, and the first that is not what was signed. */
export interface SignedHeads {
  log: LogRow | null;
  heads: readonly SignedHead[];
  /** The size of the newest one; 0: there is none. */
  reached: number;
  broken: Break | null;
}

interface LogRow {
  _id: string;
  origin: string;
  size: number;
}

type SignedChain = Pick<
  ChainVerification,
  'db' | 'chain' | 'organizationId' | 'logKeys' | 'signal'
>;

const CURSOR_BATCH = 2000;
const UNSIGNED = 'a stored checkpoint is not one that was signed';

const createBreak = (sequence: number, what: string): Break => ({
  sequence,
  reason: 'chain-hash-mismatch',
  what,
});

/** Reads the newest log of a chain; null before its first seal. */
async function readLog({ db, chain, organizationId }: SignedChain): Promise<LogRow | null> {
  const name = chain.collection === DECISIONS.collection ? 'ledger' : 'audit';
  const log = await db
    .collection<LogRow>('logs')
    .findOne(
      { organizationId: toObjectId(organizationId), chain: name },
      { ...MAJORITY, sort: { generation: -1 } },
    );
  return log && log.size > 0 ? log : null;
}

/** Reads the signed heads; without keys, or before the first seal, there are none. */
export async function readSignedHeads(signed: SignedChain): Promise<SignedHeads> {
  const { logKeys = [] } = signed;
  const log = logKeys.length > 0 ? await readLog(signed) : null;
  if (!log) return { log: null, heads: [], reached: 0, broken: null };
  const organizationId = toObjectId(signed.organizationId);
  const rows = signed.db
    .collection('log_heads')
    .find({ organizationId, logId: log._id, size: { $lte: log.size } }, MAJORITY)
    .sort({ size: 1 });
  const heads: SignedHead[] = [];
  let broken: Break | null = null;
  for await (const row of rows) {
    const head = readHead(row, log.origin, logKeys);
    if (head) heads.push(head);
    else broken ??= createBreak(Number(row.size) || 1, UNSIGNED);
  }
  const reached = heads.at(-1)?.size ?? 0;
  if (reached !== log.size)
    broken ??= createBreak(log.size, 'the newest checkpoint of the chain is missing');
  return { log, heads, reached, broken };
}

/** Null: the row is not what some key of the log has signed. */
function readHead(
  { size, root, note }: mongo.Document,
  origin: string,
  logKeys: readonly string[],
): SignedHead | null {
  const parsed = parseNote(String(note));
  const checkpoint = parsed && parseCheckpoint(parsed.text);
  if (!parsed || checkpoint?.origin !== origin || checkpoint.size !== size) return null;
  if (checkpoint.root.toString('hex') !== root) return null;
  const isSigned = logKeys.some((key) =>
    isSignedBy(parsed, { name: origin, type: LOG_KEY, publicKey: Buffer.from(key, 'base64') }),
  );
  return isSigned ? checkpoint : null;
}

/**
 * Builds the tree of the stored chain hashes, and compares it with every signed head and stored tile; null: all agree.
 * `after`: what an earlier verification has seen was compared by it.
 */
export async function findSignedBreak(
  signed: SignedChain,
  { log, heads, broken }: SignedHeads,
  after: VerifiedPosition | null,
): Promise<Break | null> {
  if (!log || broken || after) return broken;
  const organizationId = toObjectId(signed.organizationId);
  const rows = signed.db
    .collection(signed.chain.collection)
    .find(
      { organizationId, sequence: { $gte: 1, $lte: log.size } },
      { ...MAJORITY, projection: { _id: 0, sequence: 1, chainHash: 1 } },
    )
    .sort({ sequence: 1 })
    .batchSize(CURSOR_BATCH);
  const tree = new TiledTree();
  const left = [...heads];
  for await (const { sequence, chainHash } of rows) {
    signed.signal?.throwIfAborted();
    if (!isSequence(sequence)) continue;
    // A gap is a finding of the replay already.
    if (sequence !== tree.size + 1) return null;
    tree.addLeaf(hashLeaf(Buffer.from(String(chainHash), 'hex')));
    const found = (await findTileBreak(tree, signed, log)) ?? findHeadBreak(tree, left);
    if (found) return found;
  }
  return null;
}

function findHeadBreak(tree: TiledTree, left: SignedHead[]): Break | null {
  const [head] = left;
  if (head?.size !== tree.size) return null;
  left.shift();
  if (tree.computeRoot().equals(head.root)) return null;
  return createBreak(head.size, 'the chain up to here is not the one whose tree was signed');
}

async function findTileBreak(
  tree: TiledTree,
  { db, organizationId }: SignedChain,
  { _id: logId }: LogRow,
): Promise<Break | null> {
  for (const tile of tree.takeFullTiles()) {
    const { level, index } = tile;
    const place = { organizationId: toObjectId(organizationId), logId, level, index };
    const stored = await db.collection('log_tiles').findOne(place, MAJORITY);
    const hashes = splitHashes(toLockedBytes(stored?.hashes) ?? Buffer.alloc(0));
    const at = splitHashes(tile.hashes).findIndex((hash, n) => !hashes[n]?.equals(hash));
    if (at !== -1) return createBreak(toSequence(tile, at), 'a stored tile has another hash');
  }
  return null;
}

/** The first entry below a hash of a tile. */
function toSequence({ level, index }: Tile, at: number): number {
  return (index * 256 + at) * 256 ** level + 1;
}
