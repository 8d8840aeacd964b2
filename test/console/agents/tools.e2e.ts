// The catalogue of tools: listed, edited without losing other entries, taken off, begun with a preset, or changed by approval.
import { expect, test } from 'vitest';
import { createMember } from '../../setup/harness.ts';
import { assertOk, buildDecision, createAgent } from '../../setup/personas.ts';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 5);
const chromium = useChromium();

const call = (method: string, path: string, body?: object) =>
  app.call(method, `/api/v1${path}`, { token: shop.token, ...(body && { body }) });
const read = async (name: string) => assertOk(await call('GET', `/tools?search=${name}`)).body.data;
const open = (token = shop.token) => openConsole(chromium.browser, app, { token });

const ANY = {
  server: null,
  match: {},
  does: [],
  gives: [],
  outside: null,
  directory: false,
  roles: {},
  after: [],
};
const STRICTEST = {
  ...ANY,
  does: ['fetch', 'money', 'book', 'delete', 'access', 'write', 'outbound', 'execute'],
  gives: ['private', 'untrusted'],
};

test('a tool is listed as the strictest, edited, and taken off; a further entry leaves the first', async () => {
  const { page, faults, close } = await open();
  await page.goto('/console/tools');
  await page.getByText('No tools are listed yet').waitFor();
  const dialog = page.getByRole('dialog');
  const add = async (name: string, server: string) => {
    await page.getByRole('button', { name: 'List a tool' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
    await dialog.getByRole('textbox', { name: 'MCP server' }).fill(server);
    await dialog.getByRole('button', { name: 'List it' }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  await add('read_mail', '');
  expect(await read('read_mail')).toMatchObject([{ entries: [STRICTEST] }]);
  // The same name as agents may write it: one more entry.
  await add('readMail', 'desk');
  await page.getByText('Entry 2 of 2').waitFor();

  await page.getByRole('button', { name: 'Edit read_mail, entry 1' }).click();
  expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('read_mail');
  await dialog.getByRole('textbox', { name: 'Description' }).fill('Reads the mail of a customer');
  const does = dialog.getByRole('combobox', { name: 'Does' });
  await does.focus();
  for (let left = STRICTEST.does.length; left > 1; left--) await page.keyboard.press('Backspace');
  await dialog.getByRole('combobox', { name: 'Needs before' }).fill('sign_in');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Reads the mail of a customer').waitFor();
  expect(await read('read_mail')).toMatchObject([
    {
      name: 'read_mail',
      entries: [{ ...STRICTEST, server: 'desk', does: ['fetch'], after: ['sign_in'] }, STRICTEST],
    },
  ]);

  await page.getByRole('button', { name: 'Remove read_mail' }).click();
  await dialog.getByText('All 2 entries go.').waitFor();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No tools are listed yet').waitFor();
  expect(await read('read_mail')).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('an entry with members beside the form is shown whole, and stays as it is', async () => {
  const further = {
    ...ANY,
    match: { 'arguments.command': '^ls$' },
    roles: { command: 'object' },
    outside: ['body'],
  };
  assertOk(await call('PUT', '/tools/shell', { entries: [STRICTEST, further] }));
  const { page, faults, close } = await open();
  await page.goto('/console/tools?name=shell');
  await page.getByText('where arguments.command matches ^ls$').waitFor();
  await page.getByText('command is its object').waitFor();
  await page.getByText('outsiders write body').waitFor();
  expect(await page.getByRole('button', { name: 'Edit shell, entry 2' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Edit shell, entry 1' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('switch', { name: 'Its result lists known names' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await read('shell')).toMatchObject([
    { entries: [further, { ...STRICTEST, directory: true }] },
  ]);
  // What was changed since then is not overwritten.
  await page.getByRole('button', { name: 'Edit shell, entry 2' }).click();
  assertOk(await call('PUT', '/tools/shell', { entries: [further] }));
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('The entry is not as it was').waitFor();
  expect(await read('shell')).toMatchObject([{ entries: [further] }]);
  expect(faults).toEqual([]);
  await close();
});

test('what agents called is listed from its row, and a preset is shown before it is listed', async () => {
  const { key } = await createAgent(app, shop, 'Desk');
  const action = { tool: 'look_up', server: 'crm' };
  const body = buildDecision('Desk', { outputDecision: { action } });
  expect((await app.call('POST', '/api/v1/traces', { key, body })).status).toBe(201);
  const { page, faults, close } = await open();
  await page.goto('/console/tools');
  const unlisted = page.getByRole('region', { name: 'Called and not listed' });
  const row = unlisted.getByRole('row', { name: /look_up/ });
  await row.getByRole('link', { name: 'Desk' }).waitFor();
  await row.getByRole('button', { name: 'List it: look_up' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('textbox', { name: 'MCP server' }).inputValue()).toBe('crm');
  await dialog.getByRole('button', { name: 'List it' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await read('look_up')).toMatchObject([{ entries: [{ ...STRICTEST, server: 'crm' }] }]);

  const presets = page.getByRole('region', { name: 'Begin with a preset' });
  await presets.getByRole('combobox', { name: 'Preset' }).click();
  await page.getByRole('option', { name: 'MCP: fetch' }).click();
  await presets.getByRole('button', { name: 'Show what it lists' }).click();
  await presets.getByRole('row', { name: /fetch.*New/ }).waitFor();
  expect(await read('fetch')).toEqual([]);
  await presets.getByRole('button', { name: 'List them' }).click();
  await page.getByText('Listed: 1', { exact: true }).waitFor();
  expect(await read('fetch')).toMatchObject([{ entries: [{ does: ['fetch', 'outbound'] }] }]);
  expect(faults).toEqual([]);
  await close();
});

test('a reader has no buttons, and a change that needs an approval says so', async () => {
  assertOk(await call('PUT', '/tools/send', { entries: [ANY] }));
  const policy = {
    name: 'Nothing out',
    conditions: [{ field: 'action.does', operator: 'contains', value: 'outbound' }],
    actions: [{ type: 'block' }],
  };
  assertOk(await call('POST', '/policies', policy));
  assertOk(await call('PATCH', '/organization', { requirePolicyApproval: true }));
  const viewer = await createMember(harness, shop, 'viewer');
  const reader = await open(viewer.token);
  await reader.page.goto('/console/tools');
  await reader.page.getByRole('table', { name: 'Tools' }).getByText('send').waitFor();
  await reader.page.getByRole('region', { name: 'Called and not listed' }).waitFor();
  expect(await reader.page.getByRole('button', { name: /^(List|Edit|Remove)/ }).count()).toBe(0);
  expect(await reader.page.getByText('Begin with a preset').count()).toBe(0);
  expect(reader.faults).toEqual([]);
  await reader.close();

  const { page, close } = await open();
  await page.goto('/console/tools?name=send');
  await page.getByRole('button', { name: 'Edit send' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('switch', { name: 'Its result lists known names' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText(/POST \/tools\/approvals/).waitFor();
  expect(await read('send')).toMatchObject([{ entries: [ANY] }]);
  await close();
});
