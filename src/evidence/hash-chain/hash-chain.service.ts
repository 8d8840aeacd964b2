// Status and entries of an organisation's chain (document 2, section 4.5); verification and exports are other services.
import { LRUCache } from 'lru-cache';
import { perInstance } from '../../platform/per-instance.ts';
import type { Platform } from '../../platform/platform.ts';
import { AppError } from '../../errors.ts';
import { findFirstInChain, isSequence, NEWEST_MAX, SEQUENCES } from '../../ledger/chains.ts';
import type { LedgerEntryDocument } from '../../ledger/ledger.model.ts';
import { findOr404, READ_MAX_MS } from '../../platform/mongo/queries.ts';
import { describeAnchors, findAnchors } from '../log/tree/anchors.service.ts';
import { findProof } from '../log/tree/proofs.service.ts';
import type { ChainVerificationDocument } from './hash-chain.model.ts';
import { searchHashes } from './search/hash-search.service.ts';
import { toChainEntryView, toChainStatus } from './hash-chain.view.ts';
import { limitEntries } from '../../domain/entry-limit.ts';
import type { ChainEntryView, ChainStatus, DecisionEntries } from './hash-chain.schemas.ts';
import type { WorkContext, Context } from '../../platform/context.ts';

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

const openStatuses = perInstance(() => new LRUCache<string, CachedStatus>(limitEntries(CACHE_MAX)));

/** Drops the cached status, after the chain has grown or was verified on this instance. */
export function invalidateStatus(platform: Platform, organizationId: string): void {
  openStatuses(platform).delete(organizationId);
}

export async function describeStatus({
  platform,
  tenant: { organizationId },
}: WorkContext): Promise<ChainStatus> {
  const { head, verification, anchored } = await loadStatus(platform, organizationId);
  const latency = platform.ledger.appender.getLatency(organizationId);
  return toChainStatus({ head, verification, latency, anchored });
}

/** @throws AppError `NOT_FOUND` */
export async function loadDecisionEntries(ctx: Context, traceId: string): Promise<DecisionEntries> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const found = await platform.models.ledger
    .find({ organizationId, traceId, sequence: SEQUENCES }, ENTRY_MEMBERS)
    .hint('subject')
    .sort({ sequence: 1 })
    .lean<LedgerEntryDocument[]>();
  const [entry, ...related] = found.filter(({ sequence }) => isSequence(sequence));
  if (!entry) throw new AppError('NOT_FOUND');
  const proof = await findProof(ctx, entry.sequence);
  const [first, ...later] = await showEntries(ctx, [entry, ...related]);
  if (!first) throw new AppError('NOT_FOUND');
  return { entry: first, proof, related: later };
}

/** Newest first. */
export async function listEntries(
  ctx: Context,
  { limit, beforeSeq, search }: EntriesQuery,
): Promise<{ entries: ChainEntryView[]; hasMore: boolean }> {
  const found = await findNewestEntries(ctx, { limit: limit + 1, beforeSeq, search });
  const inChain = found.slice(0, limit).filter(({ sequence }) => isSequence(sequence));
  const entries = await showEntries(ctx, inChain);
  return { entries, hasMore: found.length > limit };
}

/** Loads an entry by its object id. @throws AppError `NOT_FOUND` */
export async function loadEntry(ctx: Context, id: string): Promise<ChainEntryView> {
  const where = { organizationId: ctx.tenant.organizationId, _id: id };
  const query = ctx.platform.models.ledger
    .findOne(where, ENTRY_MEMBERS)
    .lean<LedgerEntryDocument>();
  const found = await findOr404(query);
  if (!isSequence(found.sequence)) throw new AppError('NOT_FOUND');
  const [shown] = await showEntries(ctx, [found]);
  if (!shown) throw new AppError('NOT_FOUND');
  return shown;
}

async function loadStatus(platform: Platform, organizationId: string): Promise<CachedStatus> {
  const { models, clock } = platform;
  const statuses = openStatuses(platform);
  const at = clock.now().getTime();
  const cached = statuses.get(organizationId);
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
  statuses.set(organizationId, loaded);
  return loaded;
}

async function findNewestEntries(
  { platform, tenant: { organizationId } }: Context,
  { limit, beforeSeq: before = SEQUENCES.$lt, search = '' }: EntriesQuery,
): Promise<LedgerEntryDocument[]> {
  if (isHash(search))
    return searchHashes(platform, organizationId, {
      beginning: search,
      before,
      limit,
      members: ENTRY_MEMBERS,
    });
  const beginning = search === '' ? {} : toPrefixFilter(search);
  return platform.models.ledger
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
  ctx: Context,
  entries: readonly LedgerEntryDocument[],
): Promise<ChainEntryView[]> {
  const sequences = entries.map(({ sequence }) => sequence);
  const covering = await findAnchors(ctx, sequences);
  return entries.map((entry) => toChainEntryView(entry, covering.get(entry.sequence)));
}

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
