// Agents, alerts, webhooks and devices: what an engineer sets up, in a browser.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { useFixture, useHarness } from '../setup/fixtures.ts';
import { createMember } from '../setup/harness.ts';
import { assertOk } from '../setup/personas.ts';
import { startReceiver, verifyMessage } from '../setup/providers/receiver.ts';
import { useChromium } from './setup/chromium.ts';
import { startDevice } from './setup/company.ts';
import { createRefund, postDecision, useShop } from './setup/shop.ts';
import { openConsole } from './setup/visit.ts';

const receiver = useFixture(startReceiver, (one) => one.close());
const settings = () => ({ ASSAY_OUTBOUND_ALLOW: receiver.host });
const harness = useHarness(settings, { consoleFolder: resolve('dist/console') });
const { app } = harness;
const shop = useShop(harness, 40);
const chromium = useChromium();

const read = async (path: string, token = shop.token) =>
  assertOk(await app.call('GET', path, { token })).body.data;

async function openPage(path: string, token: string = shop.token) {
  const visit = await openConsole(chromium.browser, app, { token });
  await visit.page.goto(path);
  return visit;
}

test('an agent is registered, its key works and is replaced, its limits hold', async () => {
  const { page, faults, close } = await openPage('/console/agents');
  await page.getByRole('button', { name: 'Register an agent' }).click();
  await page.getByLabel('Name').fill('night-shift');
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  const shown = page.getByRole('group', { name: 'key', exact: true });
  const first = ((await shown.textContent()) ?? '').trim();
  const body = { ...createRefund(), agentId: 'night-shift' };
  expect((await postDecision(app, first, body)).status).toBe('flagged');
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByText('night-shift is not finished').waitFor();
  await page.getByRole('button', { name: 'Go on' }).click();
  const steps = page.getByRole('dialog');
  await steps.getByRole('textbox', { name: 'What it does' }).fill('Pays refunds at night');
  await steps.getByRole('button', { name: 'Continue' }).click();
  await steps.getByLabel('Model').fill('small-4');
  await steps.getByRole('button', { name: 'Continue' }).click();
  // What was entered is kept: another day goes on at this step.
  await steps.getByRole('button', { name: 'Finish' }).waitFor();
  await page.reload();
  await page.getByText('Step 3 of 3').waitFor();
  await page.getByRole('button', { name: 'Go on' }).click();
  await steps.getByRole('button', { name: 'Finish' }).click();
  await page.getByText('night-shift is set up').waitFor();
  await page.getByRole('link', { name: 'night-shift' }).click();
  await page.getByText('small-4').first().waitFor();
  await page.getByRole('button', { name: 'Replace the key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace the key' }).click();
  const second = ((await shown.textContent()) ?? '').trim();
  expect(second).not.toBe(first);
  expect((await app.call('POST', '/api/v1/traces', { key: first, body })).status).toBe(401);
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByLabel('Confidence at least').fill('0.9');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('The limits are saved').waitFor();
  const agents: { name: string; policies: object }[] = await read('/api/v1/agents');
  expect(agents.find(({ name }) => name === 'night-shift')?.policies).toMatchObject({
    confidenceThreshold: 0.9,
  });
  await page.getByLabel('Confidence at least').fill('0.2');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByRole('dialog').getByText('may pass').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  const kept: { name: string; policies: object }[] = await read('/api/v1/agents');
  expect(kept.find(({ name }) => name === 'night-shift')?.policies).toMatchObject({
    confidenceThreshold: 0.9,
  });
  expect(faults).toEqual([]);
  await close();
});

test('a name that only decisions know is listed, and one click registers it with its history', async () => {
  for (let number = 0; number < 3; number += 1)
    await postDecision(app, shop.key, { ...createRefund(), agentId: 'night-porter' });
  const { page, faults, close } = await openPage('/console/agents');
  const seen = page.getByRole('table', { name: 'Seen, not registered' });
  const row = seen.getByRole('row').filter({ hasText: 'night-porter' });
  expect(await row.textContent()).toMatch(/night-porter.*3/);
  await page.goto('/console/live?agent=night-porter');
  await page.getByRole('button', { name: 'Remove agent:night-porter' }).waitFor();
  await page.goto('/console/agents');
  await page.getByRole('button', { name: 'Register night-porter' }).click();
  await page.getByRole('button', { name: 'I have kept it' }).click();
  const registered = page.getByRole('table', { name: 'Agents', exact: true });
  await registered.getByRole('link', { name: 'night-porter' }).click();
  const main = page.locator('main');
  await expect.poll(() => main.textContent()).toMatch(/Decisions3since it began/);
  await page.getByRole('link', { name: 'Its decisions' }).click();
  await expect.poll(() => page.getByRole('table').first().getByRole('row').count()).toBe(4);
  expect(faults).toEqual([]);
  await close();
});

test('an agent is paused with a reason, gets it, and goes on', async () => {
  const agents: { _id: string; name: string }[] = await read('/api/v1/agents');
  const id = agents.find(({ name }) => name === 'warehouse')?._id;
  const ask = async (): Promise<string> =>
    (await postDecision(app, shop.key, { ...createRefund(), agentId: 'warehouse' })).status;
  const { page, faults, close } = await openPage(`/console/agents/${id}`);
  await page.getByRole('button', { name: 'Pause' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Pause the agent' }).click();
  await dialog.getByText('Say why: the agent gets it').waitFor();
  expect(await ask()).toBe('flagged');
  await dialog.getByLabel('Reason').fill('It refunds everything');
  await dialog.getByRole('button', { name: 'Pause the agent' }).click();
  await page.getByText('all its decisions are blocked').waitFor();
  await page.getByText('It refunds everything').waitFor();
  expect(await ask()).toBe('blocked');
  await page.goto('/console/agents');
  const row = page.getByRole('table', { name: 'Agents' }).getByRole('row');
  await row.filter({ hasText: 'warehouse' }).getByText('Paused').waitFor();
  await page.goto(`/console/agents/${id}`);
  await page.getByRole('button', { name: 'Resume' }).click();
  await dialog.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  expect(await ask()).toBe('flagged');
  expect(faults).toEqual([]);
  await close();
});

test('what spans show is offered a guard, and the scores of an agent say whether they drift', async () => {
  const agents: { _id: string; name: string }[] = await read('/api/v1/agents');
  const id = agents.find(({ name }) => name === 'shop-support')?._id;
  const span = {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    name: 'execute_tool wipe_disk',
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000001000000000',
    attributes: Object.entries({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'wipe_disk',
      'gen_ai.tool.call.arguments': '{"disk":"sda"}',
      'gen_ai.agent.name': 'shop-support',
    }).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  };
  const body = { resourceSpans: [{ scopeSpans: [{ scope: { name: 'test' }, spans: [span] }] }] };
  assertOk(await app.call('POST', '/v1/traces', { key: shop.key, body }));
  const { page, faults, close } = await openPage(`/console/agents/${id}`);
  const seen = page.getByRole('region', { name: 'Done without asking' });
  await seen.getByText('wipe_disk', { exact: true }).waitFor();
  await seen.getByRole('button', { name: 'Write the guard' }).click();
  await seen.getByText('const runWipeDisk = assay.guard("wipe_disk"').waitFor();
  await page.getByRole('img', { name: /Confidence of the newest/ }).waitFor();
  await page.getByText(/^(Steady|Drifting|With 40)/).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a rule is added, tried, switched off; a viewer sees no button that would fail', async () => {
  const { page, faults, close } = await openPage('/console/alerts');
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByLabel('Name').fill('Blocked');
  await page.getByRole('combobox', { name: 'Receiver 1' }).click();
  await page.getByRole('option', { name: 'Webhook', exact: true }).click();
  await page.getByLabel('Address').fill(`${receiver.url}/alert`);
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByRole('button', { name: 'Test Blocked' }).click();
  await page.getByRole('dialog').getByText('Reached', { exact: true }).waitFor();
  expect(receiver.listMessages('/alert')).toHaveLength(1);
  await page.keyboard.press('Escape');
  await page.getByRole('switch', { name: 'Blocked is on' }).press('Space');
  await page.getByRole('dialog').getByText('It notifies no one').waitFor();
  expect((await read('/api/v1/alerts'))[0]).toMatchObject({ isActive: true });
  await page.getByRole('button', { name: 'Switch it off' }).click();
  await expect
    .poll(async () => (await read('/api/v1/alerts'))[0])
    .toMatchObject({
      isActive: false,
      condition: { field: 'status', operator: 'eq', value: 'blocked' },
    });
  expect(faults).toEqual([]);
  await close();
  const viewer = await createMember(harness, shop, 'viewer');
  const other = await openPage('/console/alerts', viewer.token);
  await other.page.getByText('Blocked', { exact: true }).waitFor();
  expect(await other.page.locator('main').getByRole('button').count()).toBe(0);
  await other.close();
});

test('a rule on a share and one on a silent agent are added by the form, and stand in words', async () => {
  const { page, faults, close } = await openPage('/console/alerts');
  const when = page.getByRole('combobox', { name: 'When' });
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByLabel('Name').fill('Many holds');
  await when.click();
  await page.getByRole('option', { name: 'Share of decisions that are held (%)' }).click();
  await page.getByLabel('Value').fill('25');
  await page.getByLabel('In the last hours').fill('6');
  await page.getByRole('combobox', { name: 'Member' }).click();
  await page.getByRole('option').first().click();
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByText('Share held is at least 25 % in the last 6 hours, of at least 20').waitFor();
  expect((await read('/api/v1/alerts'))[0].condition).toEqual({
    field: 'heldShare',
    operator: 'gte',
    value: 0.25,
    windowHours: 6,
    atLeast: 20,
  });
  await page.getByRole('button', { name: 'Edit Many holds' }).click();
  await when.click();
  await page.getByRole('option', { name: /^Silence of an agent/ }).click();
  await page.getByRole('combobox', { name: 'Agent' }).click();
  await page.getByRole('option', { name: 'warehouse' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('warehouse decides nothing for 60 minutes').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a webhook is made, tested and resent, and one that Assay switched off goes on again', async () => {
  const { page, faults, close } = await openPage('/console/webhooks');
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  await page.getByLabel('Address').fill(`${receiver.url}/hook`);
  await page.getByRole('button', { name: 'Add it' }).click();
  const secret = await page.getByRole('group', { name: 'signing secret' }).textContent();
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByRole('link', { name: `${receiver.url}/hook` }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText(/The receiver answered 204/).waitFor();
  const [message] = receiver.listMessages('/hook');
  if (!message) throw new Error('nothing was received');
  expect(verifyMessage(message, secret?.trim() ?? '')).toMatchObject({ event: 'webhook.test' });
  await postDecision(app, shop.key, createRefund());
  await app.instance.runJobsOnce();
  await page.reload();
  await page.getByRole('button', { name: 'Open' }).first().click();
  await page.getByRole('dialog').getByText('Delivered').waitFor();
  const before = receiver.listMessages('/hook').length;
  await page.getByRole('button', { name: 'Send it again' }).click();
  await page.getByRole('dialog').getByText('Waiting').waitFor();
  await app.instance.runJobsOnce();
  expect(receiver.listMessages('/hook').length).toBeGreaterThan(before);
  receiver.answers.set('/hook', (response) => response.writeHead(410).end());
  await postDecision(app, shop.key, createRefund());
  await app.instance.runJobsOnce();
  await page.reload();
  await page.getByText('The receiver answered that it is gone').waitFor();
  await page.getByRole('button', { name: 'Switch it on' }).click();
  await page.getByText('Assay switched it off').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await close();
});

test('a device is approved by its code, and acts as the person who approved', async () => {
  const { userCode, deviceCode } = await startDevice(app);
  const { page, faults, close } = await openPage('/console/device');
  await page.getByLabel('Code').fill(userCode.toLowerCase());
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('assay on ada-laptop').waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('status').getByText('Approved').waitFor();
  const answer = await app.call('POST', '/api/v1/auth/device/token', {
    raw: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: deviceCode,
    }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect((await read('/api/v1/auth/me', answer.body.access_token)).user.email).toBe(shop.email);
  expect(faults).toEqual([]);
  await close();
});

test('a device that is denied gets nothing, and a code that none has says so', async () => {
  const { userCode, deviceCode } = await startDevice(app);
  const { page, close } = await openPage(`/console/device?user_code=${userCode}`);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('The device is not signed in').waitFor();
  const { body } = await app.call('POST', '/api/v1/auth/device/token', {
    raw: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: deviceCode,
    }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(body.error).toBe('access_denied');
  await page.goto('/console/device?user_code=BBBB-BBBB');
  await page.getByText('No device waits with this code').waitFor();
  await close();
});
