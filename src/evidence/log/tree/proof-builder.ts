// Builds proofs that an entry is below a signed head of its log, and that the head is in the heads log.
import { parseCheckpoint, hashLeaf, isIncluded, isSignedBy, parseNote } from '@assay/tlog';
import { createHeadsLeaf } from '../../../domain/log/heads-leaf.ts';
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import { HEADS_OWNER } from '../../../ledger/log/heads-log.ts';
import { listVerifierKeys } from '../keys/log-keys.service.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import type { LogDocument } from '../logs.model.ts';
import { hasWitnesses } from '../logs.service.ts';
import { findStampedHead } from '../stamps/stamps.ts';
import { type AnchorProof, formatCosignedNote, type HeadsProof } from './anchors.view.ts';
import { readLeafHash, buildInclusionProof, forgetTiles } from './log-tree.service.ts';
import { openCheckedHeadsLog } from '../checked-logs.ts';

/** The head of a log that a proof leads to. */
export interface ProvenHead {
  log: LogDocument;
  head: LogHeadDocument;
}

/**
 * The newest head of the heads log that covers a leaf, with witnesses where there are any; null: none yet. The log may
 * have grown since it was read.
 */
export async function findHeadsHead(
  platform: Platform,
  heads: LogDocument,
  index: number,
): Promise<LogHeadDocument | null> {
  const size = { $gt: index, $lte: hasWitnesses(platform) ? heads.witnessedSize : heads.size };
  return platform.models.logHeads
    .findOne({ organizationId: HEADS_OWNER, logId: heads._id, size })
    .sort({ size: -1 })
    .lean<LogHeadDocument>();
}

/**
 * Proves that a head is in the heads log, on request in its stamped head; null while no such head covers it.
 * @throws AppError `HASH_CHAIN_BROKEN`
 */
export async function buildHeadsProof(
  platform: Platform,
  { headsIndex, note }: LogHeadDocument,
  isStamped = false,
): Promise<HeadsProof | null> {
  if (headsIndex === null) return null;
  // The log is read after its stamped head, which is then no larger.
  const stamped = isStamped ? await findStampedHead(platform, headsIndex) : null;
  const heads = await openCheckedHeadsLog(platform);
  const head = isStamped ? stamped : await findHeadsHead(platform, heads, headsIndex);
  if (!head) return null;
  const { size, cosignatures } = head;
  const text = parseNote(note)?.text ?? '';
  const leaf = hashLeaf(createHeadsLeaf(parseCheckpoint(text)?.origin ?? '', text));
  const { path } = await proveLeaf(platform, { log: heads, head }, headsIndex, leaf);
  const isWitnessed = size <= heads.witnessedSize;
  const checkpoint = formatCosignedNote(head);
  return { index: headsIndex, path, treeSize: size, checkpoint, cosignatures, isWitnessed };
}

/** @throws AppError `NOT_FOUND` for an entry beyond the head, `HASH_CHAIN_BROKEN` */
export async function buildEntryProof(
  platform: Platform,
  { log, head }: ProvenHead,
  sequence: number,
): Promise<AnchorProof> {
  const { size } = head;
  if (sequence > size)
    throw new AppError('NOT_FOUND', `This anchor covers the entries 1 to ${size}`);
  const index = sequence - 1;
  const leafHash = await readLeafHash(platform, log, index);
  return {
    anchorId: head._id,
    origin: log.origin,
    index,
    treeSize: size,
    leafHash,
    ...(await proveLeaf(platform, { log, head }, index, leafHash)),
    checkpoint: formatCosignedNote(head),
    heads: await buildHeadsProof(platform, head),
  };
}

/**
 * Finds the newest head that covers an entry, is no larger than the log, and is witnessed where anchors wait for
 * witnesses; null until there is one.
 */
export async function findWitnessedHead(
  platform: Platform,
  log: LogDocument,
  sequence: number,
): Promise<LogHeadDocument | null> {
  const { witnessedSize } = await openCheckedHeadsLog(platform);
  const witnessed = hasWitnesses(platform) ? { headsIndex: { $lt: witnessedSize } } : {};
  const { _id: logId, organizationId } = log;
  const size = { $gte: sequence, $lte: log.size };
  return platform.models.logHeads
    .findOne({ organizationId, logId, size, ...witnessed })
    .sort({ size: -1 })
    .lean<LogHeadDocument>();
}

/** Reads the root that was signed; null: the stored note is not one that a key of the log has signed. */
async function readSignedRoot(
  platform: Platform,
  { log: { origin }, head }: ProvenHead,
): Promise<Buffer | null> {
  const parsed = parseNote(head.note);
  const checkpoint = parsed && parseCheckpoint(parsed.text);
  const signers = await listVerifierKeys(platform, 'log', origin);
  const isSigned = parsed !== null && signers.some((key) => isSignedBy(parsed, key));
  const isOwn = checkpoint?.origin === origin && checkpoint.size === head.size;
  return isSigned && isOwn ? checkpoint.root : null;
}

/** Proves that a leaf is below a root that was signed. @throws AppError `HASH_CHAIN_BROKEN` where it is not */
async function proveLeaf(
  platform: Platform,
  proven: ProvenHead,
  index: number,
  leafHash: Buffer,
): Promise<{ path: readonly Buffer[]; root: Buffer }> {
  const { size } = proven.head;
  const root = await readSignedRoot(platform, proven);
  const path = root && (await buildInclusionProof(platform, proven.log, { index, size }));
  if (path && isIncluded(leafHash, { index, path }, { size, root })) return { path, root };
  forgetTiles(platform);
  const message = 'What is stored of the log does not lead to a root that was signed';
  throw new AppError('HASH_CHAIN_BROKEN', message);
}
