// Ingestion: checks, judges and seals a decision; the stored document is the answer (document 2, section 4.1).
import type { EntryPromise } from '@assay/tlog';
import { type Json, canonicalize } from '@assay/json';
import type { Platform } from '../../../platform/platform.ts';
import { DEFAULT_AGENT_POLICIES } from '../../../domain/agents/agent-policies.ts';
import { getHardLimit } from '../../../domain/identity/plans.ts';
import { createEffectSecrets } from '../../../domain/actions/effect-keys.ts';
import type { Key, Tenant } from '../../../domain/identity/tenant.ts';
import {
  findDeprecationHeaders,
  type SchemaVersion,
} from '../../../domain/record/schema-versions.ts';
import { AppError, limitIssues } from '../../../errors.ts';
import { createUnavailableError } from '../../../ledger/append/unavailable.ts';
import type { Halt } from '../../../domain/halt/halt.ts';
import type { Draft } from '../../../ledger/entry.ts';
import { awaitWithin, systemTimer } from '../../../platform/concurrency/timer.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { IngestBody, IngestAnswer } from '../traces.schemas.ts';
import { readAct } from '../../../domain/halt/act.ts';
import { createDrafter } from './drafter.ts';
import { deriveAgentMark } from '../../../domain/agents/agent-mark.ts';
import { deriveIdempotencyKey } from './idempotency.ts';
import { isPermitting, type ReplayableTrace, toIngestAnswer } from './ingest-answer.ts';
import type { IngestionCaller, IngestionRequest } from './ingestion-request.ts';
import { createJudgingContexts, type JudgingDeps } from './judging-contexts.ts';
import { noteAsk } from '../review/callers/review-asks.service.ts';
import { InspectedBody, type InspectedLarge, type LargeBodies } from './large-bodies.ts';
import { readHeader, resolveSchemaVersion, requireWithinLimits } from './request-checks.ts';

interface Deps extends JudgingDeps {
  largeBodies: LargeBodies;
  promises: {
    signEntry(organizationId: string, entry: StoredTrace): Promise<EntryPromise | null>;
  };
}

type StoredTrace = ReplayableTrace & Pick<TraceDocument, 'organizationId'>;

export interface IngestResult {
  answer: IngestAnswer;
  /** True if an equal request got this answer before. */
  isReplay: boolean;
  /** Headers that announce the end of a deprecated schema version. */
  deprecation: Readonly<Record<string, string>>;
}

/** Who repeats a request. */
interface ReplayCaller {
  tenant: Tenant;
  key?: Pick<Key, 'agentId'> | undefined;
}

/** A judged decision that is to be sealed. */
export interface PreparedDecision {
  draft: Draft<TraceDocument>;
  /** The agent as the body names it. */
  agentRef: string;
  /** How long its agent waits for the answer. */
  timeoutMs: number;
  body: IngestBody | InspectedBody;
  request: IngestionRequest;
}

export function createIngestionService(platform: Platform, deps: Deps) {
  const { agents, promises } = deps;
  const { clock, config } = platform;
  const drafter = createDrafter(platform, deps);
  const contexts = createJudgingContexts(platform, deps);
  const { appender: ledger, halts } = platform.ledger;
  const loadEffectSecret = createEffectSecrets(platform.secrets.ledgerKey);

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

  /** Whether a decision is that of an agent, as a request names it. */
  async function isSameAgent(
    tenant: Tenant,
    agentRef: string,
    { agentId, agentMark }: { agentId: string; agentMark: string | undefined },
  ): Promise<boolean> {
    if (agentMark !== undefined) return agentMark === toAgentMark(tenant, agentRef);
    const found = await agents.resolve(tenant.organizationId, agentRef, tenant.agentIds);
    return agentId === (found?.agentId ?? agentRef);
  }

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
    const { agentId, answer } = entry;
    requireReplayable(tenant, entry);
    if (agentRef === null) return;
    if (!(await isSameAgent(tenant, agentRef, { agentId, agentMark: answer.agentMark })))
      throw new AppError('CONFLICT', 'The Idempotency-Key is that of another agent');
  }

  /** Answers a repeated request, unless its action is halted by now; its entry is promised again. @throws AppError `HALTED` */
  async function repeatAnswer(trace: StoredTrace): Promise<IngestResult> {
    const organizationId = trace.organizationId.toHexString();
    if (isPermitting(trace)) await halts.requireFree(organizationId, readAct(trace, 'policy'));
    await noteAsk(platform, organizationId, trace);
    const promise = await promises.signEntry(organizationId, trace);
    return toIngested(trace, { isReplay: true, promise });
  }

  async function prepareDecision(
    caller: IngestionCaller,
    body: IngestBody | InspectedBody,
    request: IngestionRequest,
  ): Promise<PreparedDecision> {
    const { tenant } = caller;
    const agentRef = requireAgentRef(caller, body);
    requireSameActor(caller, body);
    const idempotencyKey = readIdempotencyKey(tenant, agentRef, request);
    const { version: schemaVersion } = requireValid(body, request, clock.now());
    const judging = await contexts.loadContext(caller, agentRef, request);
    const { timeoutMs } = judging.agentPolicies;
    const drafting = drafter.draft(body, {
      caller,
      request,
      judging,
      schemaVersion,
      agentMark: judging.agent ? undefined : toAgentMark(tenant, agentRef),
      effectSecret: loadEffectSecret(tenant.organizationId),
      idempotencyKey,
      monthlyLimit: getHardLimit(tenant.plan, config.ASSAY_LIMIT_SANDBOX),
    });
    // A thread drafts a large body, for which its agent waits no longer than for others.
    if (!(drafting instanceof Promise))
      return { draft: drafting, agentRef, timeoutMs, body, request };
    const draft = await awaitDraft(drafting, timeoutMs, request);
    return { draft, agentRef, timeoutMs: requireTime(timeoutMs, request), body, request };
  }

  /** Judges a decision once more that a halt stopped at its seal. */
  async function sealHalted(
    caller: IngestionCaller,
    { body, request }: PreparedDecision,
    halt: Halt,
  ): Promise<IngestResult> {
    const notice = await halts.loadNotice(caller.tenant.organizationId, halt);
    const stopped = { ...request, halt: notice };
    return sealDecision(caller, await prepareDecision(caller, body, stopped));
  }

  async function sealDecision(
    caller: IngestionCaller,
    prepared: PreparedDecision,
  ): Promise<IngestResult> {
    const { tenant } = caller;
    const { draft, agentRef, timeoutMs } = prepared;
    const outcome = await ledger.append(draft, timeoutMs);
    if (outcome.kind === 'halted') return sealHalted(caller, prepared, outcome.halt);
    if (outcome.kind === 'superseded') throw new AppError('INTERNAL_ERROR');
    if (outcome.kind === 'repeated') await requireSameAgent(tenant, agentRef, outcome.entry);
    if (outcome.kind === 'sealed') platform.metrics.decisions.inc({ status: draft.fields.verdict });
    if (outcome.kind === 'repeated') return repeatAnswer(outcome.entry);
    return toIngested(outcome.entry, { isReplay: false, promise: outcome.promise ?? null });
  }

  async function findReplays(
    { tenant, key: by }: ReplayCaller,
    requests: readonly IngestionRequest[],
  ): Promise<(IngestResult | AppError | null)[]> {
    const keyed = requests.map((request) => {
      const agentRef = readAgentId(request.sent) ?? by?.agentId ?? null;
      return { agentRef, key: readIdempotencyKey(tenant, agentRef, request) };
    });
    const keys = keyed.flatMap(({ key }) => key ?? []);
    if (keys.length === 0) return keyed.map(() => null);
    const entries = await ledger.findReplays(tenant.organizationId, keys);
    const answer = async (agentRef: string | null, entry: StoredTrace) => {
      await requireSameAgent(tenant, agentRef, entry);
      return repeatAnswer(entry);
    };
    return Promise.all(
      keyed.map(async ({ agentRef, key }) => {
        const entry = key && entries.get(key.toString('base64'));
        return entry ? answer(agentRef, entry).catch(keepAppError) : null;
      }),
    );
  }

  return {
    /**
     * Parses and checks a large body, for which its agent waits no longer than for its decision. `sent`: as much of it as
     * identifies the agent, also when it is refused.
     * @throws AppError `SERVICE_UNAVAILABLE`
     */
    async inspectLarge(
      caller: IngestionCaller,
      request: IngestionRequest,
    ): Promise<InspectedLarge> {
      const timeoutMs = await findTimeout(agents, caller, request);
      if (timeoutMs === undefined) return drafter.inspectLarge(caller, request);
      // The thread does not begin what comes too late.
      const hasLeft = (): boolean => request.hasLeft() || countTimeLeft(timeoutMs, request) <= 0;
      const inspecting = drafter.inspectLarge(caller, { ...request, hasLeft });
      return awaitDraft(inspecting, timeoutMs, request);
    },

    isSameAgent,

    /**
     * Judges one decision and drafts its entry.
     * @throws AppError `SVC_VALIDATION_FAILED`, `SVC_UNKNOWN_SCHEMA_VERSION`, `VERSION_SUNSET`, `FORBIDDEN`,
     * `SERVICE_UNAVAILABLE`
     */
    prepareDecision,

    /**
     * Seals a prepared decision, and answers when it is durable. It is queued before this returns.
     * @throws AppError `CONFLICT`, `DECISION_ERASED`, `USAGE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`
     */
    sealDecision,

    /**
     * Judges and seals one decision, and answers when it is durable.
     * @throws AppError as `prepareDecision` and `sealDecision` do
     */
    async recordDecision(
      caller: IngestionCaller,
      body: IngestBody | InspectedBody,
      request: IngestionRequest,
    ): Promise<IngestResult> {
      return sealDecision(caller, await prepareDecision(caller, body, request));
    },

    /**
     * The answer that an equal request got within 24 hours; null if there was none.
     * @throws AppError `CONFLICT` when it was given to another agent, `DECISION_ERASED`
     */
    async replay(caller: ReplayCaller, request: IngestionRequest): Promise<IngestResult | null> {
      const [found = null] = await findReplays(caller, [request]);
      if (found instanceof AppError) throw found;
      return found;
    },

    /** Likewise for several requests, in their order; an error stands for one that is refused. */
    findReplays,
  };
}
export type IngestionService = ReturnType<typeof createIngestionService>;

/** @throws AppError `SVC_VALIDATION_FAILED`, `SVC_UNKNOWN_SCHEMA_VERSION`, `VERSION_SUNSET` */
function requireValid(
  body: IngestBody | InspectedBody,
  { headers, rawBody }: IngestionRequest,
  now: Date,
): SchemaVersion {
  const version = resolveSchemaVersion(headers, body, now);
  // The thread has checked the limits of a large body.
  if (!(body instanceof InspectedBody)) requireWithinLimits(body, version.limits, rawBody.length);
  return version;
}

/** How long the agent of a large body waits; undefined: only its inspection shows which one that is. */
async function findTimeout(
  agents: Deps['agents'],
  { tenant, key }: IngestionCaller,
  { rawBody }: IngestionRequest,
): Promise<number | undefined> {
  const agentRef = key.agentId ?? peekAgentRef(rawBody);
  if (agentRef === undefined) return undefined;
  const agent = await agents.resolve(tenant.organizationId, agentRef, tenant.agentIds);
  return (agent?.policies ?? DEFAULT_AGENT_POLICIES).timeoutMs;
}

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

/** The milliseconds that an agent still waits; not above 0: it does not. */
const countTimeLeft = (timeoutMs: number, { receivedAt }: IngestionRequest): number =>
  receivedAt === undefined ? timeoutMs : timeoutMs - (performance.now() - receivedAt);

/** The milliseconds that an agent still waits. @throws AppError `SERVICE_UNAVAILABLE` */
function requireTime(timeoutMs: number, request: IngestionRequest): number {
  const left = countTimeLeft(timeoutMs, request);
  return left > 0 ? left : throwLate(timeoutMs);
}

/** Returns the agent of a body that names it first, as clients do. */
function peekAgentRef(rawBody: Buffer): string | undefined {
  const start = rawBody.toString('utf8', 0, PEEKED_BYTES);
  return /^\s*\{\s*"agentId"\s*:\s*"([^"\\]+)"/.exec(start)?.[1];
}

const PEEKED_BYTES = 1024;

function throwLate(timeoutMs: number): never {
  throw createUnavailableError(`The decision took longer than ${timeoutMs} ms`);
}

/** Waits for a draft as long as its agent does: what comes later is dropped, and nothing is recorded. */
function awaitDraft<T>(work: Promise<T>, timeoutMs: number, request: IngestionRequest): Promise<T> {
  // It may fail after everyone has stopped waiting.
  work.catch(() => undefined);
  const onTimeout = (): never => throwLate(timeoutMs);
  return awaitWithin(systemTimer, requireTime(timeoutMs, request), { work, onTimeout });
}

function toIngested(
  trace: ReplayableTrace,
  { isReplay, promise }: { isReplay: boolean; promise: EntryPromise | null },
): IngestResult {
  return {
    answer: toIngestAnswer(trace, promise),
    isReplay,
    deprecation: findDeprecationHeaders(trace.schemaVersion),
  };
}

function keepAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

/** The agent as the body names it, else that of the key. @throws AppError `SVC_VALIDATION_FAILED` */
function requireAgentRef(
  { key }: IngestionCaller,
  { agentId }: { agentId?: string | undefined },
): string {
  const agentRef = agentId ?? key.agentId;
  if (agentRef !== null) return agentRef;
  const issue = { path: 'agentId', message: 'required, since the key belongs to no agent' };
  throw new AppError('SVC_VALIDATION_FAILED', `${issue.path}: ${issue.message}`, {
    data: limitIssues([issue]),
  });
}

/** What the caller says of whom it acts for must be what its run token says. @throws AppError `FORBIDDEN` */
function requireSameActor(
  { key: { run } }: IngestionCaller,
  { actor }: { actor?: IngestBody['actor'] },
): void {
  const chain = run?.principal.chain ?? [];
  if (chain.length === 0 || actor === undefined) return;
  if (canonicalize(actor as Json) !== canonicalize(chain as unknown as Json))
    throw new AppError('FORBIDDEN', 'actor: another one than the run token acts for; leave it out');
}

/** Reads the agent from a body that may be invalid; null if it is missing or blank. */
function readAgentId(sent: Json | undefined): string | null {
  const agentId = typeof sent === 'object' && sent && 'agentId' in sent ? sent.agentId : null;
  return typeof agentId === 'string' ? agentId.trim() || null : null;
}
