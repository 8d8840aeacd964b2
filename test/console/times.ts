// Prints what a person waits for on a processor a quarter as fast, and asserts nothing: `npm run console:times`.
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { useHarness } from '../setup/fixtures.ts';
import { useChromium } from './setup/chromium.ts';
import { useShop } from './setup/shop.ts';
import { openConsole } from './setup/visit.ts';

const harness = useHarness({}, { consoleFolder: resolve('dist/console') });
const { app } = harness;
const shop = useShop(harness, 60);
const chromium = useChromium();

const TIMES = 5;
const SLOWDOWN = 4;

/** Reads in the page itself when something was drawn, in milliseconds since the visit or since `from`. */
const readDrawn = (page: Page, selector: string, from = 0): Promise<number> =>
  page.evaluate(
    ({ selector, from }) =>
      new Promise<number>((found) => {
        const lookAgain = (): void => {
          if (document.querySelector(selector)) found(performance.now() - from);
          else requestAnimationFrame(lookAgain);
        };
        lookAgain();
      }),
    { selector, from },
  );

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
}

async function report(name: string, measure: () => Promise<number>): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < TIMES; i += 1) times.push(await measure());
  times.sort((a, b) => a - b);
  const [least, median, most] = [0, TIMES >> 1, TIMES - 1].map((at) => Math.round(times[at] ?? 0));
  console.log(`${name}: ${median} ms (${least} to ${most})`);
}

/** A first visit: nothing is in the cache of the browser. */
async function measureVisit(path: string, selector: string, token?: string): Promise<number> {
  const { page, close } = await openConsole(chromium.browser, app, {
    isFirst: true,
    ...(token && { token }),
  });
  await slowDown(page);
  await page.goto(path, { waitUntil: 'commit' });
  const time = await readDrawn(page, selector);
  await close();
  return time;
}

const ROW = '[aria-label="Decisions"] [data-row] a';

test('first visits', async () => {
  await report('sign-in, first visit', () => measureVisit('/console/sign-in', 'input'));
  await report('live, first visit', () => measureVisit('/console/live', ROW, shop.token));
  const path = `/console/review/${shop.byStatus.flagged[0]}`;
  await report('review, first visit', () =>
    measureVisit(path, '[aria-label="Chosen decision"]', shop.token),
  );
});

test('steps inside', async () => {
  const { page, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/live');
  await readDrawn(page, ROW);
  await slowDown(page);
  const openDecision = async (): Promise<number> => {
    await page.locator(ROW).first().hover();
    const from = await page.evaluate((row) => {
      const start = performance.now();
      document.querySelector<HTMLElement>(row)?.click();
      return start;
    }, ROW);
    const time = await readDrawn(page, '[aria-label="Timeline"], .timeline', from);
    await page.goBack();
    await readDrawn(page, ROW);
    return time;
  };
  await openDecision();
  await report('a decision opens', openDecision);
  await close();
});
