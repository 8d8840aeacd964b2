// Stop and resume in a browser: from any page by the keyboard, with a band everywhere, and two people to go on.
import { createHash } from 'node:crypto';
import { canonicalize, type Json } from '@assay/json';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { generateHex } from '../../../src/platform/ids.ts';
import { createMember } from '../../setup/harness.ts';
import { assertOk, type Owner } from '../../setup/personas.ts';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { expectGoodPage } from '../setup/page-checks.ts';
import { createRefund, postDecision, useShop } from '../setup/shop.ts';
import { openConsole, PHONE } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 20);
const chromium = useChromium();
let admin: Owner;
let viewer: Owner;
const agentIds: Record<string, string> = {};
beforeAll(async () => {
  admin = await createMember(harness, shop, 'admin');
  viewer = await createMember(harness, shop, 'viewer');
  for (const { name, _id } of await read('/api/v1/agents')) agentIds[name] = _id;
});

const read = async (path: string) =>
  assertOk(await app.call('GET', path, { token: shop.token })).body.data;
const write = async (path: string, body: object, token = shop.token) =>
  assertOk(await app.call('POST', path, { token, body })).body.data;

async function openPage(path: string, { token = shop.token, ...options } = {}) {
  const visit = await openConsole(chromium.browser, app, { token, ...options });
  await visit.page.goto(path);
  return visit;
}

/** A decision that no policy stops, each about an order of its own. */
const look = (more: object = {}) =>
  postDecision(app, shop.key, {
    agentId: 'warehouse',
    inputContext: { prompt: 'Where is SO-1?' },
    outputDecision: { action: { tool: 'look_up', arguments: { order_id: generateHex(4) } } },
    confidenceScore: 0.99,
    ...more,
  });

async function letAllGoOn(): Promise<void> {
  for (const { id, resumption } of await read('/api/v1/halts?binding=true')) {
    const path = `/api/v1/halts/${id}/resume`;
    const asked = resumption ?? (await write(path, { to: 'resumed' })).resumption;
    await write(path, { to: 'resumed', confirm: asked.digest }, admin.token);
  }
}
afterEach(letAllGoOn);

/** Begins an action that does not end; returns its decision. */
async function beginOne(agentId: string): Promise<string> {
  const refund = createRefund() as { outputDecision: { action: Json } };
  const { traceId } = await postDecision(app, shop.key, { ...refund, agentId });
  const { review } = await read(`/api/v1/traces/${traceId}`);
  await write(`/api/v1/review-queue/${review._id}/decision`, { decision: 'approve' });
  const action = canonicalize(refund.outputDecision.action);
  const rawActionDigest = createHash('sha256').update(action).digest('hex');
  const path = `/api/v1/traces/${traceId}/executions`;
  assertOk(await app.call('POST', path, { key: shop.key, body: { rawActionDigest } }));
  return traceId;
}

test('keys alone stop the agent of the page; the band says so everywhere; a second person lets it go on', async () => {
  const underWay = await beginOne('warehouse');
  const { page, faults, close } = await openPage(`/console/agents/${agentIds['warehouse']}`);
  await page.getByRole('heading', { name: 'warehouse' }).waitFor();
  await page.keyboard.press('Control+.');
  const dialog = page.getByRole('dialog', { name: 'Stop …' });
  await dialog.waitFor();
  const reason = dialog.getByLabel('Reason');
  await expect.poll(() => reason.evaluate((field) => field === document.activeElement)).toBe(true);
  const chosen = dialog.getByRole('combobox', { name: 'Agent' });
  await expect.poll(() => chosen.inputValue()).toBe('warehouse');
  await page.keyboard.type('It pays twice');
  await dialog.getByRole('button', { name: 'Halt it' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Agent warehouse' }).waitFor();
  expect((await look()).status).toBe('blocked');
  const running = page.getByRole('table', { name: 'Under way' });
  expect(await running.textContent()).toContain('refund_payment');
  expect(await running.getByRole('link').first().getAttribute('href')).toContain(underWay);
  await page.getByText('Halted by Ada').waitFor();
  const band = page.getByRole('status', { name: 'Halts' });
  const said = /Agent warehouse is halted since .*: It pays twice/;
  await expect.poll(() => band.textContent()).toMatch(said);
  const [halt] = await read('/api/v1/halts?binding=true');

  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Ask for it' }).click();
  await page.getByText('You asked for it, so another owner or admin confirms').waitFor();
  expect(await page.getByRole('button', { name: /^Confirm/ }).count()).toBe(0);
  expect((await look()).status).toBe('blocked');

  const other = await openPage('/console/live', { token: admin.token });
  const seen = other.page.getByRole('status', { name: 'Halts' });
  await expect.poll(() => seen.textContent()).toMatch(said);
  await seen.getByRole('link', { name: 'See Agent warehouse' }).click();
  await other.page.getByText('Ada asked').waitFor();
  await other.page.getByRole('button', { name: 'Confirm: let it go on' }).click();
  await expect.poll(() => seen.textContent()).toBe('');
  await other.page.getByText('Resumed by').waitFor();
  expect((await look()).status).toBe('approved');
  expect((await read(`/api/v1/halts/${halt.id}`)).state).toBe('resumed');
  expect([...faults, ...other.faults]).toEqual([]);
  await other.close();
  await close();
});

test('the dialog stops what is chosen: an unregistered agent is watched, and everything is halted', async () => {
  await look({ agentId: 'night-porter' });
  const { page, faults, close } = await openPage('/console/live');
  await page.getByRole('banner').getByRole('button', { name: /^Stop/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Stop …' });
  await dialog.getByRole('button', { name: 'Halt it' }).click();
  await dialog.getByText('Say what to stop').waitFor();
  await dialog.getByRole('combobox', { name: 'Agent' }).fill('night');
  await page.getByRole('option', { name: /night-porter/ }).click();
  await dialog.getByText('Watch', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Watch it' }).click();
  await page.getByRole('heading', { name: 'Agent night-porter' }).waitFor();
  expect((await look({ agentId: 'night-porter' })).status).toBe('flagged');

  await page.keyboard.press('Control+.');
  await dialog.getByRole('combobox', { name: 'What' }).click();
  await page.getByRole('option', { name: 'Everything' }).click();
  await dialog.getByRole('button', { name: 'Halt it' }).click();
  await page.getByRole('heading', { name: 'Everything' }).waitFor();
  expect((await look()).status).toBe('blocked');
  await page.goto('/console/halts');
  const now = page.getByRole('table', { name: 'Halted now' });
  await expect.poll(() => now.getByRole('row').count()).toBe(3);
  await expect
    .poll(() => now.textContent())
    .toMatch(/Everything.*Halted.*Ada.*night-porter.*Watched.*Ada/);
  await letAllGoOn();
  await page.reload();
  await page.getByText('Nothing is halted').waitFor();
  const ended = page.getByRole('table', { name: 'Resumed' });
  await ended.getByText('night-porter').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('the dialog opens and closes by keys, empty each time, and gives the focus back', async () => {
  const { page, faults, close } = await openPage('/console/live');
  const button = page.getByRole('banner').getByRole('button', { name: /^Stop/ });
  await button.focus();
  const dialog = page.getByRole('dialog', { name: 'Stop …' });
  for (let times = 0; times < 2; times += 1) {
    await page.keyboard.press('Enter');
    const reason = dialog.getByLabel('Reason');
    expect(await reason.inputValue()).toBe('');
    await reason.fill('It loops');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => button.evaluate((one) => one === document.activeElement)).toBe(true);
  }
  expect(await read('/api/v1/halts?binding=true')).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('a decision stops its session, says that a halt blocked it, and leads to what is halted', async () => {
  const first = await look({ sessionId: 's-1' });
  const { page, faults, close } = await openPage(`/console/decisions/${first.traceId}`);
  await page.getByRole('button', { name: 'Stop its agent' }).waitFor();
  await page.getByRole('button', { name: 'Stop its session' }).click();
  const dialog = page.getByRole('dialog', { name: 'Stop session s-1 of warehouse?' });
  await dialog.getByLabel('Reason').fill('It pays an outsider');
  await dialog.getByRole('button', { name: 'Halt it' }).click();
  await page.getByRole('heading', { name: 'Session s-1 of warehouse', exact: true }).waitFor();
  expect((await look({ sessionId: 's-2' })).status).toBe('approved');
  const blocked = await look({ sessionId: 's-1' });
  await page.goto(`/console/decisions/${blocked.traceId}`);
  const why = page.getByRole('region', { name: 'Why' });
  await expect.poll(() => why.textContent()).toMatch(/A halt decided: .*It pays an outsider/);
  await why.getByRole('link', { name: 'See what is halted' }).click();
  await page.getByRole('link', { name: 'Session s-1 of warehouse', exact: true }).click();
  await page.getByText('Nothing is under way').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a viewer sees what is halted and stops nothing; a reason of hostile text stays text', async () => {
  const reason = `<img src=x onerror=alert(1)> \u202E${'lang '.repeat(90)}`.trim();
  for (const name of ['warehouse', 'shop-support', 'till-1', 'till-2', 'till-3'])
    await write('/api/v1/halts', { scope: 'agent', target: agentIds[name] ?? name, reason });
  const visit = await openPage('/console/halts', { token: viewer.token });
  const { page, close } = visit;
  const band = page.getByRole('status', { name: 'Halts' });
  await expect.poll(() => band.getByRole('listitem').count()).toBe(4);
  expect(await band.textContent()).toContain('2 more.');
  expect(await band.textContent()).toContain('<img src=x onerror=alert(1)>');
  expect(await page.getByRole('banner').getByRole('button', { name: /^Stop/ }).count()).toBe(0);
  await page.keyboard.press('Control+.');
  await page.getByRole('link', { name: 'Agent till-3', exact: true }).click();
  await page.getByText('An owner or admin asks for it').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await expectGoodPage(visit);
  await close();
  const phone = await openPage('/console/halts', { viewport: PHONE } as object);
  await phone.page.getByRole('button', { name: 'Stop', exact: true }).click();
  await phone.page.getByRole('dialog', { name: 'Stop …' }).waitFor();
  await phone.page.keyboard.press('Escape');
  await expectGoodPage(phone);
  await phone.close();
});
