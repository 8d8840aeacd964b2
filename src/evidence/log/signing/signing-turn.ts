// One turn of a log: reads what its chain has gained, checks that it continues what was signed, signs, and stores.
import { formatCheckpoint, hashLeaf, LOG_KEY, signNote, type Tile, TiledTree } from '@assay/tlog';
import { boundHeadsLeaves, createHeadsLeaf } from '../../../domain/log/heads-leaf.ts';
import type { Platform } from '../../../platform/platform.ts';
import { toCiphertext } from '../../../ledger/contents/contents.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import { loadNoteSigner } from '../keys/log-keys.service.ts';
import { HEADS } from '../logs.service.ts';
import type { HeadsLeafDocument } from '../log-heads.model.ts';
import type { LogDocument } from '../logs.model.ts';
import { type Leaf, readLeaves } from './leaves.ts';

/** Result of one turn. `behind`: the chain has more than one turn takes; `failed`: a later turn may do better. */
export type SigningOutcome =
  | { kind: 'idle' | 'signed' | 'behind' | 'failed' }
  | { kind: 'broken'; why: string };

/** Leaves of one turn: 64 full tiles, half a megabyte in one transaction. */
export const TURN_MAX = 64 * 256;

export class SigningConflict extends Error {}

/** Opens the stored tree of a log. */
export function openTree({ size, levels }: Pick<LogDocument, 'size' | 'levels'>): TiledTree {
  return new TiledTree(
    size,
    levels.map((level) => toCiphertext(level) ?? Buffer.alloc(0)),
  );
}

/** Returns whether the stored tree is the one that was signed. */
function isTreeIntact(tree: TiledTree, { size, root }: LogDocument): boolean {
  return tree.hasValidLevels() && (size === 0 || tree.computeRoot().toString('hex') === root);
}

/** Finds why the stored state of a log is not what was signed; null: it is. */
async function findStateBreak(
  log: LogDocument,
  tree: TiledTree,
  { headsLeaves }: Platform['models'],
): Promise<string | null> {
  if (!isTreeIntact(tree, log)) return 'the stored tree is not the one that was signed';
  if (log.chain === HEADS) return null;
  const data = boundHeadsLeaves(log.origin);
  // Under the same name it would sign another tree.
  if (log.size === 0)
    return (await headsLeaves.exists({ data }))
      ? 'it says that nothing was signed, and the heads log that it was'
      : null;
  // The database reads the leaves of this log, or those since its last one: whichever are fewer.
  const newest = await headsLeaves.findOne({ data }).sort({ _id: -1 }).lean<HeadsLeafDocument>();
  const text = formatCheckpoint({ origin: log.origin, size: log.size, root: tree.computeRoot() });
  return newest &&
    createHeadsLeaf(log.origin, text).equals(Buffer.from(toCiphertext(newest.data) ?? []))
    ? null
    : 'it does not end at its newest checkpoint in the heads log';
}

/**
 * Runs one turn in the current transaction, so that the log and its chain are read at one moment. Whatever the turn
 * signs is not seen before the commit.
 */
export async function runSigningTurn(
  platform: Platform,
  log: LogDocument,
): Promise<SigningOutcome> {
  const tree = openTree(log);
  const found = await readLeaves(platform, {
    organizationId: log.organizationId.toHexString(),
    chain: log.chain,
    from: Math.max(0, log.size - 1),
    limit: TURN_MAX + 1,
  });
  const why = (await findStateBreak(log, tree, platform.models)) ?? findBreak(log, found);
  if (why !== null) return { kind: 'broken', why };
  const added = log.size === 0 ? found.slice(0, TURN_MAX) : found.slice(1);
  const newest = added.at(-1);
  if (!newest) return { kind: 'idle' };
  for (const { data } of added) tree.addLeaf(hashLeaf(data));
  await storeTree(platform, { log, tree, newest });
  return { kind: added.length === TURN_MAX ? 'behind' : 'signed' };
}

/** Finds why the leaves do not continue what was signed; null: they do. The first one was signed already. */
function findBreak({ size, head, chain }: LogDocument, found: readonly Leaf[]): string | null {
  const [first] = found;
  if (size > 0 && first?.data.toString('hex') !== head)
    return `the chain no longer has entry ${size} as it was signed`;
  if (chain === HEADS) return null;
  const at = found.findIndex(
    ({ prevHash }, index) => index > 0 && prevHash !== found[index - 1]?.chainHash,
  );
  return at === -1
    ? null
    : `entry ${Math.max(0, size - 1) + at + 1} does not link to the one before`;
}

interface GrownLog {
  log: LogDocument;
  tree: TiledTree;
  newest: Leaf;
}

/** Signs the tree head of a log. Ed25519 is deterministic: the same tree is signed to the same note. */
async function signHead(
  platform: Platform,
  { log: { origin }, tree }: GrownLog,
): Promise<{ text: string; note: string; root: string }> {
  const root = tree.computeRoot();
  const { publicKey, sign } = await loadNoteSigner(platform, 'log');
  const text = formatCheckpoint({ origin, size: tree.size, root });
  const note = await signNote(text, { name: origin, type: LOG_KEY, publicKey }, sign);
  return { text, note, root: root.toString('hex') };
}

/** @throws SigningConflict when another turn was first */
async function storeTree(platform: Platform, grown: GrownLog): Promise<void> {
  const { models, clock, probe } = platform;
  const { log, tree } = grown;
  const { _id: logId, organizationId } = log;
  const { text, note, root } = await signHead(platform, grown);
  await probe?.('head-signed', organizationId.toHexString());
  const head = { organizationId, logId, size: tree.size, root, note, at: clock.now() };
  const headsIndex = log.chain === HEADS ? null : await readNextIndex(models);
  const { _id: headId } = await insertOne(models.logHeads, Object.assign(head, { headsIndex }));
  await moveLog(grown, { root, headId, sealedAt: head.at }, models);
  await storeTiles(models, log, tree.takeFullTiles());
  if (headsIndex === null) return;
  const data = createHeadsLeaf(log.origin, text);
  await models.headsLeaves.create([{ _id: headsIndex, data, headId }]);
}

/** @throws SigningConflict when the log is no longer at the size that the turn began with */
async function moveLog(
  { log, tree, newest }: GrownLog,
  signed: Pick<LogDocument, 'root' | 'headId' | 'sealedAt'>,
  models: Platform['models'],
): Promise<void> {
  const state = { size: tree.size, head: newest.data.toString('hex'), levels: tree.listLevels() };
  const { modifiedCount } = await models.logs.updateOne(
    { _id: log._id, organizationId: log.organizationId, size: log.size, frozen: null },
    { $set: Object.assign(state, signed) },
  );
  if (modifiedCount !== 1) throw new SigningConflict('another turn has signed this log');
}

async function storeTiles(
  models: Platform['models'],
  { _id: logId, organizationId }: LogDocument,
  tiles: readonly Tile[],
): Promise<void> {
  const rows = tiles.map((tile) => ({ organizationId, logId, ...tile }));
  if (rows.length > 0) await models.logTiles.insertMany(rows);
}

/** The index of the next leaf of the heads log; of two that take the same one, one is rolled back. */
async function readNextIndex(models: Platform['models']): Promise<number> {
  const newest = await models.headsLeaves
    .findOne({}, '_id')
    .sort({ _id: -1 })
    .lean<{ _id: number }>();
  return newest ? newest._id + 1 : 0;
}
