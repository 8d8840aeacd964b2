// Budgets: what is spent of the limits of policies, now or as of a time (guide: cap what an agent spends).
import { formatDecimal, listLimited, type Limit } from '@assay/policy';
import { findFreeing, listLive, sumSlots, toLimitNotice } from '../../domain/budgets/spending.ts';
import {
  listTargets,
  type SpendingTarget,
} from '../../decisions/traces/limits/spending-targets.service.ts';
import type { Context } from '../../platform/context.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import type { PolicyDocument } from '../policies.model.ts';
import { filterLive } from '../policies.service.ts';
import type { BudgetSumDocument } from './budget-sums.model.ts';
import type { BudgetQuery, BudgetSum, LimitBudgetView } from './budgets.schemas.ts';

/** Policies that are read. */
const POLICIES_MAX = 100;
/** Sums that are read of each limit, and sums that are shown of it: in the list, and of one policy. */
const LISTED = { read: 100, shown: 20 };
const WHOLE = { read: 1000, shown: 1000 };

/** The limits of live policies with what is spent of each, the fullest sums first. */
export async function listBudgets(ctx: Context, query: BudgetQuery): Promise<LimitBudgetView[]> {
  const { platform, tenant } = ctx;
  const { policyId, at } = query;
  const policies = await platform.models.policies
    .find({
      ...filterLive(tenant),
      'actions.config.limit': { $exists: true },
      ...(policyId !== undefined && { _id: policyId }),
    })
    .sort({ createdAt: -1, _id: -1 })
    .limit(POLICIES_MAX)
    .maxTimeMS(READ_MAX_MS)
    .lean<PolicyDocument[]>();
  const time = at === undefined ? platform.clock.now() : new Date(at);
  const views: LimitBudgetView[] = [];
  for (const policy of policies)
    for (const { at: place, type, limit } of listLimited(policy._id.toHexString(), policy.actions))
      views.push({
        policyId: policy._id,
        name: policy.name,
        enabled: policy.enabled,
        workspaceId: policy.workspaceId.toHexString(),
        at: place,
        type,
        ...limit,
        sums: await listSums(ctx, { policy, limit, time, query }),
      });
  return views;
}

interface Listing {
  policy: PolicyDocument;
  limit: Limit;
  time: Date;
  query: BudgetQuery;
}

async function listSums(
  ctx: Context,
  { policy, limit, time, query }: Listing,
): Promise<BudgetSum[]> {
  const { read, shown } = query.policyId === undefined ? LISTED : WHOLE;
  const found = await findNewest(ctx, { policy, limit, read });
  const stated = query.at === undefined ? found : await readAsOf(ctx, found, time);
  const fullest = stated
    .map((sum) => ({ ...sum, slots: listLive(limit.window, sum.slots, time) }))
    .sort((one, other) => compare(sumSlots(other.slots).amount, sumSlots(one.slots).amount))
    .slice(0, shown);
  const targets = await listTargets(
    ctx,
    fullest.map(({ traceId }) => traceId),
  );
  return fullest.flatMap((sum) => {
    const target = targets.get(sum.traceId);
    return target ? [toSum(sum, limit, target)] : [];
  });
}

const findNewest = (
  { platform, tenant: { organizationId } }: Context,
  {
    policy,
    limit: { of, per, window },
    read,
  }: Pick<Listing, 'policy' | 'limit'> & { read: number },
): Promise<BudgetSumDocument[]> =>
  platform.models.budgetSums
    .find({ organizationId, policyId: policy._id, of, per, window })
    .sort({ sequence: -1 })
    .limit(read)
    .maxTimeMS(READ_MAX_MS)
    .lean<BudgetSumDocument[]>();

const compare = (one: bigint, other: bigint): number => Number(one > other) - Number(one < other);

function toSum(
  { slots, changedAt, traceId }: BudgetSumDocument,
  limit: Limit,
  target: SpendingTarget,
): BudgetSum {
  const { amount, open } = sumSlots(slots);
  const { left } = toLimitNotice({ policy: '', at: 0, type: 'block', ...limit }, slots);
  return {
    target: selectTarget(limit.per, target),
    spent: Number(formatDecimal(amount)),
    open: Number(formatDecimal(open)),
    left: left ?? 0,
    freesAt: findFreeing(limit.window, slots),
    changedAt,
    traceId,
  };
}

/** What the sum is of, without what its decisions do not share. */
function selectTarget(per: Limit['per'], target: SpendingTarget): BudgetSum['target'] {
  const none = { workspaceId: null, agentId: null, agentName: null, sessionId: null };
  if (per === 'organization' || per === 'person') return none;
  const { workspaceId, agentId, agentName, sessionId } = target;
  if (per === 'workspace') return { ...none, workspaceId };
  return { ...none, agentId, agentName, ...(per === 'session' && { workspaceId, sessionId }) };
}

/** The sums as the newest entries up to a time say; those that did not exist are left out. */
async function readAsOf(
  { platform, tenant }: Context,
  sums: readonly BudgetSumDocument[],
  time: Date,
): Promise<BudgetSumDocument[]> {
  const keys = sums.map(({ key }) => key);
  const found = await platform.ledger.readSumsAt(tenant.organizationId, keys, time);
  return sums.flatMap((sum) => {
    const { slots, createdAt: changedAt, traceId } = found.get(sum.key) ?? {};
    return slots && changedAt && traceId !== undefined
      ? [{ ...sum, slots: [...slots], changedAt, traceId }]
      : [];
  });
}
