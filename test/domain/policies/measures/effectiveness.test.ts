// Outcomes and shares of policies as functions of judged decisions.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  computeEffectiveness,
  countOutcomes,
  computeWilsonShare,
} from '../../../../src/domain/policies/measures/effectiveness.ts';

const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));
const policy = { id: 'p', workspaceId: 'w', createdAt: at(10) };
const decision = (more: object) => ({
  workspaceId: 'w',
  createdAt: at(11),
  matchedPolicyIds: ['p'],
  isHeld: true,
  isRight: false,
  ...more,
});
const none = { truePositives: 0, falsePositives: 0, falseNegatives: 0, trueNegatives: 0 };

test.each([
  [{}, { truePositives: 1 }],
  [{ isRight: true }, { falsePositives: 1 }],
  [{ isHeld: false, matchedPolicyIds: [] }, { falseNegatives: 1 }],
  [{ isHeld: false, isRight: true, matchedPolicyIds: [] }, { trueNegatives: 1 }],
  [{ matchedPolicyIds: ['q'] }, {}],
  [{ workspaceId: 'v' }, {}],
  [{ createdAt: at(9) }, {}],
])('%o counts as %o', (more, counted) => {
  expect(countOutcomes(policy, [decision(more)])).toEqual({ ...none, ...counted });
});

test('without data there is nothing, with data there are intervals', () => {
  expect(computeEffectiveness(none)).toEqual({
    ...none,
    precision: null,
    recall: null,
    f1: null,
    falsePositiveRate: null,
  });
  // Wilson's interval of 8 of 10, as published.
  expect(computeWilsonShare(8, 10)).toEqual({ value: 0.8, low: 0.4902, high: 0.9433, of: 10 });
  expect(computeWilsonShare(0, 10)).toMatchObject({ value: 0, low: 0, high: 0.2775 });
});

test('the share lies in its interval, and the interval between 0 and 1', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(1000), (part, rest) => {
      fc.pre(part + rest > 0);
      const share = computeWilsonShare(part, part + rest);
      expect(share?.low).toBeGreaterThanOrEqual(0);
      expect(share?.low).toBeLessThanOrEqual(share?.value ?? -1);
      expect(share?.high).toBeGreaterThanOrEqual(share?.value ?? 2);
      expect(share?.high).toBeLessThanOrEqual(1);
    }),
  );
});
