// Budgets in a browser: what is spent of limits, as of a time, why a decision is stopped, and a limit made by form.
import { beforeAll, expect, test } from 'vitest';
import { useOwner } from '../../setup/fixtures.ts';
import { createMember } from '../../setup/harness.ts';
import { assertOk, createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import {
  buildSpending,
  createBudgets,
  createLimit,
  HOSTILE,
  postMany,
  settleSpending,
} from '../setup/budgets.ts';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { expectGoodPage, settlePage } from '../setup/page-checks.ts';
import { openConsole, PHONE } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const ada = useOwner(harness);
const chromium = useChromium();
let key: string;
let manyId: string;
/** When nothing of the many sums was spent twice. */
let once: string;

const MANY = 300;
const money = { of: 'action.totalAmount', per: 'agent', window: '24h', most: 500 };
const read = async (path: string, { token } = ada) =>
  assertOk(await app.call('GET', `/api/v1${path}`, { token })).body.data;
beforeAll(async () => {
  key = (await createWorkspaceKey(app, ada)).key;
  await createBudgets(app, ada.token, key);
  const acts = { of: 'acts', per: 'session', window: '24h', most: 4 };
  manyId = await createLimit(app, ada.token, { name: 'Calls', tool: 'call', limit: acts });
  const spend = (at: number) =>
    buildSpending('call', 0, { sessionId: `${HOSTILE.slice(0, 90)} ${at}` });
  await postMany(
    app,
    key,
    Array.from({ length: MANY }, (_, at) => spend(at)),
  );
  once = new Date().toISOString();
  await postMany(app, key, [spend(7), spend(7)]);
  const eve = await createOwner(app, 'Eve');
  await createLimit(app, eve.token, { name: 'Of Eve alone', tool: 'call', limit: acts });
  await app.instance.runJobsOnce();
});

async function openPage(path: string, { token = ada.token, ...options } = {}) {
  const visit = await openConsole(chromium.browser, app, { token, ...options });
  await visit.page.goto(path);
  return visit;
}

test('each limit stands in words with its fullest sums, and leads to policy and decisions', async () => {
  const { page, faults, close } = await openPage('/console/live');
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^Search/ })
    .waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Search' }).fill('spending');
  await page.getByRole('button', { name: 'Budgets' }).click();
  const goods = page.getByRole('region', { name: /^Goods of a day/ });
  await goods
    .getByText('500 of action.totalAmount for each agent in 24 hours, then blocks')
    .waitFor();
  const rows = goods.getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(3);
  expect(await rows.nth(0).textContent()).toMatch(/⟨U\+202E⟩<img src=x.*500 of 500 spent.*0 left/);
  expect(await rows.nth(1).textContent()).toMatch(/night-shop.*50 left.*More (in \d+ hr|tomorrow)/);
  const meter = goods.getByRole('meter', { name: 'Spent: buyer' });
  expect(await meter.getAttribute('aria-valuenow')).toBe('320.5');
  const said = '320.5 of 500 spent, 100 of it not settled';
  expect(await meter.getAttribute('aria-valuetext')).toBe(said);
  const off = page.getByRole('region', { name: /^Tokens in all/ });
  expect(await off.textContent()).toMatch(/Off: it limits nothing now.*The organisation/);
  expect(await page.getByText('Of Eve alone').count()).toBe(0);
  await postMany(app, key, [buildSpending('order_goods', 20, { agentId: 'day-shop' })]);
  await postMany(app, key, [buildSpending('water_plants', 1, { agentId: 'night-shop' })]);
  await goods.getByText('day-shop').waitFor();
  expect(await rows.nth(3).textContent()).toMatch(/20 of 500 spent, not settled/);
  await rows.nth(1).getByRole('link', { name: 'Decisions behind it' }).click();
  await page.waitForURL(/live\?policy=.*agent=night-shop/);
  const decisions = page.getByRole('table', { name: 'Decisions' });
  await decisions.getByText('order_goods').first().waitFor();
  // What the agent did under no limit, or under another one, is not behind it.
  expect(await decisions.getByText('water_plants').count()).toBe(0);
  await page.getByRole('button', { name: 'Remove policy:"Goods of a day"' }).waitFor();
  await page.goBack();
  await rows.nth(2).getByRole('link', { name: 'Last change' }).click();
  await page.getByRole('region', { name: 'Why' }).waitFor();
  await page.goBack();
  await goods.getByRole('link', { name: 'Goods of a day' }).click();
  await page.getByText(/^Limit: 500 of action.totalAmount/).waitFor();
  await page.getByRole('link', { name: 'See what is spent' }).click();
  await page.getByText('All sums of one policy').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test(
  'hundreds of sums of a policy are scrolled through, and only those in view are drawn',
  { tags: ['long'] },
  async () => {
    const { page, faults, close } = await openPage('/console/budgets');
    const calls = page.getByRole('region', { name: /^Calls/ });
    await expect.poll(() => calls.getByRole('listitem').count()).toBe(5);
    await calls.getByRole('link', { name: 'All sums' }).click();
    await calls.getByText(`${MANY} sums`).waitFor();
    const rows = calls.getByRole('listitem');
    expect(await rows.first().textContent()).toMatch(/ 7buyer3 of 4 spent/);
    expect(await rows.count()).toBeLessThan(60);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect.poll(() => rows.last().getAttribute('aria-posinset')).toBe(String(MANY));
    await page.setViewportSize({ width: 320, height: 800 });
    await settlePage(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(320);
    expect(faults).toEqual([]);
    await close();
  },
);

test('as of a time it says what was spent by then, and returns to now', async () => {
  const { page, faults, close } = await openPage(`/console/budgets?policy=${manyId}&at=${once}`);
  const rows = page.getByRole('region', { name: /^Calls/ }).getByRole('listitem');
  await rows.first().waitFor();
  expect(await rows.getByText('3 of 4 spent').count()).toBe(0);
  const field = page.getByLabel('As of');
  await field.fill('2024-02-01T10:30');
  await page.getByText('Nothing was spent of it by then.').waitFor();
  await page.waitForURL(/at=2024-02-01T/);
  await page.getByRole('button', { name: 'Now' }).click();
  await rows.getByText('3 of 4 spent').first().waitFor();
  expect(await field.inputValue()).toBe('');
  expect(faults).toEqual([]);
  await close();
});

test('the page is good wide and narrow, also for a viewer', async () => {
  const viewer = await createMember(harness, ada, 'viewer');
  const visit = await openPage('/console/budgets', { token: viewer.token });
  await visit.page.getByRole('region', { name: /^Goods of a day/ }).waitFor();
  await expectGoodPage(visit);
  await visit.close();
  const phone = await openPage('/console/budgets', { viewport: PHONE } as object);
  await phone.page.getByRole('region', { name: /^Goods of a day/ }).waitFor();
  await expectGoodPage(phone);
  await phone.close();
});

test('without a limit the page leads to a form, which says what is wrong and makes one', async () => {
  const eve = await createOwner(app, 'Eve');
  const { page, faults, close } = await openPage('/console/budgets', { token: eve.token });
  await page.getByText('No limits yet').waitFor();
  await page.getByRole('link', { name: 'Make a policy with a limit' }).click();
  const rule = page.getByRole('textbox', { name: 'Rule' });
  const limit = page.getByRole('group', { name: 'Limit' });
  const most = limit.getByLabel('Most');
  await most.fill('-5');
  await most.blur();
  await limit.getByText(/limit\.most must be a number from 0/).waitFor();
  expect(await page.getByRole('button', { name: 'Save the policy' }).isDisabled()).toBe(true);
  await most.fill('3');
  await most.blur();
  await limit.getByRole('combobox', { name: 'Of' }).click();
  await page.getByRole('option', { name: 'another field' }).click();
  const field = limit.getByLabel('Field of a number');
  await field.fill('metadata..cost');
  await field.blur();
  await limit.getByText(/limit\.of must be acts/).waitFor();
  await limit.getByRole('combobox', { name: 'Of' }).click();
  await page.getByRole('option', { name: 'acts' }).click();
  await limit.getByRole('combobox', { name: 'Per' }).click();
  await page.getByRole('option', { name: 'for each session' }).click();
  await limit.getByRole('combobox', { name: 'Window' }).click();
  await page.getByRole('option', { name: 'in all' }).click();
  await expect
    .poll(() => rule.textContent())
    .toContain('"limit":{"most":3,"of":"acts","per":"session","window":"ever"}');
  await page.getByRole('button', { name: 'Save the policy' }).click();
  await page.getByText('Limit: 3 acts for each session in all, then holds').waitFor();
  await page.getByRole('link', { name: 'See what is spent' }).click();
  await page.getByText('Nothing is spent of it yet.').waitFor();
  await page.getByRole('link', { name: 'All budgets' }).click();
  await page.getByRole('link', { name: 'Refunds of a day' }).click();
  await limit.getByRole('checkbox', { name: 'Only beyond a limit' }).click();
  await expect.poll(() => rule.textContent()).not.toContain('"limit"');
  await page.goto('/console/policies');
  await page.getByRole('table').getByText('beyond a limit').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a decision says which limit it would have passed, and what an execution used', async () => {
  const name = 'Parcels of a day';
  await createLimit(app, ada.token, { name, tool: 'post_parcel', limit: money });
  const body = buildSpending('post_parcel', 480);
  const settled = await settleSpending(app, key, body, { amount: 470, tokens: 1200 });
  const [blocked] = await postMany(app, key, [buildSpending('post_parcel', 50)]);
  expect(blocked?.status).toBe('blocked');
  const { page, faults, close } = await openPage(`/console/decisions/${blocked?.traceId}`);
  const why = page.getByRole('list', { name: 'Limits that it would have passed' });
  await expect
    .poll(() => why.textContent())
    .toMatch(
      /Parcels of a day: 500 of action.totalAmount for each agent in 24 hours, then blocks. 30 left, more from /,
    );
  // The text of the service has its times as a program reads them; the page as people do.
  const reasons = page.getByRole('region', { name: 'Why' });
  await reasons.getByText(/there is more from [A-Z][a-z]{2}\s\d/).waitFor();
  expect(await page.innerText('main')).not.toMatch(/\d{4}-\d\d-\d\dT/);
  await why.getByRole('link', { name: 'See its budget' }).click();
  await page.getByRole('meter', { name: 'Spent: buyer' }).waitFor();
  await page.goto(`/console/decisions/${settled}`);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.getByText('Succeeded; used an amount of 470 and 1,200 tokens').waitFor();
  await timeline.getByText('Claimed', { exact: true }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('an approval beyond a limit is refused, and says what is left', async () => {
  const tool = 'hire_van';
  const limit = { ...money, per: 'organization', window: 'ever' };
  await createLimit(app, ada.token, { name: 'Vans in all', tool, limit });
  const hold = {
    name: 'Vans are looked at',
    conditions: [{ field: 'action.largestAmount', operator: 'greater_than', value: 100 }],
    actions: [{ type: 'flag_for_review' }],
  };
  const policy = assertOk(
    await app.call('POST', '/api/v1/policies', { token: ada.token, body: hold }),
  );
  const [held] = await postMany(app, key, [buildSpending(tool, 450)]);
  await postMany(app, key, [buildSpending(tool, 90)]);
  const { page, faults, close } = await openPage(`/console/review/${held?.traceId}`);
  await page.getByRole('button', { name: /^Approve/ }).click();
  await page.getByText(/^Not decided/).waitFor();
  await page
    .getByText(
      'It would pass a limit: 500 of action.totalAmount for the organisation in all, then blocks. 410 left, and no more later. Reject it, or approve it when enough is left.',
      { exact: false },
    )
    .waitFor();
  expect((await read(`/traces/${held?.traceId}`)).status).toBe('flagged');
  // What is refused is a fault of the browser's console alone.
  expect(faults.filter((fault) => !/ 409 .*\/decision/.test(fault))).toEqual([]);
  await close();
  const path = `/api/v1/policies/${policy.body.data.id}`;
  assertOk(await app.call('DELETE', path, { token: ada.token }));
});

test('of many approvals at once each that is left is named with its reason', async () => {
  const limit = { ...money, per: 'organization', window: 'ever' };
  await createLimit(app, ada.token, { name: 'Lifts in all', tool: 'hire_lift', limit });
  const hold = {
    name: 'Lifts are looked at',
    conditions: [{ field: 'action.names', operator: 'contains', value: 'hire_lift' }],
    actions: [{ type: 'flag_for_review' }],
  };
  assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body: hold }));
  const bodies = [400, 401, 5].map((amount) => buildSpending('hire_lift', amount));
  const held = await postMany(app, key, bodies);
  const { page, faults, close } = await openPage(`/console/review/${held[0]?.traceId}`);
  for (const { traceId } of held) {
    await page.locator(`ol a[href*="${traceId}"]`).click();
    await page.waitForURL(`**/console/review/${traceId}`);
    await page.keyboard.press('x');
  }
  await page.getByRole('button', { name: 'Approve 3' }).waitFor();
  const path = `/api/v1/review-queue/${held[2]?.reviewId}/decision`;
  const reject = { decision: 'reject', reason: 'No lift is needed' };
  await page.getByRole('button', { name: 'Approve 3' }).click();
  // Another person is faster.
  assertOk(await app.call('POST', path, { token: ada.token, body: reject }));
  const note = page.getByRole('alert').filter({ hasText: 'Not decided: 2 decisions' });
  await expect
    .poll(() => note.textContent())
    .toMatch(
      /hire_lift\(amount: 40[01], order: SO-\d+\): It would pass a limit: 500 of action.totalAmount for the organisation in all, then blocks. \d+ left/,
    );
  expect(await note.textContent()).toMatch(
    /hire_lift\(amount: 5, order: SO-\d+\): The item has been decided. Look at it again/,
  );
  expect(faults).toEqual([]);
  await close();
});

test('each action of a policy has its fields: limits and reasons of all are edited, none is lost', async () => {
  const toAction = (type: string, most: number, window: string) => ({
    type,
    config: { limit: { ...money, most, window }, reason: `Beyond ${most}` },
  });
  const body = {
    name: 'A day and a month',
    conditions: [{ field: 'action.names', operator: 'contains', value: 'rent' }],
    actions: [
      toAction('flag_for_review', 100, '24h'),
      toAction('block', 500, '24h'),
      toAction('block', 3000, '30d'),
    ],
  };
  const made = await app.call('POST', '/api/v1/policies', { token: ada.token, body });
  const path = `/policies/${assertOk(made).body.data.id}`;
  const { page, faults, close } = await openPage(`/console${path}`);
  const find = (number: number) => page.getByRole('group', { name: `Action ${number}` });
  await expect.poll(() => find(3).getByLabel('Most').inputValue()).toBe('3000');
  expect(await find(2).getByLabel('Reason that is shown').inputValue()).toBe('Beyond 500');
  await find(3).getByLabel('Most').fill('-1');
  await find(3).getByLabel('Most').blur();
  await find(3)
    .getByText(/limit\.most must be a number from 0/)
    .waitFor();
  expect(await page.getByText(/limit\.most must be a number from 0/).count()).toBe(2);
  await find(3).getByLabel('Most').fill('2500');
  await find(3).getByLabel('Most').blur();
  await find(2).getByRole('combobox', { name: 'Window' }).click();
  await page.getByRole('option', { name: 'in 7 days' }).click();
  await page.getByRole('button', { name: 'Take action 1 away' }).click();
  await expect.poll(() => find(1).getByLabel('Most').inputValue()).toBe('500');
  await page.getByRole('button', { name: 'Add an action' }).click();
  await find(3).getByRole('combobox', { name: 'Action' }).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Version 2').waitFor();
  expect((await read(path)).actions).toEqual([
    toAction('block', 500, '7d'),
    {
      type: 'block',
      config: { limit: { ...money, most: 2500, window: '30d' }, reason: 'Beyond 3000' },
    },
    { type: 'notify' },
  ]);
  expect(faults).toEqual([]);
  await close();
});
