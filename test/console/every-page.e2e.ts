// What every page promises: accessible, its own origin alone, no report of the policy, no error, keyboard, narrow, light and dark.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { useFixture, useHarness } from '../setup/fixtures.ts';
import { startReceiver } from '../setup/providers/receiver.ts';
import { useChromium } from './setup/chromium.ts';
import { useCompany } from './setup/company.ts';
import { listFirstLoads, measureFiles, MOST_BYTES, MOST_FILES } from './setup/first-loads.ts';
import { expectGoodPage, settlePage } from './setup/page-checks.ts';
import { listOpenPages, listPages } from './setup/pages.ts';
import { openConsole, type Visit } from './setup/visit.ts';

const receiver = useFixture(startReceiver, (one) => one.close());
const settings = () => ({ ASSAY_OUTBOUND_ALLOW: receiver.host });
const harness = useHarness(settings, { consoleFolder: resolve('dist/console') });
const company = useCompany(harness, receiver);
const chromium = useChromium();

/** One window for all pages, as a person has it: the console's files are fetched once. */
const signedIn = useFixture(
  () => openConsole(chromium.browser, harness.app, { token: company.token }),
  ({ close }) => close(),
);
const signedOut = useFixture(
  () => openConsole(chromium.browser, harness.app),
  ({ close }) => close(),
);

async function visitPage(visit: Visit, path: string): Promise<void> {
  visit.faults.length = 0;
  await visit.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await visit.page.goto(path);
  await expectGoodPage(visit);
}

test.each(Object.entries(listPages()))('%s', async (_name, toPath) => {
  await visitPage(signedIn, toPath(company));
});

test.each(Object.entries(listOpenPages()))('%s', async (_name, path) => {
  await visitPage(signedOut, path);
});

test('the scripts and styles of every page are at most 250 KiB', () => {
  const pages = listFirstLoads();
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.filter(({ size, files }) => size > MOST_BYTES || files > MOST_FILES)).toEqual([]);
});

const LOADS_LITTLE = 'a first visit of %s loads at most 250 KiB in few files';
test.each(['sign-in', 'live'])(LOADS_LITTLE, loadFirst);
test.each(['decision', 'review', 'evidence', 'agents'])(
  LOADS_LITTLE,
  { tags: ['long'] },
  loadFirst,
);

async function loadFirst(name: string): Promise<void> {
  const path = listPages()[name]?.(company) ?? listOpenPages()[name] ?? '';
  const { page, close } = await openConsole(chromium.browser, harness.app, {
    isFirst: true,
    ...(name in listPages() && { token: company.token }),
  });
  const files = new Set<string>();
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith('/console/assets/')) files.add(pathname.slice('/console/'.length));
  });
  await page.goto(path);
  await settlePage(page);
  await close();
  expect(files.size).toBeLessThanOrEqual(MOST_FILES);
  expect(measureFiles(files)).toBeLessThanOrEqual(MOST_BYTES);
}

test.each([
  ['overview', 'overview-page', '/api/v1/overview'],
  ['review', 'review-page', '/api/v1/review-queue'],
  ['live', 'live-page', '/api/v1/traces'],
  ['decision', 'decision-page', '/api/v1/traces/'],
] as const)('the data of %s is asked for before its code is there', async (name, chunk, data) => {
  const { page, close } = await openConsole(chromium.browser, harness.app, {
    isFirst: true,
    token: company.token,
  });
  const asked = page.waitForRequest((request) => new URL(request.url()).pathname.startsWith(data));
  await page.route(new RegExp(`/${chunk}-[^/]*[.]js$`), async (route) => {
    await asked;
    await route.continue();
  });
  await page.goto(listPages()[name]?.(company) ?? '');
  await settlePage(page);
  await page.getByRole('main').waitFor();
  await close();
});

test('an unknown address says so', async () => {
  await visitPage(signedIn, '/console/nowhere');
  expect(await signedIn.page.textContent('main')).toContain('There is no such page');
});
