// Loads everything that a decision is judged by: agent, policies, history and settings.
import { loadAgentHistory } from '../../../identity/agents/activity/agent-history.service.ts';
import {
  loadWorkspaceSettings,
  type WorkspaceSettings,
} from '../../../identity/organization/workspaces/workspaces.service.ts';
import { getOrganizationContext } from '../../../identity/organization/organization.service.ts';
import {
  resolveAgent,
  type ResolvedAgent,
} from '../../../identity/agents/agent-resolver.service.ts';
import { openEffectSecrets } from '../executions/effect-secrets.ts';
import { getScrubber } from '../scrubbing/scrubbers.ts';
import type { KeyContext } from '../../../platform/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { getTraceNeighbours } from '../neighbours.service.ts';
import { NO_TOOLS } from '../sessions/judged-session.ts';
import { DEFAULT_SESSION_RULES } from '../../../domain/sessions/session-rules.ts';
import { DEFAULT_AGENT_POLICIES } from '../../../domain/agents/agent-policies.ts';
import { selectStanding, type StandingGrant } from '../../../domain/grants/standing-grant.ts';
import { AppError } from '../../../errors.ts';
import type { JudgingContext } from './drafter.ts';
import type { IngestionRequest } from './ingestion-request.ts';

type HandledRequest = Pick<IngestionRequest, 'observed' | 'halt' | 'passed' | 'endedGrants'>;

/** @throws AppError `FORBIDDEN` */
function requireOwnAgent(
  { tenant: { agentIds }, key }: KeyContext,
  agent: ResolvedAgent | null,
): void {
  if (key.agentId !== null && agent?.agentId !== key.agentId)
    throw new AppError('FORBIDDEN', 'An agent key ingests for its own agent only');
  if (agentIds !== null && (!agent || !agentIds.includes(agent.agentId)))
    throw new AppError('FORBIDDEN', 'The key is limited to other agents');
}

/** @throws AppError `FORBIDDEN` where the caller's key is that of another agent, or limited to others */
export async function loadJudgingContext(
  ctx: KeyContext,
  agentRef: string,
  request: HandledRequest,
): Promise<JudgingContext> {
  const { organizationId, agentIds } = ctx.tenant;
  const agent = await resolveAgent(ctx.platform, { organizationId, agentIds }, agentRef);
  requireOwnAgent(ctx, agent);
  return buildContext(ctx, agent, request);
}

/** A chosen workspace adds its policies to those of the default one: callers cannot choose what judges them. */
function findJudgedIn(
  { tenant, key }: KeyContext,
  agent: ResolvedAgent | null,
): string | readonly [string, string] {
  const home = key.workspaceId ?? agent?.workspaceId ?? tenant.defaultWorkspaceId;
  const { workspaceId } = tenant;
  return workspaceId === null || workspaceId === home ? home : [workspaceId, home];
}

/** The policies that judge a decision, and what its tools do, where they depend on it. */
async function loadRules(
  platform: Platform,
  scope: { organizationId: string; workspaces: ReturnType<typeof findJudgedIn> },
  traceId: string,
): Promise<Pick<JudgingContext, 'policies' | 'catalogue'>> {
  const neighbours = getTraceNeighbours(platform);
  const [policies, catalogue] = await Promise.all([
    neighbours.loadPolicySet(scope, traceId),
    neighbours.loadCatalogue(scope),
  ]);
  return { policies, catalogue: catalogue ?? (policies.readsState ? NO_TOOLS : undefined) };
}

async function buildContext(
  ctx: KeyContext,
  agent: ResolvedAgent | null,
  request: HandledRequest,
): Promise<JudgingContext> {
  const { platform, key } = ctx;
  const { organizationId } = ctx.tenant;
  const traceId = platform.newTraceId();
  const agentPolicies = agent?.policies ?? DEFAULT_AGENT_POLICIES;
  const judgedIn = findJudgedIn(ctx, agent);
  const workspaceId = typeof judgedIn === 'string' ? judgedIn : judgedIn[0];
  const at = platform.clock.now();
  const [rules, { scrubNationalIds: nationalIds }, history, workspace, grants] = await Promise.all([
    loadRules(platform, { organizationId, workspaces: judgedIn }, traceId),
    getOrganizationContext(platform, organizationId),
    loadAgentHistory(platform, organizationId, agent?.agentId ?? null),
    loadWorkspaceSettings(platform, organizationId, workspaceId),
    loadGrants(ctx, { agent, workspaceId, at }, request),
  ]);
  return {
    traceId,
    agent,
    agentPolicies,
    workspaceId,
    ...readSettings(workspace, request),
    ...rules,
    history,
    ...openScrubbers(nationalIds, agentPolicies),
    nationalIds,
    at,
    grants,
    principal: key.run?.principal,
    effectSecret: openEffectSecrets(platform)(organizationId),
  };
}

const openScrubbers = (
  nationalIds: boolean,
  { piiMasking: extended }: JudgingContext['agentPolicies'],
): Pick<JudgingContext, 'scrubber' | 'versionScrubber'> => ({
  scrubber: getScrubber({ nationalIds, extended }),
  versionScrubber: getScrubber({ nationalIds, extended: false }),
});

type WorkspacePart = Pick<
  JudgingContext,
  'reviewSla' | 'reviewExpiresIn' | 'observed' | 'halt' | 'passed' | 'sessionRules'
>;

/** The standing grants of an agent; undefined: there are none, as for nearly all. */
async function loadGrants(
  { platform, tenant }: KeyContext,
  { agent, workspaceId, at }: Pick<JudgingContext, 'agent' | 'workspaceId' | 'at'>,
  { endedGrants: ended = [] }: HandledRequest,
): Promise<StandingGrant[] | undefined> {
  const all = agent
    ? await getTraceNeighbours(platform).loadStandingGrants(tenant.organizationId)
    : [];
  if (!agent || all.length === 0) return undefined;
  const found = selectStanding(all, { agent: agent.agentId, workspaceId, at, ended });
  return found.length === 0 ? undefined : found;
}

/** What workspace and request say of the decision besides its body. */
function readSettings(
  workspace: WorkspaceSettings | null,
  { observed, halt, passed }: HandledRequest,
): WorkspacePart {
  const {
    reviewSla = {},
    reviewExpiresIn = null,
    reviewsObserved: review = false,
    sessionRules = DEFAULT_SESSION_RULES,
  } = workspace ?? {};
  const reported = observed && { tags: observed.tags, review };
  return { reviewSla, reviewExpiresIn, sessionRules, observed: reported, halt, passed };
}
