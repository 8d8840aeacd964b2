// Decisions: list and read (document 2, section 4.1). Changing them is `bulk.service.ts`, recording them `ingestion.service.ts`.
import type { Platform } from '../../composition/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import type { AgentResolver } from '../agents/agent-resolver.service.ts';
import type { OrganizationService } from '../organization/organization.service.ts';
import type { Scrubbers } from './ingestion/scrubbers.ts';
import type { TraceCounts } from './trace-counts.ts';
import type { TraceDocument } from './traces.model.ts';
import type { TraceQuery } from './traces.schemas.ts';
import { toTraceView, VIEW_MEMBERS } from './traces.view.ts';

type Deps = Pick<Platform, 'models'> & {
  counts: TraceCounts;
  agents: AgentResolver;
  organizations: OrganizationService;
  scrubbers: Scrubbers;
};

export function createTraceService({ models, counts, agents, organizations, scrubbers }: Deps) {
  async function shown(organizationId: string, traces: readonly TraceDocument[]) {
    const { scrubNationalIds } = await organizations.context(organizationId);
    return traces.map((trace) =>
      toTraceView(trace, scrubbers.forReading(trace.scrub.rulesVersion, scrubNationalIds)),
    );
  }

  /** What the tenant sees: its workspace, the agents of its key, nothing that was deleted. */
  function visible({ workspaceId, agentIds }: Tenant) {
    return {
      deletedAt: null,
      ...(workspaceId !== null && { workspaceId }),
      ...(agentIds !== null && { $and: [{ agentId: { $in: agentIds } }] }),
    };
  }

  /** An agent is asked for as a decision names it: by id, or by the text that is stored where no agent had that name. */
  async function agentFilter(organizationId: string, named: string) {
    const agent = await agents.resolve(organizationId, named);
    return { $in: agent && agent.agentId !== named ? [agent.agentId, named] : [named] };
  }

  async function filterOf(tenant: Tenant, query: TraceQuery) {
    const {
      status,
      agentId,
      humanOverride,
      minConfidence,
      maxConfidence,
      dateFrom,
      dateTo,
      search,
    } = query;
    return {
      ...visible(tenant),
      ...(agentId !== undefined && { agentId: await agentFilter(tenant.organizationId, agentId) }),
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
          .find({ ...where, organizationId }, VIEW_MEMBERS)
          .sort({ sequence: -1 })
          .skip(page.skip)
          .limit(page.limit)
          .lean<TraceDocument[]>(),
        counts.total(organizationId, where),
      ]);
      return { items: await shown(organizationId, traces), total };
    },

    /** By its object id. @throws AppError `NOT_FOUND` */
    async get(tenant: Tenant, id: string) {
      const { organizationId } = tenant;
      const found = await models.traces
        .find({ ...visible(tenant), organizationId, _id: id }, VIEW_MEMBERS)
        .lean<TraceDocument[]>();
      const [trace] = await shown(organizationId, found);
      if (!trace) throw new AppError('NOT_FOUND');
      return trace;
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
