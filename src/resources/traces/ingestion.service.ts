// Ingestion: a decision is checked, judged and sealed; the stored document is the answer (document 2, section 4.1; docs/ledger.md).
import { excessOf } from '../../domain/content-limits.ts';
import type { JsonObject } from '../../domain/json.ts';
import { chooseVersion, type SchemaVersion } from '../../domain/schema-versions.ts';
import { createScrubber, type Scrubber } from '../../domain/scrub/scrubber.ts';
import type { Key, Tenant } from '../../domain/tenant.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../infra/clock.ts';
import type { Appender } from '../../ledger/entry.ts';
import { DEFAULT_AGENT_POLICIES } from '../agents/agents.model.ts';
import type { AgentHistoryService } from '../agents/agent-history.service.ts';
import type { AgentService, KnownAgent } from '../agents/agents.service.ts';
import type { OrganizationService } from '../organization/organization.service.ts';
import type { PolicySetService } from '../policies/policy-sets.service.ts';
import { answerOf, draftOf } from './draft.ts';
import { onceKey } from './idempotency.ts';
import { judge } from './judge.ts';
import type { ReviewItem, TraceDocument } from './traces.model.ts';
import type { IngestBody } from './traces.schemas.ts';

interface Deps {
  ledger: Appender;
  agents: AgentService;
  agentHistory: AgentHistoryService;
  policySets: PolicySetService;
  organizations: OrganizationService;
  clock: Clock;
  newTraceId: () => string;
  newReviewId: () => ReviewItem['_id'];
  random16: () => Buffer;
  ledgerKey: string;
  onIngested: (verdict: string) => void;
}

/** What of the request counts besides the body. */
export interface Circumstances {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  userAgent: string | null;
  rawBody: Buffer;
}

type Answer = ReturnType<typeof answerOf>;
export interface Ingested {
  answer: Answer;
  repeated: boolean;
}

const MIGRATION_GUIDE = '/docs#schema-versions';

export function createIngestionService(deps: Deps) {
  const { ledger, agents, agentHistory, policySets, organizations, clock, ledgerKey } = deps;
  const scrubbers = new Map<string, Scrubber>();

  function scrubberFor(nationalIds: boolean, extended: boolean): Scrubber {
    const name = `${nationalIds}/${extended}`;
    let scrubber = scrubbers.get(name);
    if (!scrubber) scrubbers.set(name, (scrubber = createScrubber({ nationalIds, extended })));
    return scrubber;
  }

  async function agentOf({ organizationId, agentIds }: Tenant, key: Key, named: string): Promise<KnownAgent | null> {
    const agent = await agents.resolve(organizationId, named);
    if (key.agentId !== null && agent?.agentId !== key.agentId)
      throw new AppError('FORBIDDEN', 'An agent key ingests for its own agent only');
    if (agentIds !== null && (!agent || !agentIds.includes(agent.agentId)))
      throw new AppError('FORBIDDEN', 'The key is limited to other agents');
    return agent;
  }

  return {
    /**
     * Judges and seals one decision, and answers when it is durable.
     * @throws AppError `SVC_VALIDATION_FAILED`, `SVC_UNKNOWN_SCHEMA_VERSION`, `VERSION_SUNSET`, `FORBIDDEN`, `USAGE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`
     */
    async ingest(
      caller: { tenant: Tenant; key: Key },
      body: IngestBody,
      circumstances: Circumstances,
    ): Promise<Ingested> {
      const { tenant, key } = caller;
      const { userAgent, rawBody } = circumstances;
      const once = onceKey(ledgerKey, {
        organizationId: tenant.organizationId,
        header: headerOf(circumstances, 'idempotency-key'),
        agentId: body.agentId,
        rawBody,
      });
      const version = versionOf(circumstances, body, clock.now());
      refuseExcess(body, version);
      const agent = await agentOf(tenant, key, body.agentId);
      const agentPolicies = agent?.policies ?? DEFAULT_AGENT_POLICIES;
      const workspaceId = tenant.workspaceId ?? agent?.workspaceId ?? tenant.defaultWorkspaceId;
      const [policies, { scrubNationalIds }, history] = await Promise.all([
        policySets.of(tenant.organizationId, workspaceId),
        organizations.context(tenant.organizationId),
        agentHistory.of(tenant.organizationId, agent?.agentId ?? null),
      ]);
      const scrubber = scrubberFor(scrubNationalIds, agentPolicies.piiMasking);
      const at = clock.now();
      // Everything zod let through is JSON, for the body came through the strict parser.
      const judged = judge({
        submitted: body as JsonObject,
        agent,
        agentPolicies,
        history,
        policies,
        scrubber,
        at,
      });
      const draft = draftOf({
        tenant,
        traceId: deps.newTraceId(),
        workspaceId,
        agent,
        logPayloads: agentPolicies.logPayloads,
        schemaVersion: version.version,
        policySetDigest: policies.digest,
        scrubVersion: scrubber.version,
        judged,
        timestamp: body.timestamp ?? null,
        agentVersion: body.agentVersion ?? null,
        userAgent,
        rawBody,
        at,
        once,
        reviewId: deps.newReviewId,
        random16: deps.random16,
      });
      const outcome = await ledger.append(draft, agentPolicies.timeoutMs);
      if (outcome.kind === 'superseded') throw new AppError('INTERNAL_ERROR');
      if (outcome.kind === 'sealed') deps.onIngested(judged.verdict);
      return { answer: answerOf(outcome.entry as unknown as TraceDocument), repeated: outcome.kind === 'repeated' };
    },

    /** The answer that an equal request was given within 24 hours; null when there was none. */
    async earlier({ tenant }: { tenant: Tenant }, circumstances: Circumstances): Promise<Ingested | null> {
      const header = headerOf(circumstances, 'idempotency-key');
      const once = onceKey(ledgerKey, {
        organizationId: tenant.organizationId,
        header,
        agentId: agentIdIn(circumstances.rawBody),
        rawBody: circumstances.rawBody,
      });
      const found = once && (await ledger.find(tenant.organizationId, once));
      return found && { answer: answerOf(found as unknown as TraceDocument), repeated: true };
    },
  };
}
export type IngestionService = ReturnType<typeof createIngestionService>;

function headerOf({ headers }: Circumstances, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function agentIdIn(rawBody: Buffer): string | null {
  try {
    const agentId: unknown = (JSON.parse(rawBody.toString('utf8')) as { agentId?: unknown } | null)?.agentId;
    return typeof agentId === 'string' ? agentId.trim() : null;
  } catch {
    return null;
  }
}

function versionOf(circumstances: Circumstances, { schemaVersion }: IngestBody, now: Date): SchemaVersion {
  const choice = chooseVersion([headerOf(circumstances, 'x-service-version'), schemaVersion], now);
  if (choice.kind === 'chosen') return choice.version;
  if (choice.kind === 'unknown')
    throw new AppError('SVC_UNKNOWN_SCHEMA_VERSION', `Unknown schema version ${JSON.stringify(choice.named)}`);
  if (choice.kind === 'contradictory')
    throw new AppError('SVC_VALIDATION_FAILED', 'X-Service-Version and schemaVersion differ');
  throw new AppError('VERSION_SUNSET', undefined, { headers: { Link: `<${MIGRATION_GUIDE}>; rel="deprecation"` } });
}

function refuseExcess(body: IngestBody, { limits }: SchemaVersion): void {
  const excess = excessOf(body, limits);
  if (excess.length === 0) return;
  const text = excess.map(({ path, limit, found, unit }) => `${path}: ${found} ${unit}, at most ${limit}`).join('; ');
  throw new AppError('SVC_VALIDATION_FAILED', text, {
    data: { issues: excess.map(({ path, limit, unit }) => ({ path, message: `at most ${limit} ${unit}` })) },
  });
}
