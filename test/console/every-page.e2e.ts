// What every page promises: accessible, its own origin alone, no report of the policy, no error, keyboard, narrow, light and dark.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { useFixture, useHarness } from '../setup/fixtures.ts';
import { startReceiver } from '../setup/providers/receiver.ts';
import { useChromium } from './setup/chromium.ts';
import { useCompany } from './setup/company.ts';
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

const MOST_FILES = 20;

test.each([
  ['/console/sign-in', 250, false],
  ['/console/live', 285, true],
])('a first visit of %s takes few files, and at most %i KiB', async (path, most, isSignedIn) => {
  const { page, close } = await openConsole(chromium.browser, harness.app, {
    ...(isSignedIn && { token: company.token }),
  });
  const files = new Set<string>();
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith('/console/assets/')) files.add(pathname);
  });
  await page.goto(path);
  await settlePage(page);
  await close();
  const bytes = [...files].map((file) => statSync(resolve(`dist${file}.gz`)).size);
  expect(files.size).toBeLessThanOrEqual(MOST_FILES);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(most * 1024);
});

test('an unknown address says so', async () => {
  await visitPage(signedIn, '/console/nowhere');
  expect(await signedIn.page.textContent('main')).toContain('There is no such page');
});
