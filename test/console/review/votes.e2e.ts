// Decisions that several people have to approve: how far they are, who has approved what, and what the second one approves.
import { expect, test } from 'vitest';
import { createMember } from '../../setup/harness.ts';
import { assertOk, buildDecision, createWorkspaceKey } from '../../setup/personas.ts';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 5);
const chromium = useChromium();

const call = (method: string, path: string, body?: object) =>
  app.call(method, `/api/v1${path}`, { token: shop.token, ...(body && { body }) });

test('the first of two approves with edits, the second approves the same, and the queue says how far it is', async () => {
  const rita = await createMember(harness, shop, 'reviewer');
  const rolf = await createMember(harness, shop, 'reviewer');
  const finance = { name: 'Finance', people: [rita.userId, rolf.userId], count: 2 };
  const condition = { field: 'outputDecision.action.tool', operator: 'equals', value: 'pay_out' };
  const config = { reason: 'Two pairs of eyes', approvals: { steps: [finance] } };
  const actions = [{ type: 'flag_for_review', config }];
  assertOk(await call('POST', '/policies', { name: 'Payouts', conditions: [condition], actions }));
  const { key } = await createWorkspaceKey(app, shop);
  const outputDecision = { action: { tool: 'pay_out', amount: 900 } };
  const posted = await app.call('POST', '/api/v1/traces', {
    key,
    body: buildDecision('till', { outputDecision }),
  });
  const { traceId } = assertOk(posted).body.data;
  const readReview = async () => (await call('GET', `/review-queue/${traceId}`)).body.data;

  const stranger = await openConsole(chromium.browser, app, { token: shop.token });
  await stranger.page.goto(`/console/review/${traceId}`);
  const seen = stranger.page.getByRole('region', { name: 'Chosen decision' });
  await seen.getByText('0 of 2 approvals: waits for 2 of Finance').waitFor();
  expect(await seen.getByRole('button', { name: /^Approve/ }).isDisabled()).toBe(true);
  expect(await seen.getByRole('button', { name: /^Reject/ }).isEnabled()).toBe(true);

  const first = await openConsole(chromium.browser, app, { token: rita.token });
  await first.page.goto(`/console/review/${traceId}`);
  await first.page.getByRole('button', { name: /^Edit/ }).click();
  const dialog = first.page.getByRole('dialog');
  await dialog.getByLabel('Action').fill('{ "tool": "pay_out", "amount": 400 }');
  await dialog.getByRole('button', { name: /^Approve/ }).click();
  await expect.poll(async () => (await readReview()).approvals.given).toBe(1);

  // The page of others follows by the stream.
  await seen.getByText('1 of 2 approvals: waits for Finance').waitFor();
  await seen.getByRole('region', { name: 'Approvals' }).getByText('with edits').waitFor();

  await stranger.page.goto(`/console/decisions/${traceId}`);
  await stranger.page.getByText('1 of 2 approvals: waits for Finance').waitFor();

  const second = await openConsole(chromium.browser, app, { token: rolf.token });
  await second.page.goto(`/console/review/${traceId}`);
  const chosen = second.page.getByRole('region', { name: 'Chosen decision' });
  await chosen.getByText('{"amount":400}').waitFor();
  await second.page.getByRole('link', { name: /pay_out/ }).waitFor();
  await second.page.getByText('1 of 2', { exact: true }).first().waitFor();
  await chosen.getByRole('button', { name: 'Approve with the edits' }).click();
  await expect.poll(async () => (await readReview()).status).toBe('approved');
  expect(await readReview()).toMatchObject({ edits: { amount: 400 }, decidedBy: rolf.userId });
  expect([stranger, first, second].flatMap(({ faults }) => faults)).toEqual([]);
  await Promise.all([stranger, first, second].map(({ close }) => close()));
});
