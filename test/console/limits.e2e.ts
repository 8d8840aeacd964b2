// Pages wait for the stream: left open, they ask for little, and where a limit comes all the same, what is known stays.
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useFixture, useHarness } from '../setup/fixtures.ts';
import { startReceiver } from '../setup/providers/receiver.ts';
import { useChromium } from './setup/chromium.ts';
import { useCompany } from './setup/company.ts';
import { settlePage } from './setup/page-checks.ts';
import { listPages } from './setup/pages.ts';
import { createRefund, postDecision } from './setup/shop.ts';
import { openConsole } from './setup/visit.ts';

const receiver = useFixture(startReceiver, (one) => one.close());
const settings = () => ({ ASSAY_OUTBOUND_ALLOW: receiver.host });
const harness = useHarness(settings, { consoleFolder: resolve('dist/console') });
const { app } = harness;
const company = useCompany(harness, receiver);
const chromium = useChromium();

/** A tenth of what a user may ask for in a quarter of an hour. */
const SMALL_PART = 60;
const MINUTES = 15;

const signedIn = useFixture(
  () => openConsole(chromium.browser, app, { token: company.token }),
  ({ close }) => close(),
);

/** Lists what a page asks the service for, in the order in which it asks. */
function listRequests(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) asked.push(pathname);
  });
  return asked;
}

/** Pages that people leave open; the others are looked at by the long tests. */
const LEFT_OPEN = new Set(['overview', 'live', 'session', 'review', 'groups', 'halts', 'start']);
const [leftOpen, others] = [true, false].map((isLeftOpen) =>
  Object.entries(listPages()).filter(([name]) => LEFT_OPEN.has(name) === isLeftOpen),
);

const ASKS_LITTLE = '%s, left open, asks for a small part of what a user may';
test.each(leftOpen ?? [])(ASKS_LITTLE, (_name, toPath) => leaveOpen(toPath(company)));
test.each(others ?? [])(ASKS_LITTLE, { tags: ['long'] }, (_name, toPath) =>
  leaveOpen(toPath(company)),
);

async function leaveOpen(path: string): Promise<void> {
  const page = await signedIn.page.context().newPage();
  await page.clock.install();
  await page.goto(path);
  await settlePage(page);
  const asked = listRequests(page);
  for (let minute = 0; minute < MINUTES; minute += 1) {
    await page.clock.runFor(60_000);
    // What was asked is answered before the next minute, as it would be.
    await page.evaluate(() => fetch('/health').then((response) => response.text()));
  }
  await page.close();
  expect(asked.length).toBeLessThan(SMALL_PART);
}

test(
  'a queue to which holds come all the time asks for a small part as well',
  { tags: ['long'] },
  async () => {
    const page = await signedIn.page.context().newPage();
    await page.clock.install();
    await page.goto('/console/review');
    await page.getByRole('button', { name: /^Approve/ }).waitFor();
    const waits = page.getByText(/^\d+ waits?$/);
    const first = Number.parseInt((await waits.textContent()) ?? '', 10);
    const asked = listRequests(page);
    for (let minute = 0; minute < MINUTES; minute += 1)
      for (let third = 0; third < 3; third += 1) {
        await postDecision(app, company.key, createRefund());
        await page.clock.runFor(20_000);
        await page.evaluate(() => fetch('/health').then((response) => response.text()));
      }
    expect(asked.length).toBeLessThan(2 * SMALL_PART);
    await page.clock.runFor(60_000);
    await page.getByText(`${first + 3 * MINUTES} wait`, { exact: true }).waitFor();
    await page.close();
  },
);

test('the first steps are ticked off by the stream, and nothing is asked while nothing happens', async () => {
  const visit = await openConsole(chromium.browser, app, { token: company.token });
  const { page } = visit;
  const before = listRequests(page);
  await page.goto('/console/start');
  // What happened before the stream was open is read once more when it is, and counts for nothing here.
  const countReads = () => before.filter((path) => path === '/api/v1/hash-chain/status').length;
  await expect.poll(countReads, { timeout: 30_000 }).toBe(2);
  await page.evaluate(() => new Promise((done) => setTimeout(done, 500)));
  await settlePage(page);
  const asked = listRequests(page);
  await postDecision(app, company.key, createRefund());
  await page.waitForTimeout(7000);
  expect(asked).toEqual([]);
  await visit.close();
});

const refuse = (seconds: number) => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  json: {
    success: false,
    error: 'Too many requests: 600 per 900 seconds',
    code: 'RATE_LIMIT_EXCEEDED',
    data: { limit: 600, windowSeconds: 900 },
  },
});

test('past the limit the frame and what is known stay, and all is read again at the time that the service names', async () => {
  const visit = await openConsole(chromium.browser, app, { token: company.token });
  const { page } = visit;
  await page.goto('/console/review');
  await page.getByRole('button', { name: /^Approve/ }).waitFor();
  await page.route('**/api/**', (route) => route.fulfill(refuse(6)));
  // Coming back to the tab reads again what is shown.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 5100)));
  await page.evaluate(() =>
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true })),
  );
  const band = page.getByRole('alert').filter({ hasText: 'What is shown stays' });
  await band.getByText(/tried again in \d+ s/).waitFor();
  expect(await page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(true);
  expect(await page.getByRole('button', { name: /^Approve/ }).isVisible()).toBe(true);
  await page.unroute('**/api/**');
  await band.waitFor({ state: 'detached' });
  await visit.close();
});

test('a page that is opened past the limit says when it is tried again, and then it is there', async () => {
  const visit = await openConsole(chromium.browser, app, { token: company.token });
  const { page } = visit;
  await page.goto('/console/live');
  await settlePage(page);
  let isLimited = true;
  await page.route('**/api/**', (route) =>
    isLimited ? route.fulfill(refuse(5)) : route.continue(),
  );
  await page.getByRole('link', { name: 'Policies' }).click();
  const refusal = page.getByRole('alert').filter({ hasText: 'Too many requests' });
  await refusal.getByText(/tried again in \d+ s/).waitFor();
  // Loaded again, it keeps its frame.
  await page.reload();
  await refusal.getByText(/tried again in \d+ s/).waitFor();
  expect(await page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(true);
  isLimited = false;
  await page.getByRole('table').first().waitFor();
  expect(await refusal.count()).toBe(0);
  await visit.close();
});
