// Ingestion: checks, judges and seals a decision; the stored document is the answer (document 2, section 4.1).
import { resolveAgent } from '../../../identity/agents/agent-resolver.service.ts';
import { type Json, canonicalize } from '@assay/json';
import type { KeyContext } from '../../../platform/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { DEFAULT_AGENT_POLICIES } from '../../../domain/agents/agent-policies.ts';
import type { Halt } from '../../../domain/halt/halt.ts';
import { getHardLimit } from '../../../domain/identity/plans.ts';
import type { SchemaVersion } from '../../../domain/record/schema-versions.ts';
import { AppError, limitIssues } from '../../../errors.ts';
import { createUnavailableError } from '../../../ledger/append/unavailable.ts';
import type { Draft, Outcome, PassedLimit } from '../../../ledger/entry.ts';
import { listNotices } from '../../../ledger/spending/limit-error.ts';
import { awaitWithin, systemTimer } from '../../../platform/concurrency/timer.ts';
import { getTraceNeighbours } from '../neighbours.service.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { IngestBody } from '../traces.schemas.ts';
import { draftAccepted, inspectLargeBody } from './drafter.ts';
import type { IngestionRequest } from './ingestion-request.ts';
import { loadJudgingContext } from './judging-contexts.ts';
import { draftInSession } from '../sessions/session-drafts.service.ts';
import { forgetUnsealed, runAlone } from '../sessions/session-tails.service.ts';
import { InspectedBody, type InspectedLarge } from './large-bodies.ts';
import {
  type IngestResult,
  findIdempotencyKey,
  repeatAnswer,
  requireSameAgent,
  toAgentMark,
  toIngested,
} from './repeated-requests.service.ts';
import { resolveSchemaVersion, requireWithinLimits } from './request-checks.ts';

/** How often a decision is judged again because others of its session came first. */
const SESSION_ATTEMPTS = 8;

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
  const idempotencyKey = findIdempotencyKey(ctx, agentRef, request);
  const { version: schemaVersion } = requireValid(ctx.platform, body, request);
  const judging = await loadJudgingContext(ctx, agentRef, request);
  const { timeoutMs } = judging.agentPolicies;
  const accepted = {
    ctx,
    request,
    judging,
    schemaVersion,
    agentMark: judging.agent ? undefined : toAgentMark(ctx, agentRef),
    idempotencyKey,
    monthlyLimit: getHardLimit(ctx.tenant.plan, ctx.platform.config.ASSAY_LIMIT_SANDBOX),
  };
  const drafting = judging.catalogue
    ? draftInSession(body, accepted)
    : draftAccepted(body, accepted);
  // A thread drafts a large body, and sessions take turns; its agent waits no longer than for others.
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
  const outcome = await append(ctx, prepared);
  if (outcome.kind === 'superseded') return sealAlone(ctx, prepared);
  return settleOutcome(ctx, prepared, outcome);
}

type Appended = Outcome<TraceDocument>;

async function settleOutcome(
  ctx: KeyContext,
  prepared: PreparedDecision,
  outcome: Exclude<Appended, { kind: 'superseded' }>,
): Promise<IngestResult> {
  const { platform } = ctx;
  const { draft, agentRef } = prepared;
  if (outcome.kind === 'halted') return sealHalted(ctx, prepared, outcome.halt);
  if (outcome.kind === 'exceeded') return sealExceeded(ctx, prepared, outcome.passed);
  if (outcome.kind === 'ungranted') return sealUngranted(ctx, prepared, outcome.grantId);
  if (outcome.kind === 'repeated') await requireSameAgent(ctx, agentRef, outcome.entry);
  if (outcome.kind === 'sealed') platform.metrics.decisions.inc({ status: draft.fields.verdict });
  if (outcome.kind === 'repeated') return repeatAnswer(platform, outcome.entry);
  if (draft.fields.answer.halts)
    await getTraceNeighbours(platform).haltByPolicy(draft.organizationId, outcome.entry);
  return toIngested(outcome.entry, { isReplay: false, promise: outcome.promise ?? null });
}

function append(
  { platform }: KeyContext,
  { draft, timeoutMs }: PreparedDecision,
): Promise<Appended> {
  const appending = platform.ledger.appender.append(draft, timeoutMs);
  return draft.session ? forgetUnsealed(platform, draft, appending) : appending;
}

/** Judges a decision again, while no other one of its session is judged here, since one came between. */
async function sealAlone(
  ctx: KeyContext,
  { draft: { organizationId, session }, body, request }: PreparedDecision,
): Promise<IngestResult> {
  const name = { organizationId, key: session?.committed.key ?? '' };
  const { prepared, outcome } = await runAlone(ctx.platform, name, async () => {
    for (let attempt = 0; attempt < SESSION_ATTEMPTS; attempt++) {
      const again = await prepareDecision(ctx, body, { ...request, isAlone: true });
      const sealed = await append(ctx, again);
      if (sealed.kind !== 'superseded') return { prepared: again, outcome: sealed };
    }
    throw createUnavailableError('Other decisions of the session keep coming first');
  });
  return settleOutcome(ctx, prepared, outcome);
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

/** Likewise one whose standing grant had ended: by then others of the agent may let it through. */
async function sealUngranted(
  ctx: KeyContext,
  { body, request }: PreparedDecision,
  grantId: string,
): Promise<IngestResult> {
  const endedGrants = [...(request.endedGrants ?? []), grantId];
  return sealDecision(ctx, await prepareDecision(ctx, body, { ...request, endedGrants }));
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
