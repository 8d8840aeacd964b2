// Verifies the heads log, which belongs to no organisation: its leaves against its signed heads and its tiles.
import type { mongo, Types } from 'mongoose';
import { toLockedBytes } from '../contents/contents.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Break } from '../verify/report.ts';
import { readLogHeads, readNewestLog } from './signed-heads.ts';
import { createBreak, TreeComparison } from './tree-comparison.ts';

const CURSOR_BATCH = 2000;

interface HeadsLogVerification {
  db: mongo.Db;
  /** The owner that the heads log is stored under. */
  owner: Types.ObjectId;
  /** Public keys that sign tree heads, base64. */
  logKeys: readonly string[];
}

/** Finds the first leaf that is not as it was signed, counted from 1; null: all are, or nothing is signed yet. */
export async function findHeadsBreak({
  db,
  owner,
  logKeys,
}: HeadsLogVerification): Promise<Break | null> {
  const { log, heads, broken } = await readLogHeads(
    db,
    () => readNewestLog(db, owner, 'heads'),
    logKeys,
  );
  if (broken) return broken;
  if (!log) return findLostLog(db, owner);
  const rows = db
    .collection<{ _id: number; data: mongo.Binary }>('heads_leaves')
    .find({ _id: { $lt: log.size } }, MAJORITY)
    .sort({ _id: 1 })
    .batchSize(CURSOR_BATCH);
  const tree = new TreeComparison(db, log, heads);
  for await (const { _id, data } of rows) {
    if (_id !== tree.size) break;
    const found = await tree.addLeaf(Buffer.from(toLockedBytes(data) ?? []));
    if (found) return found;
  }
  return tree.size === log.size
    ? null
    : createBreak(tree.size + 1, 'a leaf of the heads log is missing');
}

/** Finds a head of a heads log that is not there any more. */
async function findLostLog(db: mongo.Db, owner: Types.ObjectId): Promise<Break | null> {
  const logs = db.collection<{ _id: string }>('logs');
  const known = await logs.find({ organizationId: owner }, MAJORITY).toArray();
  const heads = { organizationId: owner, logId: { $nin: known.map(({ _id }) => _id) } };
  const lost = await db.collection('log_heads').findOne(heads, MAJORITY);
  return lost && createBreak(lost['size'], 'the log of a signed checkpoint is missing');
}
