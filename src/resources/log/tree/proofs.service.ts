// Proofs that an entry is below an anchor, and the anchor in the heads log: shown, as a file, as a COSE receipt.
import type { Platform } from '../../../platform/platform.ts';
import { formatProofFile, parseCheckpoint } from '../../../domain/log/checkpoint.ts';
import { writeReceipt } from '../../../domain/log/cose-receipt.ts';
import { isSignedBy, LOG_KEY, parseNote } from '../../../domain/log/signed-note.ts';
import { wrapToken } from '../../../domain/log/time-stamps/token-response.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { LedgerEntryDocument } from '../../../ledger/ledger.model.ts';
import type { LogKeyService } from '../keys/log-keys.service.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import { HEADS_OWNER, type LogService } from '../logs.service.ts';
import type { LogDocument } from '../logs.model.ts';
import { readToken, type StampReader } from '../stamps/stamps.ts';
import {
  type AnchorProof,
  formatCosignedNote,
  type HeadsProof,
  type ProofView,
  toProofView,
} from './anchors.view.ts';
import type { LogTreeService } from './log-tree.service.ts';

export type { ProofView };

interface Deps {
  logs: LogService;
  tree: LogTreeService;
  stamps: StampReader;
  keys: LogKeyService;
  /** Whether anchors wait for witnesses. */
  hasWitnesses: boolean;
}

type Owner = Pick<Tenant, 'organizationId'>;

/** The subject of a proof file. `sequence` undefined: the anchor itself, in a head of the heads log. */
export interface ProofFilePart {
  sequence: number | undefined;
  /** Whether that head is the stamped one. */
  isStamped: boolean;
}

const ID = /^[0-9a-f]{24}$/;

export function createProofService({ models }: Pick<Platform, 'models'>, deps: Deps) {
  const { logs, tree, stamps, keys, hasWitnesses } = deps;

  /** The newest head of the heads log that covers a leaf, with witnesses where there are any; null: none yet. */
  async function findHeadsHead(heads: LogDocument, index: number): Promise<LogHeadDocument | null> {
    const size = { $gt: index, ...(hasWitnesses && { $lte: heads.witnessedSize }) };
    return models.logHeads
      .findOne({ organizationId: HEADS_OWNER, logId: heads._id, size })
      .sort({ size: -1 })
      .lean<LogHeadDocument>();
  }

  /** Proves that a head is in the heads log, on request in its stamped head; null while no such head covers it. */
  async function buildHeadsProof(
    { headsIndex }: LogHeadDocument,
    isStamped = false,
  ): Promise<HeadsProof | null> {
    if (headsIndex === null) return null;
    const heads = await logs.openHeadsLog();
    const head = await (isStamped
      ? stamps.findStampedHead(headsIndex)
      : findHeadsHead(heads, headsIndex));
    if (!head) return null;
    const { size } = head;
    const path = await tree.buildInclusionProof(heads, { index: headsIndex, size });
    return { index: headsIndex, path, treeSize: size, checkpoint: formatCosignedNote(head) };
  }

  /** @throws AppError `NOT_FOUND` */
  async function loadAnchor(
    organizationId: string,
    anchorId: string,
  ): Promise<{ log: LogDocument; head: LogHeadDocument }> {
    const head = ID.test(anchorId)
      ? await models.logHeads.findOne({ organizationId, _id: anchorId }).lean<LogHeadDocument>()
      : null;
    const log = head && (await logs.findLogById(head.logId));
    if (!head || log?.chain !== 'ledger')
      throw new AppError('NOT_FOUND', 'There is no such anchor');
    return { log, head };
  }

  /** @throws AppError `NOT_FOUND` for an entry beyond the anchor */
  async function buildEntryProof(
    log: LogDocument,
    head: LogHeadDocument,
    sequence: number,
  ): Promise<AnchorProof> {
    const { size } = head;
    if (sequence > size)
      throw new AppError('NOT_FOUND', `This anchor covers the entries 1 to ${size}`);
    const index = sequence - 1;
    return {
      anchorId: head._id,
      origin: log.origin,
      index,
      treeSize: size,
      leafHash: await tree.readLeafHash(log, index),
      path: await tree.buildInclusionProof(log, { index, size }),
      checkpoint: formatCosignedNote(head),
      heads: await buildHeadsProof(head),
    };
  }

  /** Reads the root of a head, which MUST be the one that was signed: the database alone cannot make another. */
  async function readSignedRoot(
    { origin }: LogDocument,
    { note }: LogHeadDocument,
  ): Promise<Buffer> {
    const parsed = parseNote(note);
    const checkpoint = parsed && parseCheckpoint(parsed.text);
    const signers = await keys.listVerifierKeys('log', origin);
    if (!checkpoint || !signers.some((key) => isSignedBy(parsed, key)))
      throw new Error(`a stored checkpoint of ${origin} is not one that was signed`);
    return checkpoint.root;
  }

  async function findSubject(organizationId: string, sequence: number): Promise<string | null> {
    const entry = await models.ledger
      .findOne({ organizationId, sequence }, 'traceId')
      .lean<Pick<LedgerEntryDocument, 'traceId'>>();
    return entry?.traceId ?? null;
  }

  return {
    /** Proves that an entry is below an anchor. @throws AppError `NOT_FOUND` */
    async showProof(
      { organizationId }: Owner,
      anchorId: string,
      sequence: number,
    ): Promise<ProofView> {
      const { log, head } = await loadAnchor(organizationId, anchorId);
      return toProofView(await buildEntryProof(log, head, sequence));
    },

    /**
     * Writes a proof file (c2sp.org/tlog-proof).
     * @throws AppError `NOT_FOUND`, also while no witnessed or stamped head covers the anchor
     */
    async writeProofFile(
      { organizationId }: Owner,
      anchorId: string,
      { sequence, isStamped }: ProofFilePart,
    ): Promise<string> {
      const { log, head } = await loadAnchor(organizationId, anchorId);
      if (sequence !== undefined) {
        const proof = await buildEntryProof(log, head, sequence);
        return formatProofFile(proof, proof.checkpoint);
      }
      const proof = await buildHeadsProof(head, isStamped);
      const kind = isStamped ? 'stamped' : 'witnessed';
      if (!proof) throw new AppError('NOT_FOUND', `No ${kind} head covers this anchor yet`);
      return formatProofFile(proof, proof.checkpoint, Buffer.from(formatCosignedNote(head)));
    },

    /** Writes a COSE receipt of an entry below an anchor. @throws AppError `NOT_FOUND` */
    async writeCoseReceipt(
      { organizationId }: Owner,
      anchorId: string,
      sequence: number,
    ): Promise<Buffer> {
      const { log, head } = await loadAnchor(organizationId, anchorId);
      const { origin, treeSize: size, ...proof } = await buildEntryProof(log, head, sequence);
      const subject = await findSubject(organizationId, sequence);
      const root = await readSignedRoot(log, head);
      const { publicKey, sign } = await keys.loadSigner('log');
      const key = { name: origin, type: LOG_KEY, publicKey };
      return writeReceipt({ origin, subject, proof, head: { size, root } }, key, sign);
    },

    /** Reads the first time stamp that covers an anchor. @throws AppError `NOT_FOUND`, also while there is none */
    async readStamp({ organizationId }: Owner, anchorId: string): Promise<Buffer> {
      const { head } = await loadAnchor(organizationId, anchorId);
      const { headsIndex } = head;
      const stamped = headsIndex === null ? null : await stamps.findStampedHead(headsIndex);
      if (!stamped) throw new AppError('NOT_FOUND', 'No time stamp covers this anchor yet');
      return wrapToken(readToken(stamped));
    },

    /** Proves an entry in the newest anchor that is witnessed; null until there is one. */
    async findProof({ organizationId }: Owner, sequence: number): Promise<ProofView | null> {
      const log = await logs.findLog(organizationId, 'ledger');
      if (!log || log.size < sequence) return null;
      const { witnessedSize } = await logs.openHeadsLog();
      const witnessed = hasWitnesses ? { headsIndex: { $lt: witnessedSize } } : {};
      const head = await models.logHeads
        .findOne({ organizationId, logId: log._id, size: { $gte: sequence }, ...witnessed })
        .sort({ size: -1 })
        .lean<LogHeadDocument>();
      return head && toProofView(await buildEntryProof(log, head, sequence));
    },
  };
}
export type ProofService = ReturnType<typeof createProofService>;
