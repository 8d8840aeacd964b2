// Names the sums of limits: what is spent of a policy's limit by an agent, a session or others.
import { canonicalize } from '@assay/json';
import type { MatchedLimit } from '@assay/policy';
import type { ActPlace } from '../halt/halt.ts';
import { computeKeyedDigest } from '../keyed-digest.ts';
import type { DecisionLimit } from './spending.ts';

/** Where a decision stands, with its organisation. */
export interface LimitedPlace extends ActPlace {
  organizationId: string;
}

/**
 * What of a decision shares one sum. Decisions without a session of one agent share one, and so do those for no person;
 * of several persons the nearest counts.
 */
function toTarget(per: MatchedLimit['limit']['per'], place: LimitedPlace): (string | null)[] {
  const { organizationId, workspaceId, agent, sessionId, persons } = place;
  if (per === 'organization') return [organizationId];
  if (per === 'workspace') return [workspaceId];
  if (per === 'agent') return [agent];
  return per === 'session' ? [workspaceId, agent, sessionId] : [persons[0] ?? null];
}

/** The limit as the decision commits to it. `secret`: of the organisation; it keys the digest of what is named. */
export function toDecisionLimit(
  { policy, at, type, limit, amount }: MatchedLimit,
  place: LimitedPlace,
  secret: string,
): DecisionLimit {
  const { of, per, window, most } = limit;
  const named = canonicalize(['limit', policy, of, per, window, ...toTarget(per, place)]);
  const digest = computeKeyedDigest(secret, named).toString('base64url');
  return { policy, at, type, of, per, window, most, key: `${policy}:${digest}`, amount };
}
