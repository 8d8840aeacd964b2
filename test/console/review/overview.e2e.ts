// The overview: figures and pictures lead to the decisions behind them; an organisation without decisions begins elsewhere.
import { expect, test } from 'vitest';
import { createOwner } from '../../setup/personas.ts';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 10);
const chromium = useChromium();

test('people with decisions begin here, and go from a part of the flow to what it is of', async () => {
  await app.instance.runJobsOnce();
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/');
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/overview');
  const held = page.getByRole('link', { name: /^Verdict Held \d+ decision/ });
  await held.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/console\/live\?.*status=flagged/);
  expect(page.url()).toContain('from=');
  expect(faults).toEqual([]);
  await close();
});

test('the period stands in the address, and days that cannot be are said', async () => {
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/overview');
  await page.getByText('24 h', { exact: true }).click();
  await page.waitForURL(/period=24h/);
  await page.getByText(/in whole hours of UTC/).waitFor();
  await page.getByText('Custom', { exact: true }).click();
  await page.getByLabel('First day').fill('2026-01-05');
  await page.getByLabel('Last day').fill('2026-01-04');
  await page.getByRole('alert').getByText('The last day is before the first.').waitFor();
  await page.getByLabel('Last day').fill('2026-01-06');
  await page.getByRole('heading', { name: 'No decisions in this period' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'No decisions in this period' }).waitFor();
  expect(await page.getByLabel('First day').inputValue()).toBe('2026-01-05');
  expect(faults).toEqual([]);
  await close();
});

test('the queue, the lists and the hours of the week are links', async () => {
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/overview?period=7d');
  const hours = page.getByRole('table', { name: 'Decisions by hour of the week' });
  await hours.getByRole('link').first().click();
  await page.waitForURL(/\/console\/live\?from=/);
  await page.goBack();
  await page
    .getByRole('list', { name: 'Held decisions by how long' })
    .getByRole('link')
    .first()
    .click();
  await page.waitForURL(/\/console\/review/);
  await page.goBack();
  const policies = page.getByRole('table', { name: 'Policies that matched most' });
  const course = policies.getByRole('img', { name: /^Course of / }).first();
  expect(await course.locator('rect[height]:not([height="0"])').count()).toBeGreaterThan(0);
  await policies.getByRole('link').first().click();
  await page.waitForURL(/\/console\/live\?policy=/);
  expect(faults).toEqual([]);
  await close();
});

test('who has no decisions begins with the first steps, and the overview says what would be here', async () => {
  const { token } = await createOwner(app, 'Nia');
  const { page, faults, close } = await openConsole(chromium.browser, app, { token });
  await page.goto('/console/');
  await page.waitForURL(/\/console\/start/);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'No decisions in this period' }).waitFor();
  expect(faults).toEqual([]);
  await close();
});
