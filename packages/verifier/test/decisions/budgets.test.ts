// The offline verifier on budgets: what a document shows adds up, and no act passes a limit.
import { expect, test } from 'vitest';
import {
  addSpending,
  type DecisionLimit,
  isAbove,
  listReservations,
  settleReservations,
  type Spending,
  sumSlots,
  type WindowSlot,
} from '../../../../src/domain/budgets/spending.ts';
import {
  createDice,
  disclosed,
  SampleChain,
} from '../../../../test/domain/record/samples/sample-chain.ts';
import { chooseRuns } from '../../../../test/setup/runs.ts';
import { Budgets } from '../../src/decisions/budgets.ts';
import type { View } from '../../src/view.ts';
import { verifyPinned } from '../verification.ts';

const POLICY = 'a'.repeat(24);
const KEY = `${POLICY}:${'k'.repeat(22)}`;
const limitOf = (amount: string | null, more: Partial<DecisionLimit> = {}): DecisionLimit => ({
  policy: POLICY,
  at: 0,
  type: 'block',
  of: 'action.totalAmount',
  per: 'agent',
  window: '24h',
  most: 1,
  key: KEY,
  amount,
  ...more,
});
const toState = (limits: DecisionLimit[], spends: Spending[] = listReservations(limits)) =>
  ({ limits, spends }) as never;

function verifyAmounts(amounts: readonly string[], more: Partial<DecisionLimit> = {}) {
  const chain = new SampleChain();
  for (const amount of amounts)
    chain.trace({ state: toState([limitOf(amount, more)]) }, 'approved');
  return verifyPinned(disclosed(chain.entries, ['state']), chain.entries.at(-1)!);
}

test.each([[['0.1', '0.2', '0.7']], [['1']], [['0.000000001', '0.999999999']]])(
  '%j reaches the limit, and is intact',
  async (amounts) => {
    expect(await verifyAmounts(amounts)).toMatchObject({ verdict: 'intact' });
  },
);

test.each([
  [['0.1', '0.2', '0.700000001'], 3],
  [['1', '0', '0.000000001'], 3],
])('%j passes it, and is tampered with', async (amounts, sequence) => {
  expect(await verifyAmounts(amounts)).toMatchObject({
    verdict: 'tampered',
    problems: [{ code: 'budget-mismatch', sequence }],
  });
});

test('an act that reserves nothing of its limit is tampered with', async () => {
  const chain = new SampleChain();
  chain.trace({ state: toState([limitOf('1')], []) }, 'approved');
  expect(await verifyPinned(disclosed(chain.entries), chain.entries[0]!)).toMatchObject({
    verdict: 'tampered',
    problems: [{ code: 'budget-mismatch', sequence: 1 }],
  });
});

test('what was done before it was reported passes any limit, and so does what is held', async () => {
  const chain = new SampleChain();
  const state = toState([limitOf('5')]);
  chain.trace({ state, adapter: { mode: 'observed' } }, 'approved');
  chain.trace({ state: toState([limitOf('5')], []) }, 'flagged');
  const entries = disclosed(chain.entries);
  expect(await verifyPinned(entries, entries[1]!)).toMatchObject({ verdict: 'intact' });
});

test('where what is spent is withheld, it counts from zero again', async () => {
  const chain = new SampleChain();
  for (let count = 0; count < 3; count++)
    chain.trace({ state: toState([limitOf('0.6')]) }, 'approved');
  const [first, second, third] = disclosed(chain.entries);
  const entries = [first!, { ...second!, disclosures: [] }, third!];
  expect(await verifyPinned(entries, third!)).toMatchObject({ verdict: 'intact' });
});

const toShown = (state: object) =>
  new Map([['state', { whole: true, values: [{ path: '', value: state as never }] }]]);
const toView = (kind: string, more: object): View =>
  ({ kind, commitments: { state: '' }, actor: { kind: 'user' }, ...more }) as unknown as View;

test(
  'of random histories it accuses those, and only those, that pass the limit',
  { tags: ['varied'] },
  () => {
    const dice = createDice(11);
    let accused = 0;
    const histories = chooseRuns(300, 20_000);
    for (let history = 0; history < histories; history++) {
      const window = (['1h', '24h', '7d', 'ever'] as const)[dice(4)]!;
      const verifier = new Budgets();
      let slots: WindowSlot[] = [];
      let time = Date.UTC(2026, 0, 1) + dice(1e9);
      const open: { state: { limits: DecisionLimit[]; spends: Spending[] }; at: Date }[] = [];
      for (let step = 0; step < 12; step++) {
        time += dice(dice(2) === 0 ? 60_000 : 20 * 3_600_000);
        const now = new Date(time);
        const isEnd = open.length > 0 && dice(3) === 0;
        const limits = [
          limitOf(`0.${1 + dice(9)}`, { window, type: dice(2) ? 'block' : 'flag_for_review' }),
        ];
        const started = isEnd ? open.splice(dice(open.length), 1)[0]! : null;
        const spends = started
          ? settleReservations(started.state, started.at, {
              outcome: dice(2) === 0 ? 'failed' : 'succeeded',
              used: { amount: dice(20) / 10 },
            })
          : listReservations(limits);
        for (const one of spends) slots = addSpending(slots, one, now);
        const byPerson = !isEnd && dice(2) === 0;
        const approval = byPerson
          ? toView('review', { decision: 'approve' })
          : toView('trace', { status: 'approved' });
        const view = started ? toView('execution', { state: 'succeeded' }) : approval;
        const fault = verifier.addEntry(
          view,
          now.toISOString(),
          toShown(started ? { spends } : { limits, spends }),
        );
        const binds = !byPerson || limits[0]!.type === 'block';
        const isPassed = !isEnd && binds && isAbove(sumSlots(slots).amount, 1);
        expect(fault !== null, JSON.stringify({ history, step })).toBe(isPassed);
        accused += Number(isPassed);
        if (!started) open.push({ state: { limits, spends }, at: now });
      }
    }
    expect(accused).toBeGreaterThan(histories / 5);
  },
);
