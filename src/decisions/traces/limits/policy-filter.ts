// The filter of the decisions of one policy: on which it acted, or which reserved of one of its limits.
import type { Platform } from '../../../platform/platform.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';

/** Approvals that are read: the newest ones. */
const APPROVALS_MAX = 10_000;

/** A decision reserves with its own entry, or with the verdict that approved it. */
export async function buildPolicyFilter(
  { models }: Pick<Platform, 'models'>,
  organizationId: string,
  policyId: string,
): Promise<Record<string, unknown>> {
  // The names of a policy's sums begin with its id.
  const spends = { 'spent.key': new RegExp(`^${policyId}:`) };
  const approvals = await models.ledger
    .find({ organizationId, kind: 'review', ...spends }, { _id: 0, traceId: 1 })
    .sort({ createdAt: -1 })
    .limit(APPROVALS_MAX)
    .maxTimeMS(READ_MAX_MS)
    .lean<{ traceId: string }[]>();
  const $in = approvals.map(({ traceId }) => traceId);
  return {
    $or: [
      { matchedPolicyIds: policyId },
      spends,
      ...($in.length > 0 ? [{ traceId: { $in } }] : []),
    ],
  };
}
