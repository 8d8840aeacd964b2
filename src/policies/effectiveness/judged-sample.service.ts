// Loads the decisions that people judged recently, in a bounded read of the newest verdicts.
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { HumanJudgement } from '../../domain/policies/measures/effectiveness.ts';
import {
  BY_PERSONS,
  VERDICT_KINDS,
  readPersonsVerdict,
} from '../../domain/record/persons-verdict.ts';
import type { Models } from '../../models.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import type { TraceDocument } from '../../decisions/traces/traces.model.ts';
import { createVisibilityFilter } from '../../domain/identity/visible-decisions.ts';

const VERDICTS_MAX = 1000;

interface VerdictEntry {
  traceId: string;
  view: string;
}
type JudgedTrace = Pick<
  TraceDocument,
  'traceId' | 'workspaceId' | 'verdict' | 'matchedPolicyIds' | 'createdAt'
>;

export interface JudgedSample {
  decisions: HumanJudgement[];
  truncated: boolean;
}

/** Returns each decision once, by its newest verdict. */
export async function loadJudgedSample(
  models: Models,
  tenant: Tenant,
  since: Date,
): Promise<JudgedSample> {
  const found = await loadVerdicts(models, tenant, since);
  const newest = new Map<string, VerdictEntry>();
  for (const verdict of found.slice(0, VERDICTS_MAX))
    if (!newest.has(verdict.traceId)) newest.set(verdict.traceId, verdict);
  const traces = await loadDecisions(models, tenant, [...newest.keys()]);
  const decisions = traces.flatMap((trace) => {
    const verdict = newest.get(trace.traceId);
    return verdict ? [toJudgement(trace, verdict)] : [];
  });
  return { decisions, truncated: found.length > VERDICTS_MAX };
}

/** Returns the newest first, one more than is used. */
function loadVerdicts(
  models: Models,
  { organizationId }: Tenant,
  since: Date,
): Promise<VerdictEntry[]> {
  return models.ledger
    .find(
      { organizationId, kind: { $in: VERDICT_KINDS }, createdAt: { $gte: since }, ...BY_PERSONS },
      'traceId view',
    )
    .sort({ createdAt: -1 })
    .limit(VERDICTS_MAX + 1)
    .maxTimeMS(READ_MAX_MS)
    .lean<VerdictEntry[]>();
}

function loadDecisions(models: Models, tenant: Tenant, traceIds: string[]): Promise<JudgedTrace[]> {
  const { organizationId } = tenant;
  const where = { ...createVisibilityFilter(tenant), organizationId, traceId: { $in: traceIds } };
  return models.traces
    .find(where, 'traceId workspaceId verdict matchedPolicyIds createdAt')
    .maxTimeMS(READ_MAX_MS)
    .lean<JudgedTrace[]>();
}

function toJudgement(trace: JudgedTrace, { view }: VerdictEntry): HumanJudgement {
  const { workspaceId, createdAt, matchedPolicyIds, verdict } = trace;
  return {
    workspaceId: String(workspaceId),
    createdAt,
    matchedPolicyIds: matchedPolicyIds ?? [],
    isHeld: verdict !== 'approved',
    isRight: readPersonsVerdict(view).isRight,
  };
}
