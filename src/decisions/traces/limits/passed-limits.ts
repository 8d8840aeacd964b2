// Judges by limits: an action with a limit counts where the limit is passed.
import { countLimited, type MatchedLimit, type PolicyVerdict } from '@assay/policy';
import { SPENDS_MAX, toLimitNotice, type LimitNotice } from '../../../domain/budgets/spending.ts';
import { describeLimit } from '../../../ledger/spending/limit-error.ts';

const NONE: readonly LimitNotice[] = [];

/** Counts the actions whose limits are passed: its seal said so, an amount cannot be read, or there are too many. */
export function countPassed(
  found: PolicyVerdict,
  atSeal: readonly LimitNotice[] = NONE,
): { found: PolicyVerdict; passed: readonly LimitNotice[] } {
  const { limits } = found;
  if (limits.length === 0) return { found, passed: NONE };
  const unread = limits.filter(({ amount }, index) => amount === null || index >= SPENDS_MAX);
  const notices = unread.map(({ limit, ...one }) => toLimitNotice({ ...one, ...limit }, null));
  const passed = [...atSeal, ...notices];
  const isPassed = ({ policy, at }: MatchedLimit): boolean =>
    passed.some((notice) => notice.policy === policy && notice.at === at);
  return { found: countLimited(found, isPassed), passed };
}

/** Says with the reason of the deciding policy which of its limits are passed. */
export function addLimits<
  D extends { policy: { name: string; reason: string } | null; decidedBy: string | null },
>(decision: D, passed: readonly LimitNotice[]): D {
  const { policy, decidedBy } = decision;
  const own = passed.filter((notice) => notice.policy === decidedBy).map(describeLimit);
  if (!policy || own.length === 0) return decision;
  return { ...decision, policy: { ...policy, reason: [policy.reason, ...own].join('. ') } };
}
