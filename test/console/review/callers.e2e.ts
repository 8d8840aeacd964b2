// The review page says whether the caller still waits, and finds what was approved and never claimed.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { useHarness } from '../../setup/fixtures.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import { assertOk } from '../../setup/personas.ts';
import { useChromium } from '../setup/chromium.ts';
import { createRefund, postDecision, useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const clock = new MovedClock();
const harness = useHarness({}, { clock, consoleFolder: resolve('dist/console') });
const { app } = harness;
const shop = useShop(harness, 0);
const chromium = useChromium();

test('an item says whether its caller waits, and approved without a claim it is found', async () => {
  const { traceId } = await postDecision(app, shop.key, createRefund());
  const ask = (): Promise<unknown> =>
    app.call('GET', `/api/v1/traces/${traceId}?wait=0`, { key: shop.key }).then(assertOk);
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  const details = page.getByRole('region', { name: 'Chosen decision' });
  await page.goto(`/console/review/${traceId}`);
  await details.getByRole('button', { name: /^Approve/ }).waitFor();
  expect(await details.getByText(/^The caller/).count()).toBe(0);
  await ask();
  await page.reload();
  await details.getByText('The caller waits').waitFor();
  clock.aheadMs += 6 * 60_000;
  await page.reload();
  await details.getByText('The caller no longer waits').waitFor();
  await details.getByText('It last asked').waitFor();

  const list = page.getByRole('list', { name: 'Decisions to review' });
  const other = await postDecision(app, shop.key, createRefund());
  await list.locator(`a[href^="/console/review/${other.traceId}"]`).waitFor();
  await page.getByRole('switch', { name: 'No caller waits' }).click();
  await list.locator(`a[href^="/console/review/${other.traceId}"]`).waitFor({ state: 'detached' });
  await list.locator(`a[href^="/console/review/${traceId}"]`).waitFor();
  await page.getByRole('radiogroup', { name: 'Status' }).getByText('Approved').click();
  await page.getByRole('switch', { name: 'Never claimed' }).click();
  await page.getByText('No decision fits the filters.').waitFor();
  const item = assertOk(
    await app.call('GET', `/api/v1/review-queue/${traceId}`, { token: shop.token }),
  ).body.data;
  const path = `/api/v1/review-queue/${item.id}/decision`;
  const body = { decision: 'approve' };
  assertOk(await app.call('POST', path, { token: shop.token, body }));
  await page.goto('/console/review?status=approved&unclaimed=1');
  await list.locator(`a[href^="/console/review/${traceId}"]`).waitFor();
  expect(await list.locator('li').count()).toBe(1);
  await details.getByText('The caller no longer waits').waitFor();
  expect(faults).toEqual([]);
  await close();
});
