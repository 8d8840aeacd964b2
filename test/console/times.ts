// Prints what a person waits for on a processor a quarter as fast, and asserts nothing: `npm run console:times`.
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { useHarness } from '../setup/fixtures.ts';
import { useChromium } from './setup/chromium.ts';
import { createRefund, holdMany, postDecision, useShop } from './setup/shop.ts';
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

async function report(name: string, measure: () => Promise<number>, count = TIMES): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) times.push(await measure());
  times.sort((a, b) => a - b);
  const [least, median, most] = [0, count >> 1, count - 1].map((at) => Math.round(times[at] ?? 0));
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

test('a verdict: from the post to the answer that its agent waits for, while a reviewer sits ready', async () => {
  const { page, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/review');
  await page.getByRole('button', { name: /^Approve/ }).waitFor();
  const measureVerdict = async (): Promise<number> => {
    const from = performance.now();
    const { traceId } = await postDecision(app, shop.key, createRefund());
    const answer = app.call('GET', `/api/v1/traces/${traceId}?wait=50`, { key: shop.key });
    await page.locator(`ol a[href*="${traceId}"]`).click();
    await page.waitForURL(`**/console/review/${traceId}`);
    await page.keyboard.press('a');
    await answer;
    return performance.now() - from;
  };
  await measureVerdict();
  await report('post to verdict at the agent', measureVerdict, 20);
  await close();
});

const HOLDS = 5000;

test('the queue with thousands', async () => {
  await holdMany(app, shop.key, HOLDS);
  const { page, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/review');
  await page.getByRole('button', { name: /^Approve/ }).waitFor();
  const pressKey = (key: string): Promise<number> =>
    page.evaluate(
      (key) =>
        new Promise<number>((found) => {
          const read = () => document.querySelector('ol a[aria-current="true"]');
          const before = read();
          const from = performance.now();
          const lookAgain = (): void => {
            if (read() !== before) found(performance.now() - from);
            else requestAnimationFrame(lookAgain);
          };
          const code = `Key${key.toUpperCase()}`;
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true }));
          lookAgain();
        }),
      key,
    );
  await report(`j with ${HOLDS} holds`, () => pressKey('j'), 20);
  const list = page.getByRole('list', { name: 'Decisions to review' });
  const readLast = (): Promise<number> =>
    list.locator('li').last().getAttribute('aria-posinset').then(Number);
  while ((await readLast()) < 1000) {
    await list.evaluate((all) => all.parentElement?.scrollTo(0, all.scrollHeight));
    await page.waitForTimeout(100);
  }
  await report(`j with ${HOLDS} holds, a thousand of them listed`, () => pressKey('j'), 20);
  await slowDown(page);
  await report('the same on a slow processor', () => pressKey('j'), 20);
  await close();
  const path = `/console/review`;
  await report(`review with ${HOLDS} holds, first visit`, () =>
    measureVisit(path, '[aria-label="Chosen decision"]', shop.token),
  );
}, 600_000);
