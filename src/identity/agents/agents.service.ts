// Agents: their definition and key (document 1, section 4.3). `agent-resolver.service.ts` resolves references to them.
import type { z } from 'zod';
import type { PolicyVerdict } from '@assay/policy';
import type { Platform } from '../../platform/platform.ts';
import { DEFAULT_AGENT_POLICIES } from '../../domain/agents/agent-policies.ts';
import type { UnregisteredAgent } from '../../domain/agents/unregistered-agent.ts';
import { hashKey } from '../../domain/identity/key-hash.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import {
  AFTER,
  findOr404,
  insertOne,
  type Listed,
  listPage,
  type DeletedView,
  toDeletedView,
  takeOnly,
} from '../../platform/mongo/queries.ts';
import {
  type AgentActivityService,
  type AgentState,
  NO_ACTIVITY,
} from './activity/agent-activity.service.ts';
import type { AgentActivityDocument } from './activity/agent-activity.model.ts';
import type { AgentResolver } from './agent-resolver.service.ts';
import type { AgentDocument } from './agents.model.ts';
import type { agentInput, agentPoliciesChange, AgentAnalytics } from './agents.schemas.ts';
import type { ModelMetadataView } from './ml-bom/ml-bom.schemas.ts';

/** What agents ask of decisions: those that name an agent by a text. */
interface NamedDecisions {
  /** When the newest decision of the name was made; null: there is none. */
  findLastTime(organizationId: string, name: string): Promise<Date | null>;
  /** Counts the newest decisions of the name by verdict. */
  countVerdicts(
    organizationId: string,
    name: string,
  ): Promise<ReadonlyMap<PolicyVerdict['status'], number>>;
  /** Lists names of the newest decisions that no registered agent has. */
  listUnregistered(
    tenant: Pick<Tenant, 'organizationId' | 'workspaceId'>,
  ): Promise<UnregisteredAgent[]>;
}

interface Deps {
  /** Knows keys that were shown before. */
  keyAuthentication: { forget(organizationId: string): void };
  resolver: AgentResolver;
  activity: AgentActivityService;
  decisionLookup: NamedDecisions;
}

export interface AgentView extends Omit<AgentDocument, 'modelMetadata' | 'paused'>, AgentState {
  id: AgentDocument['_id'];
  paused: NonNullable<AgentDocument['paused']> | null;
  modelMetadata: ModelMetadataView | null;
}

/** An agent with its raw key, which no other answer shows. */
export interface NewAgentView extends AgentView {
  apiKey: string;
}

/** The fields of an agent that a change replaces as a whole. */
type AgentChange = Partial<
  Pick<AgentDocument, 'name' | 'description' | 'modelMetadata' | 'lastBom' | 'onboardingProgress'>
>;

const PREFIX_LENGTH = 8;

export function createAgentService(
  platform: Pick<Platform, 'models' | 'clock' | 'generateHex' | 'onCommit'>,
  deps: Deps,
) {
  const { models, clock, generateHex: randomHex, onCommit } = platform;
  const { keyAuthentication, resolver, activity, decisionLookup } = deps;

  function invalidateAgents(organizationId: string): void {
    onCommit(() => resolver.invalidate(organizationId));
    keyAuthentication.forget(organizationId);
  }

  function findAgent(tenant: Tenant, id: string): Promise<AgentDocument> {
    const where = { ...filterVisible(tenant), $and: [{ _id: id }] };
    return findOr404(models.agents.findOne(where).lean<AgentDocument>());
  }

  async function updateAgent(tenant: Tenant, id: string, changes: object): Promise<AgentDocument> {
    const where = { ...filterVisible(tenant), $and: [{ _id: id }] };
    const agent = await findOr404(
      models.agents.findOneAndUpdate(where, { $set: changes }, AFTER).lean<AgentDocument>(),
    );
    invalidateAgents(tenant.organizationId);
    return agent;
  }

  function generateKey(agentName: string) {
    const apiKey = `svc_agent_${randomHex(24)}`;
    const apiKeyPrefix = apiKey.slice(-PREFIX_LENGTH);
    const stored = { apiKeyHash: hashKey(apiKey), apiKeyPrefix, apiKeyAgentScope: agentName };
    return { apiKey, stored };
  }

  async function loadViews(
    organizationId: string,
    agents: readonly AgentDocument[],
  ): Promise<AgentView[]> {
    const states = await activity.loadStates(organizationId, agents);
    return Promise.all(
      agents.map(async (agent) => {
        const state = states.get(agent._id.toHexString());
        return toView(agent, state ?? (await loadEarlierState(agent)));
      }),
    );
  }

  /** The name by which decisions meant the agent before it was registered; undefined: they mean another one. */
  async function findEarlierName({ _id, organizationId }: AgentDocument) {
    const id = _id.toHexString();
    const names = await resolver.listStoredNames(organizationId.toHexString(), id);
    return names.find((name) => name !== id);
  }

  /** The state of an agent that has made no decision since it was registered. */
  async function loadEarlierState(agent: AgentDocument): Promise<AgentState> {
    const name = await findEarlierName(agent);
    const lastActive =
      name === undefined
        ? null
        : await decisionLookup.findLastTime(agent.organizationId.toHexString(), name);
    return { ...NO_ACTIVITY, lastActive };
  }

  const loadView = (agent: AgentDocument): Promise<AgentView> =>
    takeOnly(loadViews(agent.organizationId.toHexString(), [agent]));

  return {
    async listAgents(tenant: Tenant, page: Page): Promise<Listed<AgentView>> {
      const { items, total } = await listPage(models.agents, filterVisible(tenant), page);
      return { items: await loadViews(tenant.organizationId, items), total };
    },

    /** @throws AppError `NOT_FOUND` */
    async getAgent(tenant: Tenant, id: string): Promise<AgentView> {
      return loadView(await findAgent(tenant, id));
    },

    /** Returns the user's newest agent that is still in onboarding; null: none. */
    async findDraft(tenant: Tenant, { userId }: User): Promise<AgentView | null> {
      const draft = await models.agents
        .findOne({ ...filterVisible(tenant), createdBy: userId, onboardingProgress: { $ne: null } })
        .sort({ createdAt: -1, _id: -1 })
        .lean<AgentDocument>();
      return draft && loadView(draft);
    },

    async create(
      tenant: Tenant,
      { userId }: User,
      input: z.output<typeof agentInput>,
    ): Promise<NewAgentView> {
      const { organizationId, workspaceId, defaultWorkspaceId } = tenant;
      const { apiKey, stored } = generateKey(input.name);
      const agent = await insertOne(models.agents, {
        organizationId,
        workspaceId: workspaceId ?? defaultWorkspaceId,
        name: input.name,
        description: input.description,
        ...stored,
        policies: DEFAULT_AGENT_POLICIES,
        modelMetadata: input.modelMetadata ?? null,
        onboardingProgress: input.onboarding ? { currentStep: 1 } : null,
        createdBy: userId,
      });
      invalidateAgents(organizationId);
      const lastActive = await decisionLookup.findLastTime(organizationId, input.name);
      return { ...toView(agent, { ...NO_ACTIVITY, lastActive }), apiKey };
    },

    /** @throws AppError `NOT_FOUND` */
    async update(tenant: Tenant, id: string, changes: AgentChange): Promise<AgentView> {
      return loadView(await updateAgent(tenant, id, changes));
    },

    /** Changes the given overrides; omitted ones keep their value. @throws AppError `NOT_FOUND` */
    async updatePolicies(
      tenant: Tenant,
      id: string,
      policies: z.output<typeof agentPoliciesChange>,
    ): Promise<AgentView> {
      const fields = Object.entries(policies).map(([name, value]) => [`policies.${name}`, value]);
      return loadView(await updateAgent(tenant, id, Object.fromEntries(fields) as object));
    },

    /** All decisions of a paused agent are blocked; a second pause gives another reason. @throws AppError `NOT_FOUND` */
    async pause(
      { tenant, user: { userId: by } }: { tenant: Tenant; user: User },
      id: string,
      reason: string,
    ): Promise<AgentView> {
      const paused = { reason, at: clock.now(), by };
      return loadView(await updateAgent(tenant, id, { paused }));
    },

    /** @throws AppError `NOT_FOUND` */
    async resume(tenant: Tenant, id: string): Promise<AgentView> {
      return loadView(await updateAgent(tenant, id, { paused: null }));
    },

    /** Marks the agent as deleted; its decisions stay, its key is void at once. @throws AppError `NOT_FOUND` */
    async remove(tenant: Tenant, id: string): Promise<DeletedView<AgentDocument['_id']>> {
      const { _id } = await updateAgent(tenant, id, { deletedAt: clock.now() });
      return toDeletedView({ _id });
    },

    /** Issues a new key; the old one is void at once. @throws AppError `NOT_FOUND` */
    async replaceKey(tenant: Tenant, id: string): Promise<NewAgentView> {
      const { name } = await findAgent(tenant, id);
      const { apiKey, stored } = generateKey(name);
      return { ...(await loadView(await updateAgent(tenant, id, stored))), apiKey };
    },

    /** Versions in order of first appearance. @throws AppError `NOT_FOUND` */
    async listVersions(tenant: Tenant, id: string): Promise<AgentActivityDocument['versions']> {
      return activity.listVersions(await findAgent(tenant, id));
    },

    /** Decisions from before the agent was registered count as well. @throws AppError `NOT_FOUND` */
    async loadAnalytics(tenant: Tenant, id: string): Promise<AgentAnalytics> {
      const agent = await findAgent(tenant, id);
      const since = await activity.loadAnalytics(agent);
      const name = await findEarlierName(agent);
      if (name === undefined) return since;
      return addVerdicts(since, await decisionLookup.countVerdicts(tenant.organizationId, name));
    },

    /** Keys of single agents see no others. */
    async listSeen(tenant: Tenant): Promise<UnregisteredAgent[]> {
      if (tenant.agentIds !== null) return [];
      const seen = await decisionLookup.listUnregistered(tenant);
      const agents = await Promise.all(
        seen.map(({ name }) => resolver.resolve(tenant.organizationId, name)),
      );
      return seen.filter((_, at) => agents[at] === null);
    },
  };
}
export type AgentService = ReturnType<typeof createAgentService>;

/** Filter for the agents that the tenant sees: of its organisation, chosen workspace and key. */
function filterVisible({ organizationId, workspaceId, agentIds }: Tenant) {
  return {
    organizationId,
    deletedAt: null,
    ...(workspaceId !== null && { workspaceId }),
    ...(agentIds !== null && { _id: { $in: agentIds } }),
  };
}

function addVerdicts(
  { totalTraces, approved, flagged, blocked }: AgentAnalytics,
  counts: Awaited<ReturnType<NamedDecisions['countVerdicts']>>,
): AgentAnalytics {
  const more = (verdict: PolicyVerdict['status']): number => counts.get(verdict) ?? 0;
  return {
    totalTraces: totalTraces + more('approved') + more('flagged') + more('blocked'),
    approved: approved + more('approved'),
    flagged: flagged + more('flagged'),
    blocked: blocked + more('blocked'),
  };
}

function toView(agent: AgentDocument, { status, lastActive, observed }: AgentState): AgentView {
  const state = { status, lastActive, observed };
  const { _id: id, paused = null } = agent;
  return { ...agent, id, paused, modelMetadata: toMetadata(agent), ...state };
}

function toMetadata({ modelMetadata, lastBom }: AgentDocument): ModelMetadataView | null {
  if (!lastBom) return modelMetadata;
  const { digest: lastBomDigest, generatedAt: lastBomGeneratedAt } = lastBom;
  return { ...modelMetadata, lastBomDigest, lastBomGeneratedAt };
}
