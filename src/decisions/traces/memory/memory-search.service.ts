// Memory search: finds the decisions whose texts are closest in meaning to the query (document 2, section 4.1).
import { loadReadScrubber } from '../scrubbing/read-scrubbers.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import type { Neighbour } from '../../../domain/nearest/nearest.ts';
import { AppError } from '../../../errors.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import { readTracePage } from '../trace-pages.ts';
import type { ReviewItem } from '../traces.model.ts';
import type { TraceView } from '../traces.view.ts';
import type { MemoryIndex } from './memory-index.ts';
import type { MemoryIndexing } from './memory-indexing.service.ts';
import type { MemoryQuery, MemoryAnswer } from './memory.schemas.ts';
import { extractTexts } from './trace-texts.ts';

interface Deps {
  memory: MemoryIndex;
  indexing: MemoryIndexing;
}

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

export function createMemorySearchService(platform: Platform, deps: Deps) {
  const { models } = platform;
  const { memory, indexing } = deps;

  function findNeighbours(
    { organizationId, workspaceId }: Tenant,
    { query, topK, minScore, judged }: MemoryQuery,
  ): Promise<readonly Neighbour[]> {
    const limit = judged ? JUDGED_AMONG : topK + SPARE;
    return memory
      .find({ organizationId, workspaceId, query, limit, minScore })
      .catch((cause: unknown) => {
        throw new AppError('SERVICE_UNAVAILABLE', 'The memory search does not answer', { cause });
      });
  }

  /** The best `topK` neighbours that are visible to the tenant. */
  async function selectVisible(
    tenant: Tenant,
    found: readonly Neighbour[],
    { topK, judged }: MemoryQuery,
  ): Promise<Neighbour[]> {
    const { organizationId } = tenant;
    const sequence = { $in: found.map(({ id }) => id) };
    const seen = await models.traces
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
  async function readTraces(tenant: Tenant, best: readonly Neighbour[]): Promise<TraceView[]> {
    const { organizationId, signal } = tenant;
    const sequence = { $in: best.map(({ id }) => id) };
    const scrubberOf = await loadReadScrubber(platform, organizationId);
    const page = { skip: 0, limit: best.length };
    const where = { ...createVisibilityFilter(tenant), organizationId, kind: 'trace', sequence };
    return readTracePage(platform, where, { page, scrubberOf, signal });
  }

  return {
    /** Best first, among indexed decisions. @throws AppError `SERVICE_UNAVAILABLE` if a remote model does not answer */
    async search(tenant: Tenant, memoryQuery: MemoryQuery): Promise<MemoryAnswer> {
      const { query, topK, minScore, judged } = memoryQuery;
      await indexing.ensureIndexing(tenant.organizationId);
      const behind = await indexing.measureLag(tenant.organizationId);
      const near = await findNeighbours(tenant, memoryQuery);
      const best = await selectVisible(tenant, near, memoryQuery);
      const traces = best.length === 0 ? [] : await readTraces(tenant, best);
      const bySequence = new Map(traces.map((trace) => [trace.hashChain.sequence, trace]));
      const results = best.flatMap((one) => toResults(one, bySequence.get(one.id)));
      return { query, topK, minScore, judged, model: memory.model, behind, results };
    },
  };
}
export type MemorySearchService = ReturnType<typeof createMemorySearchService>;

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
