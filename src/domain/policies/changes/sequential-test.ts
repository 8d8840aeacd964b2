// An always-valid test between two arms (mixture SPRT): checked after every event, it errs in at most ALPHA of cases.

/** The control judges as before, the canary as changed. */
export const ARMS = ['control', 'canary'] as const;
export type Arm = (typeof ARMS)[number];

/** Probability of ever deciding when the arms do not differ. */
export const ALPHA = 0.05;

export const CANARY_DECISIONS = ['continue', 'promote', 'rollback'] as const;
export type CanaryDecision = (typeof CANARY_DECISIONS)[number];

/**
 * State of a test. An event is an undesired outcome; where the arms do not differ, each falls to the canary with the
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

/** Pseudo-events of the prior, in proportion to the shares; this many detect half or twice as many events soonest. */
const PRIOR = 10;

/** The test after one more event; `share` is that of the canary. */
export function addTestEvent(test: SequentialTest, arm: Arm, share: number): SequentialTest {
  const { control, canary } = test.events;
  const predicted = (share * PRIOR + canary) / (PRIOR + canary + control);
  const ratio = arm === 'canary' ? predicted / share : (1 - predicted) / (1 - share);
  const logRatio = test.logRatio + Math.log(ratio);
  const greatest = Math.max(test.greatest, logRatio);
  const events =
    arm === 'canary' ? { control, canary: canary + 1 } : { control: control + 1, canary };
  const isDecided = test.decision !== 'continue' || greatest < -Math.log(ALPHA);
  const decision = isDecided ? test.decision : decideBetterArm(events, share);
  return { events, logRatio, greatest, decision };
}

/** The smallest level at which the test would have decided by now; valid after every event. */
export function computePValue({ greatest }: SequentialTest): number {
  return Math.exp(-greatest);
}

function decideBetterArm(
  { control, canary }: SequentialTest['events'],
  share: number,
): CanaryDecision {
  return canary < share * (control + canary) ? 'promote' : 'rollback';
}
