// Lists and reads decisions (document 2, section 4.1); `bulk.service.ts` changes, `ingestion.service.ts` records them.
import type { Context } from '../../platform/context.ts';
import { loadReadScrubber } from './scrubbing/read-scrubbers.service.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { AppError } from '../../errors.ts';
import { isSequence } from '../../ledger/chains.ts';
import { findOr404, type Listed } from '../../platform/mongo/queries.ts';
import { GUARDING_MEMBERS, type GuardingTrace, toGuardingTrace } from './guarding-trace.ts';
import { loadProgress, toApprovedItem } from './review/approvals/approvals.service.ts';
import { isHeld } from './review/held.ts';
import { noteAsk } from './review/callers/review-asks.service.ts';
import { toTraceReview, type TraceReview } from './review/review.view.ts';
import { loadVerdicts } from './review/review-verdicts.service.ts';
import { awaitVerdict } from './review/callers/review-waiting.service.ts';
import { isIndexQuery, measureWordLag } from './search/decision-search.service.ts';
import { buildListFilter } from './search/list-filter.service.ts';
import { countTraces } from './trace-counts.ts';
import { toNameFilter } from './trace-names.ts';
import { readTracePage, type ScrubberOf } from './trace-pages.ts';
import type { TraceDocument } from './traces.model.ts';
import type { TraceQuery } from './search/list-query.schemas.ts';
import { toTraceView, type TraceView, VIEW_MEMBERS } from './traces.view.ts';
import { createVisibilityFilter } from '../../domain/identity/visible-decisions.ts';

/** The filter of a query, and the scrubber of each decision that is shown. */
export interface TraceSelection {
  where: Readonly<Record<string, unknown>> & { organizationId: string };
  scrubberOf: ScrubberOf;
  signal: AbortSignal | undefined;
}

export interface TraceList extends Listed<TraceView> {
  /** Present if an index was asked: the number of newest entries that are not indexed yet. */
  search?: { behind: number };
}

export type { GuardingTrace } from './guarding-trace.ts';

/** Decisions that are opened at a time, each of up to some hundred kilobytes. */
const GUARDING_AT_A_TIME = 100;

/** A decision on its own, with its review. */
export type TraceDetails = TraceView & { review: TraceReview | null };

export async function selectTraces(ctx: Context, query: TraceQuery): Promise<TraceSelection> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const where = await buildListFilter(ctx, query);
  const scrubberOf = await loadReadScrubber(platform, organizationId);
  return { where, scrubberOf, signal: tenant.signal };
}

/** Newest first; on a page of large decisions some come without their payload. */
export async function listTraces(ctx: Context, query: TraceQuery, page: Page): Promise<TraceList> {
  const { platform, tenant } = ctx;
  const { where, scrubberOf, signal } = await selectTraces(ctx, query);
  const lag = isIndexQuery(query) ? measureWordLag(platform, tenant.organizationId) : null;
  const [items, total, behind] = await Promise.all([
    readTracePage(platform, where, { page, scrubberOf, signal }),
    countTraces(platform, where, page),
    lag,
  ]);
  return { items, total, ...(behind !== null && { search: { behind } }) };
}

/** Those of some decisions that the tenant sees, by `traceId`, with what became of them; also erased ones. */
export async function findGuardingTraces(
  { platform, tenant }: Context,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, GuardingTrace>> {
  if (traceIds.length === 0) return new Map();
  const { deletedAt: _, ...visible } = createVisibilityFilter(tenant);
  const { organizationId } = tenant;
  const guarding = new Map<string, GuardingTrace>();
  for (let from = 0; from < traceIds.length; from += GUARDING_AT_A_TIME) {
    const $in = traceIds.slice(from, from + GUARDING_AT_A_TIME);
    const found = await platform.models.traces
      .find({ ...visible, organizationId, traceId: { $in } }, GUARDING_MEMBERS)
      .lean<TraceDocument[]>();
    for (const trace of await platform.contents.decryptDocuments(organizationId, found))
      guarding.set(trace.traceId, toGuardingTrace(trace));
  }
  return guarding;
}

/** Loads a decision by its `traceId` or its object id. @throws AppError `NOT_FOUND` */
export const loadNamedTrace = (ctx: Context, name: string): Promise<TraceDetails> =>
  loadDetails(ctx, toNameFilter(name));

/**
 * Loads a decision by its `traceId` or its object id. `wait`: seconds to wait for a verdict.
 * @throws AppError `NOT_FOUND`, `SERVICE_UNAVAILABLE` (too many wait)
 */
export async function loadTrace(ctx: Context, id: string, wait = 0): Promise<TraceDetails> {
  const { platform, tenant } = ctx;
  const { organizationId, signal, waitAside } = tenant;
  const load = (): Promise<TraceDetails> => loadDetails(ctx, toNameFilter(id));
  const trace = await load();
  const { traceId, held } = trace;
  if (held && isKey(tenant))
    await noteAsk(platform, organizationId, { traceId, review: held.item });
  if (wait === 0 || trace.review?.status !== 'pending') return trace;
  const wanted = { organizationId, traceId, seconds: wait, signal };
  const awaitIt = (): Promise<void> => awaitVerdict(platform, wanted);
  await (waitAside ? waitAside(awaitIt) : awaitIt());
  return load();
}

async function loadDetails(ctx: Context, name: object): Promise<TraceDetails> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const where = { ...createVisibilityFilter(tenant), organizationId, ...name };
  const query = platform.models.traces.findOne(where, VIEW_MEMBERS).lean<TraceDocument>();
  const found = await findOr404(query);
  if (!isSequence(found.sequence)) throw new AppError('NOT_FOUND');
  const trace = await platform.contents.decryptOne(organizationId, found);
  const scrubberOf = await loadReadScrubber(platform, organizationId);
  const view = await toTraceView(trace, scrubberOf(trace));
  if (!isHeld(view)) return { ...view, review: null };
  const isDecided = view.held.item.status !== 'pending';
  const decided = await loadVerdicts(platform, organizationId, isDecided ? [view.traceId] : []);
  const verdict = decided.get(view.traceId);
  const progress = (await loadProgress(ctx, [toApprovedItem(view)])).get(view.traceId);
  return { ...view, review: toTraceReview(view, { verdict, progress }) };
}

const isKey = ({ actor }: Tenant): boolean => actor.kind.endsWith('Key');
