// Compares a chain with the tree heads that were signed of it: the key that signs them is not in the database.
import type { mongo, Types } from 'mongoose';
import { createHeadsLeaf, parseCheckpoint } from '../../domain/log/checkpoint.ts';
import { isSignedBy, LOG_KEY, parseNote } from '../../domain/log/signed-note.ts';
import { DECISIONS, isSequence } from '../chains.ts';
import { toLockedBytes } from '../contents/contents.ts';
import { toObjectId } from '../ledger.model.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Break, VerifiedPosition } from '../verify/report.ts';
import type { ChainVerification } from '../verify/verify-chain.ts';
import { isCosignature, isHeadRow, isLogRow, isSameId } from './stored-rows.ts';
import { createBreak, type LogRow, type SignedHead, TreeComparison } from './tree-comparison.ts';

/** The signed heads of a chain, ascending by size, and the first that is not what was signed. */
export interface SignedHeads {
  log: LogRow | null;
  heads: readonly SignedHead[];
  /** The size of the newest one; 0: there is none. */
  reached: number;
  broken: Break | null;
}

/** A stored head whose signature holds. */
type HeadRow = SignedHead & { id: Types.ObjectId; text: string; headsIndex: number | null };

type SignedChain = Pick<
  ChainVerification,
  'db' | 'chain' | 'organizationId' | 'logKeys' | 'signal'
>;

const CURSOR_BATCH = 2000;
/** Times that a log is read again because it was sealed while it was read. */
const READS_MAX = 10;
const UNSIGNED = 'a stored checkpoint is not one that was signed';
const NONE: SignedHeads = { log: null, heads: [], reached: 0, broken: null };

/** Reads the newest log of a chain; null: it has none. */
export function readNewestLog(
  db: mongo.Db,
  organizationId: Types.ObjectId,
  chain: string,
): Promise<LogRow | null> {
  return db
    .collection<LogRow>('logs')
    .findOne({ organizationId, chain }, { ...MAJORITY, sort: { generation: -1 } });
}

/** Reads the signed heads; without keys, or before the first seal, there are none. */
export async function readSignedHeads(signed: SignedChain): Promise<SignedHeads> {
  const { db, logKeys = [] } = signed;
  if (logKeys.length === 0) return NONE;
  const organizationId = toObjectId(signed.organizationId);
  const name = signed.chain.collection === DECISIONS.collection ? 'ledger' : 'audit';
  const readLog = () => readNewestLog(db, organizationId, name);
  const found = await readLogHeads(db, readLog, logKeys);
  const broken = found.broken ?? (await findLostLog(db, organizationId));
  return { ...found, broken };
}

/** Reads a log and its heads at one moment. */
export async function readLogHeads(
  db: mongo.Db,
  readLog: () => Promise<LogRow | null>,
  logKeys: readonly string[],
): Promise<SignedHeads> {
  for (let reads = 1; ; reads++) {
    const log = await readLog();
    if (!log) return NONE;
    if (!isLogRow(log))
      return { ...NONE, broken: createBreak(1, 'the stored state of the log is malformed') };
    const { rows, broken } = await readRows(db, log, logKeys);
    if (log.size === 0 && rows.length === 0 && !broken) return NONE;
    const isStill = (await readLog())?.size === log.size;
    if (!isStill && reads < READS_MAX) continue;
    const found = broken ?? (await findStateBreak(db, log, rows));
    return { log, heads: rows, reached: rows.at(-1)?.size ?? 0, broken: found };
  }
}

async function readRows(
  db: mongo.Db,
  { _id: logId, organizationId, origin }: LogRow,
  logKeys: readonly string[],
): Promise<{ rows: HeadRow[]; broken: Break | null }> {
  const stored = db
    .collection('log_heads')
    .find({ organizationId, logId }, MAJORITY)
    .sort({ size: 1 });
  const rows: HeadRow[] = [];
  let broken: Break | null = null;
  for await (const row of stored) {
    const head = readHead(row, origin, logKeys);
    if (head) rows.push(head);
    else broken ??= createBreak(row.size, UNSIGNED);
  }
  return { rows, broken };
}

/** Null: the row is not what some key of the log has signed. */
function readHead(
  row: mongo.WithId<mongo.Document>,
  origin: string,
  logKeys: readonly string[],
): HeadRow | null {
  if (!isHeadRow(row)) return null;
  const { _id, size, root, note, headsIndex, cosignatures } = row;
  const parsed = parseNote(note as string);
  const checkpoint = parsed && parseCheckpoint(parsed.text);
  if (!parsed || checkpoint?.origin !== origin || checkpoint.size !== size) return null;
  if (checkpoint.root.toString('hex') !== root) return null;
  const isSigned = logKeys.some((key) =>
    isSignedBy(parsed, { name: origin, type: LOG_KEY, publicKey: Buffer.from(key, 'base64') }),
  );
  if (!isSigned) return null;
  if (!(cosignatures as unknown[]).every((one) => isCosignature(one, parsed.text))) return null;
  const index = typeof headsIndex === 'number' ? headsIndex : null;
  return { ...checkpoint, id: _id, text: parsed.text, headsIndex: index };
}

/** Compares the state of a log, and the leaves of the heads log, with the heads that were signed. */
async function findStateBreak(
  db: mongo.Db,
  log: LogRow,
  heads: readonly HeadRow[],
): Promise<Break | null> {
  const newest = heads.at(-1);
  if (!newest || newest.size < log.size)
    return createBreak(log.size, 'the newest checkpoint of the chain is missing');
  if (newest.size > log.size)
    return createBreak(log.size + 1, 'the log was signed further than it says');
  if (log.root !== newest.root.toString('hex') || !log.headId?.equals(newest.id))
    return createBreak(log.size, 'the log does not end at its newest checkpoint');
  return log._id.startsWith('heads') ? null : findLeafBreak(db, log, heads);
}

/** Finds a head that is not in the heads log as it was signed. */
async function findLeafBreak(
  db: mongo.Db,
  { origin }: LogRow,
  heads: readonly HeadRow[],
): Promise<Break | null> {
  const leaves = db.collection<{ _id: number; data: mongo.Binary; headId: Types.ObjectId }>(
    'heads_leaves',
  );
  for (let at = 0; at < heads.length; at += CURSOR_BATCH) {
    const part = heads.slice(at, at + CURSOR_BATCH);
    const indexes = part.flatMap(({ headsIndex }) => headsIndex ?? []);
    const rows = await leaves.find({ _id: { $in: indexes } }, MAJORITY).toArray();
    const found = new Map(rows.map((row) => [row._id, row]));
    for (const { id, size, text, headsIndex } of part) {
      const leaf = found.get(headsIndex ?? -1);
      const data = Buffer.from(toLockedBytes(leaf?.data) ?? []);
      if (!isSameId(leaf?.headId, id) || !data.equals(createHeadsLeaf(origin, text)))
        return createBreak(size, 'a checkpoint is not in the heads log as it was signed');
    }
  }
  return null;
}

/** Finds heads of an organisation whose log is not there any more. */
async function findLostLog(db: mongo.Db, organizationId: Types.ObjectId): Promise<Break | null> {
  const heads = db.collection<{ logId: string; size: number }>('log_heads');
  const chains = { chain: { $in: ['ledger', 'audit'] } };
  const logs = await db
    .collection<LogRow>('logs')
    .find({ organizationId, ...chains }, { ...MAJORITY, projection: { _id: 1 } })
    .toArray();
  const known = logs.map(({ _id }) => _id);
  const where = { organizationId, logId: { $nin: known } };
  const lost = await heads.findOne(where, { ...MAJORITY, sort: { logId: 1, size: -1 } });
  return lost && createBreak(lost.size, 'the log of a signed checkpoint is missing');
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
  const tree = new TreeComparison(signed.db, log, heads);
  for await (const { sequence, chainHash } of rows) {
    signed.signal?.throwIfAborted();
    if (!isSequence(sequence)) continue;
    // A gap is a finding of the replay already.
    if (sequence !== tree.size + 1) return null;
    const found = await tree.addLeaf(
      Buffer.from(typeof chainHash === 'string' ? chainHash : '', 'hex'),
    );
    if (found) return found;
  }
  return null;
}
