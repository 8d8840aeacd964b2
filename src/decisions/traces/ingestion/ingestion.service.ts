// Ingestion: checks, judges and seals a decision; the stored document is the answer (document 2, section 4.1).
import { resolveAgent } from '../../../identity/agents/agent-resolver.service.ts';
import type { EntryPromise } from '@assay/tlog';
import { type Json, canonicalize } from '@assay/json';
import type { Context, KeyContext } from '../../../platform/context.ts';
import { getTraceNeighbours } from '../neighbours.service.ts';
import type { Platform } from '../../../platform/platform.ts';
import { deriveAgentMark } from '../../../domain/agents/agent-mark.ts';
import { DEFAULT_AGENT_POLICIES } from '../../../domain/agents/agent-policies.ts';
import type { Halt } from '../../../domain/halt/halt.ts';
import { getHardLimit } from '../../../domain/identity/plans.ts';
import type { Key, Tenant } from '../../../domain/identity/tenant.ts';
import {
  findDeprecationHeaders,
  type SchemaVersion,
} from '../../../domain/record/schema-versions.ts';
import { AppError, limitIssues } from '../../../errors.ts';
import { createUnavailableError } from '../../../ledger/append/unavailable.ts';
import type { Draft, PassedLimit } from '../../../ledger/entry.ts';
import { listNotices } from '../../../ledger/spending/limit-error.ts';
import { awaitWithin, systemTimer } from '../../../platform/concurrency/timer.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { IngestBody, IngestAnswer } from '../traces.schemas.ts';
import { draftAccepted, inspectLargeBody } from './drafter.ts';
import { deriveIdempotencyKey } from './idempotency.ts';
import {
  findAnsweredAct,
  type ReplayableTrace,
  type StoredTrace,
  toIngestAnswer,
} from './ingest-answer.ts';
import type { IngestionRequest } from './ingestion-request.ts';
import { loadJudgingContext } from './judging-contexts.ts';
import { noteAsk } from '../review/callers/review-asks.service.ts';
import { InspectedBody, type InspectedLarge } from './large-bodies.ts';
import { readHeader, resolveSchemaVersion, requireWithinLimits } from './request-checks.ts';

export interface IngestResult {
  answer: IngestAnswer;
  /** True if an equal request got this answer before. */
  isReplay: boolean;
  /** Headers that announce the end of a deprecated schema version. */
  deprecation: Readonly<Record<string, string>>;
}

/** Who repeats a request. */
interface ReplayContext extends Context {
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

/** Whether a decision is that of an agent, as a request names it. */
export async function isSameAgent(
  ctx: Context,
  agentRef: string,
  { agentId, agentMark }: { agentId: string; agentMark: string | undefined },
): Promise<boolean> {
  const { platform, tenant } = ctx;
  if (agentMark !== undefined) return agentMark === toAgentMark(ctx, agentRef);
  const found = await resolveAgent(platform, tenant, agentRef);
  return agentId === (found?.agentId ?? agentRef);
}

/**
 * Judges one decision and drafts its entry.
 * @throws AppError `SVC_VALIDATION_FAILED`, `SVC_UNKNOWN_SCHEMA_VERSION`, `VERSION_SUNSET`, `FORBIDDEN`,
 * `SERVICE_UNAVAILABLE`
 */
export async function prepareDecision(
  ctx: KeyContext,
  body: IngestBody | InspectedBody,
  request: IngestionRequest,
): Promise<PreparedDecision> {
  const agentRef = requireAgentRef(ctx, body);
  requireSameActor(ctx, body);
  const idempotencyKey = readIdempotencyKey(ctx, agentRef, request);
  const { version: schemaVersion } = requireValid(ctx.platform, body, request);
  const judging = await loadJudgingContext(ctx, agentRef, request);
  const { timeoutMs } = judging.agentPolicies;
  const drafting = draftAccepted(body, {
    ctx,
    request,
    judging,
    schemaVersion,
    agentMark: judging.agent ? undefined : toAgentMark(ctx, agentRef),
    idempotencyKey,
    monthlyLimit: getHardLimit(ctx.tenant.plan, ctx.platform.config.ASSAY_LIMIT_SANDBOX),
  });
  // A thread drafts a large body, for which its agent waits no longer than for others.
  if (!(drafting instanceof Promise))
    return { draft: drafting, agentRef, timeoutMs, body, request };
  const draft = await awaitDraft(drafting, timeoutMs, request);
  return { draft, agentRef, timeoutMs: requireTime(timeoutMs, request), body, request };
}

/**
 * Seals a prepared decision, and answers when it is durable. It is queued before this returns.
 * @throws AppError `CONFLICT`, `DECISION_ERASED`, `USAGE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`
 */
export async function sealDecision(
  ctx: KeyContext,
  prepared: PreparedDecision,
): Promise<IngestResult> {
  const { platform } = ctx;
  const { draft, agentRef, timeoutMs } = prepared;
  const outcome = await platform.ledger.appender.append(draft, timeoutMs);
  if (outcome.kind === 'halted') return sealHalted(ctx, prepared, outcome.halt);
  if (outcome.kind === 'exceeded') return sealExceeded(ctx, prepared, outcome.passed);
  if (outcome.kind === 'superseded') throw new AppError('INTERNAL_ERROR');
  if (outcome.kind === 'repeated') await requireSameAgent(ctx, agentRef, outcome.entry);
  if (outcome.kind === 'sealed') platform.metrics.decisions.inc({ status: draft.fields.verdict });
  if (outcome.kind === 'repeated') return repeatAnswer(platform, outcome.entry);
  return toIngested(outcome.entry, { isReplay: false, promise: outcome.promise ?? null });
}

/** Judges a decision once more that a halt stopped at its seal. */
async function sealHalted(
  ctx: KeyContext,
  { body, request }: PreparedDecision,
  halt: Halt,
): Promise<IngestResult> {
  const notice = await ctx.platform.ledger.halts.loadNotice(ctx.tenant.organizationId, halt);
  return sealDecision(ctx, await prepareDecision(ctx, body, { ...request, halt: notice }));
}

/** Likewise one that would have passed limits. */
async function sealExceeded(
  ctx: KeyContext,
  { body, request }: PreparedDecision,
  passed: readonly PassedLimit[],
): Promise<IngestResult> {
  const notices = [...(request.passed ?? []), ...listNotices(passed)];
  return sealDecision(ctx, await prepareDecision(ctx, body, { ...request, passed: notices }));
}

/**
 * Parses and checks a large body, for which its agent waits no longer than for its decision. `sent`: as much of it as
 * identifies the agent, also when it is refused.
 * @throws AppError `SERVICE_UNAVAILABLE`
 */
export async function inspectLargeDecision(
  ctx: KeyContext,
  request: IngestionRequest,
): Promise<InspectedLarge> {
  const timeoutMs = await findTimeout(ctx, request);
  if (timeoutMs === undefined) return inspectLargeBody(ctx, request);
  // The thread does not begin what comes too late.
  const hasLeft = (): boolean => request.hasLeft() || countTimeLeft(timeoutMs, request) <= 0;
  const inspecting = inspectLargeBody(ctx, { ...request, hasLeft });
  return awaitDraft(inspecting, timeoutMs, request);
}

/**
 * Judges and seals one decision, and answers when it is durable.
 * @throws AppError as `prepareDecision` and `sealDecision` do
 */
export async function recordDecision(
  ctx: KeyContext,
  body: IngestBody | InspectedBody,
  request: IngestionRequest,
): Promise<IngestResult> {
  return sealDecision(ctx, await prepareDecision(ctx, body, request));
}

/**
 * The answer that an equal request got within 24 hours; null if there was none.
 * @throws AppError `CONFLICT` when it was given to another agent, `DECISION_ERASED`
 */
export async function replayDecision(
  ctx: ReplayContext,
  request: IngestionRequest,
): Promise<IngestResult | null> {
  const [found = null] = await findReplays(ctx, [request]);
  if (found instanceof AppError) throw found;
  return found;
}

/** Likewise for several requests, in their order; an error stands for one that is refused. */
export async function findReplays(
  ctx: ReplayContext,
  requests: readonly IngestionRequest[],
): Promise<(IngestResult | AppError | null)[]> {
  const { platform, tenant, key: by } = ctx;
  const keyed = requests.map((request) => {
    const agentRef = readAgentId(request.sent) ?? by?.agentId ?? null;
    return { agentRef, key: readIdempotencyKey(ctx, agentRef, request) };
  });
  const keys = keyed.flatMap(({ key }) => key ?? []);
  if (keys.length === 0) return keyed.map(() => null);
  const entries = await platform.ledger.appender.findReplays(tenant.organizationId, keys);
  const answer = async (agentRef: string | null, entry: StoredTrace) => {
    await requireSameAgent(ctx, agentRef, entry);
    return repeatAnswer(platform, entry);
  };
  return Promise.all(
    keyed.map(async ({ agentRef, key }) => {
      const entry = key && entries.get(key.toString('base64'));
      return entry ? answer(agentRef, entry).catch(keepAppError) : null;
    }),
  );
}

function readIdempotencyKey(
  { platform, tenant: { organizationId } }: Context,
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

const toAgentMark = ({ platform, tenant: { organizationId } }: Context, agentRef: string): string =>
  deriveAgentMark(platform.secrets.ledgerKey, organizationId, agentRef);

/**
 * A replay needs the same agent, within the agents and the workspace of the caller's key.
 * @param agentRef the agent as the repeated request names it; null if that cannot be read
 * @throws AppError `CONFLICT`, `DECISION_ERASED`
 */
async function requireSameAgent(
  ctx: Context,
  agentRef: string | null,
  entry: ReplayableTrace,
): Promise<void> {
  const { agentId, answer } = entry;
  requireReplayable(ctx.tenant, entry);
  if (agentRef === null) return;
  if (!(await isSameAgent(ctx, agentRef, { agentId, agentMark: answer.agentMark })))
    throw new AppError('CONFLICT', 'The Idempotency-Key is that of another agent');
}

/** @throws AppError `SVC_VALIDATION_FAILED`, `SVC_UNKNOWN_SCHEMA_VERSION`, `VERSION_SUNSET` */
function requireValid(
  platform: Platform,
  body: IngestBody | InspectedBody,
  { headers, rawBody }: IngestionRequest,
): SchemaVersion {
  const version = resolveSchemaVersion(headers, body, platform.clock.now());
  // The thread has checked the limits of a large body.
  if (!(body instanceof InspectedBody)) requireWithinLimits(body, version.limits, rawBody.length);
  return version;
}

/** Answers a repeated request, unless its action is halted by now; its entry is promised again. @throws AppError `HALTED` */
async function repeatAnswer(platform: Platform, trace: StoredTrace): Promise<IngestResult> {
  const organizationId = trace.organizationId.toHexString();
  const act = findAnsweredAct(trace);
  if (act) await platform.ledger.halts.requireFree(organizationId, act);
  await noteAsk(platform, organizationId, trace);
  const promise = await getTraceNeighbours(platform).signEntry(organizationId, trace);
  return toIngested(trace, { isReplay: true, promise });
}

/** How long the agent of a large body waits; undefined: only its inspection shows which one that is. */
async function findTimeout(
  { platform, tenant, key }: KeyContext,
  { rawBody }: IngestionRequest,
): Promise<number | undefined> {
  const agentRef = key.agentId ?? peekAgentRef(rawBody);
  if (agentRef === undefined) return undefined;
  const agent = await resolveAgent(platform, tenant, agentRef);
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
  { key }: KeyContext,
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
  { key: { run } }: KeyContext,
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
