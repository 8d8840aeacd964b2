// Reads the tree heads that were signed of a chain, and what is stored of them: the key that signs is not in the database.
import type { mongo, Types } from 'mongoose';
import { parseCheckpoint, isSignedBy, LOG_KEY, parseNote } from '@assay/tlog';
import { boundHeadsLeaves, createHeadsLeaf } from '../../domain/log/heads-leaf.ts';
import { DECISIONS } from '../chains.ts';
import { toCiphertext } from '../contents/contents.ts';
import { toObjectId } from '../ledger.model.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Break } from '../verify/report.ts';
import type { ChainVerification } from '../verify/verify-chain.ts';
import { isCosignature, isTreeHeadRow, isLogRow, isSameId } from './stored-rows.ts';
import { createBreak, type LogRow, type SignedTreeHead } from './tree-comparison.ts';

/** The signed tree heads of a chain, ascending by size, and the first that is not what was signed. */
export interface SignedTreeHeads {
  log: LogRow | null;
  heads: readonly TreeHeadRow[];
  /** The size of the newest one; 0: there is none. */
  reached: number;
  broken: Break | null;
}

/** A stored tree head whose signature is valid. */
type TreeHeadRow = SignedTreeHead & { id: Types.ObjectId; text: string; headsIndex: number | null };

export type SignedChain = Pick<
  ChainVerification,
  'db' | 'chain' | 'organizationId' | 'logKeys' | 'signal'
>;

const CURSOR_BATCH = 2000;
const UNSIGNED = 'a stored checkpoint is not one that was signed';
const NONE: SignedTreeHeads = { log: null, heads: [], reached: 0, broken: null };

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

/** Reads the signed tree heads; without keys, or before the first seal, there are none. */
export async function readSignedTreeHeads(signed: SignedChain): Promise<SignedTreeHeads> {
  const { db, logKeys = [] } = signed;
  if (logKeys.length === 0) return NONE;
  const organizationId = toObjectId(signed.organizationId);
  const name = signed.chain.collection === DECISIONS.collection ? 'ledger' : 'audit';
  const readLog = () => readNewestLog(db, organizationId, name);
  const found = await readTreeHeads(db, readLog, logKeys);
  const broken = found.broken ?? (await findLostLog(db, organizationId));
  return { ...found, broken };
}

/** Reads a log and the tree heads up to its size: what is signed at the same time is left out. */
export async function readTreeHeads(
  db: mongo.Db,
  readLog: () => Promise<LogRow | null>,
  logKeys: readonly string[],
): Promise<SignedTreeHeads> {
  const log = await readLog();
  if (!log) return NONE;
  if (!isLogRow(log))
    return { ...NONE, broken: createBreak(1, 'the stored state of the log is malformed') };
  const { rows, broken } = await readRows(db, log, logKeys);
  const found =
    broken ??
    (await findLaterBreak(db, log, readLog)) ??
    findStateBreak(log, rows) ??
    (log._id.startsWith('heads') ? null : await findLeafBreak(db, log, rows));
  if (log.size === 0 && rows.length === 0 && !found) return NONE;
  return { log, heads: rows, reached: rows.at(-1)?.size ?? 0, broken: found };
}

async function readRows(
  db: mongo.Db,
  { _id: logId, organizationId, origin, size }: LogRow,
  logKeys: readonly string[],
): Promise<{ rows: TreeHeadRow[]; broken: Break | null }> {
  const stored = db
    .collection('log_heads')
    .find({ organizationId, logId, size: { $not: { $gt: size } } }, MAJORITY)
    .sort({ size: 1 });
  const rows: TreeHeadRow[] = [];
  let broken: Break | null = null;
  for await (const row of stored) {
    const head = parseTreeHead(row, origin, logKeys);
    if (head) rows.push(head);
    else broken ??= createBreak(row.size, UNSIGNED);
  }
  return { rows, broken };
}

/** Finds a tree head beyond the log, which has not grown up to it. */
async function findLaterBreak(
  db: mongo.Db,
  { _id: logId, organizationId, size }: LogRow,
  readLog: () => Promise<LogRow | null>,
): Promise<Break | null> {
  const heads = db.collection<{ size: number }>('log_heads');
  const beyond = { organizationId, logId, size: { $gt: size } };
  const later = await heads.findOne(beyond, { ...MAJORITY, sort: { size: -1 } });
  const grown = later && (await readLog());
  if (!later || grown?._id !== logId || grown.size >= later.size) return null;
  return createBreak(size + 1, 'the log was signed further than it says');
}

/** Null: the row is not what some key of the log has signed. */
function parseTreeHead(
  row: mongo.WithId<mongo.Document>,
  origin: string,
  logKeys: readonly string[],
): TreeHeadRow | null {
  if (!isTreeHeadRow(row)) return null;
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

/** Compares the state of a log with the heads that were signed, none of which is beyond it. */
function findStateBreak(log: LogRow, heads: readonly TreeHeadRow[]): Break | null {
  const newest = heads.at(-1);
  if (!newest && log.size === 0) return null;
  if (!newest || newest.size < log.size)
    return createBreak(log.size, 'the newest checkpoint of the chain is missing');
  return log.root === newest.root.toString('hex') && log.headId?.equals(newest.id)
    ? null
    : createBreak(log.size, 'the log does not end at its newest checkpoint');
}

interface LeafRow {
  _id: number;
  data: mongo.Binary;
  headId: Types.ObjectId;
}

/** Finds a head that is not in the heads log as it was signed, or a leaf of the heads log whose head is not there. */
async function findLeafBreak(
  db: mongo.Db,
  log: LogRow,
  heads: readonly TreeHeadRow[],
): Promise<Break | null> {
  const leaves = db.collection<LeafRow>('heads_leaves');
  for (let at = 0; at < heads.length; at += CURSOR_BATCH) {
    const part = heads.slice(at, at + CURSOR_BATCH);
    const indexes = part.flatMap(({ headsIndex }) => headsIndex ?? []);
    const rows = await leaves.find({ _id: { $in: indexes } }, MAJORITY).toArray();
    const found = new Map(rows.map((row) => [row._id, row]));
    for (const { id, size, text, headsIndex } of part) {
      const leaf = found.get(headsIndex ?? -1);
      const data = Buffer.from(toCiphertext(leaf?.data) ?? []);
      if (!isSameId(leaf?.headId, id) || !data.equals(createHeadsLeaf(log.origin, text)))
        return createBreak(size, 'a checkpoint is not in the heads log as it was signed');
    }
  }
  return findLostHead(db, log, heads);
}

/** Finds a leaf of the heads log about this log without its head; heads that were sealed since are there. */
async function findLostHead(
  db: mongo.Db,
  { _id: logId, organizationId, origin, size }: LogRow,
  heads: readonly TreeHeadRow[],
): Promise<Break | null> {
  const known = new Set(heads.map(({ headsIndex }) => headsIndex));
  const leaves = db
    .collection<LeafRow>('heads_leaves')
    .find({ data: boundHeadsLeaves(origin) as object }, { ...MAJORITY, projection: { headId: 1 } });
  for await (const { _id: headsIndex, headId } of leaves) {
    if (known.has(headsIndex)) continue;
    const later = { _id: { $eq: headId }, organizationId, logId, headsIndex, size: { $gt: size } };
    if (await db.collection('log_heads').findOne(later, MAJORITY)) continue;
    const next = heads.find((head) => (head.headsIndex ?? 0) > headsIndex);
    return createBreak(next?.size ?? Math.max(1, size), 'a checkpoint of the heads log is missing');
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
  // A log that was opened since is there.
  const isOpened =
    lost !== null &&
    (await db
      .collection<LogRow>('logs')
      .findOne({ _id: lost.logId, organizationId, ...chains }, MAJORITY));
  if (!lost || isOpened) return null;
  return createBreak(lost.size, 'the log of a signed checkpoint is missing');
}
