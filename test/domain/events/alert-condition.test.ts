// Conditions of alerts, as a table.
import { expect, test } from 'vitest';
import {
  isConditionMet,
  formatCondition,
  getAlertValue,
  type AlertCondition,
  type AlertFacts,
} from '../../../src/domain/events/alert-condition.ts';

const decision: AlertFacts = { confidenceScore: 0.5, status: 'flagged' };
const index: AlertFacts = { cpiScore: 60 };

test.each<[string, number, boolean]>([
  ['lt', 0.5, false],
  ['lt', 0.51, true],
  ['lte', 0.5, true],
  ['lte', 0.49, false],
  ['eq', 0.5, true],
  ['eq', 0.4, false],
  ['gte', 0.5, true],
  ['gte', 0.51, false],
  ['gt', 0.5, false],
  ['gt', 0.49, true],
])('0.5 %s %d: %s', (operator, value, holds) => {
  const condition = { field: 'confidenceScore', operator, value } as AlertCondition;
  expect(isConditionMet(condition, decision)).toBe(holds);
  expect(isConditionMet({ ...condition, field: 'cpiScore' } as AlertCondition, decision)).toBe(
    false,
  );
  expect(isConditionMet(condition, index)).toBe(false);
});

test('a status is compared literally and reported with the confidence of its decision', () => {
  const flagged: AlertCondition = { field: 'status', operator: 'eq', value: 'flagged' };
  expect(isConditionMet(flagged, decision)).toBe(true);
  expect(isConditionMet({ ...flagged, value: 'blocked' }, decision)).toBe(false);
  expect(isConditionMet(flagged, index)).toBe(false);
  const score = { ...flagged, field: 'cpiScore', value: 70 } as AlertCondition;
  expect([getAlertValue(flagged, decision), getAlertValue(score, index)]).toEqual([0.5, 60]);
  expect(formatCondition(flagged)).toBe('status eq flagged');
});
