// Agents: their definition, their key, and what ingestion needs to know of them (document 1, section 4.3).
import type { z } from 'zod';
import type { Platform } from '../../composition/platform.ts';
import { type AgentPolicies, DEFAULT_AGENT_POLICIES } from '../../domain/agents/agent-policies.ts';
import { hashKey } from '../../domain/identity/key-hash.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { AppError } from '../../errors.ts';
import type { KeyService } from '../auth/keys/keys.service.ts';
import type { AgentActivityDocument } from './activity/agent-activity.model.ts';
import type { AgentDocument } from './agents.model.ts';
import type { agentInput, agentPoliciesChange } from './agents.schemas.ts';

/** A registered agent as ingestion sees it. */
export interface KnownAgent {
  agentId: string;
  name: string;
  workspaceId: string;
  policies: AgentPolicies;
}

type Deps = Pick<Platform, 'models' | 'clock' | 'randomHex' | 'onCommit' | 'caches'> & {
  keys: Pick<KeyService, 'forget'>;
};

const SHOWN_DIGITS = 8;
const CACHED_AGENTS = 50_000;
const ID = /^[0-9a-f]{24}$/i;
const UNSEEN = { status: 'healthy', lastActive: null } as const;
const NO_VERDICTS = { approved: 0, flagged: 0, blocked: 0 };

/** What of an agent is replaced as a whole. */
type AgentChange = Partial<
  Pick<AgentDocument, 'name' | 'description' | 'modelMetadata' | 'lastBom' | 'onboardingProgress'>
>;

/** What is stated of the model, with the digest that was last kept. */
function shownMetadata({ modelMetadata, lastBom }: AgentDocument) {
  if (!lastBom) return modelMetadata;
  return {
    ...modelMetadata,
    lastBomDigest: lastBom.digest,
    lastBomGeneratedAt: lastBom.generatedAt,
  };
}

export function createAgentService({ models, clock, randomHex, onCommit, caches, keys }: Deps) {
  /** Those that a decision may mean by what it calls its agent, the best first. */
  const known = caches.open<KnownAgent[]>({ collections: ['agents'], max: CACHED_AGENTS });

  function onAgentsChanged(organizationId: string): void {
    onCommit(() => known.invalidate(organizationId));
    keys.forget(organizationId);
  }

  /** The agents that the tenant sees: of the organisation or the chosen workspace, and of its key. */
  function visible({ organizationId, workspaceId, agentIds }: Tenant) {
    return {
      organizationId,
      deletedAt: null,
      ...(workspaceId !== null && { workspaceId }),
      ...(agentIds !== null && { _id: { $in: agentIds } }),
    };
  }

  async function find(tenant: Tenant, id: string): Promise<AgentDocument> {
    const agent = await models.agents
      .findOne({ ...visible(tenant), $and: [{ _id: id }] })
      .lean<AgentDocument>();
    if (!agent) throw new AppError('NOT_FOUND');
    return agent;
  }

  async function change(
    tenant: Tenant,
    id: string,
    changes: Record<string, unknown>,
  ): Promise<AgentDocument> {
    const agent = await models.agents
      .findOneAndUpdate(
        { ...visible(tenant), $and: [{ _id: id }] },
        { $set: changes },
        { returnDocument: 'after' },
      )
      .lean<AgentDocument>();
    if (!agent) throw new AppError('NOT_FOUND');
    onAgentsChanged(tenant.organizationId);
    return agent;
  }

  function newKey(agentName: string) {
    const apiKey = `svc_agent_${randomHex(24)}`;
    const apiKeyPrefix = apiKey.slice(-SHOWN_DIGITS);
    return {
      apiKey,
      stored: { apiKeyHash: hashKey(apiKey), apiKeyPrefix, apiKeyAgentScope: agentName },
    };
  }

  async function withActivity(organizationId: string, agents: readonly AgentDocument[]) {
    const found = await models.agentActivity
      .find({ organizationId, _id: { $in: agents.map(({ _id }) => _id) } }, 'status lastActive')
      .lean<AgentActivityDocument[]>();
    const byId = new Map(found.map((activity) => [activity._id.toHexString(), activity]));
    return agents.map((agent) => {
      const { status, lastActive } = byId.get(agent._id.toHexString()) ?? UNSEEN;
      return { ...agent, id: agent._id, modelMetadata: shownMetadata(agent), status, lastActive };
    });
  }

  async function shown(agent: AgentDocument) {
    const [view] = await withActivity(agent.organizationId.toHexString(), [agent]);
    if (!view) throw new AppError('INTERNAL_ERROR');
    return view;
  }

  async function activityOf(tenant: Tenant, id: string): Promise<AgentActivityDocument | null> {
    const { _id, organizationId } = await find(tenant, id);
    return models.agentActivity.findOne({ _id, organizationId }).lean<AgentActivityDocument>();
  }

  async function namedSo(organizationId: string, text: string): Promise<KnownAgent[]> {
    const live = { organizationId, deletedAt: null };
    const [byId, byScope] = await Promise.all([
      ID.test(text) ? models.agents.find({ ...live, _id: text }).lean<AgentDocument[]>() : [],
      models.agents
        .find({ ...live, apiKeyAgentScope: text })
        .sort({ createdAt: -1, _id: -1 })
        .lean<AgentDocument[]>(),
    ]);
    return [...byId, ...byScope].map(({ _id, name, workspaceId, policies }) => ({
      agentId: _id.toHexString(),
      name,
      workspaceId: workspaceId.toHexString(),
      policies,
    }));
  }

  const service = {
    async list(tenant: Tenant, { skip, limit }: Page) {
      const where = visible(tenant);
      const [agents, total] = await Promise.all([
        models.agents
          .find(where)
          .sort({ createdAt: -1, _id: -1 })
          .skip(skip)
          .limit(limit)
          .lean<AgentDocument[]>(),
        models.agents.countDocuments(where),
      ]);
      return { items: await withActivity(tenant.organizationId, agents), total };
    },

    /** @throws AppError `NOT_FOUND` */
    get: async (tenant: Tenant, id: string) => shown(await find(tenant, id)),

    /** The newest that the user made and that is still in onboarding; null: none. */
    async draftOf(tenant: Tenant, { userId }: User) {
      const draft = await models.agents
        .findOne({ ...visible(tenant), createdBy: userId, onboardingProgress: { $ne: null } })
        .sort({ createdAt: -1, _id: -1 })
        .lean<AgentDocument>();
      return draft && shown(draft);
    },

    /** The raw key is in this answer only. */
    async create(tenant: Tenant, { userId }: User, input: z.output<typeof agentInput>) {
      const { organizationId, workspaceId, defaultWorkspaceId } = tenant;
      const { name, description, modelMetadata, onboarding } = input;
      const { apiKey, stored } = newKey(name);
      const [made] = await models.agents.create([
        {
          organizationId,
          workspaceId: workspaceId ?? defaultWorkspaceId,
          name,
          description,
          ...stored,
          policies: DEFAULT_AGENT_POLICIES,
          modelMetadata: modelMetadata ?? null,
          onboardingProgress: onboarding ? { currentStep: 1 } : null,
          createdBy: userId,
        },
      ]);
      if (!made) throw new AppError('INTERNAL_ERROR');
      onAgentsChanged(organizationId);
      const agent = made.toObject<AgentDocument>();
      return { ...agent, id: agent._id, ...UNSEEN, apiKey };
    },

    /** @throws AppError `NOT_FOUND` */
    update: async (tenant: Tenant, id: string, changes: AgentChange) =>
      shown(await change(tenant, id, changes)),

    /** Omitted members keep their value. @throws AppError `NOT_FOUND` */
    async updatePolicies(
      tenant: Tenant,
      id: string,
      policies: z.output<typeof agentPoliciesChange>,
    ) {
      const given = Object.entries(policies).map(([name, value]) => [`policies.${name}`, value]);
      return shown(await change(tenant, id, Object.fromEntries(given) as Record<string, unknown>));
    },

    /** Soft: its decisions stay. Its key is void at once. @throws AppError `NOT_FOUND` */
    async remove(tenant: Tenant, id: string) {
      const { _id } = await change(tenant, id, { deletedAt: clock.now() });
      return { _id, id: _id, deleted: true as const };
    },

    /** The old key is void at once; the new one is in this answer only. @throws AppError `NOT_FOUND` */
    async regenerateKey(tenant: Tenant, id: string) {
      const { name } = await find(tenant, id);
      const { apiKey, stored } = newKey(name);
      return { ...(await shown(await change(tenant, id, stored))), apiKey };
    },

    /** Versions in order of first appearance. @throws AppError `NOT_FOUND` */
    versions: async (tenant: Tenant, id: string) => (await activityOf(tenant, id))?.versions ?? [],

    /** Lifetime counts by the verdict at ingestion. @throws AppError `NOT_FOUND` */
    async analytics(tenant: Tenant, id: string) {
      const { approved, flagged, blocked } =
        (await activityOf(tenant, id))?.verdicts ?? NO_VERDICTS;
      return { totalTraces: approved + flagged + blocked, blocked, flagged, approved };
    },

    /**
     * The agent that a text means to a caller whose key is limited to `agentIds` (null: to none): the one of this id, else the
     * newest whose key was made under this name; null when there is none.
     */
    async resolve(organizationId: string, text: string, agentIds: readonly string[] | null = null) {
      const candidates = await known.get(`${organizationId}/${text}`, async () => ({
        organizationId,
        value: await namedSo(organizationId, text),
      }));
      return (
        candidates?.find(({ agentId }) => agentIds === null || agentIds.includes(agentId)) ?? null
      );
    },

    /** The agent that made a decision, removed or not; null where the decision names none. */
    producer: async ({ organizationId }: Tenant, agentId: string): Promise<AgentDocument | null> =>
      ID.test(agentId)
        ? models.agents.findOne({ organizationId, _id: agentId }).lean<AgentDocument>()
        : null,

    /** The agent's own ingestion limit; null: none. */
    async requestsPerMinute({ organizationId }: Tenant, agentId: string): Promise<number | null> {
      const agent = await service.resolve(organizationId, agentId);
      return agent?.policies.maxRequestsPerMinute ?? null;
    },
  };
  return service;
}
export type AgentService = ReturnType<typeof createAgentService>;
