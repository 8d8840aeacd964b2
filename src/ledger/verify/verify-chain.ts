// Verifies a stored chain: the noted heads first, then every entry in order, then the decisions that later facts changed.
import type { mongo, Types } from 'mongoose';
import { ORGANIZATION_DELETED } from '../../domain/record/audit-event.ts';
import { groupBy } from '../../domain/group-by.ts';
import { readIntact } from './bson-reader.ts';
import { AUDIT, type Chain } from '../chains.ts';
import { ABOUT_ONE, MAJORITY } from '../read-write-concerns.ts';
import type { Stored } from '../entry.ts';
import type { HeadRow } from '../append/heads.ts';
import { objectId } from '../ledger.model.ts';
import { Replay } from './replay.ts';
import type { Verification } from './report.ts';
import { checkHistory } from './current-state.ts';

const BATCH = 200;
const HISTORIES_AT_ONCE = 64;
export interface VerificationParts {
  db: mongo.Db;
  chain: Chain;
  /** 24 hex digits. */
  organizationId: string;
  now: Date;
}

/** Replays a whole chain in constant memory. What is appended meanwhile is left to the next verification. */
export async function verifyChain(parts: VerificationParts): Promise<Verification> {
  const { db, chain } = parts;
  const organizationId = objectId(parts.organizationId);
  const marks = await db
    .collection<HeadRow>(`heads_${chain.collection}`)
    .find({ organizationId }, { ...MAJORITY, projection: { _id: 0, sequence: 1, chainHash: 1 } })
    .sort({ sequence: 1 })
    .toArray();
  const entries = db.collection<Stored>(chain.collection);
  const numbered = { organizationId, sequence: { $lt: Infinity } };
  const newest = await entries.findOne(numbered, {
    ...MAJORITY,
    sort: { sequence: -1 },
    projection: { sequence: 1 },
  });
  const replay = new Replay(chain, {
    marks,
    isDeleted: await isDeleted(entries, chain, organizationId),
  });
  // Whole documents: to leave out a part costs the database more than to send it.
  const cursor = entries
    .find({ organizationId, sequence: { $lte: newest?.sequence ?? 0 } }, { ...MAJORITY, raw: true })
    .sort({ sequence: 1 })
    .batchSize(BATCH);
  for await (const bytes of cursor) {
    replay.take(bytes as unknown as Buffer);
    if (replay.open.size >= HISTORIES_AT_ONCE) await closeHistories(replay, parts);
  }
  await closeHistories(replay, parts);
  return replay.result();
}

/** Whether an audit chain says that its organisation was deleted; the replay finds a forged entry that says so. */
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

/** Looks at the whole history of each decision that is open: the decision first, so that what is folded since is read too. */
async function closeHistories(
  replay: Replay,
  { db, chain, now, ...ids }: VerificationParts,
): Promise<void> {
  const { open } = replay;
  replay.open = new Map();
  if (open.size === 0) return;
  const found = await db
    .collection<Stored>(chain.collection)
    .find(
      { organizationId: objectId(ids.organizationId), traceId: { $in: [...open.keys()] } },
      { ...ABOUT_ONE, raw: true },
    )
    .sort({ traceId: 1, sequence: 1 })
    .toArray();
  const readable = found.flatMap(
    (bytes) => (readIntact(bytes as unknown as Buffer) as Stored | null) ?? [],
  );
  const histories = groupBy(readable, ({ traceId }) => traceId ?? '');
  for (const [traceId, gone] of open)
    checkHistory({ entries: histories.get(traceId) ?? [], gone, now }, replay.histories);
}
