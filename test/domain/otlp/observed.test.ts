// How an executed call relates to the decision that guards it, and which decisions after the fact are violations.
import { expect, test } from 'vitest';
import { compareCall, isObserved, isViolation } from '../../../src/domain/otlp/observed.ts';

test.each([
  [true, false, null, 'unclaimed'],
  [true, true, null, 'not-permitted'],
  [false, false, null, 'not-permitted'],
  [false, true, null, 'not-permitted'],
  [false, true, 'claimed', 'reported'],
  [true, true, 'succeeded', 'reported'],
  [true, false, 'failed', 'reported'],
  [true, true, 'unknown', 'outcome-missing'],
  [false, false, 'unknown', 'outcome-missing'],
] as const)('permitted %s, single use %s, execution %s: %s', (...given) => {
  const [isPermitted, isSingleUse, execution, status] = given;
  expect(compareCall({ isPermitted, isSingleUse, execution })).toBe(status);
});

test.each([
  ['approved', ['OBSERVED'], false],
  ['flagged', ['OBSERVED'], false],
  ['blocked', ['OBSERVED'], true],
  ['blocked', [], false],
  ['approved', ['OBSERVED', 'OBSERVED_HOLD'], true],
  ['approved', ['OBSERVED', 'AGAINST_VERDICT'], true],
  ['approved', ['AGAINST_VERDICT'], false],
] as const)('%s with the tags %j', (verdict, tags, expected) => {
  expect(isViolation(verdict, tags)).toBe(expected);
});

test.each([
  [{ kind: 'otlp', mode: 'observed' }, true],
  [{ kind: 'otlp', mode: 'other' }, false],
  [{ kind: 'mcp', mode: 'observed' }, false],
  ['otlp', false],
  [null, false],
])('the adapter %j', (adapter, expected) => {
  expect(isObserved(adapter)).toBe(expected);
});
