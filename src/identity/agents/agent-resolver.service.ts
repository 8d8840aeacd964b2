// Resolves the agent reference of a decision to a registered agent, as ingestion needs it (document 1, section 2).
import { toCanonicalOrder } from '@assay/json';
import type { Platform } from '../../platform/platform.ts';
import type { AgentPolicies } from '../../domain/agents/agent-policies.ts';
import type { Key, Tenant } from '../../domain/identity/tenant.ts';
import type { AgentDocument } from './agents.model.ts';

/** A registered agent as ingestion sees it. */
export interface ResolvedAgent {
  agentId: string;
  name: string;
  workspaceId: string;
  policies: AgentPolicies;
  /** The name that its key was made under: decisions from before it was registered have it as `agentId`. */
  keyName: string;
  /** Why all its decisions are blocked; null: they are not. */
  pausedBecause: string | null;
}

const CACHED_NAMES = 50_000;
const ID = /^[0-9a-f]{24}$/i;

export function createAgentResolver({ models, caches }: Pick<Platform, 'models' | 'caches'>) {
  /** Candidates for an agent reference, best match first. */
  const cache = caches.openCache<ResolvedAgent[]>({ collections: ['agents'], max: CACHED_NAMES });

  async function findCandidates(organizationId: string, text: string): Promise<ResolvedAgent[]> {
    const live = { organizationId, deletedAt: null };
    const [byId, byKeyName] = await Promise.all([
      ID.test(text) ? models.agents.find({ ...live, _id: text }).lean<AgentDocument[]>() : [],
      models.agents
        .find({ ...live, apiKeyAgentScope: text })
        .sort({ createdAt: -1, _id: -1 })
        .lean<AgentDocument[]>(),
    ]);
    return [...byId, ...byKeyName].map(toResolvedAgent);
  }

  async function resolve(
    organizationId: string,
    text: string,
    agentIds: readonly string[] | null = null,
  ): Promise<ResolvedAgent | null> {
    const found = await cache.get(`${organizationId}/${text}`, async () => ({
      organizationId,
      value: await findCandidates(organizationId, text),
    }));
    const isAllowed = ({ agentId }: ResolvedAgent): boolean =>
      agentIds === null || agentIds.includes(agentId);
    return found?.find(isAllowed) ?? null;
  }

  return {
    /**
     * Returns the agent with this id, else the newest whose key was made under this name; null when there is none.
     * `agentIds`: the agents that the caller's key is limited to; null: all.
     */
    resolve,

    /**
     * Returns the `agentId`s under which decisions of this agent are stored: its id, the text itself, and the name by
     * which decisions meant it before it was registered.
     */
    async listStoredNames(organizationId: string, named: string): Promise<string[]> {
      const agent = await resolve(organizationId, named);
      if (!agent) return [named];
      const { agentId, keyName } = agent;
      const isMeant = (await resolve(organizationId, keyName))?.agentId === agentId;
      return [...new Set([agentId, named, ...(isMeant ? [keyName] : [])])];
    },

    /** Returns the agent that made a decision, removed or not; null where the decision names none. */
    async findProducer({ organizationId }: Tenant, agentId: string): Promise<AgentDocument | null> {
      if (!ID.test(agentId)) return null;
      return models.agents.findOne({ organizationId, _id: agentId }).lean<AgentDocument>();
    },

    /** Returns who registered the agents of these ids, removed or not, by id; what is no id of an agent is missing. */
    async listCreators(
      organizationId: string,
      agentIds: readonly string[],
    ): Promise<Map<string, string>> {
      const _id = { $in: agentIds.filter((id) => ID.test(id)) };
      if (_id.$in.length === 0) return new Map();
      const found = await models.agents
        .find({ organizationId, _id }, 'createdBy')
        .lean<Pick<AgentDocument, '_id' | 'createdBy'>[]>();
      return new Map(found.map((one) => [one._id.toHexString(), one.createdBy.toHexString()]));
    },

    /** Returns the agent that a key belongs to; null for a workspace key. */
    async findKeyAgent(
      { organizationId }: Tenant,
      { agentId }: Pick<Key, 'agentId'>,
    ): Promise<ResolvedAgent | null> {
      return agentId === null ? null : resolve(organizationId, agentId);
    },

    /** Returns the agent's own ingestion limit; null: none. */
    async readRequestLimit({ organizationId }: Tenant, agentId: string): Promise<number | null> {
      const agent = await resolve(organizationId, agentId);
      return agent?.policies.maxRequestsPerMinute ?? null;
    },

    /** Drops the cached agents of an organisation. Call it after the commit. */
    invalidate(organizationId: string): void {
      cache.invalidate(organizationId);
    },
  };
}
export type AgentResolver = ReturnType<typeof createAgentResolver>;

function toResolvedAgent(agent: AgentDocument): ResolvedAgent {
  const { _id, name, apiKeyAgentScope: keyName, workspaceId, policies, paused } = agent;
  return {
    agentId: _id.toHexString(),
    name,
    keyName,
    workspaceId: workspaceId.toHexString(),
    // Sorted once here, since every decision's evaluation repeats them in this order (row ingest/R1).
    policies: toCanonicalOrder({ ...policies }) as unknown as AgentPolicies,
    pausedBecause: paused?.reason ?? null,
  };
}
