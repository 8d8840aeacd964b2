// Groups: holds of one cause are looked at by five, and decided as one.
import { expect, test } from 'vitest';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { createRefund, holdMany, postDecision, useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 0);
const chromium = useChromium();

/** More than the service decides at once. */
const HOLDS = 120;

/** Those of the refunds. */
const countWaiting = async (): Promise<number> => {
  const { body } = await app.call('GET', '/api/v1/traces/groups', { token: shop.token });
  const groups = body.data as { tools: string[]; waiting: number }[];
  return groups.find(({ tools }) => tools.includes('refund_payment'))?.waiting ?? 0;
};

test('a group of holds is looked at by five, and all of it is decided', async () => {
  await holdMany(app, shop.key, HOLDS);
  const waiting = await countWaiting();
  expect(waiting).toBeGreaterThanOrEqual(HOLDS);
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/groups');
  const card = page.getByRole('region', { name: /^refund_payment/ });
  await card.getByText(`${waiting} wait`).waitFor();
  const bars = card.getByRole('img', { name: /in the last 30 days/ });
  expect(await bars.locator('rect').count()).toBe(30);
  await card.getByRole('button', { name: `Decide all ${waiting}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('refund_payment').first().waitFor();
  expect(await dialog.getByText('refund_payment').count()).toBe(5);
  const send = dialog.getByRole('button', { name: 'Reject all' });
  expect(await send.isDisabled()).toBe(true);
  await dialog.getByLabel('Reason').fill('Not by an agent');
  await send.click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await countWaiting()).toBe(0);
  await card.getByRole('button', { name: /^Decide/ }).waitFor({ state: 'hidden' });
  expect(faults).toEqual([]);
  await close();
});

test('the queue of one group, a policy for its tool, and a mute are one click away', async () => {
  await postDecision(app, shop.key, createRefund());
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  const refunds = page.getByRole('region', { name: /^refund_payment/ });
  await page.goto('/console/groups?kind=waiting');
  await refunds.getByRole('link', { name: 'Open in the queue' }).click();
  await page.getByText('One group').waitFor();
  await page.getByText('1 waits').waitFor();
  await page.getByRole('button', { name: 'All groups' }).click();
  await page.getByText('One group').waitFor({ state: 'hidden' });
  await page.goto('/console/groups?kind=waiting');
  await refunds.getByRole('link', { name: 'Make a policy' }).click();
  await page.getByText('On refund_payment').first().waitFor();
  await page.goto('/console/groups?kind=waiting');
  await refunds.getByPlaceholder('Mute').click();
  await page.getByRole('option', { name: 'For a week' }).click();
  await refunds.waitFor({ state: 'hidden' });
  await page.goto('/console/groups?kind=muted');
  await refunds.getByRole('button', { name: 'Unmute' }).click();
  await page.getByText('No such group').waitFor();
  expect(faults).toEqual([]);
  await close();
});
