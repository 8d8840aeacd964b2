// The notice of a policy match: the policy's own text, and only id and verdict of the decision.
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import type { PolicyDefinition } from '../../domain/policies/definition.ts';
import { toPolicyMatch } from '../../domain/policies/verdict.ts';
import { truncate } from '../../domain/names/truncate.ts';

/** Quiet period after a notice, in which the policy sends no other. */
export const NOTICE_QUIET_MS = 5 * 60_000;

/** Maximum length of a notification. */
const TEXT_MAX = 1000;

export interface PolicyNotice {
  title: string;
  body: string;
}

/** Returns null when the policy does not notify. */
export function createPolicyNotice(
  policy: PolicyDefinition,
  { traceId, verdict }: { traceId: string; verdict: string },
): PolicyNotice | null {
  const { notifications, reason } = toPolicyMatch(policy);
  if (notifications.length === 0) return null;
  const reasons = notifications.map((config) => config['reason']);
  const ownReason = reasons.find((text) => typeof text === 'string' && text !== '') as
    | string
    | undefined;
  const body = `The decision ${traceId} was ${verdict}. ${ownReason ?? reason}`;
  return {
    title: `Policy ${toQuotedName(policy.name)} has matched`,
    body: truncate(body, TEXT_MAX),
  };
}
