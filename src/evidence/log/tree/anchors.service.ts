// Anchors: the signed tree heads of an organisation's chains, and which of them covers an entry.
import type { Types } from 'mongoose';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import type { ChainName } from '../../../domain/record/bundle.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import type { LogService } from '../logs.service.ts';
import type { LogDocument } from '../logs.model.ts';
import type { StampReader, StampView } from '../stamps/stamps.ts';
import { type AnchorView, toAnchorView } from './anchors.view.ts';

interface Deps {
  logs: LogService;
  stamps: StampReader;
}

type Owner = Pick<Tenant, 'organizationId'>;

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

export function createAnchorService({ models }: Pick<Platform, 'models'>, deps: Deps) {
  const { logs, stamps } = deps;

  const findLog = (organizationId: string, chain: ChainName = 'ledger') =>
    logs.findLog(organizationId, chain);

  function isWitnessed(head: LogHeadDocument, heads: LogDocument): boolean {
    return head.headsIndex !== null && head.headsIndex < heads.witnessedSize;
  }

  function findStamps(heads: readonly LogHeadDocument[]): Promise<ReadonlyMap<number, StampView>> {
    return stamps.findStamps(heads.flatMap(({ headsIndex }) => headsIndex ?? []));
  }

  /** Finds the first head that covers each sequence. */
  async function findHeads(
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

  return {
    /** Lists the anchors of a chain, newest first. */
    async listAnchors(
      { organizationId }: Owner,
      { limit, beforeSize }: { limit: number; beforeSize?: number | undefined },
      chain?: ChainName,
    ): Promise<AnchorView[]> {
      const log = await findLog(organizationId, chain);
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

    /** Finds the first anchor that covers each sequence. */
    async findAnchors(
      { organizationId }: Owner,
      sequences: readonly number[],
    ): Promise<ReadonlyMap<number, CoveringAnchor>> {
      const log = sequences.length > 0 ? await findLog(organizationId) : null;
      if (!log) return new Map();
      const found = await findHeads(log, sequences);
      const covering = await findStamps([...found.values()]);
      return new Map(
        [...found].map(([sequence, { _id: anchorId, root, headsIndex }]) => [
          sequence,
          { anchorId, root, stamp: covering.get(headsIndex ?? -1) ?? null },
        ]),
      );
    },

    /** Counts the anchors, and says when the newest one was signed. */
    async describeAnchors({
      organizationId,
    }: Owner): Promise<{ anchorCount: number; lastAnchorAt: Date | null }> {
      const log = await findLog(organizationId);
      if (!log) return { anchorCount: 0, lastAnchorAt: null };
      const anchorCount = await models.logHeads.countDocuments({ organizationId, logId: log._id });
      return { anchorCount, lastAnchorAt: log.sealedAt ?? null };
    },
  };
}
export type AnchorService = ReturnType<typeof createAnchorService>;
