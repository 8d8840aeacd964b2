// Anchors: the signed tree heads of an organisation's chain of decisions, and proofs that entries are below them.
import type { Types } from 'mongoose';
import type { Platform } from '../../../platform/platform.ts';
import { formatProofFile } from '../../../domain/log/checkpoint.ts';
import { wrapToken } from '../../../domain/log/time-stamps/token-response.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import { HEADS_OWNER, type LogService } from '../logs.service.ts';
import type { LogDocument } from '../logs.model.ts';
import { readToken, type StampedHead, type StampReader, type StampView } from '../stamps/stamps.ts';
import type { LogTreeService } from './log-tree.service.ts';
import type { ProofView } from './anchors.view.ts';
import {
  type AnchorProof,
  type AnchorView,
  formatCosignedNote,
  type HeadsProof,
  toAnchorView,
  toProofView,
} from './anchors.view.ts';

export type { ProofView };

interface Deps {
  logs: LogService;
  stamps: StampReader;
  tree: LogTreeService;
  /** Whether anchors wait for witnesses. */
  hasWitnesses: boolean;
}

type Owner = Pick<Tenant, 'organizationId'>;

/** The first anchor that covers an entry. */
export interface CoveringAnchor {
  anchorId: Types.ObjectId;
  root: string;
  stamp: StampView | null;
}

const ID = /^[0-9a-f]{24}$/;
/** Heads that are read at a time in search of those that cover some entries. */
const HEADS_READ = 64;
/** Times that heads are read for one page of entries. */
const READS_MAX = 500;

export function createAnchorService({ models }: Pick<Platform, 'models'>, deps: Deps) {
  const { logs, tree, stamps, hasWitnesses } = deps;

  const findLog = (organizationId: string) => logs.findLog(organizationId, 'ledger');

  function isWitnessed(head: LogHeadDocument, heads: LogDocument): boolean {
    return head.headsIndex !== null && head.headsIndex < heads.witnessedSize;
  }

  /** The newest head of the heads log that covers a leaf, with witnesses where there are any; null: none yet. */
  async function findHeadsHead(heads: LogDocument, index: number): Promise<LogHeadDocument | null> {
    const size = { $gt: index, ...(hasWitnesses && { $lte: heads.witnessedSize }) };
    return models.logHeads
      .findOne({ organizationId: HEADS_OWNER, logId: heads._id, size })
      .sort({ size: -1 })
      .lean<LogHeadDocument>();
  }

  /** Proves that a head is in the heads log, in its stamped head on request; null while no such head covers it. */
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

  function findStamps(heads: readonly LogHeadDocument[]): Promise<ReadonlyMap<number, StampView>> {
    return stamps.findStamps(heads.flatMap(({ headsIndex }) => headsIndex ?? []));
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

  return {
    /** Lists anchors, newest first. */
    async listAnchors(
      { organizationId }: Owner,
      { limit, beforeSize }: { limit: number; beforeSize?: number | undefined },
    ): Promise<AnchorView[]> {
      const log = await findLog(organizationId);
      if (!log) return [];
      const heads = await logs.openHeadsLog();
      const size = beforeSize === undefined ? {} : { size: { $lt: beforeSize } };
      const found = await models.logHeads
        .find({ organizationId, logId: log._id, ...size })
        .sort({ size: -1 })
        .limit(limit)
        .lean<LogHeadDocument[]>();
      const covering = await findStamps(found);
      return found.map((head) =>
        toAnchorView(head, {
          origin: log.origin,
          isWitnessed: isWitnessed(head, heads),
          stamp: covering.get(head.headsIndex ?? -1) ?? null,
        }),
      );
    },

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
     * Writes a proof file (c2sp.org/tlog-proof): of an entry below an anchor, or of the anchor itself in the heads log.
     * @throws AppError `NOT_FOUND`, also while no witnessed head covers the anchor
     */
    async writeProofFile(
      { organizationId }: Owner,
      anchorId: string,
      { sequence, isStamped }: { sequence: number | undefined; isStamped: boolean },
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

    /** Reads the first time stamp that covers an anchor. @throws AppError `NOT_FOUND`, also while there is none */
    async readStamp({ organizationId }: Owner, anchorId: string): Promise<Buffer> {
      const { head } = await loadAnchor(organizationId, anchorId);
      const { headsIndex } = head;
      const stamped: StampedHead | null =
        headsIndex === null ? null : await stamps.findStampedHead(headsIndex);
      if (!stamped) throw new AppError('NOT_FOUND', 'No time stamp covers this anchor yet');
      return wrapToken(readToken(stamped));
    },

    /** Proves an entry in the newest anchor that is witnessed; null until there is one. */
    async findProof({ organizationId }: Owner, sequence: number): Promise<ProofView | null> {
      const log = await findLog(organizationId);
      if (!log || log.size < sequence) return null;
      const { witnessedSize } = await logs.openHeadsLog();
      const witnessed = hasWitnesses ? { headsIndex: { $lt: witnessedSize } } : {};
      const head = await models.logHeads
        .findOne({ organizationId, logId: log._id, size: { $gte: sequence }, ...witnessed })
        .sort({ size: -1 })
        .lean<LogHeadDocument>();
      return head && toProofView(await buildEntryProof(log, head, sequence));
    },

    /** Finds the first anchor that covers each sequence. */
    async findAnchors(
      { organizationId }: Owner,
      sequences: readonly number[],
    ): Promise<ReadonlyMap<number, CoveringAnchor>> {
      const found = new Map<number, LogHeadDocument>();
      const log = sequences.length > 0 ? await findLog(organizationId) : null;
      if (!log) return new Map();
      const left = sequences.filter((sequence) => sequence <= log.size).sort((a, b) => a - b);
      let next = left.shift();
      for (let reads = 0; next !== undefined && reads < READS_MAX; reads++) {
        const heads = await models.logHeads
          .find({ organizationId, logId: log._id, size: { $gte: next } }, 'size root headsIndex')
          .sort({ size: 1 })
          .limit(HEADS_READ)
          .lean<LogHeadDocument[]>();
        if (heads.length === 0) break;
        for (const head of heads)
          for (; next !== undefined && next <= head.size; next = left.shift())
            found.set(next, head);
      }
      const covering = await findStamps([...found.values()]);
      return new Map(
        [...found].map(([sequence, { _id: anchorId, root, headsIndex }]) => [
          sequence,
          { anchorId, root, stamp: covering.get(headsIndex ?? -1) ?? null },
        ]),
      );
    },

    /** Counts the anchors, and says when the newest one was sealed. */
    async describeAnchors({
      organizationId,
    }: Owner): Promise<{ anchorCount: number; lastAnchorAt: Date | null }> {
      const log = await findLog(organizationId);
      if (!log) return { anchorCount: 0, lastAnchorAt: null };
      const anchorCount = await models.logHeads.countDocuments({ organizationId, logId: log._id });
      return { anchorCount, lastAnchorAt: log.sealedAt };
    },
  };
}
export type AnchorService = ReturnType<typeof createAnchorService>;
