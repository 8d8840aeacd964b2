// The features of the confidence engine: each measures one thing that lowers the score (docs/reference/confidence.md).
import { canonicalize } from '@assay/json';
import { findParts } from '@assay/patterns';
import type { Evidence } from './evidence.ts';
import type { DecisionHistory } from './score.ts';

/** How much each feature can lower the score. */
export const weights = {
  rationaleMissing: 0.12,
  rationaleShort: 0.08,
  rationaleLong: 0.12,
  hedging: 0.16,
  ambiguity: 0.3,
  conflict: 0.25,
  ungrounded: 0.16,
  figures: 0.06,
  breadth: 0.1,
  contextMissing: 0.12,
  contextError: 0.2,
  instruction: 0.3,
  trigger: 0.02,
  claim: 0.2,
  overrides: 0.3,
  flags: 0.1,
} as const;

export type ConfidenceFeature = keyof typeof weights;

/** How far each feature applies: 0 (not at all) to 1 (its full weight). */
export type Shares = Record<ConfidenceFeature, number>;

export const shortRationale = 40;
export const longRationale = { from: 400, to: 1000 };
export const clearMargin = 0.4;

const hedges =
  /\b(?:maybe|perhaps|possibly|probably|presumably|apparently|might|unsure|uncertain|unclear|ambiguous|guess(?:ing)?|i (?:think|believe|suppose|assume)|assum(?:e|es|ed|ing|ption)|not (?:entirely |completely |quite |fully )?(?:sure|certain|clear)|seems?|appears? to|likely|hard to (?:say|tell))\b/gi;
const refusals =
  /\b(?:cannot|can't|can not|unable to|not (?:allowed|permitted|possible|eligible|able)|against (?:the |our )?policy|must not|should not|shouldn't|won't|will not|den(?:y|ied)|refuse[sd]?|reject(?:ed)?)\b/i;
const placeholder =
  /^[^\p{L}\p{N}]{0,20}(?:none|null|nil|undefined|n\/a|empty|unknown|todo)?[^\p{L}\p{N}]{0,20}$/iu;
const failure =
  /^\W{0,8}(?:error|exception|traceback|failed|failure|timeout|timed out|forbidden|unauthori[sz]ed|not found|invalid)\b/i;
const instruction =
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|all|any|your|the|system)\b[^.\n]{0,20}\b(?:instructions?|prompts?|rules?|polic(?:y|ies)|guidelines?|guardrails?)\b|\b(?:reveal|print|show|repeat) (?:me )?(?:your|the) system prompt\b|\byou are now (?:in )?(?:developer|dan|jailbreak)/i;

const figure = /\d[\d.,:-]{0,20}\d/g;

/** The share of each feature, which is clamped to 0 and 1. */
const measures: Record<
  ConfidenceFeature,
  (evidence: Evidence, history: DecisionHistory) => number
> = {
  rationaleMissing: ({ rationale }) => (rationale.trim() === '' ? 1 : 0),
  rationaleShort: ({ rationale }) => {
    const { length } = rationale.trim();
    return length === 0 ? 0 : 1 - length / shortRationale;
  },
  rationaleLong: ({ rationale }) =>
    (rationale.trim().length - longRationale.from) / (longRationale.to - longRationale.from),
  hedging: ({ rationale }) => (rationale.match(hedges)?.length ?? 0) / 4,
  ambiguity: (evidence) => 1 - computeMargin(evidence) / clearMargin,
  conflict: ({ isCall, rationale }) => (isCall && refusals.test(rationale) ? 1 : 0),
  ungrounded: ({ values, context, rationale }) => {
    const longValues = values.filter((value) => value.length >= 3);
    return computeMissingShare(longValues, `${context}\n${rationale.toLowerCase()}`);
  },
  figures: ({ isCall, rationale, context }) =>
    isCall ? 0 : computeMissingShare(rationale.match(figure)?.slice(0, 64) ?? [], context),
  breadth: ({ values }) => (values.length - 6) / 6,
  contextMissing: ({ prompt }) => (placeholder.test(prompt) ? 1 : 0),
  contextError: ({ prompt }) => (failure.test(prompt) ? 1 : 0),
  instruction: ({ prompt }) => (instruction.test(prompt) ? 1 : 0),
  trigger: ({ hasTrigger }) => (hasTrigger ? 0 : 1),
  claim: ({ claimed }) => (claimed === null ? 0 : 1 - claimed),
  overrides: (_evidence, { recentOverrideRate }) => recentOverrideRate ?? 0,
  flags: (_evidence, { recentFlagRate }) => recentFlagRate ?? 0,
};
const features = Object.keys(measures) as ConfidenceFeature[];

/** The shares of all features. */
export function measureShares(evidence: Evidence, history: DecisionHistory): Shares {
  const shares = {} as Shares;
  for (const feature of features) shares[feature] = clamp(measures[feature](evidence, history));
  return shares;
}

/**
 * The margin of the chosen decision over the best rival: its own confidence (that of the alternative equal to the action, else the
 * agent's claim, else 1) minus the rival's; 1 without rivals.
 */
function computeMargin({ action, alternatives, claimed }: Evidence): number {
  if (alternatives.length === 0) return 1;
  const chosen = canonicalize(action);
  const own = alternatives.find(({ decision }) => canonicalize(decision) === chosen);
  const rivals = alternatives
    .filter((alternative) => alternative !== own)
    .map(({ confidence }) => confidence);
  return rivals.length === 0 ? 1 : (own?.confidence ?? claimed ?? 1) - Math.max(...rivals);
}

/** The share of values that do not occur in the lower-case text; 0 without values. */
function computeMissingShare(values: readonly string[], text: string): number {
  if (values.length === 0) return 0;
  const sought = values.map((value) => value.toLowerCase());
  const found = findParts(sought, text);
  return sought.filter((value) => !found.has(value)).length / values.length;
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
