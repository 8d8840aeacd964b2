// Finds the time stamps that cover heads: a stamp of the heads log covers every leaf below it.
import type { Platform } from '../../../platform/platform.ts';
import { toCiphertext } from '../../../ledger/contents/contents.ts';
import { HEADS_OWNER } from '../../../ledger/log/heads-log.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import { findCheckedHeadsLog } from '../checked-logs.ts';

/** A time stamp as it is shown (document 2, resource HashChainEntry). */
export interface StampView {
  /** The TimeStampToken in DER, base64. */
  value: string;
  issuer: string;
  issuedAt: Date;
  serial: string;
}

/** A stamped head of the heads log. */
export type StampedHead = LogHeadDocument & { stamp: NonNullable<LogHeadDocument['stamp']> };

/** Stamps that are read for one page. */
const READS_MAX = 500;
const STAMPED = { 'stamp.serial': { $exists: true } };

/** The first stamped head that covers a leaf of the heads log; null: none does yet. */
export async function findStampedHead(
  platform: Platform,
  headsIndex: number,
): Promise<StampedHead | null> {
  const log = await findCheckedHeadsLog(platform);
  if (!log) return null;
  return platform.models.logHeads
    .findOne({
      organizationId: HEADS_OWNER,
      logId: log._id,
      size: { $gt: headsIndex },
      ...STAMPED,
    })
    .hint('stamped')
    .sort({ size: 1 })
    .lean<StampedHead>();
}

/** Finds the first stamp above each leaf of the heads log. */
export async function findStamps(
  platform: Platform,
  headsIndexes: readonly number[],
): Promise<ReadonlyMap<number, StampView>> {
  const found = new Map<number, StampView>();
  const left = [...new Set(headsIndexes)].sort((a, b) => a - b);
  let next = left.shift();
  for (let reads = 0; next !== undefined && reads < READS_MAX; reads++) {
    const head = await findStampedHead(platform, next);
    if (!head) break;
    const shown = toStampView(head);
    for (; next !== undefined && next < head.size; next = left.shift()) found.set(next, shown);
  }
  return found;
}

/** Returns the token of a stamped head. */
export const readToken = ({ stamp }: StampedHead): Buffer =>
  Buffer.from(toCiphertext(stamp.token) ?? []);

function toStampView(head: StampedHead): StampView {
  const { issuer, issuedAt, serial } = head.stamp;
  return { value: readToken(head).toString('base64'), issuer, issuedAt, serial };
}
