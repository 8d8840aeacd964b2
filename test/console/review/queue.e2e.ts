// A queue of a thousand: all of it is reached, in the order in which it is due, and every link to an item opens it.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { holdMany, postDecision, createRefund, useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const COUNT = 1000;
const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 0);
const chromium = useChromium();
/** Ids of the decisions, the oldest first; the shop's own refund came before them. */
let held: string[] = [];
beforeAll(async () => {
  held = await holdMany(app, shop.key, COUNT);
});

async function openReview(path = '/console/review') {
  const visit = await openConsole(chromium.browser, app, { token: shop.token });
  await visit.page.goto(path);
  await visit.page.getByRole('button', { name: /^Approve/ }).waitFor();
  return visit;
}
const listRows = (page: Page) => page.getByRole('list', { name: 'Decisions to review' });
const readReview = async (traceId: string) =>
  (await app.call('GET', `/api/v1/traces/${traceId}`, { token: shop.token })).body.data.review;
const countWaiting = async (): Promise<number> =>
  (await app.call('GET', '/api/v1/review-queue?status=pending&limit=1', { token: shop.token })).body
    .total;
const scrollToEnd = (page: Page): Promise<void> =>
  listRows(page).evaluate((list) => list.parentElement?.scrollTo(0, list.scrollHeight));
const findChosen = (page: Page) =>
  listRows(page).locator('a[aria-current="true"]').getAttribute('href');

test('the oldest of a thousand is the first, and the page says how many wait', async () => {
  const { page, faults, close } = await openReview();
  await page.getByText(`${(await countWaiting()).toLocaleString('en')} wait`).waitFor();
  const [oldest = ''] = shop.byStatus.flagged;
  expect(await findChosen(page)).toBe(`/console/review/${oldest}`);
  const hrefs = await listRows(page)
    .locator('a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  expect(hrefs.slice(1)).toEqual(
    held.slice(0, hrefs.length - 1).map((traceId) => `/console/review/${traceId}`),
  );
  expect(faults).toEqual([]);
  await close();
});

test(
  'the list goes on to the end, page by page, and a key answers at once there',
  { tags: ['long'] },
  async () => {
    const { page, faults, close } = await openReview();
    const rows = listRows(page).locator('li');
    const last = rows.locator(`a[href="/console/review/${held.at(-1)}"]`);
    await expect
      .poll(() => scrollToEnd(page).then(() => last.count()), { timeout: 120_000, interval: 100 })
      .toBe(1);
    // Those in view alone are drawn, and each says which of how many it is.
    expect(await rows.count()).toBeLessThan(100);
    const total = String(await countWaiting());
    expect(await rows.last().getAttribute('aria-posinset')).toBe(total);
    expect(await rows.last().getAttribute('aria-setsize')).toBe(total);
    await last.click();
    await page.waitForURL(`**/console/review/${held.at(-1)}`);
    const ms = await page.evaluate(async () => {
      const began = performance.now();
      const before = location.pathname;
      document.body.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'k', code: 'KeyK', bubbles: true }),
      );
      while (location.pathname === before)
        await new Promise((resolve) => requestAnimationFrame(resolve));
      return performance.now() - began;
    });
    await page.waitForURL(`**/console/review/${held.at(-2)}`);
    expect(ms).toBeLessThan(1500);
    expect(faults).toEqual([]);
    await close();
  },
);

test.each(['traceId', 'review id'])(
  'an item that is not on the first page opens by its %s, and is decided',
  async (kind) => {
    const traceId = held[kind === 'traceId' ? 990 : 991] ?? '';
    const { _id } = await readReview(traceId);
    const { page, faults, close } = await openReview(
      `/console/review/${kind === 'traceId' ? traceId : _id}`,
    );
    const chosen = page.getByRole('region', { name: 'Chosen decision' });
    await chosen.getByText(`${kind === 'traceId' ? 990 : 991}`, { exact: true }).waitFor();
    await page.keyboard.press('a');
    await expect.poll(async () => (await readReview(traceId)).status).toBe('approved');
    expect(faults).toEqual([]);
    await close();
  },
);

test('the link of an answer to an agent opens what it held', async () => {
  const posted = await app.call('POST', '/api/v1/traces', {
    key: shop.key,
    body: createRefund(),
  });
  const { traceId, links } = posted.body.data;
  const { page, close } = await openReview(links.review);
  const all = page.getByRole('link', { name: 'All about this decision' });
  expect(await all.getAttribute('href')).toBe(`/console/decisions/${traceId}`);
  await close();
});

test('an item that was decided shows its verdict, and no key changes it', async () => {
  const { traceId } = await postDecision(app, shop.key, createRefund());
  const { _id } = await readReview(traceId);
  const body = { decision: 'reject', reason: 'Out of warranty' };
  const path = `/api/v1/review-queue/${_id}/decision`;
  await app.call('POST', path, { token: shop.token, body });
  const visit = await openConsole(chromium.browser, app, { token: shop.token });
  await visit.page.goto(`/console/review/${_id}`);
  const chosen = visit.page.getByRole('region', { name: 'Chosen decision' });
  await chosen.getByText('Out of warranty').waitFor();
  await visit.page.keyboard.press('a');
  expect(await visit.page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
  expect((await readReview(traceId)).status).toBe('rejected');
  await visit.close();
});

test('a hold that comes while the page is open is counted, and one decided elsewhere goes, without polling', async () => {
  const { page, close } = await openReview();
  const total = await countWaiting();
  await page.getByText(`${total.toLocaleString('en')} wait`).waitFor();
  await postDecision(app, shop.key, createRefund());
  await page.getByText(`${(total + 1).toLocaleString('en')} wait`).waitFor();
  const [, second = ''] = await listRows(page)
    .locator('a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.slice(16) ?? ''));
  const { _id } = await readReview(second);
  const path = `/api/v1/review-queue/${_id}/decision`;
  await app.call('POST', path, { token: shop.token, body: { decision: 'approve' } });
  await expect.poll(() => listRows(page).locator(`a[href$="${second}"]`).count()).toBe(0);
  await page.getByText(`${total.toLocaleString('en')} wait`).waitFor();
  await close();
});

test('every page says how many wait: in the side bar, and in the title of its tab', async () => {
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/policies');
  const count = await countWaiting();
  const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', {
    name: /^Review queue/,
  });
  await expect
    .poll(() => link.textContent())
    .toBe(`Review queue${count > 999 ? '999+' : count} waiting`);
  const shown = `(${count.toLocaleString('en')}) `;
  await expect.poll(() => page.title()).toBe(`${shown}Policies · Assay`);
  await link.click();
  await page.getByText(`${count.toLocaleString('en')} wait`).waitFor();
  await expect.poll(() => page.title()).toBe(`${shown}Review queue · Assay`);
  // What the list hears by the stream, the side bar and the title say as well.
  for (const traceId of held.slice(-3)) {
    const { _id } = await readReview(traceId);
    const body = { decision: 'reject', reason: 'Twice' };
    const path = `/api/v1/review-queue/${_id}/decision`;
    expect((await app.call('POST', path, { token: shop.token, body })).status).toBe(200);
  }
  await expect
    .poll(() => page.title())
    .toBe(`(${(count - 3).toLocaleString('en')}) Review queue · Assay`);
  await expect
    .poll(() => link.textContent())
    .toBe(`Review queue${count - 3 > 999 ? '999+' : count - 3} waiting`);
  expect(faults).toEqual([]);
  await close();
});
