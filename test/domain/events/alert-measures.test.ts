// What alert rules measure: shares, and when what stands is worth an alert.
// @module-tag varied
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ALERT_SHARES,
  computeAlertShare,
  judgeStanding,
  type RuleStanding,
} from '../../../src/domain/events/alert-measures.ts';
import { chooseRuns } from '../../setup/runs.ts';

const counts = { approved: 5, flagged: 3, blocked: 2, ended: 4, failed: 1 };

test.each([
  ['heldShare', 0.3, 10],
  ['blockedShare', 0.2, 10],
  ['failedShare', 0.25, 4],
] as const)('%s is %d of %d', (field, share, of) => {
  expect(computeAlertShare(field, counts)).toEqual({ share, of });
  const none = { approved: 0, flagged: 0, blocked: 0, ended: 0, failed: 0 };
  expect(computeAlertShare(field, none)).toEqual({ share: 0, of: 0 });
});

test('a share is from 0 to 1', () => {
  const some = fc.nat(1_000_000);
  const made = fc.record({
    approved: some,
    flagged: some,
    blocked: some,
    failed: some,
    more: some,
  });
  fc.assert(
    fc.property(made, fc.constantFrom(...ALERT_SHARES), ({ more, ...rest }, field) => {
      const { share } = computeAlertShare(field, { ...rest, ended: rest.failed + more });
      expect(share >= 0 && share <= 1).toBe(true);
    }),
    { numRuns: chooseRuns(50, 2_000) },
  );
});

const subject = fc.constantFrom<string>('a', 'b', 'c', 'd');
const steps = fc.array(
  fc.record({
    met: fc.uniqueArray(subject),
    isQuiet: fc.boolean(),
    basis: fc.constantFrom('x', 'y'),
  }),
);

test('what stands alerts once, and never in the quiet period; what waited for its end alerts then', () => {
  fc.assert(
    fc.property(steps, (measured) => {
      let before: RuleStanding | null = null;
      for (const step of measured) {
        const known: readonly string[] = before?.basis === step.basis ? before.subjects : [];
        const { fresh, standing } = judgeStanding(before, step);
        if (step.isQuiet) expect(fresh).toEqual([]);
        else expect(fresh).toEqual(step.met.filter((one) => !known.includes(one)));
        expect(standing.subjects.every((one) => step.met.includes(one))).toBe(true);
        expect(standing.subjects.every((one) => known.includes(one) || fresh.includes(one))).toBe(
          true,
        );
        before = standing;
      }
    }),
    { numRuns: chooseRuns(50, 2_000) },
  );
});
