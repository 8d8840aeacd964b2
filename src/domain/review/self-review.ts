// Decides who may not decide a held decision, because they are involved in it (decisions: self-review).
import { EXCLUDABLE, type Excludable } from '@assay/policy';

/** How a person is involved: named by `actor`, maker of the key that posted it, owner of its agent. */
export const INVOLVEMENTS = EXCLUDABLE;
export type Involvement = Excludable;

/** `where-possible`: only while another person may decide. */
export const PREVENTIONS = ['off', 'where-possible', 'always'] as const;
export type SelfReviewRules = Record<Involvement, (typeof PREVENTIONS)[number]>;

/** The rules of a workspace that has set none. */
export const DEFAULT_SELF_REVIEW: Readonly<SelfReviewRules> = {
  actor: 'where-possible',
  keyMaker: 'off',
  agentOwner: 'off',
};

/** What refuses a person; null: nothing does. `hasOther`: another person decides here whom nothing would refuse. */
export function findSelfReview(
  rules: Readonly<SelfReviewRules>,
  involved: readonly Involvement[],
  hasOther: boolean,
): Involvement | null {
  const refuses = (kind: Involvement): boolean =>
    rules[kind] === 'always' || (rules[kind] === 'where-possible' && hasOther);
  return involved.find(refuses) ?? null;
}
