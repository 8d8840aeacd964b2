// Events of a subscription give the same state in any order; ended ones stay ended; the newer subscription wins.
// @module-tag varied
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applySubscriptionEvent,
  isLive,
  isNewerEvent,
  type KnownSubscription,
  type SubscriptionEvent,
} from '../../../src/domain/billing/subscription.ts';
import { chooseRuns } from '../../setup/runs.ts';

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 1, 0, minute));
const none: KnownSubscription = {
  plan: 'sandbox',
  status: 'active',
  paymentSubscriptionId: null,
  begunAt: null,
  lastEventAt: null,
  lastEventKind: null,
};
const event = (minute: number, more: Partial<SubscriptionEvent> = {}): SubscriptionEvent => ({
  kind: 'updated',
  at: at(minute),
  subscriptionId: 'sub_1',
  customerId: 'cus_1',
  begunAt: at(0),
  status: 'active',
  plan: 'scale',
  currentPeriodEnd: at(9999),
  cancelAtPeriodEnd: false,
  ...more,
});
const applyEvents = (known: KnownSubscription, ...events: SubscriptionEvent[]): KnownSubscription =>
  events.reduce(
    (before, next) => (isNewerEvent(before, next) ? applySubscriptionEvent(before, next) : before),
    known,
  );

test.each([
  ['active', 'governance'],
  ['trialing', 'governance'],
  ['past_due', 'governance'],
  // Nothing is paid yet, so the plan does not change.
  ['incomplete', 'scale'],
  ['incomplete_expired', 'sandbox'],
  ['unpaid', 'sandbox'],
  ['paused', 'sandbox'],
  ['canceled', 'sandbox'],
  ['something_new', 'sandbox'],
] as const)('%s means %s', (status, plan) => {
  const known = applyEvents(none, event(1));
  expect(applyEvents(known, event(2, { status, plan: 'governance' }))).toMatchObject({
    plan,
    status,
  });
});

test('an unknown price does not change the plan', () => {
  expect(applyEvents(none, event(1), event(2, { plan: null }))).toMatchObject({ plan: 'scale' });
});

test('a deleted subscription leaves the sandbox, and no end of a period', () => {
  const gone = applyEvents(none, event(1), event(2, { kind: 'deleted', cancelAtPeriodEnd: true }));
  expect(gone).toMatchObject({
    plan: 'sandbox',
    status: 'canceled',
    currentPeriodEnd: null,
    cancelAtPeriodEnd: false,
  });
  expect(isLive(gone)).toBe(false);
  expect(applyEvents(gone, event(3, { plan: 'enterprise' }))).toBe(gone);
});

test('the later kind wins among events of the same second', () => {
  const active = event(1, { kind: 'updated', status: 'active' });
  const incomplete = event(1, { kind: 'created', status: 'incomplete' });
  const known = applyEvents(none, active);
  expect(isNewerEvent(known, incomplete)).toBe(false);
  expect(isNewerEvent(known, event(1, { kind: 'deleted' }))).toBe(true);
});

test.each([
  ['newer', { begunAt: at(5) }, true],
  ['older', { begunAt: new Date(at(0).getTime() - 1) }, false],
  ['equally old', { begunAt: at(0) }, false],
  ['newer and unpaid', { begunAt: at(5), status: 'incomplete' }, false],
  ['newer and deleted', { begunAt: at(5), kind: 'deleted' }, false],
] as const)('beside a live one a %s one is news: %s', (_, more, news) => {
  const known = applyEvents(none, event(1));
  expect(isNewerEvent(known, event(9, { subscriptionId: 'sub_2', ...more }))).toBe(news);
});

test('the end of a former subscription does not end the current one', () => {
  const second = event(6, { subscriptionId: 'sub_2', begunAt: at(5), plan: 'enterprise' });
  const known = applyEvents(none, event(1), second, event(7, { kind: 'deleted' }));
  expect(known).toMatchObject({ plan: 'enterprise', paymentSubscriptionId: 'sub_2' });
});

test('another subscription may begin after the end of the first', () => {
  const known = applyEvents(none, event(1), event(2, { kind: 'deleted' }));
  const second = event(3, { subscriptionId: 'sub_2', begunAt: at(3), plan: 'governance' });
  expect(applyEvents(known, second)).toMatchObject({ plan: 'governance', status: 'active' });
});

test('a state from the checkout accepts the first event of its own subscription only', () => {
  const stamped = { ...none, paymentSubscriptionId: 'sub_1' };
  expect(isLive(stamped)).toBe(true);
  expect(isNewerEvent(stamped, event(1))).toBe(true);
  expect(isNewerEvent(stamped, event(1, { subscriptionId: 'sub_2' }))).toBe(false);
});

const PLANS = ['scale', 'governance', 'enterprise'] as const;
const STATUSES = ['active', 'past_due', 'trialing', 'unpaid'] as const;

test('the events of one subscription give the same state in any order, also when repeated', () => {
  const step = fc.record({
    plan: fc.constantFrom(...PLANS),
    status: fc.constantFrom(...STATUSES),
    cancelAtPeriodEnd: fc.boolean(),
  });
  const life = fc.tuple(fc.array(step, { minLength: 1, maxLength: 8 }), fc.boolean());
  fc.assert(
    fc.property(life, fc.infiniteStream(fc.nat()), ([steps, hasEnd], chance) => {
      const events = steps.map((more, index) =>
        event(index, { ...more, ...(index === 0 && { kind: 'created', status: 'active' }) }),
      );
      if (hasEnd) events.push(event(steps.length, { kind: 'deleted', status: 'canceled' }));
      const shuffled = [...events, ...events]
        .map((item) => ({ item, key: chance.next().value as number }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item);
      const known = { ...none, paymentSubscriptionId: 'sub_1' };
      expect(applyEvents(known, ...shuffled)).toEqual(applyEvents(known, ...events));
    }),
    { numRuns: chooseRuns(300, 2_000) },
  );
});
