// Memory search: finds the decisions whose texts are closest in meaning to the query (document 2, section 4.1).
import type { Context } from '../../../platform/context.ts';
import { loadReadScrubber } from '../scrubbing/read-scrubbers.service.ts';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import type { Neighbour } from '../../../domain/nearest/nearest.ts';
import { AppError } from '../../../errors.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import { readTracePage } from '../trace-pages.ts';
import type { ReviewItem } from '../traces.model.ts';
import type { TraceView } from '../traces.view.ts';
import { openMemoryIndex, ensureIndexing, measureVectorLag } from './memory-indexing.service.ts';
import type { MemoryQuery, MemoryAnswer } from './memory.schemas.ts';
import { extractTexts } from './trace-texts.ts';

export interface MemoryResult {
  traceId: string;
  _id: TraceView['_id'];
  score: number;
  matchedText: string | null;
  verdict: ShownVerdict | null;
  trace: TraceView;
}

/** What a person decided in the review of a held decision. */
interface ShownVerdict {
  decision: 'approve' | 'reject';
  decidedAt: Date;
  decidedBy: string;
}

/** Extra neighbours requested, since some may have been deleted a moment ago. */
const SPARE = 100;
/** Neighbours among which judged ones are looked for. */
const JUDGED_AMONG = 2000;
const JUDGED = {
  'review.status': { $in: ['approved', 'rejected'] as ReviewItem['status'][] },
  'review.decidedBy': { $ne: null },
};

/** Best first, among indexed decisions. @throws AppError `SERVICE_UNAVAILABLE` if a remote model does not answer */
export async function searchMemory(ctx: Context, memoryQuery: MemoryQuery): Promise<MemoryAnswer> {
  const { platform, tenant } = ctx;
  const { query, topK, minScore, judged } = memoryQuery;
  await ensureIndexing(platform, tenant.organizationId);
  const behind = await measureVectorLag(platform, tenant.organizationId);
  const near = await findNeighbours(ctx, memoryQuery);
  const best = await selectVisible(ctx, near, memoryQuery);
  const traces = best.length === 0 ? [] : await readTraces(ctx, best);
  const bySequence = new Map(traces.map((trace) => [trace.hashChain.sequence, trace]));
  const results = best.flatMap((one) => toResults(one, bySequence.get(one.id)));
  return { query, topK, minScore, judged, model: openMemoryIndex(platform).model, behind, results };
}

function findNeighbours(
  { platform, tenant: { organizationId, workspaceId } }: Context,
  { query, topK, minScore, judged }: MemoryQuery,
): Promise<readonly Neighbour[]> {
  const limit = judged ? JUDGED_AMONG : topK + SPARE;
  return openMemoryIndex(platform)
    .find({ organizationId, workspaceId, query, limit, minScore })
    .catch((cause: unknown) => {
      throw new AppError('SERVICE_UNAVAILABLE', 'The memory search does not answer', { cause });
    });
}

/** The best `topK` neighbours that are visible to the tenant. */
async function selectVisible(
  { platform, tenant }: Context,
  found: readonly Neighbour[],
  { topK, judged }: MemoryQuery,
): Promise<Neighbour[]> {
  const { organizationId } = tenant;
  const sequence = { $in: found.map(({ id }) => id) };
  const seen = await platform.models.traces
    .find(
      {
        ...createVisibilityFilter(tenant),
        ...(judged ? JUDGED : {}),
        organizationId,
        kind: 'trace',
        sequence,
      },
      'sequence',
    )
    .maxTimeMS(READ_MAX_MS)
    .lean<{ sequence: number }[]>();
  const sequences = new Set(seen.map((one) => one.sequence));
  return found.filter(({ id }) => sequences.has(id)).slice(0, topK);
}

/** Reads the decisions in no particular order, with payloads up to the size budget of a page. */
async function readTraces(
  { platform, tenant }: Context,
  best: readonly Neighbour[],
): Promise<TraceView[]> {
  const { organizationId, signal } = tenant;
  const sequence = { $in: best.map(({ id }) => id) };
  const scrubberOf = await loadReadScrubber(platform, organizationId);
  const page = { skip: 0, limit: best.length };
  const where = { ...createVisibilityFilter(tenant), organizationId, kind: 'trace', sequence };
  return readTracePage(platform, where, { page, scrubberOf, signal });
}

/** Empty if the decision was deleted in the meantime. */
function toResults({ score, part }: Neighbour, trace: TraceView | undefined): MemoryResult[] {
  if (!trace) return [];
  const { traceId, _id } = trace;
  const matchedText = trace.payloadOmitted ? null : (extractTexts(trace)[part] ?? null);
  return [
    { traceId, _id, score: Math.min(1, score), matchedText, verdict: toVerdict(trace), trace },
  ];
}

const DECISIONS: Readonly<Partial<Record<ReviewItem['status'], ShownVerdict['decision']>>> = {
  approved: 'approve',
  rejected: 'reject',
};

/** Null if the service decided, or nothing did. */
function toVerdict({ held }: TraceView): ShownVerdict | null {
  const { status, decidedAt, decidedBy } = held?.item ?? {};
  const decision = status && DECISIONS[status];
  return decision && decidedAt && decidedBy ? { decision, decidedAt, decidedBy } : null;
}
