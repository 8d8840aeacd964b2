// Verifies the heads log, which belongs to no organisation: its leaves against its signed heads, its tiles and theirs.
import type { mongo, Types } from 'mongoose';
import { parseCheckpoint, parseNote } from '@assay/tlog';
import { createHeadsLeaf } from '../../domain/log/heads-leaf.ts';
import { toCiphertext } from '../contents/contents.ts';
import { isObjectId, toObjectId } from '../ledger.model.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Break } from '../verify/report.ts';
import { readTreeHeads, readNewestLog } from './signed-heads.ts';
import {
  createBreak,
  type LogRow,
  type SignedTreeHead,
  TreeComparison,
} from './tree-comparison.ts';

/** The owner that heads logs are stored under: they belong to no organisation. */
export const HEADS_OWNER = '0'.repeat(24);

const CURSOR_BATCH = 2000;

interface HeadsLogVerification {
  db: mongo.Db;
  /** Public keys that sign tree heads, base64. */
  logKeys: readonly string[];
  /** A heads log with more leaves is left to another verification. */
  leavesMax?: number;
}

/** A leaf, and the checkpoint that it stands for. */
interface Leaf {
  index: number;
  data: Buffer;
  headId: Types.ObjectId;
}

/** Finds the first leaf that is not as it was signed, counted from 1; null: all are, or nothing is signed yet. */
export async function findHeadsBreak({
  db,
  logKeys,
  leavesMax = Infinity,
}: HeadsLogVerification): Promise<Break | null> {
  const { log, heads, broken } = await readTreeHeads(
    db,
    () => readNewestLog(db, toObjectId(HEADS_OWNER), 'heads'),
    logKeys,
  );
  if (broken) return broken;
  if (!log) return findLostLog(db);
  if (log.size > leavesMax) return null;
  return findLeafBreak(db, log, heads);
}

/** Builds the tree of the stored leaves, and looks for the checkpoint of each. */
async function findLeafBreak(
  db: mongo.Db,
  log: LogRow,
  heads: readonly SignedTreeHead[],
): Promise<Break | null> {
  const tree = new TreeComparison(db, log, heads);
  let leaves: Leaf[] = [];
  for await (const leaf of readLeaves(db, log.size)) {
    if (leaf.index !== tree.size) break;
    const found = await tree.addLeaf(leaf.data);
    if (found) return found;
    leaves.push(leaf);
    if (leaves.length < CURSOR_BATCH) continue;
    const lost = await findLostTreeHead(db, leaves);
    if (lost) return lost;
    leaves = [];
  }
  if (tree.size !== log.size)
    return createBreak(tree.size + 1, 'a leaf of the heads log is missing');
  return findLostTreeHead(db, leaves);
}

async function* readLeaves(db: mongo.Db, size: number): AsyncGenerator<Leaf> {
  const rows = db
    .collection<{ _id: number; data: mongo.Binary; headId: Types.ObjectId }>('heads_leaves')
    .find({ _id: { $lt: size } }, MAJORITY)
    .sort({ _id: 1 })
    .batchSize(CURSOR_BATCH);
  for await (const { _id: index, data, headId } of rows)
    yield { index, data: Buffer.from(toCiphertext(data) ?? []), headId };
}

/** Finds the first leaf whose checkpoint is not there any more. */
async function findLostTreeHead(db: mongo.Db, leaves: readonly Leaf[]): Promise<Break | null> {
  const rows = await db
    .collection('log_heads')
    .find(
      { _id: { $in: leaves.map(({ headId }) => headId).filter(isObjectId) } },
      { ...MAJORITY, projection: { note: 1, headsIndex: 1 } },
    )
    .toArray();
  const heads = new Map(rows.map((row) => [String(row._id), row]));
  for (const { index, data, headId } of leaves) {
    const head = isObjectId(headId) ? heads.get(headId.toHexString()) : undefined;
    const note: unknown = head?.note;
    const text = parseNote(typeof note === 'string' ? note : '')?.text ?? '';
    const origin = parseCheckpoint(text)?.origin ?? '';
    if (head?.headsIndex !== index || !data.equals(createHeadsLeaf(origin, text)))
      return createBreak(index + 1, 'a checkpoint of the heads log is missing');
  }
  return null;
}

/** Finds a head of a heads log that is not there any more; one that was opened after the heads were read is. */
async function findLostLog(db: mongo.Db): Promise<Break | null> {
  const organizationId = toObjectId(HEADS_OWNER);
  const logs = db.collection<{ _id: string }>('logs');
  const known = await logs.find({ organizationId }, MAJORITY).toArray();
  const heads = { organizationId, logId: { $nin: known.map(({ _id }) => _id) } };
  const lost = await db.collection('log_heads').findOne(heads, MAJORITY);
  const opened = lost && (await logs.findOne({ _id: lost['logId'], organizationId }, MAJORITY));
  if (!lost || opened) return null;
  return createBreak(lost['size'], 'the log of a signed checkpoint is missing');
}
