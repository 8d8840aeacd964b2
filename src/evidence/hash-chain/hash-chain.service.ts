// Status and entries of an organisation's chain (document 2, section 4.5); verification and exports are other services.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../platform/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import { findFirstInChain, isSequence, NEWEST_MAX, SEQUENCES } from '../../ledger/chains.ts';
import type { LedgerEntryDocument } from '../../ledger/ledger.model.ts';
import { findOr404, READ_MAX_MS } from '../../platform/mongo/queries.ts';
import { describeAnchors, findAnchors } from '../log/tree/anchors.service.ts';
import { findProof } from '../log/tree/proofs.service.ts';
import type { ChainVerificationDocument } from './hash-chain.model.ts';
import { createHashSearch } from './search/hash-search.service.ts';
import { toChainEntryView, toChainStatus } from './hash-chain.view.ts';
import { limitEntries } from '../../domain/entry-limit.ts';
import type { ChainEntryView, ChainStatus, DecisionEntries } from './hash-chain.schemas.ts';

type Head = Pick<LedgerEntryDocument, 'sequence' | 'chainHash' | 'createdAt'>;
type LastVerification = Pick<ChainVerificationDocument, 'verifiedAt' | 'ok'>;
interface CachedStatus {
  head: Head | null;
  verification: LastVerification | null;
  anchored: Awaited<ReturnType<typeof describeAnchors>>;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface EntriesQuery {
  limit: number;
  beforeSeq?: number | undefined;
  search?: string | undefined;
}

const CACHE_MAX = 10_000;
/** Maximum delay until changes by other instances show; changes by this one show at once. */
const TTL_MS = 2000;
const ENTRY_MEMBERS =
  'organizationId sequence kind traceId prevHash payloadDigest chainHash createdAt';
const HEX = /^[0-9a-f]{1,64}$/;
/** A search of at most this many digits scans the newest entries, the quickest way to some matches. */
const SHORT = 2;
/** A prefix of this length stands for a minute of generated trace ids: few match, and they may be old. */
const SELECTIVE = 12;
/** Greater than every character of an id. */
const BEYOND = '\uffff';

export function createHashChainService(platform: Platform) {
  const { models, ledger, clock } = platform;
  const cache = new LRUCache<string, CachedStatus>(limitEntries(CACHE_MAX));
  const hashes = createHashSearch(models);

  async function loadStatus(organizationId: string): Promise<CachedStatus> {
    const at = clock.now().getTime();
    const cached = cache.get(organizationId);
    if (cached && at - cached.at < TTL_MS) return cached;
    const [newest, verification, anchored] = await Promise.all([
      models.ledger
        .find({ organizationId, sequence: SEQUENCES }, 'sequence chainHash createdAt')
        .sort({ sequence: -1 })
        .limit(NEWEST_MAX)
        .lean<Head[]>(),
      models.chainVerifications.findOne({ organizationId }).lean<ChainVerificationDocument>(),
      describeAnchors({ platform, tenant: { organizationId } }),
    ]);
    const loaded = { head: findFirstInChain(newest), verification, anchored, at };
    cache.set(organizationId, loaded);
    return loaded;
  }

  async function findNewestEntries(
    organizationId: string,
    { limit, beforeSeq: before = SEQUENCES.$lt, search = '' }: EntriesQuery,
  ): Promise<LedgerEntryDocument[]> {
    if (isHash(search))
      return hashes.searchHashes(organizationId, {
        beginning: search,
        before,
        limit,
        members: ENTRY_MEMBERS,
      });
    const beginning = search === '' ? {} : toPrefixFilter(search);
    return models.ledger
      .find(
        { organizationId, sequence: { $gte: SEQUENCES.$gte, $lt: before }, ...beginning },
        ENTRY_MEMBERS,
      )
      .hint(search.length >= SELECTIVE ? 'subject' : 'chain')
      .sort({ sequence: -1 })
      .limit(limit)
      .maxTimeMS(READ_MAX_MS)
      .lean<LedgerEntryDocument[]>();
  }

  /** Renders entries, each with the first anchor that covers it. */
  async function showEntries(
    organizationId: string,
    entries: readonly LedgerEntryDocument[],
  ): Promise<ChainEntryView[]> {
    const sequences = entries.map(({ sequence }) => sequence);
    const covering = await findAnchors({ platform, tenant: { organizationId } }, sequences);
    return entries.map((entry) => toChainEntryView(entry, covering.get(entry.sequence)));
  }

  return {
    /** Drops the cached status, after the chain has grown or was verified on this instance. */
    invalidateStatus(organizationId: string): void {
      cache.delete(organizationId);
    },

    async describeStatus({ organizationId }: Pick<Tenant, 'organizationId'>): Promise<ChainStatus> {
      const { head, verification, anchored } = await loadStatus(organizationId);
      const latency = ledger.appender.getLatency(organizationId);
      return toChainStatus({ head, verification, latency, anchored });
    },

    /** @throws AppError `NOT_FOUND` */
    async loadDecisionEntries(
      { organizationId }: Tenant,
      traceId: string,
    ): Promise<DecisionEntries> {
      const found = await models.ledger
        .find({ organizationId, traceId, sequence: SEQUENCES }, ENTRY_MEMBERS)
        .hint('subject')
        .sort({ sequence: 1 })
        .lean<LedgerEntryDocument[]>();
      const [entry, ...related] = found.filter(({ sequence }) => isSequence(sequence));
      if (!entry) throw new AppError('NOT_FOUND');
      const proof = await findProof({ platform, tenant: { organizationId } }, entry.sequence);
      const [first, ...later] = await showEntries(organizationId, [entry, ...related]);
      if (!first) throw new AppError('NOT_FOUND');
      return { entry: first, proof, related: later };
    },

    /** Newest first. */
    async listEntries(
      { organizationId }: Tenant,
      { limit, beforeSeq, search }: EntriesQuery,
    ): Promise<{ entries: ChainEntryView[]; hasMore: boolean }> {
      const found = await findNewestEntries(organizationId, {
        limit: limit + 1,
        beforeSeq,
        search,
      });
      const inChain = found.slice(0, limit).filter(({ sequence }) => isSequence(sequence));
      const entries = await showEntries(organizationId, inChain);
      return { entries, hasMore: found.length > limit };
    },

    /** Loads an entry by its object id. @throws AppError `NOT_FOUND` */
    async loadEntry({ organizationId }: Tenant, id: string): Promise<ChainEntryView> {
      const where = { organizationId, _id: id };
      const query = models.ledger.findOne(where, ENTRY_MEMBERS).lean<LedgerEntryDocument>();
      const found = await findOr404(query);
      if (!isSequence(found.sequence)) throw new AppError('NOT_FOUND');
      const [shown] = await showEntries(organizationId, [found]);
      if (!shown) throw new AppError('NOT_FOUND');
      return shown;
    },
  };
}
export type HashChainService = ReturnType<typeof createHashChainService>;

/** Uses ranges instead of patterns: indexes serve them, and no character needs escaping. */
function toPrefixFilter(search: string): object {
  const range = { $gte: search, $lt: search + BEYOND };
  return HEX.test(search)
    ? { $or: [{ traceId: range }, { chainHash: range }] }
    : { traceId: range };
}

/** No trace id begins with more than `SHORT` hex digits. */
function isHash(search: string): boolean {
  return search.length > SHORT && HEX.test(search);
}
