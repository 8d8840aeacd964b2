// Standing grants: given with an approval within its arguments, seen on what they let through, and ended by hand.
import { expect, test } from 'vitest';
import { useGrants } from '../../api/review/grants/granting.ts';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 5);
const chromium = useChromium();
const { prepare, post, call } = useGrants(harness, shop);

test('a tool is allowed for a time within bounds, and no more once that is ended', async () => {
  const { agent } = await prepare('print_label');
  const amount = { amount: 10, colour: 'red' };
  const held = await post(agent, 'print_label', amount);
  expect(held.status).toBe('flagged');

  const { page } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto(`/console/review/${held.traceId}`);
  await page.getByRole('button', { name: 'Allow for a time' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('8 hours').click();
  await dialog.getByLabel('Times, at most').fill('3');
  await dialog.getByRole('checkbox', { name: 'amount is at most 10' }).waitFor();
  await dialog.getByRole('checkbox', { name: 'colour is red' }).uncheck();
  await dialog.getByLabel('Reason').fill('The printer was mended');
  await dialog.getByRole('button', { name: 'Approve and allow' }).click();
  const readGrants = async () => (await call('GET', '/grants')).body.data;
  await expect.poll(async () => (await readGrants()).length).toBe(1);
  const [grant] = await readGrants();
  expect(grant).toMatchObject({
    uses: 3,
    left: 3,
    when: [{ field: 'arguments.amount', operator: 'at_most', value: 10 }],
    reason: 'The printer was mended',
  });

  const passed = await post(agent, 'print_label', { amount: 9, colour: 'blue' });
  expect(passed).toMatchObject({ status: 'approved', basis: { kind: 'grant', id: grant.id } });
  expect((await post(agent, 'print_label', { amount: 11 })).status).toBe('flagged');

  await page.goto(`/console/decisions/${passed.traceId}`);
  await page.getByText('Let through by a standing grant').waitFor();
  await page.getByRole('link', { name: 'standing grant', exact: true }).click();
  await page.getByRole('heading', { name: 'print_label, without a person' }).waitFor();
  await page.getByText('2 of 3 left').waitFor();
  await page.getByText('amount is at most 10').waitFor();

  await page.getByRole('button', { name: 'End it' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
  await page.getByText('Ended by hand').waitFor();
  expect((await post(agent, 'print_label', { amount: 9 })).status).toBe('flagged');

  await page.goto('/console/grants');
  await page.getByText('No grants stand').waitFor();
  await page.getByRole('table', { name: 'Ended' }).getByText('1 of 3').waitFor();
});
