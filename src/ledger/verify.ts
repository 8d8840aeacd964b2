// Verifies a stored chain: the noted heads first, then every entry in order, then the decisions that later facts changed.
import type { mongo } from 'mongoose';
import type { Chain } from './chains.ts';
import type { Stored } from './entry.ts';
import type { HeadRow } from './heads.ts';
import { objectId } from './ledger.model.ts';
import { type Open, Replay } from './verify-replay.ts';
import type { Verification } from './verify-report.ts';
import { checkHistory } from './verify-standing.ts';

const MAJORITY = { readConcern: { level: 'majority' }, readPreference: 'primary' } as const;
const BATCH = 500;
const HISTORIES_AT_ONCE = 64;
/** What the chain says nothing about. */
const UNCHECKED = { answer: 0, agentName: 0, idempotencyKey: 0 } as const;

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
  const newest = await entries.findOne(numbered, { ...MAJORITY, sort: { sequence: -1 }, projection: { sequence: 1 } });
  const replay = new Replay(chain, marks);
  const cursor = entries
    .find({ organizationId, sequence: { $lte: newest?.sequence ?? 0 } }, { ...MAJORITY, projection: UNCHECKED })
    .sort({ sequence: 1 })
    .batchSize(BATCH);
  for await (const entry of cursor) {
    replay.take(entry as Stored);
    if (replay.open.size >= HISTORIES_AT_ONCE) await closeHistories(replay, parts);
  }
  await closeHistories(replay, parts);
  return replay.result();
}

/** Looks at the whole history of each decision that is open: the decision first, so that what is folded since is read too. */
async function closeHistories(replay: Replay, { db, chain, now, ...ids }: VerificationParts): Promise<void> {
  const { open } = replay;
  replay.open = new Map();
  if (open.size === 0) return;
  const organizationId = objectId(ids.organizationId);
  const filter = { organizationId, traceId: { $in: [...open.keys()], $type: 'string' as const } };
  const found = db
    .collection<Stored>(chain.collection)
    .find(filter, { ...MAJORITY, projection: UNCHECKED })
    .sort({ traceId: 1, sequence: 1 })
    .batchSize(BATCH);
  let entries: Stored[] = [];
  for await (const entry of found) {
    if (entries[0] && entries[0].traceId !== entry.traceId) entries = closeHistory(entries);
    entries.push(entry as Stored);
  }
  closeHistory(entries);

  function closeHistory(history: readonly Stored[]): Stored[] {
    const gone = open.get(history[0]?.traceId ?? '') ?? [];
    try {
      checkHistory({ entries: history, gone, now }, replay.findings);
    } catch (error) {
      // Entries that cannot be read as what they are were found by the replay already.
      if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    }
    return [];
  }
}
