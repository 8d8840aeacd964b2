// Proofs that an entry is below an anchor, and the anchor in the heads log: shown, as a file, as a COSE receipt.
import { formatProofFile, writeReceipt, LOG_KEY } from '@assay/tlog';
import type { Platform } from '../../../platform/platform.ts';
import { wrapToken } from '../../../domain/log/time-stamps/token-response.ts';
import type { ChainName } from '../../../domain/record/bundle.ts';
import { AppError } from '../../../errors.ts';
import type { LedgerEntryDocument } from '../../../ledger/ledger.model.ts';
import { loadNoteSigner } from '../keys/log-keys.service.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import type { LogDocument } from '../logs.model.ts';
import { readToken, findStampedHead } from '../stamps/stamps.ts';
import { formatCosignedNote, type ProofView, toProofView } from './anchors.view.ts';
import { buildEntryProof, buildHeadsProof, findWitnessedHead } from './proof-builder.ts';
import type { WorkContext } from '../../../platform/context.ts';
import { findCheckedLog, findCheckedLogById } from '../checked-logs.ts';

export type { ProofView };

/** The subject of a proof file. `sequence` undefined: the anchor itself, in a head of the heads log. */
export interface ProofFilePart {
  sequence: number | undefined;
  /** Whether that head is the stamped one. */
  isStamped: boolean;
  /** The chain that the anchor is of; default: the decisions. */
  chain?: ChainName;
}

const ID = /^[0-9a-f]{24}$/;

/** Proves that an entry is below an anchor. @throws AppError `NOT_FOUND`, `HASH_CHAIN_BROKEN` */
export async function showProof(
  { platform, tenant: { organizationId } }: WorkContext,
  anchorId: string,
  sequence: number,
): Promise<ProofView> {
  const { log, head } = await loadAnchor(platform, organizationId, anchorId);
  return toProofView(await buildEntryProof(platform, { log, head }, sequence));
}

/**
 * Writes a proof file (c2sp.org/tlog-proof).
 * @throws AppError `HASH_CHAIN_BROKEN`; `NOT_FOUND`, also while no witnessed or stamped head covers the anchor
 */
export async function writeProofFile(
  { platform, tenant: { organizationId } }: WorkContext,
  anchorId: string,
  { sequence, isStamped, chain }: ProofFilePart,
): Promise<string> {
  const { log, head } = await loadAnchor(platform, organizationId, anchorId, chain);
  if (sequence !== undefined) {
    const proof = await buildEntryProof(platform, { log, head }, sequence);
    return formatProofFile(proof, proof.checkpoint);
  }
  const proof = await buildHeadsProof(platform, head, isStamped);
  const kind = isStamped ? 'stamped' : 'witnessed';
  if (!proof) throw new AppError('NOT_FOUND', `No ${kind} head covers this anchor yet`);
  return formatProofFile(proof, proof.checkpoint, Buffer.from(formatCosignedNote(head)));
}

/** Writes a COSE receipt of an entry below an anchor. @throws AppError `NOT_FOUND`, `HASH_CHAIN_BROKEN` */
export async function writeCoseReceipt(
  { platform, tenant: { organizationId } }: WorkContext,
  anchorId: string,
  sequence: number,
): Promise<Buffer> {
  const { log, head } = await loadAnchor(platform, organizationId, anchorId);
  const {
    origin,
    treeSize: size,
    root,
    ...proof
  } = await buildEntryProof(platform, { log, head }, sequence);
  const subject = await findSubject(platform, organizationId, sequence);
  const { publicKey, sign } = await loadNoteSigner(platform, 'log');
  const key = { name: origin, type: LOG_KEY, publicKey };
  return writeReceipt({ origin, subject, proof, head: { size, root } }, key, sign);
}

/** Reads the first time stamp that covers an anchor. @throws AppError `NOT_FOUND`, also while there is none */
export async function readStamp(
  { platform, tenant: { organizationId } }: WorkContext,
  anchorId: string,
): Promise<Buffer> {
  const { head } = await loadAnchor(platform, organizationId, anchorId);
  const { headsIndex } = head;
  const stamped = headsIndex === null ? null : await findStampedHead(platform, headsIndex);
  if (!stamped) throw new AppError('NOT_FOUND', 'No time stamp covers this anchor yet');
  return wrapToken(readToken(stamped));
}

/** Proves an entry in the newest anchor that is witnessed; null until there is one. @throws AppError `HASH_CHAIN_BROKEN` */
export async function findProof(
  { platform, tenant: { organizationId } }: WorkContext,
  sequence: number,
): Promise<ProofView | null> {
  const log = await findCheckedLog(platform, organizationId, 'ledger');
  if (!log || log.size < sequence) return null;
  const head = await findWitnessedHead(platform, log, sequence);
  return head && toProofView(await buildEntryProof(platform, { log, head }, sequence));
}

/** @throws AppError `NOT_FOUND` */
async function loadAnchor(
  platform: Platform,
  organizationId: string,
  anchorId: string,
  chain: ChainName = 'ledger',
): Promise<{ log: LogDocument; head: LogHeadDocument }> {
  const head = ID.test(anchorId)
    ? await platform.models.logHeads
        .findOne({ organizationId, _id: anchorId })
        .lean<LogHeadDocument>()
    : null;
  const log = head && (await findCheckedLogById(platform, head.logId));
  if (!head || log?.chain !== chain) throw new AppError('NOT_FOUND', 'There is no such anchor');
  return { log, head };
}

async function findSubject(
  { models }: Platform,
  organizationId: string,
  sequence: number,
): Promise<string | null> {
  const entry = await models.ledger
    .findOne({ organizationId, sequence }, 'traceId')
    .lean<Pick<LedgerEntryDocument, 'traceId'>>();
  return entry?.traceId ?? null;
}
