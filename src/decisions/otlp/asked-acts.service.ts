// Acts that were asked for before they were done: their spans say what became of them, or that they were not permitted.
import { findBoundDigest } from '../../domain/otlp/asked-action.ts';
import type { ObservedCall } from '../../domain/otlp/map-spans.ts';
import { AGAINST_VERDICT, compareAct } from '../../domain/otlp/observed.ts';
import type { Key, Tenant } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import type { ExecutionService } from '../traces/executions/executions.service.ts';
import type { IngestionService } from '../traces/ingestion/ingestion.service.ts';
import type { AskedTrace, TraceService } from '../traces/traces.service.ts';
import type { AskedSpans } from './asked-spans.service.ts';

interface Deps {
  decisions: Pick<TraceService, 'findAsked'>;
  executions: ExecutionService;
  ingestion: Pick<IngestionService, 'isSameAgent'>;
  spans: AskedSpans;
}

interface Caller {
  tenant: Tenant;
  key: Pick<Key, 'agentId'>;
}

/** A call of an act that was permitted, with its decision. `digest`: of its action; null: the call does not tell it. */
export interface AskedCall {
  call: ObservedCall;
  decision: AskedTrace;
  digest: string | null;
}

export interface SortedCalls {
  asked: AskedCall[];
  /** Calls that are decisions of their own. */
  observed: ObservedCall[];
}

const DECISION_ID = /^trc_[0-9a-f]{32}$/;
/** Seconds of a claim that is ended at once. */
const LEASE_SECONDS = 60;
/** Refusals of a claim or an outcome after which the act has its execution. */
const EXECUTED: ReadonlySet<string> = new Set(['APPROVAL_USED', 'EXECUTION_ENDED']);

export function createAskedActs({ decisions, executions, ingestion, spans }: Deps) {
  async function endExecution(
    tenant: Tenant,
    { traceId, executionId }: { traceId: string; executionId: string },
    { body: { metadata } }: ObservedCall,
  ): Promise<void> {
    const { error, latencyMs } = (metadata ?? {}) as { error?: string; latencyMs?: number };
    const outcome = error === undefined ? 'succeeded' : 'failed';
    const durationMs = latencyMs === undefined ? undefined : Math.round(latencyMs);
    await executions.endExecution(tenant, { id: traceId, executionId }, { outcome, durationMs });
  }

  /** Claims what need not be claimed, where the span tells the action, and ends it. */
  async function recordUnclaimed(
    tenant: Tenant,
    { decision: { traceId }, call, digest }: AskedCall,
  ): Promise<void> {
    if (digest === null) return;
    const claim = { rawActionDigest: digest, leaseSeconds: LEASE_SECONDS };
    const headers = { 'idempotency-key': call.key };
    const { execution } = await executions.claim(tenant, traceId, { ...claim, headers });
    const executionId = String(execution.executionId);
    await endExecution(tenant, { traceId, executionId }, call);
  }

  /** The commitment to the edited action that was claimed; null: there is none. */
  async function loadEdited(tenant: Tenant, { traceId, isEdited }: AskedTrace) {
    if (!isEdited) return null;
    const [execution] = await executions.listExecutions(tenant, traceId).catch(keepNone);
    return execution?.editedAction ?? null;
  }

  const isSameAgent = async ({ tenant, key }: Caller, call: ObservedCall, decision: AskedTrace) => {
    const named = key.agentId ?? call.agent;
    if (named === null || named === decision.agentName) return true;
    const { agentId, agentMark } = decision;
    return ingestion.isSameAgent(tenant, named, { agentId, agentMark });
  };

  /** The call as that of the decision; null: it is another act, another agent's, or was not permitted. */
  async function matchCall(
    caller: Caller,
    call: ObservedCall,
    decision: AskedTrace | undefined,
  ): Promise<AskedCall | null> {
    if (!decision || compareAct(decision) === 'against') return null;
    const edited = await loadEdited(caller.tenant, decision);
    if (decision.isEdited && !edited) return null;
    const digest = findBoundDigest(call.act, { ...decision.action, edited });
    if (digest === undefined || !(await isSameAgent(caller, call, decision))) return null;
    return { call, decision, digest };
  }

  async function matchCalls(
    caller: Caller,
    calls: readonly ObservedCall[],
    known: ReadonlyMap<string, AskedTrace>,
  ): Promise<AskedCall[]> {
    const matches: AskedCall[] = [];
    for (const call of calls) {
      const match = await matchCall(caller, call, known.get(call.decisionId ?? ''));
      if (match) matches.push(match);
    }
    return matches;
  }

  return {
    /** Sorts calls by whether they were asked for, and permitted: of each decision the first one that tells its act. */
    async sortCalls(caller: Caller, calls: readonly ObservedCall[]): Promise<SortedCalls> {
      const { tenant } = caller;
      const ids = new Set(calls.flatMap(({ decisionId }) => decisionId ?? []));
      const known = await decisions.findAsked(
        tenant,
        [...ids].filter((id) => DECISION_ID.test(id)),
      );
      const matches = await matchCalls(caller, calls, known);
      const kept = await spans.keepFirst(tenant, listFirsts(matches));
      const isFirst = ({ call, decision }: AskedCall): boolean =>
        kept.get(decision.traceId) === call.key;
      const asked = matches.filter(isFirst);
      const own = new Set(asked.map(({ call }) => call));
      const others = calls.filter((call) => !own.has(call));
      return { asked, observed: others.map((call) => markBreach(call, known)) };
    },

    /**
     * Records the outcome of an act, where its agent has none to report. Returns the call as a breach where its decision
     * no longer permits it.
     * @throws AppError `SERVICE_UNAVAILABLE`
     */
    async recordOutcome(tenant: Tenant, asked: AskedCall): Promise<ObservedCall | null> {
      const { call, decision } = asked;
      const { traceId, executionId } = decision;
      const standing = compareAct(decision);
      try {
        if (standing === 'unclaimed') await recordUnclaimed(tenant, asked);
        else if (standing === 'unheard' && executionId !== null)
          await endExecution(tenant, { traceId, executionId }, call);
        return null;
      } catch (error) {
        if (!(error instanceof AppError) || error.http >= 500) throw error;
        return EXECUTED.has(error.code) ? null : markBreach(call, new Map([[traceId, decision]]));
      }
    },
  };
}
export type AskedActs = ReturnType<typeof createAskedActs>;

/** The first span of each decision, in the order in which they began. */
function listFirsts(matches: readonly AskedCall[]): ReadonlyMap<string, string> {
  const latestFirst = matches.toReversed();
  return new Map(latestFirst.map(({ call, decision }) => [decision.traceId, call.key]));
}

/** An act that names a decision which is not its own, or did not permit it. It follows from that decision, where it is known. */
function markBreach(call: ObservedCall, known: ReadonlyMap<string, AskedTrace>): ObservedCall {
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
