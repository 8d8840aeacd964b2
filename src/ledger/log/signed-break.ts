// Compares a chain with the tree heads that were signed of it, and these with the heads log.
import { isSequence } from '../chains.ts';
import { toObjectId } from '../ledger.model.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Break, VerifiedPosition } from '../verify/report.ts';
import { findHeadsBreak } from './heads-log.ts';
import type { SignedChain, SignedTreeHeads } from './signed-heads.ts';
import { createBreak, type LogRow, TreeComparison } from './tree-comparison.ts';

const CURSOR_BATCH = 2000;
/** Leaves of a heads log that every verification reads: a second. The daily round reads longer ones. */
const HEADS_LEAVES_MAX = 100_000;

/**
 * Finds where a chain is not what was signed: by every signed head and stored tile, and by the heads log, which witnesses
 * have signed; null: all agree. `after`: what an earlier verification has seen was compared by it.
 */
export async function findSignedBreak(
  signed: SignedChain,
  { log, heads, broken }: SignedTreeHeads,
  after: VerifiedPosition | null,
): Promise<Break | null> {
  if (broken || after || (signed.logKeys ?? []).length === 0) return broken;
  const found = log && (await findTreeBreak(signed, log, heads));
  return found ?? findHeadsLogBreak(signed, heads);
}

/** Builds the tree of the stored chain hashes, and compares it with what is stored of it. */
async function findTreeBreak(
  signed: SignedChain,
  log: LogRow,
  heads: SignedTreeHeads['heads'],
): Promise<Break | null> {
  const organizationId = toObjectId(signed.organizationId);
  const rows = signed.db
    .collection(signed.chain.collection)
    .find(
      { organizationId, sequence: { $gte: 1, $lte: log.size } },
      { ...MAJORITY, projection: { _id: 0, sequence: 1, chainHash: 1 } },
    )
    .sort({ sequence: 1 })
    .batchSize(CURSOR_BATCH);
  const tree = new TreeComparison(signed.db, log, heads);
  for await (const { sequence, chainHash } of rows) {
    signed.signal?.throwIfAborted();
    if (!isSequence(sequence)) continue;
    // A gap is a finding of the replay already.
    if (sequence !== tree.size + 1) return null;
    const found = await tree.addLeaf(
      Buffer.from(typeof chainHash === 'string' ? chainHash : '', 'hex'),
    );
    if (found) return found;
  }
  return null;
}

/** Finds whether the heads log is not what was signed, as a break of the first head of this log that it leaves open. */
async function findHeadsLogBreak(
  { db, logKeys = [] }: SignedChain,
  heads: SignedTreeHeads['heads'],
): Promise<Break | null> {
  const found = await findHeadsBreak({ db, logKeys, leavesMax: HEADS_LEAVES_MAX });
  if (!found) return null;
  const first = heads.find(({ headsIndex }) => (headsIndex ?? 0) >= found.sequence - 1);
  return createBreak((first ?? heads.at(-1))?.size ?? 1, `the heads log: ${found.what}`);
}
