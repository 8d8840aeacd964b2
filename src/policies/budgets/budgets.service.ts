// Budgets: what is spent of the limits of policies, now or as of a time (guide: cap what an agent spends).
import { formatDecimal, listLimited, type Limit } from '@assay/policy';
import { computeLeft, findFreeing, listLive, sumSlots } from '../../domain/budgets/spending.ts';
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
  const policies = await findLimited(ctx, policyId);
  const time = at === undefined ? platform.clock.now() : new Date(at);
  const head =
    at === undefined ? null : await platform.ledger.sums.findHead(tenant.organizationId, time);
  const span = policyId === undefined ? LISTED : WHOLE;
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
        sums: await listSums(ctx, { policy, limit, time, head, span }),
      });
  return views;
}

const findLimited = (
  { platform, tenant }: Context,
  policyId: string | undefined,
): Promise<PolicyDocument[]> =>
  platform.models.policies
    .find({
      ...filterLive(tenant),
      'actions.config.limit': { $exists: true },
      ...(policyId !== undefined && { _id: policyId }),
    })
    .sort({ createdAt: -1, _id: -1 })
    .limit(POLICIES_MAX)
    .maxTimeMS(READ_MAX_MS)
    .lean<PolicyDocument[]>();

interface Listing {
  policy: PolicyDocument;
  limit: Limit;
  time: Date;
  /** The newest entry up to that time; null: now. */
  head: number | null;
  span: typeof LISTED;
}

/** A sum with what counts of it at the time of the list. */
interface CountedSum extends BudgetSumDocument {
  amount: bigint;
  open: bigint;
}

async function listSums(ctx: Context, listing: Listing): Promise<BudgetSum[]> {
  const { limit, time, head, span } = listing;
  const found = await findNewest(ctx, listing);
  const stated = head === null ? found : await readAsOf(ctx, found, head);
  const fullest = stated
    .map((sum) => countSum(sum, limit, time))
    .sort((one, other) => compare(other.amount, one.amount))
    .slice(0, span.shown);
  const targets = await listTargets(
    ctx,
    fullest.map(({ traceId }) => traceId),
  );
  return fullest.flatMap((sum) => {
    const target = targets.get(sum.traceId);
    return target ? [toView(sum, limit, target)] : [];
  });
}

const findNewest = (
  { platform, tenant: { organizationId } }: Context,
  { policy, limit: { of, per, window }, span }: Listing,
): Promise<BudgetSumDocument[]> =>
  platform.models.budgetSums
    .find({ organizationId, policyId: policy._id, of, per, window })
    .sort({ sequence: -1 })
    .limit(span.read)
    .maxTimeMS(READ_MAX_MS)
    .lean<BudgetSumDocument[]>();

function countSum(sum: BudgetSumDocument, { window }: Limit, time: Date): CountedSum {
  const slots = listLive(window, sum.slots, time);
  return { ...sum, slots, ...sumSlots(slots) };
}

const compare = (one: bigint, other: bigint): number => Number(one > other) - Number(one < other);

const toView = (
  { slots, amount, open, changedAt, traceId }: CountedSum,
  limit: Limit,
  target: SpendingTarget,
): BudgetSum => ({
  target: selectTarget(limit.per, target),
  spent: Number(formatDecimal(amount)),
  open: Number(formatDecimal(open)),
  left: computeLeft(limit.most, amount),
  freesAt: findFreeing(limit.window, slots),
  changedAt,
  traceId,
});

/** What the sum is of, without what its decisions do not share. */
function selectTarget(per: Limit['per'], target: SpendingTarget): BudgetSum['target'] {
  const none = { workspaceId: null, agentId: null, agentName: null, sessionId: null };
  if (per === 'organization' || per === 'person') return none;
  const { workspaceId, agentId, agentName, sessionId } = target;
  if (per === 'workspace') return { ...none, workspaceId };
  return { ...none, agentId, agentName, ...(per === 'session' && { workspaceId, sessionId }) };
}

/** The sums as they were at an entry; those that did not exist are left out. */
async function readAsOf(
  { platform, tenant }: Context,
  sums: readonly BudgetSumDocument[],
  head: number,
): Promise<BudgetSumDocument[]> {
  const keys = sums.map(({ key }) => key);
  const found = await platform.ledger.sums.readAt(tenant.organizationId, head, keys);
  return sums.flatMap((sum) => {
    const then = found.get(sum.key);
    if (!then) return [];
    const { slots, createdAt: changedAt, traceId } = then;
    return [{ ...sum, slots: [...slots], changedAt, traceId }];
  });
}
