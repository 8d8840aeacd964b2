// Loads everything that a decision is judged by: agent, policies, history and settings.
import type { PolicySet } from '@assay/policy';
import { getScrubber } from '../scrubbing/scrubbers.ts';
import type { Platform } from '../../../platform/platform.ts';
import { DEFAULT_AGENT_POLICIES } from '../../../domain/agents/agent-policies.ts';
import { AppError } from '../../../errors.ts';
import type { AgentHistoryService } from '../../../identity/agents/activity/agent-history.service.ts';
import type {
  AgentResolver,
  ResolvedAgent,
} from '../../../identity/agents/agent-resolver.service.ts';
import type { OrganizationService } from '../../../identity/organization/organization.service.ts';
import type {
  WorkspaceService,
  WorkspaceSettings,
} from '../../../identity/organization/workspaces/workspaces.service.ts';
import type { JudgingContext } from './drafter.ts';
import type { IngestionCaller, IngestionRequest } from './ingestion-request.ts';

export interface JudgingDeps {
  agents: AgentResolver;
  agentHistory: AgentHistoryService;
  /** Finds the policies that judge a decision. `workspaces`: its own, and the one that is its home if that is another. */
  loadPolicySet(
    scope: { organizationId: string; workspaces: string | readonly [string, string] },
    traceId: string,
  ): Promise<PolicySet>;
  organizations: OrganizationService;
  workspaces: WorkspaceService;
}

type HandledRequest = Pick<IngestionRequest, 'observed' | 'halt'>;

/** @throws AppError `FORBIDDEN` */
function requireOwnAgent(
  { tenant: { agentIds }, key }: IngestionCaller,
  agent: ResolvedAgent | null,
): void {
  if (key.agentId !== null && agent?.agentId !== key.agentId)
    throw new AppError('FORBIDDEN', 'An agent key ingests for its own agent only');
  if (agentIds !== null && (!agent || !agentIds.includes(agent.agentId)))
    throw new AppError('FORBIDDEN', 'The key is limited to other agents');
}

export function createJudgingContexts(
  { clock, newTraceId }: Pick<Platform, 'clock' | 'newTraceId'>,
  { agents, agentHistory, loadPolicySet, organizations, workspaces }: JudgingDeps,
) {
  async function buildContext(
    { tenant, key }: IngestionCaller,
    agent: ResolvedAgent | null,
    { observed, halt }: HandledRequest,
  ): Promise<JudgingContext> {
    const { organizationId, workspaceId: chosen, defaultWorkspaceId } = tenant;
    const traceId = newTraceId();
    const agentPolicies = agent?.policies ?? DEFAULT_AGENT_POLICIES;
    // A chosen workspace adds its policies to those of the default one: callers cannot choose what judges them.
    const home = key.workspaceId ?? agent?.workspaceId ?? defaultWorkspaceId;
    const workspaceId = chosen ?? home;
    const judgedIn = workspaceId === home ? workspaceId : ([workspaceId, home] as const);
    const [policies, { scrubNationalIds: nationalIds }, history, workspace] = await Promise.all([
      loadPolicySet({ organizationId, workspaces: judgedIn }, traceId),
      organizations.getContext(organizationId),
      agentHistory.loadHistory(organizationId, agent?.agentId ?? null),
      workspaces.loadSettings(organizationId, workspaceId),
    ]);
    return {
      traceId,
      agent,
      agentPolicies,
      workspaceId,
      ...readReviewSettings(workspace, observed),
      policies,
      history,
      scrubber: getScrubber({ nationalIds, extended: agentPolicies.piiMasking }),
      versionScrubber: getScrubber({ nationalIds, extended: false }),
      nationalIds,
      at: clock.now(),
      principal: key.run?.principal,
      halt,
    };
  }

  return {
    /** @throws AppError `FORBIDDEN` where the caller's key is that of another agent, or limited to others */
    async loadContext(
      caller: IngestionCaller,
      agentRef: string,
      request: HandledRequest,
    ): Promise<JudgingContext> {
      const { organizationId, agentIds } = caller.tenant;
      const agent = await agents.resolve(organizationId, agentRef, agentIds);
      requireOwnAgent(caller, agent);
      return buildContext(caller, agent, request);
    },
  };
}

function readReviewSettings(
  workspace: WorkspaceSettings | null,
  observed: IngestionRequest['observed'],
): Pick<JudgingContext, 'reviewSla' | 'reviewExpiresIn' | 'observed'> {
  const {
    reviewSla = {},
    reviewExpiresIn = null,
    reviewsObserved: review = false,
  } = workspace ?? {};
  return { reviewSla, reviewExpiresIn, observed: observed && { tags: observed.tags, review } };
}
