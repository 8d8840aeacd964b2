// What a decision commits to of the standing grant that let it through, and what its entry uses of it.
import { type GrantNotice, toUseSpending } from '../../../domain/grants/grant-use.ts';
import {
  findStandingGrant,
  type Granted,
  toGrantUse,
  type StandingGrant,
} from '../../../domain/grants/standing-grant.ts';
import type { Json } from '@assay/json';
import { type PolicyVerdict, STANDING_GRANT_TAG } from '@assay/policy';
import type { CommittedState } from '../../../domain/record/committed-state.ts';
import type { Spends } from '../../../ledger/entry.ts';
import type { Judgement, JudgeInput } from '../ingestion/judge.ts';

/** What the verdict rests on, where it is not the policies alone. */
export interface VerdictBasis extends GrantNotice {
  kind: 'grant';
}

export const toBasis = ({ id, policy }: GrantNotice): VerdictBasis => ({
  kind: 'grant',
  id,
  policy,
});

export const addUse = (state: CommittedState, granted: Judgement['granted']): CommittedState =>
  granted ? { ...state, grant: toGrantUse(granted.grant) } : state;

/** Undefined: the entry adds to no sum. */
export const addUseSpends = (
  spends: Spends | undefined,
  { grant }: CommittedState,
): Spends | undefined =>
  grant
    ? { added: [...(spends?.added ?? []), toUseSpending(grant)], caps: spends?.caps ?? [], grant }
    : spends;

export const toGrantNotice = ({ grant, held }: Granted): GrantNotice => ({
  id: grant.id,
  policy: held,
});

/** What a decision is once the policies have judged it. */
interface Settled extends Pick<Judgement, 'verdict' | 'policy' | 'reviewPriority'> {
  decidedBy: string | null;
}

interface Held extends Pick<Judgement, 'passed' | 'tags'> {
  output: Json;
  found: PolicyVerdict;
}

/** Lets a held decision through where a grant does. `decidedBy` stays. */
export function letThrough(
  decision: Settled,
  held: Held,
  input: JudgeInput,
): { decision: Settled } & Pick<Judgement, 'granted'> {
  const grant = input.grants ? findApplying(decision, held, input) : null;
  if (!grant) return { decision, granted: null };
  held.tags.push(STANDING_GRANT_TAG);
  return {
    decision: { ...decision, verdict: 'approved', policy: null, reviewPriority: null },
    granted: { grant, held: decision.policy },
  };
}

/** A hold is all that stands in the way: no halt, no limit, and nothing that was done already. */
function findApplying(
  { verdict }: Settled,
  { output, found: { matched }, passed }: Held,
  { grants = [], halt, observed, catalogue }: JudgeInput,
): StandingGrant | null {
  if (verdict !== 'flagged' || halt || observed || passed.length > 0) return null;
  return findStandingGrant(grants, { output, catalogue, matched });
}
