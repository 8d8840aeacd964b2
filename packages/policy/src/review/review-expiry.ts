// When a held decision ends without a verdict, and what that means for it (docs/guides/reviews.md).
import type { Json, JsonObject } from '@assay/json';

/** A second, and 30 days. */
export const EXPIRY_SECONDS = { min: 1, max: 2_592_000 } as const;

export const EXPIRY_OUTCOMES = ['reject', 'approve'] as const;
export type ExpiryOutcome = (typeof EXPIRY_OUTCOMES)[number];

export interface ReviewExpiry {
  /** Seconds from the moment of judgement. */
  expiresIn: number;
  onExpiry: ExpiryOutcome;
}

/** The members of a review that this module reads. */
export interface Expiring {
  status: string;
  expiresAt?: Date | null;
  onExpiry?: ExpiryOutcome;
}

/** Where an expiry may come from, the strongest first: the more special outweighs the more general. */
export interface ExpirySources {
  requested: { expiresIn: number } | null;
  policy: ReviewExpiry | null;
  workspace: { expiresIn: number } | null;
}

/** Only a policy may approve by lapse: it changes under the organisation's own rules for policies. */
export function chooseExpiry(sources: ExpirySources): ReviewExpiry | null {
  const { requested, policy, workspace } = sources;
  if (requested) return { expiresIn: requested.expiresIn, onExpiry: 'reject' };
  if (policy) return policy;
  return workspace && { expiresIn: workspace.expiresIn, onExpiry: 'reject' };
}

/** The expiry that the config of an action sets; null: none, or none that is valid. */
export function readConfiguredExpiry(config: JsonObject | undefined): ReviewExpiry | null {
  const { expiresIn, onExpiry = 'reject' } = config ?? {};
  if (!isExpirySeconds(expiresIn) || !isOutcome(onExpiry)) return null;
  return { expiresIn, onExpiry };
}

/** Finds the fault of the expiry in the config of an action that holds; null: none, or no expiry. */
export function findExpiryProblem(config: JsonObject): string | null {
  const { expiresIn, onExpiry } = config;
  const { min, max } = EXPIRY_SECONDS;
  if (expiresIn !== undefined && !isExpirySeconds(expiresIn))
    return `expiresIn must be a whole number of seconds from ${min} to ${max}`;
  if (onExpiry === undefined) return null;
  if (!isOutcome(onExpiry)) return `onExpiry must be ${EXPIRY_OUTCOMES.join(' or ')}`;
  return expiresIn === undefined ? 'onExpiry needs expiresIn' : null;
}

/** Joins the expiries of all actions that hold a decision: the earliest counts, and all must agree to an approval. */
export function joinExpiries(expiries: readonly (ReviewExpiry | null)[]): ReviewExpiry | null {
  const set = expiries.filter((expiry) => expiry !== null);
  if (set.length === 0) return null;
  const isAgreed = expiries.every((expiry) => expiry?.onExpiry === 'approve');
  return {
    expiresIn: Math.min(...set.map(({ expiresIn }) => expiresIn)),
    onExpiry: isAgreed ? 'approve' : 'reject',
  };
}

/** Whether the time for a verdict is over, though the expiry may not be sealed yet. */
export function isLapsed({ status, expiresAt }: Expiring, now: Date): boolean {
  return status === 'pending' && isReached(expiresAt, now);
}

/**
 * Whether an approval may still be acted on: the end of the hold is its end too, unless the hold was to be approved at
 * that end.
 */
export function isApprovalUsable({ status, expiresAt, onExpiry }: Expiring, now: Date): boolean {
  return status === 'approved' && (onExpiry === 'approve' || !isReached(expiresAt, now));
}

function isReached(end: Date | null | undefined, now: Date): boolean {
  return end instanceof Date && end.getTime() <= now.getTime();
}

function isExpirySeconds(value: Json | undefined): value is number {
  const { min, max } = EXPIRY_SECONDS;
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function isOutcome(value: Json): value is ExpiryOutcome {
  return EXPIRY_OUTCOMES.includes(value as ExpiryOutcome);
}
