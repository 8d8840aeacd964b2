// Months in UTC, the meter of a chain, and the usage summary.
// @module-tag varied
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readMonthCount,
  findLastReadings,
  type Reading,
} from '../../../src/domain/billing/meter.ts';
import {
  toDayStart,
  countMonthDays,
  toMonthKey,
  formatMonth,
  listMonths,
  toMonthStart,
} from '../../../src/domain/billing/months.ts';
import {
  createUsageSummary,
  computeWarningThreshold,
} from '../../../src/domain/billing/usage-summary.ts';
import { getHardLimit, getMonthlyLimit } from '../../../src/domain/identity/plans.ts';
import { chooseRuns } from '../../setup/runs.ts';

const iso = (date: Date): string => date.toISOString();

test.each([
  ['2026-01-31T23:59:59.999Z', -1, '2025-12-01'],
  ['2026-01-31T23:59:59.999Z', 0, '2026-01-01'],
  ['2026-01-31T23:59:59.999Z', 1, '2026-02-01'],
  ['2026-12-01T00:00:00.000Z', 1, '2027-01-01'],
  ['2026-03-15T12:00:00.000Z', -14, '2025-01-01'],
])('%s and %i months begin on %s', (at, months, start) => {
  expect(iso(toMonthStart(new Date(at), months))).toBe(`${start}T00:00:00.000Z`);
});

test.each([
  ['2026-02-28', 28, 'Feb 2026'],
  ['2028-02-29', 29, 'Feb 2028'],
  ['2100-02-01', 28, 'Feb 2100'],
  ['2026-04-30', 30, 'Apr 2026'],
  ['2026-09-01', 30, 'Sep 2026'],
  ['2026-12-31', 31, 'Dec 2026'],
])('the month of %s has %i days and is %s', (day, days, label) => {
  const at = new Date(`${day}T23:00:00.000Z`);
  expect([countMonthDays(at), formatMonth(at), iso(toDayStart(at))]).toEqual([
    days,
    label,
    `${day}T00:00:00.000Z`,
  ]);
});

test('a list of months includes both ends, and is empty when they are reversed', () => {
  const [first, last] = [new Date('2025-11-30T10:00:00Z'), new Date('2026-02-01T00:00:00Z')];
  expect(listMonths(first, last).map(toMonthKey)).toEqual([
    '2025-11',
    '2025-12',
    '2026-01',
    '2026-02',
  ]);
  expect(listMonths(last, first)).toEqual([]);
});

/** A chain whose entries are this many hours apart; every third is no decision. */
function chainOf(hours: readonly number[]): Reading[] {
  let at = Date.UTC(2025, 9, 1);
  let usage = { month: '', count: 0 };
  return hours.map((pause, index) => {
    at += pause * 3_600_000;
    const createdAt = new Date(at);
    const carried = usage.month === toMonthKey(createdAt) ? usage.count : 0;
    usage = { month: toMonthKey(createdAt), count: carried + (index % 3 === 2 ? 0 : 1) };
    return { sequence: index + 1, createdAt, usage };
  });
}

test('the meter finds the same entries as a full scan of the chain, in few reads', async () => {
  const pauses = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 })), {
    minLength: 1,
    maxLength: 300,
  });
  const moments = fc.array(fc.integer({ min: -100, max: 20_000 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(pauses, moments, async (hours, offsets) => {
      const chain = chainOf(hours);
      const instants = offsets.map((hour) => new Date(Date.UTC(2025, 9, 1) + hour * 3_600_000));
      let reads = 0;
      const newest = chain.at(-1) as Reading;
      const found = await findLastReadings(instants, newest, (sequences) => {
        reads += 1;
        return Promise.resolve(chain.filter(({ sequence }) => sequences.includes(sequence)));
      });
      const walked = instants.map(
        (instant) => chain.findLast(({ createdAt }) => createdAt < instant) ?? null,
      );
      expect(found).toEqual(walked);
      expect(reads).toBeLessThanOrEqual(Math.ceil(Math.log2(chain.length + 1)));
    }),
    { numRuns: chooseRuns(200, 1000) },
  );
});

test('the search terminates on a chain with gaps', async () => {
  const chain = chainOf(Array.from({ length: 50 }, () => 24));
  const kept = chain.filter(({ sequence }) => sequence % 7 === 1);
  const [found] = await findLastReadings(
    [new Date('2025-10-20T00:00:00Z')],
    chain.at(-1) as Reading,
    (sequences) => Promise.resolve(kept.filter(({ sequence }) => sequences.includes(sequence))),
  );
  expect(found?.createdAt.getTime() ?? 0).toBeLessThan(Date.UTC(2025, 9, 20));
});

test('the count of a month is that of its last entry, and 0 when that belongs to another month', () => {
  const reading = { sequence: 9, createdAt: new Date(), usage: { month: '2026-02', count: 7 } };
  expect(readMonthCount(new Date('2026-02-28T23:00:00Z'), reading)).toBe(7);
  expect(readMonthCount(new Date('2026-03-01T00:00:00Z'), reading)).toBe(0);
  expect(readMonthCount(new Date('2026-03-01T00:00:00Z'), null)).toBe(0);
});

describe('the summary', () => {
  const counters = { thisMonth: 0, today: 0, lastMonth: 0, totalAllTime: 0 };
  const now = new Date('2026-02-10T12:00:00Z');
  const sandbox = { plan: 'sandbox', limit: 100 } as const;

  test.each([
    [89, 'ok', 11],
    [90, 'warning', 10],
    [99, 'warning', 1],
    [100, 'exceeded', 0],
    [130, 'exceeded', 0],
  ])('%i of 100 decisions are %s', (thisMonth, status, remaining) => {
    const summary = createUsageSummary(sandbox, { ...counters, thisMonth }, now);
    expect(summary).toMatchObject({ status, remaining, percentUsed: thisMonth, unlimited: false });
  });

  test.each([
    [15, 14],
    [1, 1],
    [7, 7],
    [20, 18],
    [10_000, 9000],
  ])('nine tenths of %i are reached by %i', (limit, threshold) => {
    expect(computeWarningThreshold(limit)).toBe(threshold);
  });

  test('an unlimited plan is never near its limit', () => {
    const summary = createUsageSummary(
      { plan: 'custom', limit: null },
      { ...counters, thisMonth: 9e9 },
      now,
    );
    expect(summary).toMatchObject({
      limit: null,
      unlimited: true,
      percentUsed: 0,
      remaining: null,
      status: 'ok',
    });
  });

  test.each([
    [0, 0, 0],
    [0, 5, 100],
    [4, 5, 25],
    [4, 0, -100],
    [4, 4, 0],
  ])('from %i to %i it changes by %i percent', (lastMonth, thisMonth, change) => {
    const summary = createUsageSummary(sandbox, { ...counters, lastMonth, thisMonth }, now);
    expect(summary.monthOverMonthChange).toBe(change);
  });

  test('the projection is the rounded daily average times the days of the month', () => {
    const summary = createUsageSummary(sandbox, { ...counters, thisMonth: 36 }, now);
    expect(summary).toMatchObject({
      dailyAverage: 4,
      projectedMonthly: 112,
      resetDate: new Date('2026-03-01T00:00:00Z'),
    });
  });
});

test('only the sandbox has a hard limit, which the installation sets', () => {
  expect(getHardLimit('sandbox', 42)).toBe(42);
  expect(getMonthlyLimit('sandbox', 42)).toBe(42);
  expect([getHardLimit('scale', 42), getMonthlyLimit('scale', 42)]).toEqual([null, 100_000]);
  expect([getHardLimit('custom', 42), getMonthlyLimit('custom', 42)]).toEqual([null, null]);
});
