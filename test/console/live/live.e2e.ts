// Live decisions: they appear as they are sealed, stand still while paused, and show what they hold as text.
import { resolve } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { reserveDatabaseUri } from '../../setup/databases.ts';
import { createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import { startApp } from '../../setup/start-app.ts';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { startFront } from '../setup/front.ts';
import { createRefund, postDecision, useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 10);
const chromium = useChromium();

const reply = (text: string): object => ({
  agentId: 'shop-support',
  inputContext: { prompt: 'Hello' },
  outputDecision: { action: text, rationale: 'A greeting.' },
});

test('a decision appears the moment it is sealed; paused, it waits until the list goes on', async () => {
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/live');
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  await postDecision(app, shop.key, reply('greet the first'));
  await page.getByRole('link', { name: 'greet the first' }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await postDecision(app, shop.key, reply('greet the second'));
  await page.getByRole('button', { name: 'Resume (1 new)' }).click();
  await page.getByRole('link', { name: 'greet the second' }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('paused, what the list has already is not counted as new when the stream brings it', async () => {
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  const opening = new Promise<Route>((resolve) => {
    void page.route('**/api/v1/traces/stream?*', resolve);
  });
  await page.goto('/console/live');
  await page.getByRole('table', { name: 'Decisions' }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  const stream = await opening;
  // It begins with the first of all decisions.
  await stream.continue({ url: `${stream.request().url()}&lastEventId=0` });
  await postDecision(app, shop.key, reply('greet while paused'));
  await page.getByRole('button', { name: 'Resume (1 new)' }).click();
  await page.getByRole('link', { name: 'greet while paused' }).waitFor();
  expect(await page.getByRole('link', { name: 'greet while paused' }).count()).toBe(1);
  expect(faults).toEqual([]);
  await close();
});

test('what is sealed after the list was read and before the stream is open is in the list', async () => {
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  const opening = new Promise<Route>((resolve) => {
    void page.route('**/api/v1/traces/stream?*', resolve);
  });
  await page.goto('/console/live');
  await page.getByRole('table', { name: 'Decisions' }).waitFor();
  const stream = await opening;
  await postDecision(app, shop.key, reply('greet before the stream'));
  await stream.continue();
  await page.getByRole('link', { name: 'greet before the stream' }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('after a restart of the service, the list goes on from where it broke off', async () => {
  const front = await startFront();
  const parts = { mongoUri: reserveDatabaseUri(), consoleFolder: resolve('dist/console') };
  const start = () => startApp({ ASSAY_PUBLIC_URL: front.url }, parts);
  const first = await start();
  front.leadTo(first.url);
  const owner = await createOwner(first, 'Ada');
  const { key } = await createWorkspaceKey(first, owner);
  const { page, close } = await openConsole(
    chromium.browser,
    { ...first, url: front.url },
    { token: owner.token },
  );
  await page.goto('/console/live');
  const sign = page.getByRole('status');
  await sign.getByText('Live', { exact: true }).waitFor();
  await first.stop();
  await sign.getByText('Connection lost').waitFor();
  const second = await start();
  await postDecision(second, key, reply('greet while no one listens'));
  front.leadTo(second.url);
  await page.getByRole('link', { name: 'greet while no one listens' }).waitFor();
  await close();
  await second.stop();
  await front.stop();
});

test('filters stand in the address, and hold for what arrives', async () => {
  const { page, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/live?status=flagged');
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  await postDecision(app, shop.key, reply('greet the third'));
  const { traceId } = await postDecision(app, shop.key, createRefund());
  await page.locator(`a[href$="${traceId}"]`).waitFor();
  expect(await page.getByRole('link', { name: 'greet the third' }).count()).toBe(0);
  await close();
});

test('the hours of the series are chosen by keyboard, and stand in the address', async () => {
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/live');
  await page.getByRole('img', { name: /^Decisions by hour/ }).waitFor();
  const handle = page.getByRole('slider', { name: 'To hour' });
  await handle.press('ArrowLeft');
  await page.waitForURL(/[?&]q=until/);
  const first = page.url();
  // All decisions are of the last two hours, whenever one of them began.
  await handle.press('ArrowLeft');
  await page.waitForURL((url) => url.href !== first);
  await page.getByText('No decision fits the filters').waitFor();
  await handle.press('ArrowRight');
  await handle.press('ArrowRight');
  await page.waitForURL((url) => !url.searchParams.has('q'));
  await page.getByRole('table', { name: 'Decisions' }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('j and k move among the rows, and Enter opens one', async () => {
  const { page, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/live');
  await page.getByRole('table', { name: 'Decisions' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/console/decisions/trc_*');
  await page.getByRole('button', { name: 'Verify here' }).click();
  await page.getByText('The entry is what the hashes say').waitFor();
  await close();
});

test('the search box leads to a page by its name, and to a decision by its id', async () => {
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  const [traceId = ''] = shop.byStatus.approved;
  await page.goto('/console/live');
  await page.getByRole('button', { name: 'Search' }).waitFor();
  await page.keyboard.press('Control+k');
  const box = page.getByPlaceholder('Page, agent');
  await box.fill('webhooks');
  await box.press('Enter');
  await page.waitForURL('**/console/webhooks');
  await page.getByRole('button', { name: 'Search' }).click();
  await box.fill(traceId);
  await page.getByText(`Decision ${traceId}`).click();
  await page.waitForURL(`**/console/decisions/${traceId}`);
  expect(faults).toEqual([]);
  await close();
});

const MANY = 10_000;
const AT_ONCE = 1000;

/** Answers the list with copies of a decision, in the page itself: the list is tried, not the service. */
const answerWithCopies = (page: Page, decision: { traceId: string }): Promise<unknown> =>
  page.addInitScript(
    ({ decision, total, limit }) => {
      const ask = window.fetch.bind(window);
      window.fetch = async (input, init) => {
        const { pathname, searchParams } = new URL(
          input instanceof Request ? input.url : input,
          location.href,
        );
        if (pathname !== '/api/v1/traces') return ask(input, init);
        const page = Number(searchParams.get('page'));
        const data = Array.from({ length: limit }, (_, at) => ({
          ...decision,
          traceId: `trc_${page}_${at}`,
        }));
        const pagination = { page, limit, total, pages: total / limit };
        return Response.json({ success: true, data, pagination });
      };
    },
    { decision, total: MANY, limit: AT_ONCE },
  );

test(
  'ten thousand decisions scroll without a gap, and only those in view are drawn',
  { tags: ['long'] },
  async () => {
    const { page, close } = await openConsole(chromium.browser, app, { token: shop.token });
    const { body } = await app.call('GET', '/api/v1/traces?limit=1', { token: shop.token });
    await answerWithCopies(page, body.data[0]);
    await page.goto('/console/live');
    const table = page.getByRole('table', { name: 'Decisions' });
    await table.waitFor();
    for (let loaded = AT_ONCE; loaded <= MANY; loaded += AT_ONCE) {
      await page.waitForFunction(
        (height) => document.documentElement.scrollHeight > height,
        (loaded - 20) * 44,
      );
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      const seen = await page.evaluate(async () => {
        for (let frame = 0; frame < 3; frame += 1)
          await new Promise((done) => requestAnimationFrame(done));
        const rows = [...document.querySelectorAll('[data-row]')];
        const tops = rows.map((row) => row.getBoundingClientRect().top).toSorted((a, b) => a - b);
        const gaps = tops.slice(1).filter((top, at) => top - (tops[at] ?? 0) > 60);
        return { count: rows.length, gaps: gaps.length };
      });
      expect(seen.gaps).toBe(0);
      expect(seen.count).toBeLessThan(120);
    }
    await page.locator(`[data-row="${MANY - 1}"]`).waitFor();
    expect(await table.getAttribute('aria-rowcount')).toBe(String(MANY + 1));
    await close();
  },
);

const HOSTILE = [
  '<img src=x onerror="document.title=\'owned\'">',
  '<script>document.title="owned"</script>',
  '[click](javascript:document.title="owned")',
  '\u202Eevil\u2066\u200B',
  '\u001b[31mred\u001b[0m',
];

/** What a reader sees of characters that would be invisible, or steer the text. */
const SHOWN = HOSTILE.map((text) =>
  text.replaceAll(
    /[\u001b\u202E\u2066\u200B]/g,
    (found) => `⟨U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  ),
);

test('markup, scripts, links and control characters in every field are shown as text', async () => {
  const text = HOSTILE.join(' ');
  const body = {
    agentId: 'shop-support',
    inputContext: { prompt: `Hello ${text}`, [text]: text },
    outputDecision: {
      action: { tool: 'refund_payment', arguments: { [text]: text } },
      rationale: text,
    },
    triggeringCondition: text,
    metadata: { [text]: text },
  };
  const { traceId } = await postDecision(app, shop.key, body);
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  for (const path of [
    `/console/decisions/${traceId}`,
    `/console/review/${traceId}`,
    '/console/live',
  ]) {
    await page.goto(path);
    await page.getByText('refund_payment').first().waitFor();
    expect(await page.title()).toMatch(/ · Assay$/);
    expect(await page.locator('main img, main script, a[href^="javascript"]').count()).toBe(0);
    const seen = await page.locator('main').innerText();
    expect(seen).not.toMatch(/[\u001b\u202E\u2066\u200B]/);
    for (const shown of SHOWN) expect(seen).toContain(shown);
  }
  expect(faults).toEqual([]);
  await close();
});

test('who has scrolled into the list keeps its rows, and is told how many are new', async () => {
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.setViewportSize({ width: 1440, height: 300 });
  await page.goto('/console/live');
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  await page.mouse.wheel(0, 600);
  await page.waitForFunction(() => window.scrollY > 300);
  await postDecision(app, shop.key, reply('greet from afar'));
  const news = page.getByRole('button', { name: '1 new decision', exact: true });
  await news.waitFor();
  expect(await page.getByRole('link', { name: 'greet from afar' }).count()).toBe(0);
  await news.click();
  await page.getByRole('link', { name: 'greet from afar' }).waitFor();
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

test('a decision leads to its session, and a line finds the decisions of one alone', async () => {
  const sessionId = 'chat 4711 <b>';
  const inSession = { ...reply('look up the order'), sessionId, labels: ['returns'] };
  const { traceId } = await postDecision(app, shop.key, inSession);
  const follower = { ...reply('answer the customer'), sessionId, parentTraceId: traceId };
  const { traceId: second } = await postDecision(app, shop.key, follower);
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto(`/console/decisions/${second}`);
  await page.getByRole('link', { name: traceId }).waitFor();
  await page.getByRole('link', { name: sessionId }).click();
  await page.waitForURL(/\/console\/sessions\//);
  await page.goto(`/console/live?session=${encodeURIComponent(sessionId)}`);
  await page.getByRole('link', { name: 'look up the order' }).waitFor();
  await page.getByRole('link', { name: 'answer the customer' }).waitFor();
  const table = page.getByRole('table', { name: 'Decisions' });
  expect(await table.getAttribute('aria-rowcount')).toBe('3');
  await postDecision(app, shop.key, { ...reply('close the chat'), sessionId });
  await page.getByRole('link', { name: 'close the chat' }).waitFor();
  await page.getByRole('button', { name: /^Remove session:/ }).click();
  await page.waitForURL((url) => url.search === '');
  expect(faults).toEqual([]);
  await close();
});
