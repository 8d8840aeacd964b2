// Verifies a stored chain: reads the noted heads, replays every entry in order, then checks the histories of amended decisions.
import type { mongo, Types } from 'mongoose';
import { ORGANIZATION_DELETED } from '../../domain/record/audit-event.ts';
import { groupBy } from '../../domain/group-by.ts';
import { readIntact } from './bson-reader.ts';
import { AUDIT, type Chain } from '../chains.ts';
import type { Columns } from '../columns.ts';
import { ABOUT_ONE, MAJORITY } from '../read-write-concerns.ts';
import type { Position, Stored } from '../entry.ts';
import type { HeadRow } from '../heads/heads.ts';
import { objectId } from '../ledger.model.ts';
import { ChainReplay } from './chain-replay.ts';
import type { Verification } from './report.ts';
import { checkHistory } from './current-state.ts';

const CURSOR_BATCH = 200;
/** Histories that are collected before they are read together. */
const HISTORIES_MAX = 64;

export interface ChainVerification {
  db: mongo.Db;
  chain: Chain;
  columns: Columns;
  /** 24 hex digits. */
  organizationId: string;
  now: Date;
}

/** Replays a whole chain in constant memory. What is appended meanwhile is left to the next verification. */
export async function verifyChain(verification: ChainVerification): Promise<Verification> {
  const { db, chain, columns } = verification;
  const organizationId = objectId(verification.organizationId);
  const entries = db.collection<Stored>(chain.collection);
  // The heads first: a head that is noted after the newest entry was read may be beyond it.
  const notedHeads = await notedHeadsOf(db, chain, organizationId);
  const newest = await newestSequence(entries, organizationId);
  const replay = new ChainReplay({
    genesis: chain.genesis,
    columns,
    notedHeads,
    isDeleted: await isDeleted(entries, chain, organizationId),
  });
  // Whole documents: a projection costs the database more than sending them.
  const cursor = entries
    .find<Buffer>({ organizationId, sequence: { $lte: newest } }, { ...MAJORITY, raw: true })
    .sort({ sequence: 1 })
    .batchSize(CURSOR_BATCH);
  for await (const bytes of cursor) {
    replay.take(bytes);
    if (replay.openHistories.size >= HISTORIES_MAX) await closeHistories(replay, verification);
  }
  await closeHistories(replay, verification);
  return replay.result();
}

function notedHeadsOf(
  db: mongo.Db,
  { collection }: Chain,
  organizationId: Types.ObjectId,
): Promise<Position[]> {
  return db
    .collection<HeadRow>(`heads_${collection}`)
    .find({ organizationId }, { ...MAJORITY, projection: { _id: 0, sequence: 1, chainHash: 1 } })
    .sort({ sequence: 1 })
    .toArray();
}

async function newestSequence(
  entries: mongo.Collection<Stored>,
  organizationId: Types.ObjectId,
): Promise<number> {
  const numbered = { organizationId, sequence: { $lt: Infinity } };
  const options = { ...MAJORITY, sort: { sequence: -1 }, projection: { sequence: 1 } } as const;
  return (await entries.findOne(numbered, options))?.sequence ?? 0;
}

/** Whether an audit chain records the deletion of its organisation; the replay finds a forged record. */
async function isDeleted(
  entries: mongo.Collection<Stored>,
  { collection }: Chain,
  organizationId: Types.ObjectId,
): Promise<boolean> {
  if (collection !== AUDIT.collection) return false;
  const deletion = {
    organizationId,
    kind: 'audit',
    action: ORGANIZATION_DELETED,
    status: 'success',
  } as const;
  return (await entries.findOne(deletion, { ...MAJORITY, projection: { _id: 1 } })) !== null;
}

/** Checks the whole history of each open decision; the decision is read first, so that what was folded since is read too. */
async function closeHistories(
  replay: ChainReplay,
  { db, chain, columns, now, organizationId }: ChainVerification,
): Promise<void> {
  const { openHistories } = replay;
  replay.openHistories = new Map();
  if (openHistories.size === 0) return;
  const found = await db
    .collection<Stored>(chain.collection)
    .find<Buffer>(
      { organizationId: objectId(organizationId), traceId: { $in: [...openHistories.keys()] } },
      { ...ABOUT_ONE, raw: true },
    )
    .sort({ traceId: 1, sequence: 1 })
    .toArray();
  const readable = found.flatMap((bytes) => (readIntact(bytes) as Stored | null) ?? []);
  const histories = groupBy(readable, ({ traceId }) => traceId ?? '');
  for (const [traceId, gone] of openHistories)
    checkHistory({ entries: histories.get(traceId) ?? [], gone, columns, now }, replay.histories);
}
