// Acts that were asked for before they were done: their spans say what became of them, or that they were not permitted.
import type { ObservedCall } from '../../domain/otlp/map-spans.ts';
import { AGAINST_VERDICT, compareAct } from '../../domain/otlp/observed.ts';
import { hashAction } from '../../domain/actions/proposed-action.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { Json } from '../../domain/record/json.ts';
import { AppError } from '../../errors.ts';
import type { ExecutionService } from '../traces/executions/executions.service.ts';
import type { AskedTrace, TraceService } from '../traces/traces.service.ts';

interface Deps {
  decisions: Pick<TraceService, 'findAsked'>;
  executions: ExecutionService;
}

export interface SortedCalls {
  /** Calls of an act that was permitted, with its decision. */
  asked: { call: ObservedCall; decision: AskedTrace }[];
  /** Calls that are decisions of their own. */
  observed: ObservedCall[];
}

const DECISION_ID = /^trc_[0-9a-f]{32}$/;
/** Seconds of a claim that is ended at once. */
const LEASE_SECONDS = 60;

export function createAskedActs({ decisions, executions }: Deps) {
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

  /** Claims what need not be claimed, where the span tells the same action, and ends it. */
  async function recordUnclaimed(
    tenant: Tenant,
    { traceId }: AskedTrace,
    call: ObservedCall,
  ): Promise<void> {
    const { action = null } = call.body['outputDecision'] as { action?: Json };
    const rawActionDigest = hashAction(action) ?? '';
    const claim = { rawActionDigest, leaseSeconds: LEASE_SECONDS };
    const { execution } = await executions.claim(tenant, traceId, claim);
    const executionId = String(execution.executionId);
    await endExecution(tenant, { traceId, executionId }, call);
  }

  return {
    /** Sorts calls by whether they were asked for, and permitted. */
    async sortCalls(tenant: Tenant, calls: readonly ObservedCall[]): Promise<SortedCalls> {
      const ids = new Set(calls.flatMap(({ decisionId }) => decisionId ?? []));
      const known = await decisions.findAsked(
        tenant,
        [...ids].filter((id) => DECISION_ID.test(id)),
      );
      const sorted: SortedCalls = { asked: [], observed: [] };
      for (const call of calls) {
        const decision = known.get(call.decisionId ?? '');
        if (!decision) sorted.observed.push(call);
        else if (compareAct(decision) === 'against')
          sorted.observed.push(markBreach(call, decision));
        else sorted.asked.push({ call, decision });
      }
      return sorted;
    },

    /**
     * Records the outcome of an act, where its agent has none to report.
     * @throws AppError `SERVICE_UNAVAILABLE`
     */
    async recordOutcome(
      tenant: Tenant,
      { call, decision }: SortedCalls['asked'][number],
    ): Promise<void> {
      const { traceId, executionId } = decision;
      const standing = compareAct(decision);
      try {
        if (standing === 'unclaimed') await recordUnclaimed(tenant, decision, call);
        else if (standing === 'unheard' && executionId !== null)
          await endExecution(tenant, { traceId, executionId }, call);
      } catch (error) {
        // Another action than the one that was asked for, or an outcome that came in between.
        if (!(error instanceof AppError) || error.http >= 500) throw error;
      }
    },
  };
}
export type AskedActs = ReturnType<typeof createAskedActs>;

/** The act follows from the decision that did not permit it. */
function markBreach(call: ObservedCall, { traceId }: AskedTrace): ObservedCall {
  const tags = [...call.tags, AGAINST_VERDICT];
  return { ...call, tags, body: { ...call.body, parentTraceId: traceId } };
}
