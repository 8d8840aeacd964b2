// A person chooses a workspace, and all pages show what belongs to it, until all are chosen again.
import { expect, test } from 'vitest';
import { assertOk, createWorkspaceKey } from '../setup/personas.ts';
import { useChromium } from './setup/chromium.ts';
import { useConsole } from './setup/console.ts';
import { createRefund, postDecision, useShop } from './setup/shop.ts';
import { openConsole } from './setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 0);
const chromium = useChromium();

test('the pages show the chosen workspace, also what comes by the stream', async () => {
  const { token } = shop;
  const body = { name: 'Night shop' };
  const { _id } = assertOk(await app.call('POST', '/api/v1/workspaces', { token, body })).body.data;
  assertOk(
    await app.call('POST', '/api/v1/policies/from-template', {
      token,
      headers: { 'x-workspace-id': _id },
      body: { templateId: 'money-out' },
    }),
  );
  const { key } = await createWorkspaceKey(app, shop, { workspaceId: _id });
  const day = await postDecision(app, shop.key, createRefund());
  const night = await postDecision(app, key, createRefund());
  const { page, faults, close } = await openConsole(chromium.browser, app, { token });
  const find = ({ traceId }: { traceId: string }) => page.locator(`main a[href*="${traceId}"]`);
  const choose = (name: string) => page.getByLabel('Workspace').selectOption(name);

  await page.goto('/console/live');
  await find(day).waitFor();
  await find(night).waitFor();
  await choose('Night shop');
  await find(day).waitFor({ state: 'detached' });
  await find(night).waitFor();
  const [later, other] = [
    await postDecision(app, key, createRefund()),
    await postDecision(app, shop.key, createRefund()),
  ];
  await find(later).waitFor();
  expect(await find(other).count()).toBe(0);

  await page.goto(`/console/review/${night.traceId}`);
  await page.getByText('2 wait', { exact: true }).waitFor();
  await page.keyboard.press('a');
  await expect
    .poll(async () => {
      const answer = await app.call('GET', `/api/v1/traces/${night.traceId}`, { token });
      return answer.body.data.review.status;
    })
    .toBe('approved');
  await page.goto('/console/live');
  await choose('All workspaces');
  await find(day).waitFor();
  expect(faults).toEqual([]);
  await close();
});
