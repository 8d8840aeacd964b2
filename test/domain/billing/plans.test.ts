// Plans: the plan of a subscription by price id, then by look-up key; the prices of a checkout; the catalogue.
import { expect, test } from 'vitest';
import { isTimely } from '../../../src/domain/billing/event-time.ts';
import {
  PLAN_IDS,
  buildPlanCatalogue,
  findPlan,
  findCheckoutPrices,
} from '../../../src/domain/billing/plan-catalogue.ts';

const PRICES = new Map([
  ['scale_monthly', 'price_1'],
  ['scale_overage', 'price_2'],
  ['governance_annual', 'price_3'],
]);
const price = (id: string, lookupKey: string | null = null) => ({ id, lookupKey });

test.each([
  ['its price id', [price('price_1')], 'scale'],
  ['the price id over a look-up key', [price('price_3', 'scale_monthly')], 'governance'],
  ['a price id anywhere over a look-up key', [price('x', 'scale'), price('price_3')], 'governance'],
  ['its look-up key', [price('x', 'enterprise_annual')], 'enterprise'],
  ['a look-up key without an interval', [price('x', 'governance')], 'governance'],
  ['a look-up key of a contract', [price('x', 'custom')], 'custom'],
  ['a price beside the metered one', [price('price_2'), price('price_1')], 'scale'],
])('a subscription has the plan of %s', (_, prices, plan) => {
  expect(findPlan(prices, PRICES)).toBe(plan);
});

test.each([
  ['no price', []],
  ['an unknown price', [price('x', 'gold_monthly')]],
  ['a metered price alone', [price('price_2', 'scale_overage')]],
  ['a plan without a price', [price('x', 'sandbox_monthly')]],
  ['another interval', [price('x', 'scale_weekly')]],
  ['a name of every object', [price('constructor', 'constructor')]],
])('%s is no plan', (_, prices) => {
  expect(findPlan(prices, PRICES)).toBeNull();
});

test('a checkout needs both prices of its plan', () => {
  expect(findCheckoutPrices('scale_monthly', PRICES)).toEqual({
    base: 'price_1',
    overage: 'price_2',
  });
  expect(findCheckoutPrices('scale_annual', PRICES)).toBeNull();
  expect(findCheckoutPrices('governance_annual', PRICES)).toBeNull();
});

test('the catalogue has every plan with its limit, its rate and the configured prices', () => {
  const plans = buildPlanCatalogue(new Map([['scale_monthly', '49.90']]), 42);
  expect(
    plans.map(({ plan, monthlyLimit, overageRate }) => [plan, monthlyLimit, overageRate]),
  ).toEqual([
    ['sandbox', 42, null],
    ['scale', 100_000, 0.003],
    ['governance', 500_000, 0.001],
    ['enterprise', 2_000_000, 0.0005],
    ['custom', null, null],
  ]);
  expect(plans[1]?.prices).toEqual({ monthly: 49.9, annual: null });
  expect(PLAN_IDS).toHaveLength(6);
});

const now = new Date('2026-11-22T12:00:00.500Z');
const seconds = Math.floor(now.getTime() / 1000);

test.each([
  [`t=${seconds},v1=ab`, true],
  [`t=${seconds - 299},v1=ab`, true],
  [`t=${seconds + 300},v1=ab`, true],
  [`v1=ab,t=${seconds}`, true],
  [`t=${seconds - 301},v1=ab`, false],
  [`t=${seconds + 301},v1=ab`, false],
  // The verifier takes the last of them.
  [`t=${seconds},v1=ab,t=${seconds + 9999}`, false],
  [`t=${seconds + 9999},v1=ab,t=${seconds}`, true],
  [`t=${seconds},t=soon,v1=ab`, false],
  [`t=NaN,v1=ab`, false],
  [`t=-1,v1=ab`, false],
  [`t=1e9,v1=ab`, false],
  [`at=${seconds},v1=ab`, false],
  [`v1=ab`, false],
  ['', false],
])('a signature %s is timely: %s', (header, timely) => {
  expect(isTimely(header, now)).toBe(timely);
});
