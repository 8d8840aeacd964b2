// Agents: their definition and key (document 1, section 4.3). `agent-resolver.service.ts` resolves references to them.
import type { z } from 'zod';
import type { PolicyVerdict } from '@assay/policy';
import type { Platform } from '../../platform/platform.ts';
import { DEFAULT_AGENT_POLICIES } from '../../domain/agents/agent-policies.ts';
import type { UnregisteredAgent } from '../../domain/agents/unregistered-agent.ts';
import { hashKey } from '../../domain/identity/key-hash.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
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
  type AgentState,
  NO_ACTIVITY,
  loadAgentStates,
  listAgentVersions,
  loadAgentAnalytics,
} from './activity/agent-activity.service.ts';
import type { AgentActivityDocument } from './activity/agent-activity.model.ts';
import { invalidateAgents, listStoredAgentNames, resolveAgent } from './agent-resolver.service.ts';
import { getUpperRooms, type NamedDecisions } from '../upper-rooms.ts';
import type { AgentDocument } from './agents.model.ts';
import type { agentInput, agentPoliciesChange, AgentAnalytics } from './agents.schemas.ts';
import type { ModelMetadataView } from './ml-bom/ml-bom.schemas.ts';
import type { UserContext, Context } from '../../platform/context.ts';

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

export async function listAgents(
  { platform, tenant }: Context,
  page: Page,
): Promise<Listed<AgentView>> {
  const { items, total } = await listPage(platform.models.agents, filterVisible(tenant), page);
  return { items: await loadViews(platform, tenant.organizationId, items), total };
}

/** @throws AppError `NOT_FOUND` */
export async function getAgent(ctx: Context, id: string): Promise<AgentView> {
  return loadView(ctx.platform, await findAgent(ctx, id));
}

/** Returns the user's newest agent that is still in onboarding; null: none. */
export async function findAgentDraft({
  platform,
  tenant,
  user: { userId },
}: UserContext): Promise<AgentView | null> {
  const draft = await platform.models.agents
    .findOne({ ...filterVisible(tenant), createdBy: userId, onboardingProgress: { $ne: null } })
    .sort({ createdAt: -1, _id: -1 })
    .lean<AgentDocument>();
  return draft && loadView(platform, draft);
}

export async function createAgent(
  { platform, tenant, user: { userId } }: UserContext,
  input: z.output<typeof agentInput>,
): Promise<NewAgentView> {
  const { organizationId, workspaceId, defaultWorkspaceId } = tenant;
  const { apiKey, stored } = generateKey(platform, input.name);
  const agent = await insertOne(platform.models.agents, {
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
  forgetAgents(platform, organizationId);
  const lastActive = await getUpperRooms(platform).decisions.findLastTime(
    organizationId,
    input.name,
  );
  return { ...toView(agent, { ...NO_ACTIVITY, lastActive }), apiKey };
}

/** @throws AppError `NOT_FOUND` */
export async function changeAgent(
  ctx: Context,
  id: string,
  changes: AgentChange,
): Promise<AgentView> {
  return loadView(ctx.platform, await updateAgent(ctx, id, changes));
}

/** Changes the given overrides; omitted ones keep their value. @throws AppError `NOT_FOUND` */
export async function updateAgentPolicies(
  ctx: Context,
  id: string,
  policies: z.output<typeof agentPoliciesChange>,
): Promise<AgentView> {
  const fields = Object.entries(policies).map(([name, value]) => [`policies.${name}`, value]);
  return loadView(ctx.platform, await updateAgent(ctx, id, Object.fromEntries(fields) as object));
}

/** All decisions of a paused agent are blocked; a second pause gives another reason. @throws AppError `NOT_FOUND` */
export async function pauseAgent(ctx: UserContext, id: string, reason: string): Promise<AgentView> {
  const {
    platform,
    user: { userId: by },
  } = ctx;
  const paused = { reason, at: platform.clock.now(), by };
  return loadView(platform, await updateAgent(ctx, id, { paused }));
}

/** @throws AppError `NOT_FOUND` */
export async function resumeAgent(ctx: Context, id: string): Promise<AgentView> {
  return loadView(ctx.platform, await updateAgent(ctx, id, { paused: null }));
}

/** Marks the agent as deleted; its decisions stay, its key is void at once. @throws AppError `NOT_FOUND` */
export async function removeAgent(
  ctx: Context,
  id: string,
): Promise<DeletedView<AgentDocument['_id']>> {
  const { _id } = await updateAgent(ctx, id, { deletedAt: ctx.platform.clock.now() });
  return toDeletedView({ _id });
}

/** Issues a new key; the old one is void at once. @throws AppError `NOT_FOUND` */
export async function replaceAgentKey(ctx: Context, id: string): Promise<NewAgentView> {
  const { platform } = ctx;
  const { name } = await findAgent(ctx, id);
  const { apiKey, stored } = generateKey(platform, name);
  return { ...(await loadView(platform, await updateAgent(ctx, id, stored))), apiKey };
}

/** Versions in order of first appearance. @throws AppError `NOT_FOUND` */
export async function getAgentVersions(
  ctx: Context,
  id: string,
): Promise<AgentActivityDocument['versions']> {
  return listAgentVersions(ctx.platform, await findAgent(ctx, id));
}

/** Decisions from before the agent was registered count as well. @throws AppError `NOT_FOUND` */
export async function getAgentAnalytics(ctx: Context, id: string): Promise<AgentAnalytics> {
  const { platform } = ctx;
  const agent = await findAgent(ctx, id);
  const since = await loadAgentAnalytics(platform, agent);
  const name = await findEarlierName(platform, agent);
  if (name === undefined) return since;
  return addVerdicts(
    since,
    await getUpperRooms(platform).decisions.countVerdicts(ctx.tenant.organizationId, name),
  );
}

/** Keys of single agents see no others. */
export async function listSeenAgents({ platform, tenant }: Context): Promise<UnregisteredAgent[]> {
  if (tenant.agentIds !== null) return [];
  const seen = await getUpperRooms(platform).decisions.listUnregistered(tenant);
  const agents = await Promise.all(seen.map(({ name }) => resolveAgent(platform, tenant, name)));
  return seen.filter((_, at) => agents[at] === null);
}

function forgetAgents(platform: Platform, organizationId: string): void {
  platform.onCommit(() => invalidateAgents(platform, organizationId));
  getUpperRooms(platform).forgetKeys(organizationId);
}

function findAgent({ platform: { models }, tenant }: Context, id: string): Promise<AgentDocument> {
  const where = { ...filterVisible(tenant), $and: [{ _id: id }] };
  return findOr404(models.agents.findOne(where).lean<AgentDocument>());
}

async function updateAgent(
  { platform, tenant }: Context,
  id: string,
  changes: object,
): Promise<AgentDocument> {
  const where = { ...filterVisible(tenant), $and: [{ _id: id }] };
  const agent = await findOr404(
    platform.models.agents.findOneAndUpdate(where, { $set: changes }, AFTER).lean<AgentDocument>(),
  );
  forgetAgents(platform, tenant.organizationId);
  return agent;
}

function generateKey({ generateHex }: Platform, agentName: string) {
  const apiKey = `svc_agent_${generateHex(24)}`;
  const apiKeyPrefix = apiKey.slice(-PREFIX_LENGTH);
  const stored = { apiKeyHash: hashKey(apiKey), apiKeyPrefix, apiKeyAgentScope: agentName };
  return { apiKey, stored };
}

async function loadViews(
  platform: Platform,
  organizationId: string,
  agents: readonly AgentDocument[],
): Promise<AgentView[]> {
  const states = await loadAgentStates(platform, organizationId, agents);
  return Promise.all(
    agents.map(async (agent) => {
      const state = states.get(agent._id.toHexString());
      return toView(agent, state ?? (await loadEarlierState(platform, agent)));
    }),
  );
}

/** The name by which decisions meant the agent before it was registered; undefined: they mean another one. */
async function findEarlierName(platform: Platform, { _id, organizationId }: AgentDocument) {
  const id = _id.toHexString();
  const names = await listStoredAgentNames(platform, organizationId.toHexString(), id);
  return names.find((name) => name !== id);
}

/** The state of an agent that has made no decision since it was registered. */
async function loadEarlierState(platform: Platform, agent: AgentDocument): Promise<AgentState> {
  const name = await findEarlierName(platform, agent);
  const lastActive =
    name === undefined
      ? null
      : await getUpperRooms(platform).decisions.findLastTime(
          agent.organizationId.toHexString(),
          name,
        );
  return { ...NO_ACTIVITY, lastActive };
}

const loadView = (platform: Platform, agent: AgentDocument): Promise<AgentView> =>
  takeOnly(loadViews(platform, agent.organizationId.toHexString(), [agent]));

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
