// Ingestion: a decision is checked, judged and sealed; the stored document is the answer (document 2, section 4.1; docs/ledger.md).
import type { Platform } from '../../../composition/platform.ts';
import { DEFAULT_AGENT_POLICIES } from '../../../domain/agents/agent-policies.ts';
import { hardLimit, type Plan } from '../../../domain/identity/plans.ts';
import type { Key, Tenant } from '../../../domain/identity/tenant.ts';
import { limitViolationOf } from '../../../domain/record/content-limits.ts';
import type { JsonObject } from '../../../domain/record/json.ts';
import {
  chooseVersion,
  deprecationHeaders,
  MIGRATION_LINK,
  type SchemaVersion,
} from '../../../domain/record/schema-versions.ts';
import { AppError } from '../../../errors.ts';
import type { Stored } from '../../../ledger/entry.ts';
import { objectId } from '../../../ledger/ledger.model.ts';
import type { AgentHistoryService } from '../../agents/activity/agent-history.service.ts';
import type { AgentResolver, KnownAgent } from '../../agents/agent-resolver.service.ts';
import type { OrganizationService } from '../../organization/organization.service.ts';
import type { PolicySetService } from '../../policies/policy-sets.service.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { IngestBody } from '../traces.schemas.ts';
import { answerOf, draftOf } from './draft.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import { judge } from './judge.ts';
import type { Scrubbers } from './scrubbers.ts';

type Deps = Pick<
  Platform,
  'clock' | 'newTraceId' | 'newId' | 'random16' | 'ledger' | 'secrets' | 'config' | 'metrics'
> & {
  agents: AgentResolver;
  agentHistory: AgentHistoryService;
  policySets: PolicySetService;
  organizations: OrganizationService;
  scrubbers: Scrubbers;
};

/** What of the request counts besides the body. */
export interface IngestionContext {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  userAgent: string | null;
  rawBody: Buffer;
}

export interface Ingested {
  answer: ReturnType<typeof answerOf>;
  /** An equal request had this answer already. */
  repeated: boolean;
  /** Headers that tell of a deprecated schema version. */
  notice: Readonly<Record<string, string>>;
}

export function createIngestionService(deps: Deps) {
  const { agents, agentHistory, policySets, organizations, scrubbers, clock, config } = deps;
  const ledger = deps.ledger.appender;

  /** Decisions a month after which a plan refuses; null: it never does. */
  const monthlyLimit = (plan: Plan): number | null =>
    hardLimit(plan) === null ? null : config.ASSAY_LIMIT_SANDBOX;

  async function agentOf(
    { organizationId, agentIds }: Tenant,
    key: Key,
    named: string,
  ): Promise<KnownAgent | null> {
    const agent = await agents.resolve(organizationId, named, agentIds);
    if (key.agentId !== null && agent?.agentId !== key.agentId)
      throw new AppError('FORBIDDEN', 'An agent key ingests for its own agent only');
    if (agentIds !== null && (!agent || !agentIds.includes(agent.agentId)))
      throw new AppError('FORBIDDEN', 'The key is limited to other agents');
    return agent;
  }

  async function settingOf(
    { organizationId, workspaceId: chosen, defaultWorkspaceId }: Tenant,
    agent: KnownAgent | null,
  ) {
    const agentPolicies = agent?.policies ?? DEFAULT_AGENT_POLICIES;
    const workspaceId = chosen ?? agent?.workspaceId ?? defaultWorkspaceId;
    const [policies, { scrubNationalIds: nationalIds }, history] = await Promise.all([
      policySets.of(organizationId, workspaceId),
      organizations.context(organizationId),
      agentHistory.of(organizationId, agent?.agentId ?? null),
    ]);
    const scrubber = scrubbers.of({ nationalIds, extended: agentPolicies.piiMasking });
    const versionScrubber = scrubbers.of({ nationalIds, extended: false });
    return {
      agent,
      agentPolicies,
      workspaceId,
      policies,
      history,
      scrubber,
      versionScrubber,
      at: clock.now(),
    };
  }

  function onceOf(
    { organizationId }: Tenant,
    agentId: string | null,
    circumstances: IngestionContext,
  ): Buffer | null {
    const header = headerOf(circumstances, 'idempotency-key');
    return idempotencyKeyOf(deps.secrets.ledgerKey, {
      organizationId,
      header,
      agentId,
      rawBody: circumstances.rawBody,
    });
  }

  return {
    /**
     * Judges and seals one decision, and answers when it is durable.
     * @throws AppError `SVC_VALIDATION_FAILED`, `SVC_UNKNOWN_SCHEMA_VERSION`, `VERSION_SUNSET`, `FORBIDDEN`, `USAGE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`
     */
    async ingest(
      { tenant, key }: { tenant: Tenant; key: Key },
      body: IngestBody,
      circumstances: IngestionContext,
    ): Promise<Ingested> {
      const once = onceOf(tenant, body.agentId, circumstances);
      const { version: schemaVersion, limits } = versionOf(circumstances, body, clock.now());
      refuseExcess(body, limits);
      const setting = await settingOf(tenant, await agentOf(tenant, key, body.agentId));
      const { agentPolicies, policies, scrubber, workspaceId, agent, at } = setting;
      // Whatever zod let through is JSON, for the body came through the strict parser.
      const judged = judge(body as JsonObject, setting);
      // No spread here: members that come and go with a spread cost more than the rest of the call.
      const draft = draftOf({
        tenant,
        traceId: deps.newTraceId(),
        workspaceId,
        agent,
        at,
        logPayloads: agentPolicies.logPayloads,
        schemaVersion,
        policySetDigest: policies.digest,
        scrubVersion: scrubber.version,
        judged,
        userAgent: circumstances.userAgent,
        rawBody: circumstances.rawBody,
        once,
        monthlyLimit: monthlyLimit(tenant.plan),
        newReviewId: () => objectId(deps.newId()),
        random16: deps.random16,
      });
      const outcome = await ledger.append(draft, agentPolicies.timeoutMs);
      if (outcome.kind === 'superseded') throw new AppError('INTERNAL_ERROR');
      if (outcome.kind === 'sealed') deps.metrics.decisions.inc({ status: judged.verdict });
      return ingested(outcome.entry, outcome.kind === 'repeated');
    },

    /** The answer that an equal request was given within 24 hours; null when there was none. */
    async earlier(
      { tenant }: { tenant: Tenant },
      circumstances: IngestionContext,
    ): Promise<Ingested | null> {
      const once = onceOf(tenant, agentIdIn(circumstances.rawBody), circumstances);
      const entry = once && (await ledger.find(tenant.organizationId, once));
      return entry && ingested(entry, true);
    },
  };
}
export type IngestionService = ReturnType<typeof createIngestionService>;

function ingested(entry: Stored, repeated: boolean): Ingested {
  const trace = entry as unknown as TraceDocument;
  return { answer: answerOf(trace), repeated, notice: deprecationHeaders(trace.schemaVersion) };
}

function headerOf({ headers }: IngestionContext, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function agentIdIn(rawBody: Buffer): string | null {
  try {
    const agentId: unknown = (JSON.parse(rawBody.toString('utf8')) as { agentId?: unknown } | null)
      ?.agentId;
    return typeof agentId === 'string' ? agentId.trim() : null;
  } catch {
    return null;
  }
}

function versionOf(
  circumstances: IngestionContext,
  { schemaVersion }: IngestBody,
  now: Date,
): SchemaVersion {
  const choice = chooseVersion([headerOf(circumstances, 'x-service-version'), schemaVersion], now);
  if (choice.kind === 'chosen') return choice.version;
  if (choice.kind === 'unknown')
    throw new AppError(
      'SVC_UNKNOWN_SCHEMA_VERSION',
      `Unknown schema version ${JSON.stringify(choice.named)}`,
    );
  if (choice.kind === 'contradictory')
    throw new AppError('SVC_VALIDATION_FAILED', 'X-Service-Version and schemaVersion differ');
  throw new AppError('VERSION_SUNSET', undefined, { headers: { Link: MIGRATION_LINK } });
}

function refuseExcess(body: IngestBody, limits: SchemaVersion['limits']): void {
  const excess = limitViolationOf(body, limits);
  if (excess.length === 0) return;
  const text = excess
    .map(({ path, limit, found, unit }) => `${path}: ${found} ${unit}, at most ${limit}`)
    .join('; ');
  throw new AppError('SVC_VALIDATION_FAILED', text, {
    data: {
      issues: excess.map(({ path, limit, unit }) => ({
        path,
        message: `at most ${limit} ${unit}`,
      })),
    },
  });
}
