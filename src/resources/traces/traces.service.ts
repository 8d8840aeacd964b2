// Decisions: list and read (document 2, section 4.1). Changing them is `bulk.service.ts`, recording them `ingestion.service.ts`.
import { LRUCache } from 'lru-cache';
import { createScrubber, type Scrubber } from '../../domain/scrub/scrubber.ts';
import type { Tenant } from '../../domain/tenant.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../infra/clock.ts';
import type { Appender } from '../../ledger/entry.ts';
import type { Models } from '../../models.ts';
import type { AgentService } from '../agents/agents.service.ts';
import type { TraceDocument } from './traces.model.ts';
import type { TraceQuery } from './traces.schemas.ts';
import { shownTrace } from './traces.view.ts';

interface Deps {
  models: Models;
  ledger: Appender;
  agents: AgentService;
  clock: Clock;
}

interface Counted {
  total: number;
  head: number;
  at: number;
}

/** What a list needs; the view and the links of the chain stay in the database. */
const LISTED = {
  view: 0,
  prevHash: 0,
  payloadDigest: 0,
  idempotencyKey: 0,
  usage: 0,
  'sealed.evaluation': 0,
  'sealed.origin': 0,
  'sealed.submitted': 0,
} as const;
const COUNTS_KEPT = 1000;
/** While a chain grows, a total may be this old; while it stands still, it is exact. */
const COUNT_AGE_MS = 1000;

export function createTraceService({ models, ledger, agents, clock }: Deps) {
  const counts = new LRUCache<string, Counted>({ max: COUNTS_KEPT });
  const current = {
    on: createScrubber({ nationalIds: true, extended: true }),
    off: createScrubber({ nationalIds: true, extended: false }),
  };

  /** The scrubber to read with: none when the stored text was scrubbed by rules in force. */
  function scrubberFor(rulesVersion: string): Scrubber | null {
    const inForce = rulesVersion.split('.')[0] === current.on.version.split('.')[0];
    if (inForce) return null;
    return rulesVersion.includes('extended-off') ? current.off : current.on;
  }

  async function totalOf(organizationId: string, where: Record<string, unknown>): Promise<number> {
    const key = JSON.stringify(where);
    const head = (await ledger.head(organizationId))?.sequence ?? 0;
    const now = clock.now().getTime();
    const known = counts.get(key);
    if (known && (known.head === head || now - known.at < COUNT_AGE_MS)) return known.total;
    const total = await models.traces.countDocuments({ ...where, organizationId });
    counts.set(key, { total, head, at: now });
    return total;
  }

  async function filterOf(
    { organizationId, workspaceId, agentIds }: Tenant,
    query: TraceQuery,
  ): Promise<Record<string, unknown>> {
    const { status, agentId, humanOverride, minConfidence, maxConfidence, dateFrom, dateTo, search } = query;
    const agent =
      agentId === undefined ? undefined : ((await agents.resolve(organizationId, agentId))?.agentId ?? agentId);
    return {
      organizationId,
      deletedAt: null,
      ...(workspaceId !== null && { workspaceId }),
      ...(agent !== undefined && { agentId: agent }),
      ...(agentIds !== null && { $and: [{ agentId: { $in: agentIds } }] }),
      ...(status !== undefined && { status }),
      ...(humanOverride !== undefined && { humanOverride }),
      ...between('confidenceScore', minConfidence, maxConfidence),
      ...between('timestamp', dateFrom, dateTo),
      ...(search !== undefined && { $text: { $search: search } }),
    };
  }

  return {
    /** Newest first. */
    async list(tenant: Tenant, query: TraceQuery, page: { skip: number; limit: number }) {
      const { organizationId } = tenant;
      const where = await filterOf(tenant, query);
      const [traces, total] = await Promise.all([
        models.traces
          .find({ ...where, organizationId }, LISTED)
          .sort({ sequence: -1 })
          .skip(page.skip)
          .limit(page.limit)
          .lean<TraceDocument[]>(),
        totalOf(organizationId, where),
      ]);
      return { items: traces.map((trace) => shownTrace(trace, scrubberFor)), total };
    },

    /** By its object id. @throws AppError `NOT_FOUND` */
    async get(tenant: Tenant, id: string) {
      const where = await filterOf(tenant, {});
      const trace = await models.traces
        .findOne({ ...where, organizationId: tenant.organizationId, _id: id })
        .lean<TraceDocument>();
      if (!trace) throw new AppError('NOT_FOUND');
      return shownTrace(trace, scrubberFor);
    },
  };
}
export type TraceService = ReturnType<typeof createTraceService>;

function between<T>(field: string, least: T | undefined, most: T | undefined): Record<string, object> {
  if (least === undefined && most === undefined) return {};
  return { [field]: { ...(least !== undefined && { $gte: least }), ...(most !== undefined && { $lte: most }) } };
}
