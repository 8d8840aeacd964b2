// What every page promises: accessible, its own origin alone, no report of the policy, no error, keyboard, narrow, light and dark.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { useHarness } from '../setup/fixtures.ts';
import { useChromium } from './setup/chromium.ts';
import { expectGoodPage } from './setup/page-checks.ts';
import { listOpenPages, listPages } from './setup/pages.ts';
import { useShop } from './setup/shop.ts';
import { openConsole } from './setup/visit.ts';

const harness = useHarness({}, { consoleFolder: resolve('dist/console') });
const shop = useShop(harness);
const chromium = useChromium();

test.each(Object.entries(listPages()))('%s', async (_name, toPath) => {
  const visit = await openConsole(chromium.browser, harness.app, { token: shop.token });
  await visit.page.goto(toPath(shop));
  await expectGoodPage(visit);
  await visit.close();
});

test.each(Object.entries(listOpenPages()))('%s', async (_name, path) => {
  const visit = await openConsole(chromium.browser, harness.app);
  await visit.page.goto(path);
  await expectGoodPage(visit);
  await visit.close();
});

test('an unknown address says so', async () => {
  const visit = await openConsole(chromium.browser, harness.app, { token: shop.token });
  await visit.page.goto('/console/nowhere');
  await expectGoodPage(visit);
  expect(await visit.page.textContent('main')).toContain('There is no such page');
  await visit.close();
});
