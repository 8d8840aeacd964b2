// Ingestion: checks, judges and seals a decision; the stored document is the answer (document 2, section 4.1).
import type { Platform } from '../../../platform/platform.ts';
import { DEFAULT_AGENT_POLICIES } from '../../../domain/agents/agent-policies.ts';
import { getHardLimit } from '../../../domain/identity/plans.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import type { Json } from '../../../domain/record/json.ts';
import {
  findDeprecationHeaders,
  type SchemaVersion,
} from '../../../domain/record/schema-versions.ts';
import { AppError } from '../../../errors.ts';
import type { AgentHistoryService } from '../../agents/activity/agent-history.service.ts';
import type { AgentResolver, ResolvedAgent } from '../../agents/agent-resolver.service.ts';
import type { OrganizationService } from '../../organization/organization.service.ts';
import type { WorkspaceService } from '../../organization/workspaces/workspaces.service.ts';
import type { PolicySetService } from '../../policies/policy-sets.service.ts';
import type { IngestBody } from '../traces.schemas.ts';
import { createDrafter, type JudgingContext } from './drafter.ts';
import { deriveAgentMark, deriveIdempotencyKey } from './idempotency.ts';
import { type ReplayableTrace, type IngestAnswer, toIngestAnswer } from './ingest-answer.ts';
import type { IngestionCaller, IngestionRequest } from './ingestion-request.ts';
import { InspectedBody, type LargeBodies } from './large-bodies.ts';
import { readHeader, resolveSchemaVersion, requireWithinLimits } from './request-checks.ts';
import type { Scrubbers } from './scrubbers.ts';

type IngestionPlatform = Pick<
  Platform,
  | 'clock'
  | 'newTraceId'
  | 'generateId'
  | 'draw16Bytes'
  | 'ledger'
  | 'secrets'
  | 'config'
  | 'metrics'
>;

interface Deps {
  agents: AgentResolver;
  agentHistory: AgentHistoryService;
  policySets: PolicySetService;
  organizations: OrganizationService;
  workspaces: WorkspaceService;
  scrubbers: Scrubbers;
  largeBodies: LargeBodies;
}

export interface IngestResult {
  answer: IngestAnswer;
  /** True if an equal request got this answer before. */
  isReplay: boolean;
  /** Headers that announce the end of a deprecated schema version. */
  deprecation: Readonly<Record<string, string>>;
}

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

export function createIngestionService(platform: IngestionPlatform, deps: Deps) {
  const { agents, agentHistory, policySets, organizations, workspaces, scrubbers } = deps;
  const { clock, config } = platform;
  const drafter = createDrafter(platform, deps);
  const ledger = platform.ledger.appender;

  async function loadJudgeContext(
    caller: IngestionCaller,
    agentRef: string,
  ): Promise<JudgingContext> {
    const { organizationId, agentIds } = caller.tenant;
    const agent = await agents.resolve(organizationId, agentRef, agentIds);
    requireOwnAgent(caller, agent);
    return buildJudgeContext(caller, agent);
  }

  async function buildJudgeContext(
    { tenant, key }: IngestionCaller,
    agent: ResolvedAgent | null,
  ): Promise<JudgingContext> {
    const { organizationId, workspaceId: chosen, defaultWorkspaceId } = tenant;
    const traceId = platform.newTraceId();
    const agentPolicies = agent?.policies ?? DEFAULT_AGENT_POLICIES;
    // A chosen workspace adds its policies to those of the default one: callers cannot choose what judges them.
    const home = key.workspaceId ?? agent?.workspaceId ?? defaultWorkspaceId;
    const workspaceId = chosen ?? home;
    const judgedIn = workspaceId === home ? workspaceId : ([workspaceId, home] as const);
    const [policies, { scrubNationalIds: nationalIds }, history, workspace] = await Promise.all([
      policySets.loadPolicySet(organizationId, judgedIn, traceId),
      organizations.getContext(organizationId),
      agentHistory.loadHistory(organizationId, agent?.agentId ?? null),
      workspaces.loadSettings(organizationId, workspaceId),
    ]);
    return {
      traceId,
      agent,
      agentPolicies,
      workspaceId,
      reviewSla: workspace?.reviewSla ?? {},
      reviewExpiresIn: workspace?.reviewExpiresIn ?? null,
      policies,
      history,
      scrubber: scrubbers.getScrubber({ nationalIds, extended: agentPolicies.piiMasking }),
      versionScrubber: scrubbers.getScrubber({ nationalIds, extended: false }),
      nationalIds,
      at: clock.now(),
    };
  }

  function readIdempotencyKey(
    { organizationId }: Tenant,
    agentId: string | null,
    { headers, rawBody }: IngestionRequest,
  ): Buffer | null {
    const header = readHeader(headers, 'idempotency-key');
    return deriveIdempotencyKey(platform.secrets.ledgerKey, {
      organizationId,
      header,
      agentId,
      rawBody,
    });
  }

  const toAgentMark = ({ organizationId }: Tenant, agentRef: string): string =>
    deriveAgentMark(platform.secrets.ledgerKey, organizationId, agentRef);

  /**
   * A replay needs the same agent, within the agents and the workspace of the caller's key.
   * @param agentRef the agent as the repeated request names it; null if that cannot be read
   * @throws AppError `CONFLICT`, `DECISION_ERASED`
   */
  async function requireSameAgent(
    tenant: Tenant,
    agentRef: string | null,
    entry: ReplayableTrace,
  ): Promise<void> {
    const { organizationId, agentIds } = tenant;
    const { agentId, answer } = entry;
    requireReplayable(tenant, entry);
    if (agentRef === null) return;
    const isSame =
      answer.agentMark === undefined
        ? agentId ===
          ((await agents.resolve(organizationId, agentRef, agentIds))?.agentId ?? agentRef)
        : answer.agentMark === toAgentMark(tenant, agentRef);
    if (!isSame) throw new AppError('CONFLICT', 'The Idempotency-Key is that of another agent');
  }

  /** @throws AppError `SVC_VALIDATION_FAILED`, `SVC_UNKNOWN_SCHEMA_VERSION`, `VERSION_SUNSET` */
  function requireValid(
    body: IngestBody | InspectedBody,
    { headers, rawBody }: IngestionRequest,
  ): SchemaVersion {
    const version = resolveSchemaVersion(headers, body, clock.now());
    // The thread has checked the limits of a large body.
    if (!(body instanceof InspectedBody)) requireWithinLimits(body, version.limits, rawBody.length);
    return version;
  }

  return {
    inspectLarge: drafter.inspectLarge,

    /**
     * Judges and seals one decision, and answers when it is durable.
     * @throws AppError `SVC_VALIDATION_FAILED`, `SVC_UNKNOWN_SCHEMA_VERSION`, `VERSION_SUNSET`, `FORBIDDEN`,
     * `CONFLICT`, `USAGE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`
     */
    async recordDecision(
      caller: IngestionCaller,
      body: IngestBody | InspectedBody,
      request: IngestionRequest,
    ): Promise<IngestResult> {
      const { tenant } = caller;
      const { agentId: agentRef } = body;
      const idempotencyKey = readIdempotencyKey(tenant, agentRef, request);
      const { version: schemaVersion } = requireValid(body, request);
      const judging = await loadJudgeContext(caller, agentRef);
      const draft = await drafter.draft(body, {
        caller,
        request,
        judging,
        schemaVersion,
        agentMark: judging.agent ? undefined : toAgentMark(tenant, agentRef),
        idempotencyKey,
        monthlyLimit: getHardLimit(tenant.plan, config.ASSAY_LIMIT_SANDBOX),
      });
      const outcome = await ledger.append(draft, judging.agentPolicies.timeoutMs);
      if (outcome.kind === 'superseded') throw new AppError('INTERNAL_ERROR');
      if (outcome.kind === 'repeated') await requireSameAgent(tenant, agentRef, outcome.entry);
      if (outcome.kind === 'sealed')
        platform.metrics.decisions.inc({ status: draft.fields.verdict });
      return toIngested(outcome.entry, outcome.kind === 'repeated');
    },

    /**
     * The answer that an equal request got within 24 hours; null if there was none.
     * @throws AppError `CONFLICT` when it was given to another agent, `DECISION_ERASED`
     */
    async replay(
      { tenant }: { tenant: Tenant },
      request: IngestionRequest,
    ): Promise<IngestResult | null> {
      const agentRef = readAgentId(request.sent);
      const idempotencyKey = readIdempotencyKey(tenant, agentRef, request);
      if (idempotencyKey === null) return null;
      const entry = await ledger.findReplayed(tenant.organizationId, idempotencyKey);
      if (!entry) return null;
      await requireSameAgent(tenant, agentRef, entry);
      return toIngested(entry, true);
    },
  };
}
export type IngestionService = ReturnType<typeof createIngestionService>;

/** @throws AppError `CONFLICT` beyond the workspace and the agents of the caller's key, `DECISION_ERASED` */
function requireReplayable(
  { workspaceId, agentIds }: Tenant,
  { workspaceId: place, agentId, deletedAt }: ReplayableTrace,
): void {
  if (workspaceId !== null && workspaceId !== place)
    throw new AppError('CONFLICT', 'The Idempotency-Key is that of another workspace');
  if (agentIds !== null && !agentIds.includes(agentId))
    throw new AppError('CONFLICT', 'The Idempotency-Key is that of another agent');
  if (deletedAt) throw new AppError('DECISION_ERASED');
}

function toIngested(trace: ReplayableTrace, isReplay: boolean): IngestResult {
  return {
    answer: toIngestAnswer(trace),
    isReplay,
    deprecation: findDeprecationHeaders(trace.schemaVersion),
  };
}

/** Reads the agent from a body that may be invalid; null if it is missing or blank. */
function readAgentId(sent: Json | undefined): string | null {
  const agentId = typeof sent === 'object' && sent && 'agentId' in sent ? sent.agentId : null;
  return typeof agentId === 'string' ? agentId.trim() || null : null;
}
