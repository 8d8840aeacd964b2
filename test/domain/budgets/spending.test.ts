// Sums of limits: exact decimals, and windows of whole parts that never count too little.
import { describe, expect, test } from 'vitest';
import { formatDecimal, parseDecimal, toUpperDecimal } from '@assay/policy';
import {
  addSpending,
  findFreeing,
  findSlot,
  listLive,
  settleReservations,
  sumSlots,
  type Spending,
  type WindowSlot,
} from '../../../src/domain/budgets/spending.ts';
import { createDice } from '../record/samples/sample-chain.ts';

test.each([
  [0, '0'],
  [-0, '0'],
  [0.1, '0.1'],
  [500, '500'],
  [1e-9, '0.000000001'],
  [1e-12, '0.000000001'],
  [1.5e-7, '0.00000015'],
  [0.1234567891, '0.12345679'],
  [0.3, '0.3'],
  [1e15, '1000000000000000'],
  [999_999_999_999.123, '999999999999.123'],
])('%d is counted as %s', (value, text) => {
  expect(toUpperDecimal(value)).toBe(text);
  expect(formatDecimal(parseDecimal(text))).toBe(text);
});

test.each([-1, 1e15 + 1, Infinity, NaN])('%d is no amount', (value) => {
  expect(toUpperDecimal(value)).toBeNull();
});

test('decimals come back as they were, below zero, too, and add up exactly', () => {
  const dice = createDice(3);
  let [sum, units] = ['0', 0n];
  for (let step = 0; step < 2000; step++) {
    const one = BigInt(dice(2 ** 31)) * (dice(2) === 0 ? -1n : 1n);
    const text = formatDecimal(one);
    expect(parseDecimal(text)).toBe(one);
    units += one;
    sum = formatDecimal(parseDecimal(sum) + parseDecimal(text));
  }
  expect(parseDecimal(sum)).toBe(units);
});

const HOUR = 3_600_000;
const spend = (amount: string, more: Partial<Spending> = {}): Spending => ({
  key: 'k',
  window: '24h',
  slot: null,
  amount,
  open: amount,
  ...more,
});
const at = (hours: number): Date => new Date(Date.UTC(2026, 0, 5) + hours * HOUR);

describe('a window', () => {
  test('counts what was added within it, at least that long and at most a part longer', () => {
    const dice = createDice(5);
    for (let round = 0; round < 500; round++) {
      const added = at(dice(1000) / 7);
      const slots = addSpending([], spend('1'), added);
      const age = (dice(30_000) / 1000) * HOUR;
      const isCounted = listLive('24h', slots, new Date(added.getTime() + age)).length > 0;
      if (age < 24 * HOUR) expect(isCounted).toBe(true);
      if (age > 25 * HOUR) expect(isCounted).toBe(false);
    }
  });
  test('says when its oldest part ends, and from that moment on it counts no more', () => {
    const slots = addSpending(addSpending([], spend('1'), at(0.5)), spend('2'), at(3.2));
    const free = findFreeing('24h', slots)!;
    expect(free).toEqual(at(25));
    expect(sumSlots(listLive('24h', slots, new Date(free.getTime() - 1))).amount).toBe(
      parseDecimal('3'),
    );
    expect(sumSlots(listLive('24h', slots, free)).amount).toBe(parseDecimal('2'));
  });
  test('has 25 parts at most, whatever is added', () => {
    let slots: WindowSlot[] = [];
    for (let hour = 0; hour < 200; hour += 0.4) slots = addSpending(slots, spend('1'), at(hour));
    expect(slots.length).toBeLessThanOrEqual(25);
  });
  test('that never ends has one part', () => {
    const ever = spend('1', { window: 'ever' });
    const slots = addSpending(addSpending([], ever, at(0)), ever, at(10_000));
    expect(slots).toEqual([[0, '2', '2']]);
    expect(findFreeing('ever', slots)).toBeNull();
  });
  test('that has passed takes nothing back', () => {
    const late = spend('-1', { slot: findSlot('24h', at(0)) });
    expect(addSpending([], late, at(48))).toEqual([]);
  });
});

describe('an outcome', () => {
  const limit = {
    policy: 'p',
    at: 0,
    type: 'block',
    of: 'action.totalAmount',
    per: 'agent',
    window: '24h',
    most: 10,
    key: 'k',
    amount: '4',
  } as const;
  const state = { limits: [limit], spends: [spend('4')] };
  test.each([
    ['failed', undefined, '-4'],
    ['succeeded', undefined, '0'],
    ['succeeded', { amount: 2.5 }, '-1.5'],
    ['succeeded', { amount: 6 }, '2'],
    ['succeeded', { tokens: 6 }, '0'],
  ])('%s with %j changes the sum by %s', (outcome, used, amount) => {
    expect(settleReservations(state, at(2), { outcome, used })).toEqual([
      { key: 'k', window: '24h', slot: findSlot('24h', at(2)), amount, open: '-4' },
    ]);
  });
  test('unknown changes nothing', () => {
    expect(settleReservations(state, at(2), { outcome: 'unknown' })).toEqual([]);
  });
  test('of tokens is settled by tokens, and acts never are', () => {
    const of = (name: string) => ({ limits: [{ ...limit, of: name }], spends: [spend('4')] });
    const said = { outcome: 'succeeded', used: { tokens: 1, amount: 1 } };
    expect(settleReservations(of('metadata.tokens'), at(0), said)[0]?.amount).toBe('-3');
    expect(settleReservations(of('acts'), at(0), said)[0]?.amount).toBe('0');
  });
});
