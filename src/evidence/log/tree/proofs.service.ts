// Proofs that an entry is below an anchor, and the anchor in the heads log: shown, as a file, as a COSE receipt.
import { formatProofFile, writeReceipt, LOG_KEY } from '@assay/tlog';
import type { Platform } from '../../../platform/platform.ts';
import { wrapToken } from '../../../domain/log/time-stamps/token-response.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import type { ChainName } from '../../../domain/record/bundle.ts';
import { AppError } from '../../../errors.ts';
import type { LedgerEntryDocument } from '../../../ledger/ledger.model.ts';
import type { LogKeyService } from '../keys/log-keys.service.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import type { LogService } from '../logs.service.ts';
import type { LogDocument } from '../logs.model.ts';
import { readToken, type StampReader } from '../stamps/stamps.ts';
import { formatCosignedNote, type ProofView, toProofView } from './anchors.view.ts';
import type { ProofBuilder } from './proof-builder.ts';

export type { ProofView };

interface Deps {
  logs: LogService;
  stamps: StampReader;
  keys: LogKeyService;
  proofBuilder: ProofBuilder;
}

type Owner = Pick<Tenant, 'organizationId'>;

/** The subject of a proof file. `sequence` undefined: the anchor itself, in a head of the heads log. */
export interface ProofFilePart {
  sequence: number | undefined;
  /** Whether that head is the stamped one. */
  isStamped: boolean;
  /** The chain that the anchor is of; default: the decisions. */
  chain?: ChainName;
}

const ID = /^[0-9a-f]{24}$/;

export function createProofService({ models }: Pick<Platform, 'models'>, deps: Deps) {
  const { logs, stamps, keys, proofBuilder } = deps;

  /** @throws AppError `NOT_FOUND` */
  async function loadAnchor(
    organizationId: string,
    anchorId: string,
    chain: ChainName = 'ledger',
  ): Promise<{ log: LogDocument; head: LogHeadDocument }> {
    const head = ID.test(anchorId)
      ? await models.logHeads.findOne({ organizationId, _id: anchorId }).lean<LogHeadDocument>()
      : null;
    const log = head && (await logs.findLogById(head.logId));
    if (!head || log?.chain !== chain) throw new AppError('NOT_FOUND', 'There is no such anchor');
    return { log, head };
  }

  async function findSubject(organizationId: string, sequence: number): Promise<string | null> {
    const entry = await models.ledger
      .findOne({ organizationId, sequence }, 'traceId')
      .lean<Pick<LedgerEntryDocument, 'traceId'>>();
    return entry?.traceId ?? null;
  }

  return {
    /** Proves that an entry is below an anchor. @throws AppError `NOT_FOUND`, `HASH_CHAIN_BROKEN` */
    async showProof(
      { organizationId }: Owner,
      anchorId: string,
      sequence: number,
    ): Promise<ProofView> {
      const { log, head } = await loadAnchor(organizationId, anchorId);
      return toProofView(await proofBuilder.buildEntryProof({ log, head }, sequence));
    },

    /**
     * Writes a proof file (c2sp.org/tlog-proof).
     * @throws AppError `HASH_CHAIN_BROKEN`; `NOT_FOUND`, also while no witnessed or stamped head covers the anchor
     */
    async writeProofFile(
      { organizationId }: Owner,
      anchorId: string,
      { sequence, isStamped, chain }: ProofFilePart,
    ): Promise<string> {
      const { log, head } = await loadAnchor(organizationId, anchorId, chain);
      if (sequence !== undefined) {
        const proof = await proofBuilder.buildEntryProof({ log, head }, sequence);
        return formatProofFile(proof, proof.checkpoint);
      }
      const proof = await proofBuilder.buildHeadsProof(head, isStamped);
      const kind = isStamped ? 'stamped' : 'witnessed';
      if (!proof) throw new AppError('NOT_FOUND', `No ${kind} head covers this anchor yet`);
      return formatProofFile(proof, proof.checkpoint, Buffer.from(formatCosignedNote(head)));
    },

    /** Writes a COSE receipt of an entry below an anchor. @throws AppError `NOT_FOUND`, `HASH_CHAIN_BROKEN` */
    async writeCoseReceipt(
      { organizationId }: Owner,
      anchorId: string,
      sequence: number,
    ): Promise<Buffer> {
      const { log, head } = await loadAnchor(organizationId, anchorId);
      const {
        origin,
        treeSize: size,
        root,
        ...proof
      } = await proofBuilder.buildEntryProof({ log, head }, sequence);
      const subject = await findSubject(organizationId, sequence);
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

    /** Proves an entry in the newest anchor that is witnessed; null until there is one. @throws AppError `HASH_CHAIN_BROKEN` */
    async findProof({ organizationId }: Owner, sequence: number): Promise<ProofView | null> {
      const log = await logs.findLog(organizationId, 'ledger');
      if (!log || log.size < sequence) return null;
      const head = await proofBuilder.findWitnessedHead(log, sequence);
      return head && toProofView(await proofBuilder.buildEntryProof({ log, head }, sequence));
    },
  };
}
export type ProofService = ReturnType<typeof createProofService>;
