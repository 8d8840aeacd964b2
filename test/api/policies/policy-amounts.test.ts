// The money templates over HTTP: a limit holds however an amount is written, and where it cannot be read.
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let key: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  for (const templateId of ['spending-limit', 'money-out']) {
    const path = '/api/v1/policies/from-template';
    assertOk(await app.call('POST', path, { token: ada.token, body: { templateId } }));
  }
});

function pay(given: object, tool = 'pay_invoice'): Promise<Answer> {
  const body = buildDecision('till', { outputDecision: { action: { tool, arguments: given } } });
  return app.call('POST', '/api/v1/traces', { key, body });
}

const over = [
  { amount: 82_000.5 },
  { amount: { currency: 'EUR', value: '82000.50' } },
  { amount: '82.000,50 €' },
  { transfer: { currency: 'EUR', value: '82.000,50' } },
  { amount: { currencyCode: 'EUR', units: '82000', nanos: 500_000_000 } },
  { InstdAmt: { '#text': '82000.50', '@Ccy': 'EUR' } },
  { value_in_cents: 8_200_050 },
  { amounts: ['5', 'CHF 82’000.50'] },
];

test.each(over)('%j is over the limit', async (given) => {
  const answer = await pay(given);
  expect(answer.status).toBe(403);
  expect(answer.body.data).toMatchObject({ status: 'blocked' });
  expect(answer.body.data.tags).not.toContain('POLICY_ERROR');
});

test('an amount beside an action in words is over the limit too', async () => {
  const outputDecision = { action: 'pay the invoice', amount: '82.000,50 €' };
  const body = buildDecision('till', { outputDecision });
  expect((await app.call('POST', '/api/v1/traces', { key, body })).status).toBe(403);
});

test.each([{ amount: 'all of it' }, { amount: '82000 a month' }, { amount: '82.000' }])(
  '%j might be over the limit',
  async (given) => {
    const answer = await pay(given);
    expect(answer.status).toBe(403);
    expect(answer.body.data).toMatchObject({ status: 'blocked' });
    expect(answer.body.data.tags).toContain('POLICY_ERROR');
  },
);

test.each([{ amount: '1.234' }, { amount: '9.999,99 €' }, { cents: 820_000 }, { note: 'hello' }])(
  '%j is within the limit',
  async (given) => expect((await pay(given)).status).toBe(201),
);

test('a refund with an unreadable amount is held', async () => {
  const answer = await pay({ refund: 'some of it' }, 'issue_refund');
  expect(answer.body.data).toMatchObject({ status: 'flagged' });
});
