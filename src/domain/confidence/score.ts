// The confidence engine: scores decisions deterministically from documented features; a version never changes its answers (confidence.md).
import type { JsonObject } from '@assay/json';
import { extractEvidence } from './evidence.ts';
import {
  clearMargin,
  measureShares,
  weights,
  type ConfidenceFeature,
  type Shares,
} from './features.ts';

/** Changes whenever any decision could be scored or tagged differently. */
export const ENGINE_VERSION = 'confidence-2';

/** The settings of an agent that move the thresholds. */
export interface ConfidencePolicies {
  /** Raises the thresholds: LOW_CONFIDENCE by 0.1, HIGH_AMBIGUITY and ANOMALY as documented. */
  strictMode: boolean;
  /** Below this score a decision is tagged LOW_CONFIDENCE; 0 to 1. */
  confidenceThreshold: number;
}

/** Rates over the agent's recent decisions, 0 to 1; null: too few decisions. */
export interface DecisionHistory {
  /** Overridden, of those with a human verdict. */
  recentOverrideRate: number | null;
  /** Flagged or blocked, of all. */
  recentFlagRate: number | null;
}

export interface Confidence {
  /** 0 to 1, four decimals: 1 plus the sum of `features`, at least 0. */
  confidenceScore: number;
  /** Sorted. */
  tags: string[];
  /** The contribution of each feature, four decimals, negative; features that contribute nothing are left out. */
  features: Partial<Record<ConfidenceFeature, number>>;
  /** Whether a person should look at the decision; equal to the tag ANOMALY. */
  anomaly: boolean;
}

const weighted = Object.entries(weights) as [ConfidenceFeature, number][];
const normal = { raise: 0, margin: 0.15, anomaly: 0.4 };
const strict = { raise: 0.1, margin: 0.25, anomaly: 0.5 };

/**
 * Scores a decision in the shape of the ingestion body: `inputContext.prompt`, `outputDecision.action`, and where present
 * `rationale`, `alternatives`, `outputDecision.confidence`, `triggeringCondition`. Never throws, whatever the decision holds.
 */
export function scoreDecision(
  decision: JsonObject,
  policies: ConfidencePolicies,
  history: DecisionHistory,
): Confidence {
  const evidence = extractEvidence(decision);
  const shares = measureShares(evidence, history);
  const features = computeContributions(shares);
  const taken = Object.values(features).reduce((sum, contribution) => sum + contribution, 0);
  const confidenceScore = Math.max(0, round(1 + taken));
  const thresholds = policies.strictMode ? strict : normal;
  const anomaly =
    confidenceScore < thresholds.anomaly ||
    shares.conflict === 1 ||
    (shares.instruction === 1 && evidence.isCall);
  const isLow = confidenceScore < findLowConfidence(policies);
  const isAmbiguous = shares.ambiguity > 1 - thresholds.margin / clearMargin;
  const tags = deriveTags(shares, { anomaly, isLow, isAmbiguous });
  return { confidenceScore, tags, features, anomaly };
}

/** The score below which an agent's decision has low confidence. */
export function findLowConfidence({ strictMode, confidenceThreshold }: ConfidencePolicies): number {
  return Math.min(1, confidenceThreshold + (strictMode ? strict : normal).raise);
}

/** The contribution of each feature, without those that contribute nothing. */
function computeContributions(shares: Shares): Confidence['features'] {
  const features: Confidence['features'] = {};
  for (const [name, weight] of weighted) {
    const taken = round(weight * shares[name]);
    if (taken !== 0) features[name] = -taken;
  }
  return features;
}

/** Sorted; docs/reference/confidence.md gives the rule of each. */
function deriveTags(
  shares: Shares,
  { anomaly, isLow, isAmbiguous }: { anomaly: boolean; isLow: boolean; isAmbiguous: boolean },
): string[] {
  return [
    anomaly && 'ANOMALY',
    shares.contextError === 1 && 'CONTEXT_ERROR',
    shares.hedging >= 0.5 && 'HEDGED_RATIONALE',
    isAmbiguous && 'HIGH_AMBIGUITY',
    shares.instruction === 1 && 'INSTRUCTION_OVERRIDE',
    isLow && 'LOW_CONFIDENCE',
    shares.contextMissing === 1 && 'MISSING_CONTEXT',
    shares.rationaleMissing === 1 && 'MISSING_RATIONALE',
    shares.conflict === 1 && 'RATIONALE_CONFLICT',
    shares.ungrounded > 0.5 && 'UNGROUNDED_ACTION',
  ].filter((tag) => tag !== false);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
