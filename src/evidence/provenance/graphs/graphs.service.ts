// Provenance graphs of decisions: scrubbed as for readers, with digests in place of payloads (document 3, section 4.6).
import {
  listMatchedPolicies,
  findDecision,
} from '../../../decisions/traces/decision-lookup.service.ts';
import type { Platform } from '../../../platform/platform.ts';
import {
  type GraphType,
  negotiateGraphType,
  serializeGraph,
} from '../../../domain/provenance/prov-o/serialise.ts';
import {
  type Provenance,
  type Review,
  createTriples,
} from '../../../domain/provenance/prov-o/triples.ts';
import { groupBy } from '../../../domain/group-by.ts';
import type { ReviewPayload } from '../../../domain/record/payload.ts';
import { findReviewEnd } from '../../../domain/review/review-end.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import { loadTrace, listTraces } from '../../../decisions/traces/traces.service.ts';
import type { Context } from '../../../platform/context.ts';

type TraceView = Awaited<ReturnType<typeof listTraces>>['items'][number];

interface Graph {
  type: GraphType;
  body: string;
}

/** The ledger entry of a review verdict. */
interface ReviewEntry {
  traceId: string;
  sequence: number;
  createdAt: Date;
  /** The canonical payload. */
  view: string;
}

/** The graph of one decision. @throws AppError `NOT_FOUND` */
export async function buildTraceGraph(
  ctx: Context,
  traceId: string,
  accept: string | undefined,
): Promise<Graph> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const { _id } = await findOr404(findDecision(platform, { organizationId }, traceId));
  return buildGraph(ctx, [await loadTrace(ctx, _id.toHexString())], accept);
}

/** The graph of the newest decisions; those beyond the payload budget of a page have no digests. */
export async function buildRecentGraph(
  ctx: Context,
  limit: number,
  accept: string | undefined,
): Promise<Graph> {
  const { items } = await listTraces(ctx, {}, { skip: 0, limit });
  return buildGraph(ctx, items, accept);
}

async function loadReviews(
  { models }: Platform,
  organizationId: string,
  traceIds: string[],
): Promise<ReviewEntry[]> {
  const where = { organizationId, traceId: { $in: traceIds }, kind: 'review' } as const;
  const found = models.ledger.find(where, 'traceId sequence createdAt view');
  return found.sort({ sequence: 1 }).lean<ReviewEntry[]>();
}

async function buildGraph(
  { platform, tenant: { organizationId } }: Context,
  decisions: readonly TraceView[],
  accept: string | undefined,
): Promise<Graph> {
  const traceIds = decisions.map(({ traceId }) => traceId);
  const reviews = groupBy(
    await loadReviews(platform, organizationId, traceIds),
    ({ traceId }) => traceId,
  );
  const policies = await listMatchedPolicies(platform, organizationId, traceIds);
  const facts = decisions.map((decision): Provenance => ({
    organizationId,
    traceId: decision.traceId,
    agentId: decision.agentId,
    agentName: decision.agentName,
    agentVersion: decision.agentVersion,
    status: decision.status,
    timestamp: decision.timestamp,
    createdAt: decision.createdAt,
    hashChain: decision.hashChain,
    inputContext: decision.inputContext,
    outputDecision: decision.outputDecision,
    policyIds: policies.get(decision.traceId) ?? [],
    reviews: (reviews.get(decision.traceId) ?? []).flatMap(toReview),
  }));
  const type = negotiateGraphType(accept);
  return { type, body: await serializeGraph(createTriples(facts), type) };
}

/** A withdrawal is no review. */
function toReview({ sequence, createdAt, view }: ReviewEntry): Review[] {
  const payload = JSON.parse(view) as ReviewPayload;
  if (findReviewEnd(payload) === 'withdrawn') return [];
  const { actor, decision } = payload;
  return [{ sequence, userId: actor.kind === 'user' ? actor.id : null, decision, at: createdAt }];
}
