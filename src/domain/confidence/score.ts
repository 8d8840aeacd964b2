// The confidence engine: scores a decision from documented features, deterministically; the same version always gives the same answer (docs/confidence.md).
import { evidenceOf } from './evidence.ts';
import { clearMargin, sharesOf, weights, type ConfidenceFeature, type Shares } from './features.ts';
import type { JsonObject } from '../record/json.ts';

/** Changes whenever any decision could be scored or tagged differently. */
export const ENGINE_VERSION = 'confidence-1';

/** The settings of an agent that move the cut-offs. */
export interface ConfidencePolicies {
  /** Raises the cut-offs: LOW_CONFIDENCE by 0.1, HIGH_AMBIGUITY and ANOMALY as documented. */
  strictMode: boolean;
  /** Below this score a decision is tagged LOW_CONFIDENCE; 0 to 1. */
  confidenceThreshold: number;
}

/** What is known of the agent's recent decisions, shares from 0 to 1; null: too few to say. */
export interface DecisionHistory {
  /** Overridden by a human, of those that a human judged. */
  recentOverrideRate: number | null;
  /** Flagged or blocked, of all. */
  recentFlagRate: number | null;
}

export interface Confidence {
  /** 0 to 1, four decimals: 1 and all `features` added up, not below 0. */
  confidenceScore: number;
  /** Sorted. */
  tags: string[];
  /** What each feature contributed, four decimals, zero or negative; features without a contribution are left out. */
  features: Partial<Record<ConfidenceFeature, number>>;
  /** True when the decision should not pass without a look; the tag ANOMALY says the same. */
  anomaly: boolean;
}

const weighted = Object.entries(weights) as [ConfidenceFeature, number][];
const normal = { raise: 0, margin: 0.15, anomaly: 0.4 };
const strict = { raise: 0.1, margin: 0.25, anomaly: 0.5 };

/**
 * Scores a decision in the shape of the ingestion body: `inputContext.prompt`, `outputDecision.action`, and where present
 * `rationale`, `alternatives`, `outputDecision.confidence`, `triggeringCondition`. Never throws, whatever else stands there.
 */
export function scoreDecision(
  decision: JsonObject,
  policies: ConfidencePolicies,
  history: DecisionHistory,
): Confidence {
  const evidence = evidenceOf(decision);
  const shares = sharesOf(evidence, history);
  const features = contributionsOf(shares);
  const taken = Object.values(features).reduce((sum, contribution) => sum + contribution, 0);
  const confidenceScore = Math.max(0, round(1 + taken));
  const cutOffs = policies.strictMode ? strict : normal;
  const anomaly =
    confidenceScore < cutOffs.anomaly ||
    shares.conflict === 1 ||
    (shares.instruction === 1 && evidence.acts);
  const isLow = confidenceScore < Math.min(1, policies.confidenceThreshold + cutOffs.raise);
  const isAmbiguous = shares.ambiguity > 1 - cutOffs.margin / clearMargin;
  const tags = tagsOf(shares, { anomaly, isLow, isAmbiguous });
  return { confidenceScore, tags, features, anomaly };
}

/** What each feature contributes; those that contribute nothing are left out. */
function contributionsOf(shares: Shares): Confidence['features'] {
  const features: Confidence['features'] = {};
  for (const [name, weight] of weighted) {
    const taken = round(weight * shares[name]);
    if (taken !== 0) features[name] = -taken;
  }
  return features;
}

/** Sorted; a rule of each tag is in docs/confidence.md. */
function tagsOf(
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
