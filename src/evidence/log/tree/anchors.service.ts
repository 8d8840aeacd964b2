// Anchors: the signed tree heads of an organisation's chains, and which of them covers an entry.
import type { Types } from 'mongoose';
import type { Platform } from '../../../platform/platform.ts';
import type { ChainName } from '../../../domain/record/bundle.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import type { LogDocument } from '../logs.model.ts';
import { type StampView, findStamps } from '../stamps/stamps.ts';
import { type AnchorView, toAnchorView } from './anchors.view.ts';
import type { WorkContext } from '../../../platform/context.ts';
import { openCheckedHeadsLog, findCheckedLog } from '../checked-logs.ts';

/** The first anchor that covers an entry. */
export interface CoveringAnchor {
  anchorId: Types.ObjectId;
  root: string;
  stamp: StampView | null;
}

/** Heads that are read at a time in search of those that cover some entries. */
const HEADS_READ = 64;
/** Times that heads are read for one page of entries. */
const READS_MAX = 500;

/** Lists the anchors of a chain, newest first. */
export async function listAnchors(
  { platform, tenant: { organizationId } }: WorkContext,
  { limit, beforeSize }: { limit: number; beforeSize?: number | undefined },
  chain?: ChainName,
): Promise<AnchorView[]> {
  const log = await findChainLog(platform, organizationId, chain);
  if (!log) return [];
  const heads = await openCheckedHeadsLog(platform);
  const size = beforeSize === undefined ? {} : { size: { $lt: beforeSize } };
  const found = await platform.models.logHeads
    .find({ organizationId, logId: log._id, ...size })
    .sort({ size: -1 })
    .limit(limit)
    .lean<LogHeadDocument[]>();
  const covering = await findHeadStamps(platform, found);
  return found.map((head) =>
    toAnchorView(head, {
      origin: log.origin,
      isWitnessed: isWitnessed(head, heads),
      stamp: covering.get(head.headsIndex ?? -1) ?? null,
    }),
  );
}

/** Finds the first anchor that covers each sequence. */
export async function findAnchors(
  { platform, tenant: { organizationId } }: WorkContext,
  sequences: readonly number[],
): Promise<ReadonlyMap<number, CoveringAnchor>> {
  const log = sequences.length > 0 ? await findChainLog(platform, organizationId) : null;
  if (!log) return new Map();
  const found = await findHeads(platform, log, sequences);
  const covering = await findHeadStamps(platform, [...found.values()]);
  return new Map(
    [...found].map(([sequence, { _id: anchorId, root, headsIndex }]) => [
      sequence,
      { anchorId, root, stamp: covering.get(headsIndex ?? -1) ?? null },
    ]),
  );
}

/** Counts the anchors, and says when the newest one was signed. */
export async function describeAnchors({
  platform,
  tenant: { organizationId },
}: WorkContext): Promise<{ anchorCount: number; lastAnchorAt: Date | null }> {
  const log = await findChainLog(platform, organizationId);
  if (!log) return { anchorCount: 0, lastAnchorAt: null };
  const anchorCount = await platform.models.logHeads.countDocuments({
    organizationId,
    logId: log._id,
  });
  return { anchorCount, lastAnchorAt: log.sealedAt ?? null };
}

const findChainLog = (platform: Platform, organizationId: string, chain: ChainName = 'ledger') =>
  findCheckedLog(platform, organizationId, chain);

function isWitnessed(head: LogHeadDocument, heads: LogDocument): boolean {
  return head.headsIndex !== null && head.headsIndex < heads.witnessedSize;
}

function findHeadStamps(
  platform: Platform,
  heads: readonly LogHeadDocument[],
): Promise<ReadonlyMap<number, StampView>> {
  return findStamps(
    platform,
    heads.flatMap(({ headsIndex }) => headsIndex ?? []),
  );
}

/** Finds the first head that covers each sequence. */
async function findHeads(
  { models }: Platform,
  { _id: logId, organizationId, size: reached }: LogDocument,
  sequences: readonly number[],
): Promise<Map<number, LogHeadDocument>> {
  const found = new Map<number, LogHeadDocument>();
  const left = sequences.filter((sequence) => sequence <= reached).sort((a, b) => a - b);
  let next = left.shift();
  for (let reads = 0; next !== undefined && reads < READS_MAX; reads++) {
    const heads = await models.logHeads
      .find({ organizationId, logId, size: { $gte: next } }, 'size root headsIndex')
      .sort({ size: 1 })
      .limit(HEADS_READ)
      .lean<LogHeadDocument[]>();
    if (heads.length === 0) break;
    for (const head of heads)
      for (; next !== undefined && next <= head.size; next = left.shift()) found.set(next, head);
  }
  return found;
}
