// Links spans to the guarded decision they carry out: records the outcome, or tags a violation.
import type { Context, KeyContext } from '../../platform/context.ts';
import { findBoundDigest } from '../../domain/otlp/guarded-action.ts';
import type { ObservedCall } from '../../domain/otlp/observed-call.ts';
import { AGAINST_VERDICT, compareCall } from '../../domain/otlp/observed.ts';
import { AppError } from '../../errors.ts';
import {
  claimExecution,
  endExecution,
  listExecutions,
} from '../traces/executions/executions.service.ts';
import { isSameAgent } from '../traces/ingestion/repeated-requests.service.ts';
import { findGuardingTraces, type GuardingTrace } from '../traces/traces.service.ts';
import { keepFirstSpans } from './guarded-spans.service.ts';

/** A permitted call with the decision that guards it. `digest`: of its action; null: its span does not hold it. */
export interface GuardedCall {
  call: ObservedCall;
  decision: GuardingTrace;
  digest: string | null;
}

export interface SortedCalls {
  guarded: GuardedCall[];
  /** Calls that are decisions of their own. */
  observed: ObservedCall[];
}

const DECISION_ID = /^trc_[0-9a-f]{32}$/;
/** Seconds of a claim that is ended at once. */
const LEASE_SECONDS = 60;
/** Refusals of a claim or an outcome after which the call has its execution. */
const EXECUTED: ReadonlySet<string> = new Set(['APPROVAL_USED', 'EXECUTION_ENDED']);

/** Separates the permitted calls of guarding decisions, the first span of each, from all others. */
export async function sortGuardedCalls(
  ctx: KeyContext,
  calls: readonly ObservedCall[],
): Promise<SortedCalls> {
  const ids = new Set(calls.flatMap(({ decisionId }) => decisionId ?? []));
  const known = await findGuardingTraces(
    ctx,
    [...ids].filter((id) => DECISION_ID.test(id)),
  );
  const matches = await matchCalls(ctx, calls, known);
  const kept = await keepFirstSpans(ctx, listFirsts(matches));
  const isFirst = ({ call, decision }: GuardedCall): boolean =>
    kept.get(decision.traceId) === call.key;
  const guarded = matches.filter(isFirst);
  const own = new Set(guarded.map(({ call }) => call));
  const others = calls.filter((call) => !own.has(call));
  return { guarded, observed: others.map((call) => markViolation(call, known)) };
}

/**
 * Records the outcome of a call, where its agent has none to report. Returns the call as a violation where its decision
 * no longer permits it.
 * @throws AppError `SERVICE_UNAVAILABLE`
 */
export async function recordOutcome(
  ctx: Context,
  guarded: GuardedCall,
): Promise<ObservedCall | null> {
  const { call, decision } = guarded;
  const { traceId, executionId } = decision;
  const status = compareCall(decision);
  try {
    if (status === 'unclaimed') await recordUnclaimed(ctx, guarded);
    else if (status === 'outcome-missing' && executionId !== null)
      await endCall(ctx, { traceId, executionId }, call);
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.http >= 500) throw error;
    return EXECUTED.has(error.code) ? null : markViolation(call, new Map([[traceId, decision]]));
  }
}

async function endCall(
  ctx: Context,
  { traceId, executionId }: { traceId: string; executionId: string },
  { body: { metadata } }: ObservedCall,
): Promise<void> {
  const { error, latencyMs } = (metadata ?? {}) as { error?: string; latencyMs?: number };
  const outcome = error === undefined ? 'succeeded' : 'failed';
  const durationMs = latencyMs === undefined ? undefined : Math.round(latencyMs);
  await endExecution(ctx, { id: traceId, executionId }, { outcome, durationMs });
}

/** Claims what need not be claimed, where the span tells the action, and ends it. */
async function recordUnclaimed(
  ctx: Context,
  { decision: { traceId }, call, digest }: GuardedCall,
): Promise<void> {
  if (digest === null) return;
  const claim = { rawActionDigest: digest, leaseSeconds: LEASE_SECONDS };
  const headers = { 'idempotency-key': call.key };
  const { execution } = await claimExecution(ctx, traceId, { ...claim, headers });
  const executionId = String(execution.executionId);
  await endCall(ctx, { traceId, executionId }, call);
}

/** The commitment to the edited action that was claimed; null: there is none. */
async function loadEdited(ctx: Context, { traceId, isEdited }: GuardingTrace) {
  if (!isEdited) return null;
  const [execution] = await listExecutions(ctx, traceId).catch(keepNone);
  return execution?.editedAction ?? null;
}

async function isOwnCall(ctx: KeyContext, call: ObservedCall, decision: GuardingTrace) {
  const named = ctx.key.agentId ?? call.agent;
  if (named === null || named === decision.agentName) return true;
  const { agentId, agentMark } = decision;
  return isSameAgent(ctx, named, { agentId, agentMark });
}

/** The call as the one that the decision guards; null: it is another call, another agent's, or not permitted. */
async function matchCall(
  ctx: KeyContext,
  call: ObservedCall,
  decision: GuardingTrace | undefined,
): Promise<GuardedCall | null> {
  if (!decision || compareCall(decision) === 'not-permitted') return null;
  const edited = await loadEdited(ctx, decision);
  if (decision.isEdited && !edited) return null;
  const digest = findBoundDigest(call.act, { ...decision.action, edited });
  if (digest === undefined || !(await isOwnCall(ctx, call, decision))) return null;
  return { call, decision, digest };
}

async function matchCalls(
  ctx: KeyContext,
  calls: readonly ObservedCall[],
  known: ReadonlyMap<string, GuardingTrace>,
): Promise<GuardedCall[]> {
  const matches: GuardedCall[] = [];
  for (const call of calls) {
    const match = await matchCall(ctx, call, known.get(call.decisionId ?? ''));
    if (match) matches.push(match);
  }
  return matches;
}

/** The first span of each decision, in the order in which they began. */
function listFirsts(matches: readonly GuardedCall[]): ReadonlyMap<string, string> {
  const latestFirst = matches.toReversed();
  return new Map(latestFirst.map(({ call, decision }) => [decision.traceId, call.key]));
}

/** Tags a call that names a decision which does not guard or permit it, and names that decision as its parent. */
function markViolation(
  call: ObservedCall,
  known: ReadonlyMap<string, GuardingTrace>,
): ObservedCall {
  const { decisionId, tags, body } = call;
  if (decisionId === null) return call;
  const parent = known.has(decisionId) && { parentTraceId: decisionId };
  return { ...call, tags: [...tags, AGAINST_VERDICT], body: { ...body, ...parent } };
}

/** A decision that was deleted has none to show. */
function keepNone(error: unknown): [] {
  if (error instanceof AppError && error.http < 500) return [];
  throw error;
}
