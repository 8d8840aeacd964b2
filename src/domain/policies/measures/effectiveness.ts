// Measures how well a policy separates right from wrong decisions, by human verdicts on held and passed ones.
import { type JudgedCount, selectCount, computeRatio } from '../../cpi.ts';

/** A decision that a person has judged, by the newest verdict. */
export interface HumanJudgement {
  workspaceId: string;
  createdAt: Date;
  matchedPolicyIds: readonly string[];
  /** Policies flagged or blocked it. */
  isHeld: boolean;
  /** The person approved it. */
  isRight: boolean;
}

export interface MeasuredPolicy {
  id: string;
  workspaceId: string;
  createdAt: Date;
}

/** A share of `of` cases, with its 95 % Wilson interval. */
export interface Share {
  value: number;
  low: number;
  high: number;
  of: number;
}

export interface Outcomes {
  truePositives: number;
  falsePositives: number;
  falseNegatives: number;
  trueNegatives: number;
}

export interface Effectiveness extends Outcomes {
  /** Each null without data. */
  precision: Share | null;
  recall: Share | null;
  f1: number | null;
  falsePositiveRate: Share | null;
}

/** The outcomes of a policy that neither blocks nor flags: it holds nothing, so it misses nothing. */
export const NO_OUTCOMES: Outcomes = {
  truePositives: 0,
  falsePositives: 0,
  falseNegatives: 0,
  trueNegatives: 0,
};

const OUTCOMES = {
  correctFlags: 'truePositives',
  falseFlags: 'falsePositives',
  misses: 'falseNegatives',
  confirmations: 'trueNegatives',
  overridden: null,
} as const satisfies Record<JudgedCount, keyof Outcomes | null>;

/** Quantile of the standard normal distribution: 95 % lie within. */
const Z = 1.959964;

/** A held decision counts for the policies that matched it; a passed one for every policy its workspace had by then. */
export function countOutcomes(
  policy: MeasuredPolicy,
  decisions: readonly HumanJudgement[],
): Outcomes {
  const counts = { ...NO_OUTCOMES };
  for (const decision of decisions) {
    const outcome = OUTCOMES[selectCount(decision)];
    if (outcome !== null && isCounted(policy, decision)) counts[outcome] += 1;
  }
  return counts;
}

function isCounted(policy: MeasuredPolicy, decision: HumanJudgement): boolean {
  if (decision.workspaceId !== policy.workspaceId) return false;
  if (decision.createdAt < policy.createdAt) return false;
  return !decision.isHeld || decision.matchedPolicyIds.includes(policy.id);
}

export function computeEffectiveness(outcomes: Outcomes): Effectiveness {
  const { truePositives, falsePositives, falseNegatives, trueNegatives } = outcomes;
  const held = truePositives + falsePositives;
  const wrong = truePositives + falseNegatives;
  const right = falsePositives + trueNegatives;
  return {
    truePositives,
    falsePositives,
    falseNegatives,
    trueNegatives,
    precision: computeWilsonShare(truePositives, held),
    recall: computeWilsonShare(truePositives, wrong),
    f1: computeRatio(2 * truePositives, held + wrong),
    falsePositiveRate: computeWilsonShare(falsePositives, right),
  };
}

/** A share with its Wilson interval; null without cases. Bounds are rounded like the share itself. */
export function computeWilsonShare(part: number, of: number): Share | null {
  const value = computeRatio(part, of);
  if (value === null) return null;
  const centre = part + Z ** 2 / 2;
  const spread = Z * Math.sqrt((part * (of - part)) / of + Z ** 2 / 4);
  const toBound = (sum: number): number =>
    computeRatio(Math.min(Math.max(sum, 0), of + Z ** 2), of + Z ** 2) ?? 0;
  return { value, low: toBound(centre - spread), high: toBound(centre + spread), of };
}
