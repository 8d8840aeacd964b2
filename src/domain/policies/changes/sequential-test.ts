// An always-valid test between two arms (mixture SPRT): looked at after every event, it cries wolf in at most ALPHA of all cases.

/** The control judges as before, the canary as changed. */
export const ARMS = ['control', 'canary'] as const;
export type Arm = (typeof ARMS)[number];

/** The chance of ever deciding where the arms do not differ. */
export const ALPHA = 0.05;

export const CANARY_DECISIONS = ['continue', 'promote', 'rollback'] as const;
export type CanaryDecision = (typeof CANARY_DECISIONS)[number];

/**
 * What the events say so far. An event is something to be avoided; where the arms do not differ, each falls to the canary with the
 * canary's share of all cases, whatever came before. The likelihood of a mixture of other shares (a beta distribution around that
 * one) over the likelihood of that one is then a martingale of mean 1, which ever reaches 1 / ALPHA with a chance of at most ALPHA
 * (Ville's inequality).
 */
export interface SequentialTest {
  events: Readonly<Record<Arm, number>>;
  /** Logarithm of the ratio of likelihoods now, and the greatest that it ever was. */
  logRatio: number;
  greatest: number;
  /** Stays once it is another than `continue`. */
  decision: CanaryDecision;
}

export const NOTHING_SEEN: SequentialTest = {
  events: { control: 0, canary: 0 },
  logRatio: 0,
  greatest: 0,
  decision: 'continue',
};

/** Events that the mixture pretends to have seen, in the proportion of the shares: half as many or twice as many events are found soonest. */
const PRIOR = 10;

/** After one more event. `share`: that of the canary. */
export function afterEvent(test: SequentialTest, arm: Arm, share: number): SequentialTest {
  const { control, canary } = test.events;
  const predicted = (share * PRIOR + canary) / (PRIOR + canary + control);
  const ratio = arm === 'canary' ? predicted / share : (1 - predicted) / (1 - share);
  const logRatio = test.logRatio + Math.log(ratio);
  const greatest = Math.max(test.greatest, logRatio);
  const events =
    arm === 'canary' ? { control, canary: canary + 1 } : { control: control + 1, canary };
  const isDecided = test.decision !== 'continue' || greatest < -Math.log(ALPHA);
  const decision = isDecided ? test.decision : better(events, share);
  return { events, logRatio, greatest, decision };
}

/** The smallest level at which the test would have decided by now; valid whenever it is looked at. */
export function pValueOf({ greatest }: SequentialTest): number {
  return Math.exp(-greatest);
}

function better({ control, canary }: SequentialTest['events'], share: number): CanaryDecision {
  return canary < share * (control + canary) ? 'promote' : 'rollback';
}
