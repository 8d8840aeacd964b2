// Decisions: list and read (document 2, section 4.1). Changing them is `bulk.service.ts`, recording them `ingestion.service.ts`.
import type { Platform } from '../../composition/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { findOr404, type Listed } from '../../platform/mongo/queries.ts';
import type { AgentResolver } from '../agents/agent-resolver.service.ts';
import type { ReadScrubbers } from './read-scrubbers.ts';
import type { TraceCounts } from './trace-counts.ts';
import { readTracePage, type ScrubberOf } from './trace-pages.ts';
import type { TraceDocument } from './traces.model.ts';
import type { TraceQuery } from './traces.schemas.ts';
import { toTraceView, type TraceView, VIEW_MEMBERS } from './traces.view.ts';
import { visibleTo } from './visible.ts';

type Deps = Pick<Platform, 'models'> & {
  counts: TraceCounts;
  agents: AgentResolver;
  scrubbers: ReadScrubbers;
};

/** Which decisions a query means, and what each is scrubbed with when it is shown. */
export interface TraceSelection {
  where: Readonly<Record<string, unknown>> & { organizationId: string };
  scrubberOf: ScrubberOf;
}

export function createTraceService({ models, counts, agents, scrubbers }: Deps) {
  /** An agent is named as a decision names it: by id, or by the text that is stored where no agent had that name. */
  async function agentFilter(organizationId: string, named: string): Promise<object> {
    const agent = await agents.resolve(organizationId, named);
    return { $in: agent && agent.agentId !== named ? [agent.agentId, named] : [named] };
  }

  async function filterOf(tenant: Tenant, query: TraceQuery): Promise<Record<string, unknown>> {
    const { status, agentId, humanOverride, search } = query;
    return {
      ...visibleTo(tenant),
      ...(agentId !== undefined && { agentId: await agentFilter(tenant.organizationId, agentId) }),
      ...(status !== undefined && { status }),
      ...(humanOverride !== undefined && { humanOverride }),
      ...between('confidenceScore', query.minConfidence, query.maxConfidence),
      ...between('timestamp', query.dateFrom, query.dateTo),
      ...(search !== undefined && { $text: { $search: search } }),
    };
  }

  async function select(tenant: Tenant, query: TraceQuery): Promise<TraceSelection> {
    const { organizationId } = tenant;
    const where = { ...(await filterOf(tenant, query)), organizationId };
    return { where, scrubberOf: await scrubbers.readingFor(organizationId) };
  }

  return {
    select,

    /** Newest first; on a page of large decisions some come without their payload. */
    async list(tenant: Tenant, query: TraceQuery, page: Page): Promise<Listed<TraceView>> {
      const { where, scrubberOf } = await select(tenant, query);
      const [items, total] = await Promise.all([
        readTracePage(models, where, { page, scrubberOf }),
        counts.total(where, page),
      ]);
      return { items, total };
    },

    /** By its object id. @throws AppError `NOT_FOUND` */
    async get(tenant: Tenant, id: string): Promise<TraceView> {
      const { organizationId } = tenant;
      const where = { ...visibleTo(tenant), organizationId, _id: id };
      const trace = await findOr404(
        models.traces.findOne(where, VIEW_MEMBERS).lean<TraceDocument>(),
      );
      const scrubberOf = await scrubbers.readingFor(organizationId);
      return toTraceView(trace, scrubberOf(trace));
    },
  };
}
export type TraceService = ReturnType<typeof createTraceService>;

function between<T>(
  field: string,
  least: T | undefined,
  most: T | undefined,
): Record<string, object> {
  if (least === undefined && most === undefined) return {};
  return {
    [field]: {
      ...(least !== undefined && { $gte: least }),
      ...(most !== undefined && { $lte: most }),
    },
  };
}
