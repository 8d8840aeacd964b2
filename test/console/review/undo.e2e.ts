// What a verdict's note and its keys do: an act is undone as a whole or sent once, however the page is left.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHarness } from '../../setup/fixtures.ts';
import { createMember } from '../../setup/harness.ts';
import { assertOk } from '../../setup/personas.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import { useChromium } from '../setup/chromium.ts';
import { createRefund, holdLeft, postDecision, useShop } from '../setup/shop.ts';
import { DESKTOP, openConsole } from '../setup/visit.ts';

const clock = new MovedClock();
const harness = useHarness({}, { clock, consoleFolder: resolve('dist/console') });
const { app } = harness;
const shop = useShop(harness, 0);
const chromium = useChromium();

const hold = async (): Promise<string> =>
  (await postDecision(app, shop.key, createRefund())).traceId;
const holdSome = async (count: number): Promise<string[]> => {
  const held: string[] = [];
  while (held.length < count) held.push(await hold());
  return held;
};
const readReview = async (traceId: string) =>
  (await app.call('GET', `/api/v1/traces/${traceId}`, { token: shop.token })).body.data.review;
const readStatuses = (held: readonly string[]): Promise<string[]> =>
  Promise.all(held.map(async (traceId) => (await readReview(traceId)).status as string));

const STARTED = 'http.server.request.start';
const FINISHED = 'http.server.response.finish';
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

interface Options {
  token?: string;
  /** In a window of its own, which is closed with its last page. */
  isOwn?: boolean;
  /** The moment in which a verdict can be undone lasts ten minutes, however busy the machine is. */
  isSlow?: boolean;
}

async function openReview(
  path: string,
  { isSlow = false, isOwn = false, token = shop.token }: Options = {},
) {
  const size = isOwn && { viewport: DESKTOP };
  const visit = await openConsole(chromium.browser, app, { token, ...size });
  const { page } = visit;
  const { sent, stop } = countVerdicts();
  if (isSlow)
    await page.addInitScript(() => {
      const setRealTimeout = window.setTimeout.bind(window);
      window.setTimeout = ((act: () => void, ms = 0) =>
        setRealTimeout(act, ms > 4900 && ms <= 5000 ? 600_000 : ms)) as typeof window.setTimeout;
    });
  await page.goto(path);
  await page.getByRole('button', { name: /^Approve/ }).waitFor();
  return { ...visit, sent, close: () => visit.close().finally(stop) };
}

/** Lists the verdicts that arrive at the service. */
function countVerdicts(): { sent: string[]; stop: () => void } {
  const sent: string[] = [];
  function note(message: unknown): void {
    const { url = '' } = (message as Exchange).request;
    if (/review-queue\/.*decision$/.test(url)) sent.push(url);
  }
  subscribe(STARTED, note);
  return { sent, stop: () => void unsubscribe(STARTED, note) };
}

/** Waits until the service refuses a request for want of a session. */
function waitForRefusal(url: RegExp): Promise<void> {
  return new Promise((resolve) => {
    function look(message: unknown): void {
      const { request, response } = message as Exchange;
      if (response.statusCode !== 401 || !url.test(request.url ?? '')) return;
      unsubscribe(FINISHED, look);
      resolve();
    }
    subscribe(FINISHED, look);
  });
}

const getNote = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });

/** Opens each, and marks it. */
async function mark(page: Page, held: readonly string[]): Promise<void> {
  for (const traceId of held) {
    await page.locator(`ol a[href*="${traceId}"]`).click();
    await page.waitForURL(`**/console/review/${traceId}`);
    await page.keyboard.press('x');
  }
  await page.getByRole('button', { name: `Approve ${held.length}` }).waitFor();
}

test.each(['the key', 'the button'])(
  'four that were approved at once are undone at once by %s',
  async (way) => {
    const held = await holdSome(4);
    const { page, sent, close } = await openReview(`/console/review/${held[0]}`, {
      isSlow: true,
    });
    await mark(page, held);
    await page.keyboard.press('a');
    await page.getByText('Approved 4', { exact: true }).waitFor();
    if (way === 'the key') await page.keyboard.press('u');
    else await page.getByRole('button', { name: /^Undo/ }).click();
    for (const traceId of held) await page.locator(`ol a[href*="${traceId}"]`).waitFor();
    expect(await page.getByText('Approved 4', { exact: true }).count()).toBe(0);
    await page.goto('about:blank');
    await close();
    expect(sent).toEqual([]);
    expect(await readStatuses(held)).toEqual(held.map(() => 'pending'));
  },
);

test('acts are undone one by one, the last first', async () => {
  const [one, two] = [await holdLeft(app, shop.key, clock), await holdLeft(app, shop.key, clock)];
  const { page, close } = await openReview(`/console/review/${one}`, { isSlow: true });
  await page.keyboard.press('a');
  await page.locator(`ol a[href*="${one}"]`).waitFor({ state: 'detached' });
  await page.locator(`ol a[href*="${two}"]`).click();
  await page.waitForURL(`**/console/review/${two}`);
  await page.keyboard.press('r');
  await page.getByLabel('Reason').fill('Out of warranty');
  await page.keyboard.press('Control+Enter');
  await getNote(page, 'Rejected').waitFor();
  await page.keyboard.press('u');
  await page.waitForURL(`**/console/review/${two}`);
  // The earlier one waits on, and its note stands.
  await getNote(page, 'Approved').waitFor();
  await page.keyboard.press('u');
  await page.waitForURL(`**/console/review/${one}`);
  await page.goto('about:blank');
  await close();
  expect(await readStatuses([one, two])).toEqual(['pending', 'pending']);
});

test('a verdict that its agent may wait for is sent at once', async () => {
  const traceId = await hold();
  const { page, sent, close } = await openReview(`/console/review/${traceId}`, { isSlow: true });
  const path = `/api/v1/traces/${traceId}?wait=30`;
  const answer = app.call('GET', path, { key: shop.key }).then(assertOk);
  await page.keyboard.press('a');
  expect((await answer).body.data.review.status).toBe('approved');
  expect(sent).toHaveLength(1);
  await page.keyboard.press('u');
  await page.getByText('Nothing to undo').waitFor();
  await close();
});

test('closing the note closes the note: the verdict is sent', async () => {
  const traceId = await holdLeft(app, shop.key, clock);
  const { page, sent, close } = await openReview(`/console/review/${traceId}`);
  await page.keyboard.press('a');
  const note = getNote(page, 'Approved');
  await note.getByRole('button', { name: 'Close' }).click();
  await note.waitFor({ state: 'detached' });
  await expect
    .poll(async () => (await readReview(traceId)).status, { timeout: 20_000 })
    .toBe('approved');
  expect(sent).toHaveLength(1);
  await close();
});

test('an undo that comes too late says so, and changes nothing', async () => {
  const traceId = await holdLeft(app, shop.key, clock);
  const { page, close } = await openReview(`/console/review/${traceId}`);
  await page.keyboard.press('a');
  await expect
    .poll(async () => (await readReview(traceId)).status, { timeout: 20_000 })
    .toBe('approved');
  await page.getByRole('button', { name: /^Undo/ }).waitFor({ state: 'detached' });
  await page.keyboard.press('u');
  await page.getByText('Nothing to undo').waitFor();
  expect((await readReview(traceId)).status).toBe('approved');
  await close();
});

test('on another page of the console the act can still be undone', async () => {
  const traceId = await holdLeft(app, shop.key, clock);
  const { page, close } = await openReview(`/console/review/${traceId}`, { isSlow: true });
  await page.keyboard.press('a');
  await page.getByRole('button', { name: /^Undo/ }).waitFor();
  await page.getByRole('link', { name: 'Policies' }).click();
  await page.getByRole('heading', { name: 'Policies' }).waitFor();
  await page.getByRole('button', { name: /^Undo/ }).click();
  await page.waitForURL(`**/console/review/${traceId}`);
  await page.goto('about:blank');
  await close();
  expect((await readReview(traceId)).status).toBe('pending');
});

const LEAVINGS: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'the tab is closed': (page) => page.close(),
  'another site is opened': (page) => page.goto('about:blank'),
  'the page is loaded again': (page) => page.reload(),
  'the person signs out': async (page) => {
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in**', { waitUntil: 'commit' });
  },
};
test.each(Object.entries(LEAVINGS))(
  'when %s, a verdict on several is sent once',
  async (_, leave) => {
    const held = await holdSome(3);
    const { token } = await createMember(harness, shop, 'reviewer');
    const { page, sent, close } = await openReview(`/console/review/${held[0]}`, {
      isSlow: true,
      isOwn: true,
      token,
    });
    await mark(page, held);
    await page.keyboard.press('a');
    await page.getByText('Approved 3', { exact: true }).waitFor();
    await leave(page);
    for (const traceId of held)
      await expect.poll(async () => (await readReview(traceId)).status).toBe('approved');
    expect(sent.length).toBeLessThanOrEqual(1);
    await close();
  },
);

test('without a connection a verdict waits, is seen to wait, and is sent once when there is one', async () => {
  const traceId = await hold();
  const { page, sent, close } = await openReview(`/console/review/${traceId}`);
  await page.context().setOffline(true);
  await page.keyboard.press('a');
  await page.getByText('This device is offline').waitFor({ timeout: 20_000 });
  expect(sent).toEqual([]);
  await page.context().setOffline(false);
  await expect.poll(async () => (await readReview(traceId)).status).toBe('approved');
  expect(sent).toHaveLength(1);
  await close();
});

test('an answer that is lost is no failure where the verdict has arrived', async () => {
  const traceId = await hold();
  const { page, close } = await openReview(`/console/review/${traceId}`);
  await page.route('**/decision', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.keyboard.press('a');
  await expect
    .poll(async () => (await readReview(traceId)).status, { timeout: 20_000 })
    .toBe('approved');
  await page.locator(`ol a[href*="${traceId}"]`).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Undo/ }).waitFor({ state: 'detached' });
  expect(await page.getByText(/^Not decided/).count()).toBe(0);
  await close();
});

test('past the limit of requests a verdict waits as long as the service says, and is not lost', async () => {
  const traceId = await hold();
  const { page, sent, close } = await openReview(`/console/review/${traceId}`);
  let refused = 0;
  await page.route('**/decision', async (route) => {
    refused += 1;
    if (refused > 1) return route.continue();
    await route.fulfill({
      status: 429,
      headers: { 'retry-after': '3' },
      json: { success: false, error: 'Too many requests', code: 'RATE_LIMIT_EXCEEDED' },
    });
  });
  await page.keyboard.press('a');
  await page
    .getByText(/Too many requests in a short time. It is sent in/)
    .waitFor({ timeout: 20_000 });
  expect((await readReview(traceId)).status).toBe('pending');
  await expect
    .poll(async () => (await readReview(traceId)).status, { timeout: 20_000 })
    .toBe('approved');
  expect([refused, sent.length]).toEqual([2, 1]);
  expect(await page.getByText(/^Not decided/).count()).toBe(0);
  await close();
});

test('when the session has ended, the page after the next sign-in says what was not sent', async () => {
  const traceId = await holdLeft(app, shop.key, clock);
  const { page, close } = await openReview(`/console/review/${traceId}`, { isSlow: true });
  await page.keyboard.press('a');
  await page.getByRole('button', { name: /^Undo/ }).waitFor();
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  const isRefused = waitForRefusal(/\/decision$/);
  // Whatever asks first finds out: what the page asks by itself may come before the visit to another one.
  await page
    .evaluate(() => document.querySelector<HTMLElement>('a[href="/console/usage"]')?.click())
    .catch(() => undefined);
  // The router leads there too, and one visit cuts the other off: `waitForURL` takes that for a failure.
  await expect.poll(() => page.url(), { timeout: 20_000 }).toContain('/console/sign-in');
  // The page that was left sends the verdict as it goes; a cookie that is there too soon would carry it.
  await isRefused;
  await page.context().addCookies(cookies);
  await page.clock.install({ time: Date.now() + 60_000 });
  await page.goto('/console/review');
  await page.getByText('A verdict was not sent').waitFor();
  expect((await readReview(traceId)).status).toBe('pending');
  await page.locator(`ol a[href*="${traceId}"]`).waitFor();
  await close();
});

test('of a group, what another person decided first is named, and the others count', async () => {
  const held = await holdSome(3);
  const { page, close } = await openReview(`/console/review/${held[0]}`, { isSlow: true });
  await mark(page, held);
  await page.route('**/bulk-decision', async (route) => {
    const { _id } = await readReview(held[1] ?? '');
    const body = { decision: 'reject', reason: 'first' };
    await app.call('POST', `/api/v1/review-queue/${_id}/decision`, { token: shop.token, body });
    await route.continue();
  });
  await page.keyboard.press('a');
  await page.getByRole('link', { name: 'Policies' }).click();
  await page.evaluate(() => dispatchEvent(new Event('pagehide')));
  await page.getByText(/^Not decided/).waitFor();
  await page.getByText(/The item has been decided. Look at it again/).waitFor();
  expect(await readStatuses(held)).toEqual(['approved', 'rejected', 'approved']);
  await close();
});
