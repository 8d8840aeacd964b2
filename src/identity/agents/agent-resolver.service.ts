// Resolves the agent reference of a decision to a registered agent, as ingestion needs it (document 1, section 2).
import { toCanonicalOrder } from '@assay/json';
import type { Platform } from '../../platform/platform.ts';
import type { AgentPolicies } from '../../domain/agents/agent-policies.ts';
import { findLowConfidence } from '../../domain/confidence/score.ts';
import type { Key, Tenant } from '../../domain/identity/tenant.ts';
import type { AgentDocument } from './agents.model.ts';
import type { Context } from '../../platform/context.ts';
import { perInstance } from '../../platform/per-instance.ts';

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

/** `agentIds`: the agents that the caller's key is limited to; null or absent: all. */
interface AgentReach {
  organizationId: string;
  agentIds?: readonly string[] | null;
}

const CACHED_NAMES = 50_000;
const ID = /^[0-9a-f]{24}$/i;

/** Candidates for an agent reference, best match first. */
const openAgentCache = perInstance(({ caches }: Platform) =>
  caches.openCache<ResolvedAgent[]>({ collections: ['agents'], max: CACHED_NAMES }),
);

/**
 * Returns the agent with this id, else the newest whose key was made under this name; null when there is none.
 */
export async function resolveAgent(
  platform: Platform,
  { organizationId, agentIds = null }: AgentReach,
  text: string,
): Promise<ResolvedAgent | null> {
  const found = await openAgentCache(platform).get(`${organizationId}/${text}`, async () => ({
    organizationId,
    value: await findCandidates(platform, organizationId, text),
  }));
  const isAllowed = ({ agentId }: ResolvedAgent): boolean =>
    agentIds === null || agentIds.includes(agentId);
  return found?.find(isAllowed) ?? null;
}

/**
 * Returns the `agentId`s under which decisions of this agent are stored: its id, the text itself, and the name by
 * which decisions meant it before it was registered.
 */
export async function listStoredAgentNames(
  platform: Platform,
  organizationId: string,
  named: string,
): Promise<string[]> {
  const agent = await resolveAgent(platform, { organizationId }, named);
  if (!agent) return [named];
  const { agentId, keyName } = agent;
  const isMeant = (await resolveAgent(platform, { organizationId }, keyName))?.agentId === agentId;
  return [...new Set([agentId, named, ...(isMeant ? [keyName] : [])])];
}

/** Returns the agent that made a decision, removed or not; null where the decision names none. */
export async function findProducer(
  { platform: { models }, tenant: { organizationId } }: Context,
  agentId: string,
): Promise<AgentDocument | null> {
  if (!ID.test(agentId)) return null;
  return models.agents.findOne({ organizationId, _id: agentId }).lean<AgentDocument>();
}

/** Returns who registered the agents of these ids, removed or not, by id; what is no id of an agent is missing. */
export async function listAgentCreators(
  { models }: Platform,
  organizationId: string,
  agentIds: readonly string[],
): Promise<Map<string, string>> {
  const found = await listAgentsById(models, { organizationId, agentIds }, 'createdBy');
  return new Map(found.map((one) => [one._id.toHexString(), one.createdBy.toHexString()]));
}

/** Agents of these ids, removed or not; what is no id of an agent is left out. */
async function listAgentsById<M extends 'createdBy' | 'name'>(
  models: Platform['models'],
  { organizationId, agentIds }: { organizationId: string; agentIds: readonly string[] },
  member: M,
): Promise<Pick<AgentDocument, '_id' | M>[]> {
  const _id = { $in: agentIds.filter((id) => ID.test(id)) };
  if (_id.$in.length === 0) return [];
  return models.agents
    .find({ organizationId, _id }, member)
    .lean<Pick<AgentDocument, '_id' | M>[]>();
}

/** Returns the agent that a key belongs to; null for a workspace key. */
export async function findKeyAgent(
  { platform, tenant: { organizationId } }: Context,
  { agentId }: Pick<Key, 'agentId'>,
): Promise<ResolvedAgent | null> {
  return agentId === null ? null : resolveAgent(platform, { organizationId }, agentId);
}

/** Returns the agent's own ingestion limit; null: none. */
export async function readAgentRequestLimit(
  { platform, tenant: { organizationId } }: Context,
  agentId: string,
): Promise<number | null> {
  const agent = await resolveAgent(platform, { organizationId }, agentId);
  return agent?.policies.maxRequestsPerMinute ?? null;
}

/** Drops the cached agents of an organisation. Call it after the commit. */
export function invalidateAgents(platform: Platform, organizationId: string): void {
  openAgentCache(platform).invalidate(organizationId);
}

async function findCandidates(
  { models }: Platform,
  organizationId: string,
  text: string,
): Promise<ResolvedAgent[]> {
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

/** Names of agents by their ids, of removed ones too; what is no id of an agent is missing. */
export async function listAgentNames(
  { models }: Platform,
  organizationId: string,
  agentIds: readonly string[],
): Promise<Map<string, string>> {
  const found = await listAgentsById(models, { organizationId, agentIds }, 'name');
  return new Map(found.map((agent) => [agent._id.toHexString(), agent.name]));
}

/** The scores below which decisions of some registered agent have low confidence, the lowest first. */
export async function listThresholds(
  { models }: Platform,
  { organizationId, workspaceId }: Pick<Tenant, 'organizationId' | 'workspaceId'>,
): Promise<number[]> {
  const place = workspaceId === null ? {} : { workspaceId };
  const where = { organizationId, deletedAt: null, ...place };
  const found = await models.agents
    .find(where, 'policies.confidenceThreshold policies.strictMode')
    .lean<Pick<AgentDocument, 'policies'>[]>();
  // 0.7 and 0.1 are a little less than 0.8.
  const thresholds = found.map(
    ({ policies }) => Math.round(findLowConfidence(policies) * 10_000) / 10_000,
  );
  return [...new Set(thresholds)].sort((a, b) => a - b);
}
