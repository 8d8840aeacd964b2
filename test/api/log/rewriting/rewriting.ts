// What the owner could do of the database of a witnessed ledger, but neither the log key nor a witness.
import type { mongo } from 'mongoose';
import { hashLeaf, TiledTree } from '@assay/tlog';
import { computeChainHash, ZERO_HASH } from '../../../../src/domain/record/chain.ts';
import { toObjectId, type Harness } from '../../../setup/harness.ts';

/** Copies of the collections that a rewriting changes, to be put back. */
const CHANGED = ['ledger', 'logs', 'log_heads', 'log_tiles', 'heads_leaves', 'witness_states'];

/** Keeps what is stored; resolves with what puts it back. */
export async function keepStore({ db }: Harness): Promise<() => Promise<void>> {
  const kept = new Map<string, mongo.Document[]>();
  for (const name of CHANGED) kept.set(name, await db.collection(name).find().toArray());
  return async () => {
    for (const [name, rows] of kept) {
      await db.collection(name).deleteMany({});
      if (rows.length > 0) await db.collection(name).insertMany(rows);
    }
  };
}

export interface Rewriting {
  /** The sequence of the entry that is changed. */
  at: number;
  field: 'payloadDigest' | 'createdAt' | 'chainHash';
  /** Whether the entries after it are linked and hashed again. */
  isLinked: boolean;
  /** What is done to what is stored of logs. */
  cover: Cover;
}

/** Changes an entry, and the links of those after it. */
export async function rewriteEntry(
  { db }: Harness,
  organizationId: string,
  { at, field, isLinked }: Rewriting,
): Promise<void> {
  const ledger = db.collection('ledger');
  const where = { organizationId: toObjectId(organizationId), sequence: { $gte: at } };
  const rows = await ledger.find(where).sort({ sequence: 1 }).toArray();
  const before = await ledger.findOne({ ...where, sequence: at - 1 });
  let prevHash = String(before?.chainHash ?? ZERO_HASH);
  for (const row of isLinked ? rows : rows.slice(0, 1)) {
    const isFirst = row.sequence === at;
    const { sequence } = row;
    const changes: Record<Rewriting['field'], () => object> = {
      payloadDigest: () => ({ payloadDigest: 'ab'.repeat(32) }),
      createdAt: () => ({ createdAt: new Date(row.createdAt.getTime() + 1) }),
      chainHash: () => ({ chainHash: 'cd'.repeat(32) }),
    };
    // Times never decrease along a chain.
    const isChanged = isFirst || field === 'createdAt';
    const changed = { ...row, ...(isChanged && changes[field]()) } as mongo.Document;
    const { payloadDigest, createdAt } = changed;
    const link = { prevHash, payloadDigest, sequence, createdAt: createdAt.toISOString() };
    const isHashed = isLinked && !(isFirst && field === 'chainHash');
    const chainHash = isHashed ? computeChainHash(link) : String(changed.chainHash);
    await ledger.updateOne(
      { _id: row._id },
      { $set: { payloadDigest, createdAt, prevHash, chainHash } },
    );
    prevHash = chainHash;
  }
}

const EMPTY = { size: 0, root: '', head: '', headId: null, sealedAt: null, levels: [] };

interface OfLog {
  organizationId: mongo.ObjectId;
  logId: string;
}

/** Makes what is stored of a log fit; `older`: a head before the newest one. */
type Change = (db: mongo.Db, log: OfLog, older: mongo.Document) => Promise<void>;

const resetLog: Change = async (db, { logId }) =>
  void (await db.collection<{ _id: string }>('logs').updateOne({ _id: logId }, { $set: EMPTY }));
const removeHeads: Change = async (db, log) =>
  void (await db.collection('log_heads').deleteMany(log));
const removeTiles: Change = async (db, log) =>
  void (await db.collection('log_tiles').deleteMany(log));
const listLeaves = async (db: mongo.Db, log: OfLog): Promise<number[]> => {
  const heads = await db.collection('log_heads').find(log).sort({ size: 1 }).toArray();
  return heads.map(({ headsIndex }) => Number(headsIndex));
};
const leavesOf = (db: mongo.Db) =>
  db.collection<{ _id: number; data: mongo.Binary }>('heads_leaves');

export const COVERS = {
  nothing: async () => undefined,
  'the log is emptied': resetLog,
  'the log is emptied, its heads are removed': async (...given) => {
    await resetLog(...given);
    await removeHeads(...given);
  },
  'the log is emptied, heads and tiles are removed': async (...given) => {
    await resetLog(...given);
    await removeHeads(...given);
    await removeTiles(...given);
  },
  'the log, heads and tiles are removed': async (db, log, older) => {
    await db.collection<{ _id: string }>('logs').deleteOne({ _id: log.logId });
    await removeHeads(db, log, older);
    await removeTiles(db, log, older);
  },
  'the log is cut back to an older head': async (db, { logId, organizationId }, older) => {
    const { size, root, _id: headId } = older;
    const later = { organizationId, logId, size: { $gt: size } };
    await db.collection('log_heads').deleteMany(later);
    await db
      .collection<{ _id: string }>('logs')
      .updateOne({ _id: logId }, { $set: { size, root, headId } });
  },
  'the log is cut back to an older head with all of its state': async (db, log, older) => {
    const { logId, organizationId } = log;
    const { size, root, _id: headId, at: sealedAt } = older;
    await db.collection('log_heads').deleteMany({ ...log, size: { $gt: size } });
    const entries = { organizationId, sequence: { $lte: size } };
    const rows = await db.collection('ledger').find(entries).sort({ sequence: 1 }).toArray();
    const tree = new TiledTree(0, []);
    for (const { chainHash } of rows) tree.addLeaf(hashLeaf(Buffer.from(chainHash, 'hex')));
    const state = { size, root, headId, sealedAt, head: rows.at(-1)!.chainHash };
    await db
      .collection<{ _id: string }>('logs')
      .updateOne({ _id: logId }, { $set: { ...state, levels: tree.listLevels() } });
  },
  'its leaves are removed too': async (db, log, older) => {
    const indexes = await listLeaves(db, log);
    await resetLog(db, log, older);
    await removeHeads(db, log, older);
    await leavesOf(db).deleteMany({ _id: { $in: indexes } });
  },
  'its newest leaf is removed too': async (db, log, older) => {
    const indexes = await listLeaves(db, log);
    await resetLog(db, log, older);
    await removeHeads(db, log, older);
    await leavesOf(db).deleteOne({ _id: indexes.at(-1)! });
  },
  'its leaves name another log': async (db, log, older) => {
    const indexes = await listLeaves(db, log);
    await resetLog(db, log, older);
    await removeHeads(db, log, older);
    for (const _id of indexes)
      await leavesOf(db).updateOne({ _id }, { $set: { data: Buffer.alloc(64, _id + 1) as never } });
  },
  'its leaves change places': async (db, log, older) => {
    const [first, second] = (await listLeaves(db, log)).slice(-2) as [number, number];
    const [one, other] = [
      await leavesOf(db).findOne({ _id: first }),
      await leavesOf(db).findOne({ _id: second }),
    ];
    await resetLog(db, log, older);
    await removeHeads(db, log, older);
    await leavesOf(db).updateOne({ _id: first }, { $set: { data: other!.data } });
    await leavesOf(db).updateOne({ _id: second }, { $set: { data: one!.data } });
  },
  'the heads log is emptied as well': async (db, log, older) => {
    const indexes = await listLeaves(db, log);
    await resetLog(db, log, older);
    await removeHeads(db, log, older);
    await leavesOf(db).deleteMany({ _id: { $in: indexes } });
    await db.collection('log_heads').deleteMany({ logId: 'heads' });
    await db.collection('log_tiles').deleteMany({ logId: 'heads' });
    await db.collection<{ _id: string }>('logs').updateOne({ _id: 'heads' }, { $set: EMPTY });
  },
} as const satisfies Record<string, Change>;
export type Cover = keyof typeof COVERS;

/** Does what the rewriting says to what is stored of the log of decisions. */
export async function coverUp(
  { db }: Harness,
  organizationId: string,
  cover: Cover,
): Promise<void> {
  const owner = { organizationId: toObjectId(organizationId) };
  const log = await db.collection<{ _id: string }>('logs').findOne({ ...owner, chain: 'ledger' });
  const ofLog = { ...owner, logId: log!._id };
  const [older] = await db.collection('log_heads').find(ofLog).sort({ size: 1 }).toArray();
  await COVERS[cover](db, ofLog, older!);
}
