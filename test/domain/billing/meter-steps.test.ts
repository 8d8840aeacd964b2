// Steps of the meter from newly counted decisions.
import { expect, test } from 'vitest';
import { toMeterSteps } from '../../../src/domain/billing/meter-steps.ts';

const at = (day: number): Date => new Date(Date.UTC(2026, 9, day));
const entry = (month: string, count: number, day: number) => ({
  usage: { month, count },
  createdAt: at(day),
});

test.each([
  ['below the limit', [entry('2026-10', 9, 1), entry('2026-10', 10, 2)], 0],
  ['past the limit', [entry('2026-10', 10, 1), entry('2026-10', 11, 2)], 1],
  ['beyond it', [entry('2026-10', 11, 1), entry('2026-10', 12, 2)], 2],
])('%s', (_, entries, beyond) => {
  const { count } = entries.at(-1)?.usage ?? {};
  expect(toMeterSteps(entries, 10)).toEqual([{ month: '2026-10', count, beyond, at: at(2) }]);
});

test('counts months separately', () => {
  const entries = [entry('2026-10', 11, 31), entry('2026-11', 1, 32), entry('2026-11', 2, 33)];
  expect(toMeterSteps(entries, 10)).toEqual([
    { month: '2026-10', count: 11, beyond: 1, at: at(31) },
    { month: '2026-11', count: 2, beyond: 0, at: at(33) },
  ]);
  expect(toMeterSteps([], 10)).toEqual([]);
});
