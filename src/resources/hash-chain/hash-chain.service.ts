// The chain of an organisation: status, verification and entries (document 2, section 4.5). Exports are `bundles.service.ts`.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../composition/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import { DECISIONS } from '../../ledger/chains.ts';
import type { LedgerEntryDocument } from '../../ledger/ledger.model.ts';
import type { ChainVerificationDocument } from './hash-chain.model.ts';

type Deps = Pick<Platform, 'models' | 'verificationWorker' | 'clock' | 'logger' | 'ledger'>;

type Head = Pick<LedgerEntryDocument, 'sequence' | 'chainHash' | 'createdAt'>;
type LastVerification = Pick<ChainVerificationDocument, 'verifiedAt' | 'ok'>;
interface Known {
  head: Head | null;
  verification: LastVerification | null;
  /** Milliseconds since the epoch. */
  at: number;
}

const STATUSES_KEPT = 10_000;
/** What another instance appended or verified shows within this time; what this one did, at once. */
const STATUS_AGE_MS = 2000;
const SHOWN = 'organizationId sequence kind traceId prevHash payloadDigest chainHash createdAt';
const HEX = /^[0-9a-f]{1,64}$/;
/** Greater than every character of an id. */
const BEYOND = '\uffff';

export function createHashChainService({
  models,
  ledger,
  verificationWorker,
  clock,
  logger,
}: Deps) {
  const statuses = new LRUCache<string, Known>({ max: STATUSES_KEPT });

  async function known(organizationId: string): Promise<Known> {
    const at = clock.now().getTime();
    const status = statuses.get(organizationId);
    if (status && at - status.at < STATUS_AGE_MS) return status;
    const [head, verification] = await Promise.all([
      models.ledger
        .findOne({ organizationId }, 'sequence chainHash createdAt')
        .sort({ sequence: -1 })
        .lean<Head>(),
      models.chainVerifications.findOne({ organizationId }).lean<ChainVerificationDocument>(),
    ]);
    const loaded = { head, verification, at };
    statuses.set(organizationId, loaded);
    return loaded;
  }

  return {
    /** The organisation's chain has grown on this instance. */
    headMoved(organizationId: string): void {
      statuses.delete(organizationId);
    },

    async status({ organizationId }: Tenant) {
      const { head, verification } = await known(organizationId);
      const latency = ledger.appender.latency(organizationId);
      const [p50Ms, p95Ms, p99Ms] = [
        latency?.p50 ?? null,
        latency?.p95 ?? null,
        latency?.p99 ?? null,
      ];
      return {
        totalEntries: head?.sequence ?? 0,
        lastSequence: head?.sequence ?? 0,
        lastChainHash: head?.chainHash ?? null,
        lastEntryAt: head?.createdAt ?? null,
        anchorCount: 0,
        lastAnchorAt: null,
        lastVerifiedAt: verification?.verifiedAt ?? null,
        lastVerificationOk: verification?.ok ?? null,
        algorithm: 'sha256' as const,
        canonicalization: 'rfc8785' as const,
        appendLatencyP95Ms: p95Ms,
        appendLatency: { p50Ms, p95Ms, p99Ms },
      };
    },

    /** Replays the whole chain and remembers the outcome. */
    async verify({ organizationId }: Tenant) {
      const started = clock.now();
      const { verified, broken, ...found } = await verificationWorker.verify(
        DECISIONS,
        organizationId,
        started,
      );
      const verifiedAt = clock.now();
      const outcome = {
        brokenAtSequence: broken?.sequence ?? null,
        brokenReason: broken?.reason ?? null,
      };
      const remembered = { verifiedAt, ok: verified, totalChecked: found.totalChecked, ...outcome };
      await models.chainVerifications.updateOne(
        { organizationId },
        { $set: remembered },
        { upsert: true },
      );
      statuses.delete(organizationId);
      if (!verified) logger.error({ organizationId, broken }, 'a chain is not what was sealed');
      return {
        verified,
        ok: verified,
        ...found,
        ...outcome,
        verifiedAt,
        ...(broken?.expectedSequence !== undefined && {
          expectedSequence: broken.expectedSequence,
        }),
        brokenDetail: broken?.what ?? null,
        durationMs: verifiedAt.getTime() - started.getTime(),
      };
    },

    /** The entry that ingested a decision, and the later ones about it, oldest first. @throws AppError `NOT_FOUND` */
    async entryOf({ organizationId }: Tenant, traceId: string) {
      const [entry, ...related] = await models.ledger
        .find({ organizationId, traceId }, SHOWN)
        .hint('subject')
        .sort({ sequence: 1 })
        .lean<LedgerEntryDocument[]>();
      if (!entry) throw new AppError('NOT_FOUND');
      return { entry: shownEntry(entry), proof: null, related: related.map(shownEntry) };
    },

    /** Newest first. */
    async entries({ organizationId }: Tenant, { limit, beforeSeq, search }: EntriesWanted) {
      const found = await models.ledger
        .find(
          {
            organizationId,
            ...(beforeSeq !== undefined && { sequence: { $lt: beforeSeq } }),
            ...(search !== undefined && beginningWith(search)),
          },
          SHOWN,
        )
        .sort({ sequence: -1 })
        .limit(limit + 1)
        .lean<LedgerEntryDocument[]>();
      return { entries: found.slice(0, limit).map(shownEntry), hasMore: found.length > limit };
    },

    /** By its object id. @throws AppError `NOT_FOUND` */
    async entry({ organizationId }: Tenant, id: string) {
      const entry = await models.ledger
        .findOne({ organizationId, _id: id }, SHOWN)
        .lean<LedgerEntryDocument>();
      if (!entry) throw new AppError('NOT_FOUND');
      return shownEntry(entry);
    },
  };
}
export type HashChainService = ReturnType<typeof createHashChainService>;

interface EntriesWanted {
  limit: number;
  beforeSeq?: number | undefined;
  search?: string | undefined;
}

/** Ranges instead of patterns: indexes serve them, and no character means anything. */
function beginningWith(search: string): object {
  const range = { $gte: search, $lt: search + BEYOND };
  return HEX.test(search)
    ? { $or: [{ traceId: range }, { chainHash: range }] }
    : { traceId: range };
}

function shownEntry(entry: LedgerEntryDocument) {
  const {
    _id,
    organizationId,
    sequence,
    kind,
    traceId,
    prevHash,
    payloadDigest,
    chainHash,
    createdAt,
  } = entry;
  return {
    id: _id,
    _id,
    organizationId,
    sequence,
    kind,
    traceId,
    prevHash,
    payloadDigest,
    payloadHash: payloadDigest,
    chainHash,
    createdAt,
    merkleRoot: null,
    merkleLeafIndex: null,
    merkleAnchorId: null,
    eidasTimestamp: null,
  };
}
