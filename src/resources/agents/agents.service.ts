// Agents: their definition, their key, and what ingestion needs to know of them (document 1, section 4.3).
import type { z } from 'zod';
import type { Tenant } from '../../domain/tenant.ts';
import { AppError } from '../../errors.ts';
import type { Cache } from '../../infra/cache.ts';
import type { Clock } from '../../infra/clock.ts';
import type { Models } from '../../models.ts';
import type { AgentActivityDocument } from './agent-activity.model.ts';
import { DEFAULT_AGENT_POLICIES, type AgentDocument, type AgentPolicies } from './agents.model.ts';
import type { agentChange, agentInput, agentPoliciesChange } from './agents.schemas.ts';

/** A registered agent as ingestion sees it. */
export interface KnownAgent {
  agentId: string;
  name: string;
  workspaceId: string;
  policies: AgentPolicies;
}

interface Deps {
  models: Models;
  /** By what a decision calls its agent; `agent` is null for a text that names none. */
  known: Cache<{ agent: KnownAgent | null }>;
  clock: Clock;
  randomHex: (bytes: number) => string;
  hashKey: (raw: string) => string;
  onAgentsChanged: (organizationId: string) => void;
}

const SHOWN_DIGITS = 8;
const ID = /^[0-9a-f]{24}$/i;
const UNSEEN = { status: 'healthy', lastActive: null } as const;

export function createAgentService({ models, known, clock, randomHex, hashKey, onAgentsChanged }: Deps) {
  async function withActivity(organizationId: string, agents: readonly AgentDocument[]) {
    const found = await models.agentActivity
      .find({ organizationId, _id: { $in: agents.map(({ _id }) => _id) } }, 'status lastActive')
      .lean<AgentActivityDocument[]>();
    const byId = new Map(found.map(({ _id, status, lastActive }) => [_id.toHexString(), { status, lastActive }]));
    return agents.map((agent) => ({ ...agent, id: agent._id, ...(byId.get(agent._id.toHexString()) ?? UNSEEN) }));
  }

  async function shown(organizationId: string, agent: AgentDocument | null) {
    const [view] = agent ? await withActivity(organizationId, [agent]) : [];
    if (!view) throw new AppError('NOT_FOUND');
    return view;
  }

  function newKey() {
    const apiKey = `svc_agent_${randomHex(24)}`;
    return { apiKey, stored: { apiKeyHash: hashKey(apiKey), apiKeyPrefix: apiKey.slice(-SHOWN_DIGITS) } };
  }

  async function change(organizationId: string, id: string, changes: Record<string, unknown>) {
    const changed = await models.agents
      .findOneAndUpdate({ _id: id, organizationId, deletedAt: null }, { $set: changes }, { returnDocument: 'after' })
      .lean<AgentDocument>();
    if (changed) onAgentsChanged(organizationId);
    return shown(organizationId, changed);
  }

  /** The filter of what the tenant may see: its workspace, and its key's agents. */
  function visible({ organizationId, workspaceId, agentIds }: Tenant) {
    return {
      organizationId,
      deletedAt: null,
      ...(workspaceId !== null && { workspaceId }),
      ...(agentIds !== null && { _id: { $in: agentIds } }),
    };
  }

  async function visibleAgent(tenant: Tenant, id: string): Promise<AgentDocument> {
    const agent = await models.agents
      .findOne({ $and: [visible(tenant), { _id: id }], organizationId: tenant.organizationId })
      .lean<AgentDocument>();
    if (!agent) throw new AppError('NOT_FOUND');
    return agent;
  }

  async function find(organizationId: string, named: string): Promise<KnownAgent | null> {
    const byId = ID.test(named)
      ? await models.agents.findOne({ organizationId, _id: named, deletedAt: null }).lean<AgentDocument>()
      : null;
    const agent =
      byId ??
      (await models.agents
        .findOne({ organizationId, apiKeyAgentScope: named, deletedAt: null })
        .sort({ createdAt: -1, _id: -1 })
        .lean<AgentDocument>());
    return (
      agent && {
        agentId: agent._id.toHexString(),
        name: agent.name,
        workspaceId: agent.workspaceId.toHexString(),
        policies: agent.policies,
      }
    );
  }

  const service = {
    async list(tenant: Tenant, page: { skip: number; limit: number }) {
      const where = visible(tenant);
      const [agents, total] = await Promise.all([
        models.agents
          .find(where)
          .sort({ createdAt: -1, _id: -1 })
          .skip(page.skip)
          .limit(page.limit)
          .lean<AgentDocument[]>(),
        models.agents.countDocuments(where),
      ]);
      return { items: await withActivity(tenant.organizationId, agents), total };
    },

    /** @throws AppError `NOT_FOUND` */
    get: async (tenant: Tenant, id: string) => shown(tenant.organizationId, await visibleAgent(tenant, id)),

    /** The raw key is in this answer only. */
    async create(tenant: Tenant, { name, description, onboarding }: z.output<typeof agentInput>) {
      const { organizationId, workspaceId, defaultWorkspaceId, actor } = tenant;
      const { apiKey, stored } = newKey();
      const onboardingProgress = onboarding ? { currentStep: 1 } : null;
      const agent = new models.agents({
        organizationId,
        workspaceId: workspaceId ?? defaultWorkspaceId,
        name,
        description,
        ...stored,
        apiKeyAgentScope: name,
        policies: DEFAULT_AGENT_POLICIES,
        onboardingProgress,
        createdBy: actor.id,
      });
      await agent.save();
      onAgentsChanged(organizationId);
      return { ...(await shown(organizationId, agent.toObject<AgentDocument>())), apiKey };
    },

    /** @throws AppError `NOT_FOUND` */
    async update({ organizationId }: Tenant, id: string, { name, description }: z.output<typeof agentChange>) {
      return change(organizationId, id, {
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
      });
    },

    /** Omitted members keep their value. @throws AppError `NOT_FOUND` */
    async updatePolicies({ organizationId }: Tenant, id: string, policies: z.output<typeof agentPoliciesChange>) {
      const given = Object.entries(policies).filter(([, value]) => value !== undefined);
      return change(organizationId, id, Object.fromEntries(given.map(([name, value]) => [`policies.${name}`, value])));
    },

    /** Soft: its decisions stay. Its key is void at once. @throws AppError `NOT_FOUND` */
    async remove({ organizationId }: Tenant, id: string) {
      const { _id } = await change(organizationId, id, { deletedAt: clock.now() });
      return { _id, id: _id, deleted: true as const };
    },

    /** The old key is void at once; the new one is in this answer only. @throws AppError `NOT_FOUND` */
    async regenerateKey({ organizationId }: Tenant, id: string) {
      const { apiKey, stored } = newKey();
      const agent = await models.agents
        .findOne({ _id: id, organizationId, deletedAt: null }, 'name')
        .lean<AgentDocument>();
      if (!agent) throw new AppError('NOT_FOUND');
      return { ...(await change(organizationId, id, { ...stored, apiKeyAgentScope: agent.name })), apiKey };
    },

    /** Versions in order of first appearance. @throws AppError `NOT_FOUND` */
    async versions(tenant: Tenant, id: string) {
      const { _id } = await visibleAgent(tenant, id);
      const activity = await models.agentActivity
        .findOne({ _id, organizationId: tenant.organizationId })
        .lean<AgentActivityDocument>();
      return activity?.versions ?? [];
    },

    /** Lifetime counts by the verdict at ingestion. @throws AppError `NOT_FOUND` */
    async analytics(tenant: Tenant, id: string) {
      const { _id } = await visibleAgent(tenant, id);
      const activity = await models.agentActivity
        .findOne({ _id, organizationId: tenant.organizationId })
        .lean<AgentActivityDocument>();
      const { approved, flagged, blocked } = activity?.verdicts ?? { approved: 0, flagged: 0, blocked: 0 };
      return { totalTraces: approved + flagged + blocked, blocked, flagged, approved };
    },

    /** The agent that a decision names: by id, then by the name its key was made under; else null. */
    async resolve(organizationId: string, named: string): Promise<KnownAgent | null> {
      const found = await known.get(`${organizationId}/${named}`, async () => ({
        organizationId,
        value: { agent: await find(organizationId, named) },
      }));
      return found?.agent ?? null;
    },

    /** The agent's own ingestion limit; null: none. */
    async requestsPerMinute({ organizationId }: Tenant, agentId: string): Promise<number | null> {
      const agent = await service.resolve(organizationId, agentId);
      return agent?.policies.maxRequestsPerMinute ?? null;
    },
  };
  return service;
}
export type AgentService = ReturnType<typeof createAgentService>;
