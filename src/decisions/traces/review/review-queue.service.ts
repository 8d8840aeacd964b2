// The review queue: the decisions that policies held for a person, as reviewers see them (document 2, section 4.3).
import { listStoredAgentNames } from '../../../identity/agents/agent-resolver.service.ts';
import type { Context } from '../../../platform/context.ts';
import { loadReadScrubber } from '../scrubbing/read-scrubbers.service.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import { computeCountLimit, findOr404, READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import type { TraceFilter } from '../stored-traces.ts';
import { readTracePage } from '../trace-pages.ts';
import { REVIEW_STATUSES, type TraceDocument } from '../traces.model.ts';
import { toTraceView, type TraceView, VIEW_MEMBERS } from '../traces.view.ts';
import { toCallerWaitsFilter } from '../../../domain/review/caller-waits.ts';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import { loadProgress, toApprovedItem } from './approvals/approvals.service.ts';
import { type HeldDecision, isHeld, toItemFilter, toItemNameFilter } from './held.ts';
import { listDueSequences } from './review-order.ts';
import { LIST_MAX, type ReviewQuery } from './review.schemas.ts';
import {
  type ListedReview,
  type ReviewItemView,
  toListedReview,
  toReviewView,
} from './review.view.ts';
import { loadVerdicts } from './review-verdicts.service.ts';
import { openSelfReviewCheck } from './self-review/self-review.service.ts';

export interface ReviewList {
  items: ListedReview[];
  /** Of all that the filters find, before and after these. */
  total: number;
  truncated: boolean;
  nextCursor: string | null;
}

/**
 * The items that filters and cursor find, up to `limit`, in the order of `sort`.
 * @throws AppError `VALIDATION_ERROR`
 */
export async function listReviews(ctx: Context, query: ReviewQuery): Promise<ReviewList> {
  if (query.sort === 'due' && query.status !== 'pending')
    throw new AppError('VALIDATION_ERROR', 'sort: only what is pending is due');
  const where = await buildFilter(ctx, query);
  const [{ page, hasMore }, total] = await Promise.all([
    query.sort === 'due' ? readDuePage(ctx, where, query) : readNewestPage(ctx, where, query),
    ctx.platform.models.traces
      .countDocuments(where)
      .limit(computeCountLimit({ skip: 0, limit: LIST_MAX }))
      .maxTimeMS(READ_MAX_MS),
  ]);
  const held = page.filter(isHeld);
  const partsOf = await loadParts(ctx, held);
  const items = held.map((item) => toListedReview(item, partsOf(item)));
  const last = page.at(-1)?.hashChain.sequence;
  const nextCursor = hasMore && last !== undefined ? String(last) : null;
  return { items, total, truncated: hasMore, nextCursor };
}

/** The item of this id, or of the decision of this `traceId`. @throws AppError `NOT_FOUND` */
export async function findReview(ctx: Context, name: string): Promise<ListedReview> {
  const { held, parts } = await loadHeld(ctx, toItemNameFilter(name));
  return toListedReview(held, parts);
}

/** @throws AppError `NOT_FOUND` */
export async function loadReview(ctx: Context, id: string): Promise<ReviewItemView> {
  const { held, parts } = await loadHeld(ctx, toItemFilter([id]));
  return toReviewView(held, parts);
}

const isDecided = ({ held }: HeldDecision): boolean => held.item.status !== 'pending';

async function loadDecidedVerdicts(
  platform: Platform,
  organizationId: string,
  items: readonly HeldDecision[],
) {
  const traceIds = items.filter(isDecided).map(({ traceId }) => traceId);
  return loadVerdicts(platform, organizationId, traceIds);
}

/** What keeps the reader from deciding those that are pending. */
async function findSelfReviews(ctx: Context, items: readonly HeldDecision[]) {
  const pending = items.filter((item) => !isDecided(item));
  return openSelfReviewCheck(ctx)(pending.map(toApprovedItem));
}

/** Loads what is shown of items besides their decisions. */
async function loadParts(ctx: Context, held: readonly HeldDecision[]) {
  const { platform, tenant } = ctx;
  const [found, selfReviews, progress] = await Promise.all([
    loadDecidedVerdicts(platform, tenant.organizationId, held),
    findSelfReviews(ctx, held),
    loadProgress(ctx, held.map(toApprovedItem)),
  ]);
  const now = platform.clock.now();
  return ({ traceId }: HeldDecision) => ({
    verdict: found.get(traceId),
    selfReview: selfReviews.get(traceId),
    progress: progress.get(traceId),
    now,
  });
}

async function buildFilter(ctx: Context, query: ReviewQuery): Promise<TraceFilter> {
  const { tenant } = ctx;
  const { status, assignedTo, group } = query;
  const { $and: agentsOf = [], ...visible } = createVisibilityFilter(tenant);
  const $and = [...agentsOf, ...(await listConditions(ctx, query))];
  return {
    ...visible,
    organizationId: tenant.organizationId,
    'review.status': status ?? { $in: REVIEW_STATUSES },
    ...(assignedTo !== undefined && {
      'review.assignedTo': resolveAssignee(tenant, assignedTo),
    }),
    ...(group !== undefined && { alike: group }),
    ...($and.length > 0 && { $and }),
  };
}

/** Conditions that an item meets besides. */
async function listConditions(
  { platform, tenant: { organizationId } }: Context,
  { agentId, overdue, claimed, callerWaits }: ReviewQuery,
): Promise<object[]> {
  const now = platform.clock.now();
  const late = { 'review.status': 'pending', 'review.slaDeadline': { $lt: now } };
  const conditions = [
    agentId !== undefined && {
      agentId: { $in: await listStoredAgentNames(platform, organizationId, agentId) },
    },
    overdue !== undefined && (overdue ? late : { $nor: [late] }),
    claimed !== undefined && toClaimedFilter(claimed),
    callerWaits !== undefined && toCallerWaitsFilter(callerWaits, now),
  ];
  return conditions.filter((condition) => condition !== false);
}

/** @throws AppError `NOT_FOUND` */
async function loadHeld(ctx: Context, which: object) {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const where = { ...createVisibilityFilter(tenant), organizationId, ...which };
  const query = platform.models.traces.findOne(where, VIEW_MEMBERS).lean<TraceDocument>();
  const trace = await platform.contents.decryptOne(organizationId, await findOr404(query));
  const scrubberOf = await loadReadScrubber(platform, organizationId);
  // A decision that is found by its review item is held.
  const held = (await toTraceView(trace, scrubberOf(trace))) as HeldDecision;
  const partsOf = await loadParts(ctx, [held]);
  return { held, parts: partsOf(held) };
}

/** Sequences in the order in which they are taken, one more than are shown. */
async function readDuePage(ctx: Context, where: TraceFilter, query: ReviewQuery) {
  const { cursor, limit = LIST_MAX } = query;
  const found = await listDueSequences(ctx.platform.models, where, { cursor, limit: limit + 1 });
  const shown = found.slice(0, limit);
  const inPage = { ...where, sequence: { $in: shown } };
  const page = await readViews(ctx, inPage, { limit, sort: { sequence: 1 } });
  return { page: putInOrder(page, shown), hasMore: found.length > limit };
}

async function readNewestPage(ctx: Context, where: TraceFilter, query: ReviewQuery) {
  const { cursor, limit = LIST_MAX } = query;
  const after = cursor === undefined ? {} : { sequence: toSequencesBefore(cursor) };
  const page = await readViews(ctx, { ...where, ...after }, { limit });
  const last = page.at(-1)?.hashChain.sequence;
  if (last === undefined || page.length < limit) return { page, hasMore: false };
  const more = await ctx.platform.models.traces
    .exists({ ...where, sequence: toSequencesBefore(last) })
    .maxTimeMS(READ_MAX_MS);
  return { page, hasMore: more !== null };
}

async function readViews(
  { platform, tenant: { organizationId, signal } }: Context,
  where: TraceFilter,
  { limit, ...sorted }: { limit: number; sort?: { sequence: 1 } },
): Promise<TraceView[]> {
  const scrubberOf = await loadReadScrubber(platform, organizationId);
  const page = { skip: 0, limit };
  return readTracePage(platform, where, { page, scrubberOf, signal, ...sorted });
}

function putInOrder(page: readonly TraceView[], sequences: readonly number[]): TraceView[] {
  const bySequence = new Map(page.map((trace) => [trace.hashChain.sequence, trace]));
  return sequences.flatMap((sequence) => bySequence.get(sequence) ?? []);
}

/** Of approvals alone, as the index `review-claimed` is. */
const toClaimedFilter = (claimed: boolean): object => ({
  'review.status': 'approved',
  'execution.state': claimed ? { $ne: null } : null,
});

/** Newest first: what comes after an item was sealed before it. */
const toSequencesBefore = (sequence: number): object => ({ $gt: 0, $lt: sequence });

/** Null: assigned to no one. @throws AppError `VALIDATION_ERROR` */
function resolveAssignee({ actor }: Tenant, named: string): object | null {
  if (named === 'none') return null;
  if (named !== 'me') return toObjectId(named);
  if (actor.kind !== 'user' || actor.id === null)
    throw new AppError('VALIDATION_ERROR', 'assignedTo: `me` is a signed-in member, not a key');
  return toObjectId(actor.id);
}
