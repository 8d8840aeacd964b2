// Two instances with two workers each spend one limit, and are killed all the time: the sum is exact, and nothing is refused below it.
import { expect, test } from 'vitest';
import type { Spent } from '../../../src/domain/budgets/spending.ts';
import { assertOk } from '../../setup/personas.ts';
import { usePair } from './pairs.ts';

const RESERVATIONS = 10_000;
const KILLS = Number(process.env.ASSAY_TEST_KILLS ?? 200);
/** Fewer than are asked for. */
const MOST = 8_000;

const pair = usePair();

test('what was approved is what is spent, to the last unit', { timeout: 1_800_000 }, async () => {
  const { token, key } = await pair.register();
  const limit = { of: 'acts', per: 'organization', window: 'ever', most: MOST };
  const policy = {
    name: 'Payments',
    conditions: [{ field: 'action.names', operator: 'contains', value: 'pay' }],
    actions: [{ type: 'block', config: { limit } }],
  };
  assertOk(await pair.call('policies', { token, body: policy }));
  const payments = Array.from({ length: RESERVATIONS }, (_, at) => ({
    outputDecision: { action: { tool: 'pay', at } },
  }));
  const { statuses, killed } = await pair.insist(key, payments, KILLS);
  const approved = statuses.filter((status) => status === 201).length;
  expect([approved, statuses.filter((status) => status === 403).length]).toEqual([
    MOST,
    RESERVATIONS - MOST,
  ]);
  const newest = await pair
    .db()
    .collection<{ spent: Spent[] }>('ledger')
    .findOne({ 'spent.key': { $exists: true } }, { sort: { sequence: -1 } });
  expect(newest?.spent[0]?.slots).toEqual([[0, String(MOST), String(MOST)]]);
  const verified = await pair.call('hash-chain/verify', { token, body: {} });
  expect(verified.body.data).toMatchObject({ verified: true });
  expect(killed).toBeGreaterThan(KILLS / 4);
});
