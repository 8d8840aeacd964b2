// Search: one line finds decisions in Live and in the search box, stands in the address, is saved, and is exported.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createMember } from '../../setup/harness.ts';
import { assertOk } from '../../setup/personas.ts';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { HOSTILE_SESSION, LONG_TOOL, useMany } from '../setup/many.ts';
import { expectGoodPage } from '../setup/page-checks.ts';
import { createRefund, postDecision } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const MANY = 2000;
const harness = useConsole();
const { app } = harness;
const many = useMany(harness, MANY);
const chromium = useChromium();

async function open(path: string, options: { token?: string; permissions?: string[] } = {}) {
  const { token = many.token, ...more } = options;
  const visit = await openConsole(chromium.browser, app, { token, ...more });
  await visit.page.goto(path);
  return visit;
}

const openLine = (line: string, options = {}) =>
  open(`/console/live?${new URLSearchParams({ q: line })}`, options);
const findField = (page: Page) => page.getByRole('combobox', { name: 'Search decisions' });
const findRows = (page: Page) => page.getByRole('table', { name: 'Decisions' });
/** Chips of the line. */
const readChips = (page: Page): Promise<string[]> =>
  page
    .getByRole('button', { name: /^Remove / })
    .evaluateAll((chips) =>
      chips.map((chip) => (chip.getAttribute('aria-label') ?? '').replace('Remove ', '')),
    );

/** How many decisions the service finds. */
async function count(query: Record<string, string>): Promise<number> {
  const path = `/api/v1/traces?${new URLSearchParams({ ...query, limit: '1' })}`;
  return assertOk(await app.call('GET', path, { token: many.token })).body.total;
}

async function expectFound(page: Page, query: Record<string, string>): Promise<void> {
  const found = await count(query);
  expect(found).toBeGreaterThan(0);
  const shown = found > 100 ? '-1' : String(found + 1);
  await expect.poll(() => findRows(page).getAttribute('aria-rowcount')).toBe(shown);
}

test('a line is written with what is suggested, by keys alone, and stands in the address', async () => {
  const { page, faults, close } = await open('/console/live');
  await findRows(page).waitFor();
  await page.keyboard.press('/');
  await page.getByRole('option', { name: /^tool:/ }).waitFor();
  await page.keyboard.type('tool:canc');
  await page.getByRole('option', { name: 'tool:canc*' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => readChips(page)).toEqual([expect.stringMatching(/^tool:cancel_/)]);
  await page.keyboard.press('Backspace');
  await findField(page).fill('tool:cancel_*');
  await page.keyboard.press('Enter');
  await expect.poll(() => readChips(page)).toEqual(['tool:cancel_*']);
  expect(new URL(page.url()).searchParams.get('q')).toBe('tool:cancel_*');
  await expectFound(page, { tool: 'cancel_*' });
  await page.keyboard.type('work');
  await page.keyboard.press('Tab');
  await page.getByRole('option', { name: 'workspace:"Night shop"' }).click();
  await page.keyboard.type('amount>=990 order -refund');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => readChips(page))
    .toEqual(['tool:cancel_*', 'workspace:"Night shop"', 'amount>=990', 'order', '-refund']);
  await page.reload();
  await page.getByRole('button', { name: 'Remove amount>=990' }).click();
  await page.getByRole('button', { name: 'Remove order' }).click();
  await page.getByRole('button', { name: 'Remove -refund' }).click();
  await expectFound(page, { tool: 'cancel_*', workspaceId: many.nightId });
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await page.waitForURL((url) => url.search === '');
  expect(faults).toEqual([]);
  await close();
});

test.each<[string, Record<string, string>]>([
  ['amount>=998', { minAmount: '998' }],
  ['gift_card_3481935', { text: 'gift_card_3481935' }],
  ['"SO-10042"', { text: '"SO-10042"' }],
  [`tool:${LONG_TOOL}`, { tool: LONG_TOOL }],
  ['status:held session:chat-4', { status: 'flagged', sessionId: 'chat-4' }],
  ['agent:till-3 confidence<1', { agentId: 'till-3', maxConfidence: '0.9999' }],
  ['since:1h tag:LOW_CONFIDENCE', { tag: 'LOW_CONFIDENCE' }],
  ['held>1s', { heldSeconds: '1' }],
])('the line %s finds what the service finds', async (line, query) => {
  const { page, faults, close } = await openLine(line);
  await expectFound(page, query);
  expect(faults).toEqual([]);
  await close();
});

test('an address that names single fields becomes the line, by names', async () => {
  const { page, faults, close } = await open(
    `/console/live?status=flagged&policy=${many.policyId}&from=2020-01-01`,
  );
  await findRows(page).waitFor();
  await expect
    .poll(() => readChips(page))
    .toEqual(['status:held', expect.stringMatching(/^policy:"Money out/), 'since:2020-01-01']);
  await expectFound(page, { status: 'flagged', policyId: many.policyId });
  expect(faults).toEqual([]);
  await close();
});

test('what cannot be searched is marked, says what would be right, and asks for nothing', async () => {
  const { page, faults, close } = await openLine('status:open polcy:x tool:get_order');
  const asked: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/v1/traces') asked.push(request.url());
  });
  const said = page.getByRole('alert');
  await said.getByText('status is one of held, approved, blocked.').waitFor();
  await said.getByText('Did you mean policy, as in policy:"Money out"?').waitFor();
  await page.getByText('The line cannot be searched yet').waitFor();
  await page.getByRole('button', { name: 'status:open', exact: true }).click();
  expect(await findField(page).inputValue()).toBe('status:open');
  await page.keyboard.press('Enter');
  await said.getByText('status is one of').waitFor();
  await findField(page).fill('status:approved');
  await page.keyboard.press('Enter');
  expect(asked).toEqual([]);
  await page.getByRole('button', { name: 'Remove polcy:x' }).click();
  await expectFound(page, { status: 'approved', tool: 'get_order' });
  await findField(page).fill('policy:"No such"');
  await page.keyboard.press('Enter');
  await said.getByText('There is no policy called No such').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('values that mislead are shown as text, and fit every width', async () => {
  const line = `session:"${HOSTILE_SESSION.replaceAll('"', String.raw`\"`)}" tool:${LONG_TOOL}`;
  const visit = await openLine(line);
  const { page, close } = visit;
  await expectFound(page, { sessionId: HOSTILE_SESSION });
  const seen = await page.locator('main').innerText();
  expect(seen).toContain('⟨U+202E⟩evil');
  expect(await page.locator('main img, main b').count()).toBe(0);
  await expectGoodPage(visit);
  await close();
});

test('rows say what a reply says, where a decision was made, and whether a person decided', async () => {
  const { page, faults, close } = await openLine('tool:respond_to_customer');
  await page
    .getByRole('link', { name: 'respond_to_customer: Your parcel is on its way.' })
    .waitFor();
  await findRows(page).getByText('Default').waitFor();
  const { traceId } = await postDecision(app, many.key, createRefund());
  const path = `/api/v1/traces/${traceId}`;
  const { review } = assertOk(await app.call('GET', path, { token: many.token })).body.data;
  const verdict = { token: many.token, body: { decision: 'approve' } };
  assertOk(await app.call('POST', `/api/v1/review-queue/${review._id}/decision`, verdict));
  const findDecided = async () =>
    (await app.call('GET', '/api/v1/traces?decidedBy=person', { token: many.token })).text;
  // The index of search follows the chain.
  await expect.poll(findDecided).toContain(traceId);
  await page.goto('/console/live?q=by:person');
  const row = findRows(page).getByRole('row').nth(1);
  await expect.poll(() => row.textContent()).toMatch(/^Approvedby a person.*refund_payment/);
  expect(faults).toEqual([]);
  await close();
});

test('what the service alone can tell of new decisions is searched again on request', async () => {
  const { page, faults, close } = await openLine('telescope');
  await page.getByText('No decision fits the filters').waitFor();
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  await postDecision(app, many.key, {
    agentId: 'till-1',
    inputContext: { prompt: 'Hello' },
    outputDecision: { action: 'reply', rationale: 'The telescope is sold out.' },
  });
  await app.instance.runJobsOnce();
  await page.getByRole('button', { name: '1 decision since: search again' }).click();
  await page.getByRole('link', { name: /telescope is sold out/ }).waitFor();
  expect(await page.getByRole('button', { name: /search again/ }).count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

test('views are saved for oneself or for all, applied by a click, and deleted', async () => {
  const member = await createMember(harness, many, 'member');
  const { page, faults, close } = await openLine('tool:cancel_* status:approved');
  async function save(name: string, isShared: boolean): Promise<void> {
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Saved views' });
    await dialog.getByLabel('Name').fill(name);
    if (isShared) await dialog.getByLabel('For all members').click();
    await dialog.getByRole('button', { name: 'Save this search' }).click();
    await dialog.waitFor({ state: 'hidden' });
  }
  await save('Cancelled <b>', true);
  await findField(page).fill('by:person');
  await page.keyboard.press('Enter');
  await save('Mine alone', false);
  await page.goto('/console/live');
  const views = page.getByRole('group', { name: 'Saved views' });
  await views.getByRole('button', { name: 'Cancelled <b>' }).click();
  await expect.poll(() => readChips(page)).toEqual(['tool:cancel_*', 'status:approved']);

  const other = await open('/console/live', { token: member.token });
  const theirs = other.page.getByRole('group', { name: 'Saved views' });
  await theirs.getByRole('button', { name: 'Cancelled <b>' }).waitFor();
  expect(await theirs.getByRole('button').count()).toBe(1);
  await other.close();

  await page.getByRole('button', { name: 'Views', exact: true }).click();
  await page.getByRole('button', { name: 'Delete Cancelled <b>' }).click();
  await page
    .getByRole('dialog')
    .last()
    .getByRole('button', { name: 'Delete', exact: true })
    .click();
  await expect.poll(() => views.getByRole('button').allTextContents()).toEqual(['Mine alone']);
  expect([...faults, ...other.faults]).toEqual([]);
  await close();
});

test('what is found is exported', async () => {
  const { page, faults, close } = await openLine('tool:cancel_* amount>=900');
  await findRows(page).waitFor();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const file = await saving;
  expect(file.suggestedFilename()).toMatch(/^assay-traces-.*\.csv$/);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  expect(lines.length).toBe(1 + (await count({ tool: 'cancel_*', minAmount: '900' })));
  expect(lines.slice(1).every((line) => line.includes('cancel_'))).toBe(true);
  expect(faults).toEqual([]);
  await close();
});

test('the search box finds decisions by the same line, and leads to all of them', async () => {
  const { page, faults, close } = await open('/console/policies');
  await page.getByRole('button', { name: /^Search/ }).waitFor();
  await page.keyboard.press('Control+k');
  const box = page.getByRole('textbox', { name: 'Search' });
  await box.fill('tool:cancel_* amount>=990');
  const found = page.getByRole('dialog').getByRole('button', { name: /^cancel_/ });
  await expect.poll(() => found.count()).toBe(5);
  await page.getByText('See all in Live').click();
  await page.waitForURL(/\/live\?q=/);
  await expect.poll(() => readChips(page)).toEqual(['tool:cancel_*', 'amount>=990']);
  await page.keyboard.press('Control+k');
  await box.fill('status:open');
  await page.getByText('status is one of held, approved, blocked').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('the search box acts: a new policy, a stop, colours, the link of the page', async () => {
  const options = { permissions: ['clipboard-read', 'clipboard-write'] };
  const { page, faults, close } = await open('/console/agents', options);
  const act = async (text: string): Promise<void> => {
    await page.getByRole('button', { name: /^Search/ }).click();
    const box = page.getByRole('textbox', { name: 'Search' });
    await box.fill(text);
    await page.getByRole('dialog').getByRole('button').first().waitFor();
    await box.press('Enter');
  };
  await act('dark');
  await expect
    .poll(() => page.evaluate(() => document.documentElement.dataset['mantineColorScheme']))
    .toBe('dark');
  await act('copy the link');
  await page.getByText('The link of this page is copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
  await act('stop something');
  const stop = page.getByRole('dialog', { name: 'Stop …' });
  await stop.getByRole('button', { name: 'Cancel' }).click();
  await stop.waitFor({ state: 'hidden' });
  await act('new policy');
  await page.waitForURL('**/policies/new');
  expect(faults).toEqual([]);
  await close();
});

test('two keys lead to a page, and ? shows all keys; not while something is written', async () => {
  const { page, faults, close } = await open('/console/agents');
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('l');
  await page.waitForURL('**/console/live');
  await findRows(page).waitFor();
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await keys.getByText('Go to Review queue').waitFor();
  await keys.getByText('Write into the search line').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await page.keyboard.press('Escape');
  await keys.waitFor({ state: 'hidden' });
  await page.keyboard.press('/');
  await page.keyboard.type('g r');
  expect(await findField(page).inputValue()).toBe('g r');
  expect(new URL(page.url()).pathname).toBe('/console/live');
  await findField(page).fill('');
  await findField(page).blur();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.waitForURL(/\/console\/review/);
  await page.getByRole('button', { name: /^Approve/ }).waitFor();
  // The second of two keys rejects nothing.
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

test('a policy and a decision lead to more of theirs', async () => {
  const { page, faults, close } = await open(`/console/policies/${many.policyId}`);
  await page.getByRole('link', { name: 'Its decisions' }).click();
  await page.waitForURL(/\/live\?policy=/);
  await findRows(page).getByRole('link').first().click();
  await page.getByRole('link', { name: 'More of this tool' }).click();
  await page.waitForURL(/\/live\?tool=/);
  await expect.poll(() => readChips(page)).toEqual([expect.stringMatching(/^tool:/)]);
  await findRows(page).waitFor();
  expect(faults).toEqual([]);
  await close();
});
