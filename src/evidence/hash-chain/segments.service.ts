// Verifies a range of the chain by itself: links, digests and hashes of its entries (document 2, section 4.8).
import type { Platform } from '../../platform/platform.ts';
import {
  computeChainHash,
  formatChainTime,
  computePayloadDigest,
  ZERO_HASH,
} from '../../domain/record/chain.ts';
import { findFirstInChain, NEWEST_MAX, SEQUENCES } from '../../ledger/chains.ts';
import type { LedgerEntryDocument } from '../../ledger/ledger.model.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import type { Context } from '../../platform/context.ts';

export interface Segment {
  fromSeq: number;
  /** Absent: as far as one call may go, at most to the head. */
  toSeq?: number | undefined;
}

export interface SegmentVerification {
  verified: boolean;
  fromSeq: number;
  /** The last entry that was checked. */
  toSeq: number;
  checked: number;
  headSequence: number;
  brokenAtSequence: number | null;
  /** Null when verified; the range may also be beyond the head, or too long for one call. */
  reason:
    | 'beyond-head'
    | 'too-long'
    | 'prev-hash-mismatch'
    | 'chain-hash-mismatch'
    | 'sequence-gap'
    | null;
}

/** Maximum number of entries of one call. */
export const SEGMENT_MAX = 1000;

type Entry = Pick<
  LedgerEntryDocument,
  'sequence' | 'prevHash' | 'payloadDigest' | 'chainHash' | 'createdAt' | 'view'
>;
const MEMBERS = 'sequence prevHash payloadDigest chainHash createdAt view';

export async function verifySegment(
  { platform, tenant: { organizationId } }: Context,
  segment: Segment,
): Promise<SegmentVerification> {
  const { fromSeq } = segment;
  const headSequence = await findHead(platform, organizationId);
  const toSeq = segment.toSeq ?? Math.min(headSequence, fromSeq + SEGMENT_MAX - 1);
  const outcome = { fromSeq, toSeq, checked: 0, headSequence, brokenAtSequence: null };
  if (fromSeq > headSequence || toSeq > headSequence)
    return { ...outcome, verified: false, reason: 'beyond-head' };
  if (toSeq - fromSeq >= SEGMENT_MAX) return { ...outcome, verified: false, reason: 'too-long' };
  const fault = findFault(await readEntries(platform, organizationId, fromSeq, toSeq), {
    fromSeq,
    toSeq,
  });
  const { at, reason } = fault ?? { at: null, reason: null };
  const checked = at === null ? toSeq - fromSeq + 1 : at - fromSeq;
  return { ...outcome, verified: !fault, checked, brokenAtSequence: at, reason };
}

async function findHead({ models }: Platform, organizationId: string): Promise<number> {
  const newest = await models.ledger
    .find({ organizationId, sequence: SEQUENCES }, 'sequence')
    .sort({ sequence: -1 })
    .limit(NEWEST_MAX)
    .lean<{ sequence: number }[]>();
  return findFirstInChain(newest)?.sequence ?? 0;
}

/** Oldest first; the entry before the segment comes first, unless the segment begins the chain. */
async function readEntries(
  { models }: Platform,
  organizationId: string,
  from: number,
  to: number,
): Promise<Entry[]> {
  return models.ledger
    .find({ organizationId, sequence: { $gte: from - 1, $lte: to } }, MEMBERS)
    .sort({ sequence: 1 })
    .maxTimeMS(READ_MAX_MS)
    .lean<Entry[]>();
}

interface Fault {
  at: number;
  reason: 'prev-hash-mismatch' | 'chain-hash-mismatch' | 'sequence-gap';
}

function findFault(
  entries: readonly Entry[],
  { fromSeq, toSeq }: { fromSeq: number; toSeq: number },
): Fault | null {
  const bySequence = new Map(entries.map((entry) => [entry.sequence, entry]));
  for (let at = fromSeq; at <= toSeq; at++) {
    const entry = bySequence.get(at);
    const before = at === 1 ? ZERO_HASH : bySequence.get(at - 1)?.chainHash;
    if (!entry || before === undefined) return { at, reason: 'sequence-gap' };
    if (entry.prevHash !== before) return { at, reason: 'prev-hash-mismatch' };
    if (!isSealed(entry)) return { at, reason: 'chain-hash-mismatch' };
  }
  return null;
}

/** Checks types too, since stored values may have been tampered with. */
function isSealed(entry: Entry): boolean {
  const { prevHash, sequence, view, chainHash: hash, payloadDigest: digest, createdAt } = entry;
  if (typeof view !== 'string' || !(createdAt instanceof Date)) return false;
  const link = { prevHash, payloadDigest: digest, sequence, createdAt: formatChainTime(createdAt) };
  return computePayloadDigest(view) === digest && computeChainHash(link) === hash;
}
