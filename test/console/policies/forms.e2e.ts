// Policies by form: state, operators, values as chips, named lists, and the page of a policy's effect.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createMember } from '../../setup/harness.ts';
import { assertOk } from '../../setup/personas.ts';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { createRefund, postDecision, useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 30);
const chromium = useChromium();

const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
  app.call(method, `/api/v1${path}`, { token: shop.token, ...(body && { body }) });
const open = (token = shop.token) => openConsole(chromium.browser, app, { token });

/** In the list of the form: the side bar has one of its own. */
const chooseWorkspace = (page: Page, name: string): Promise<void> =>
  page.getByRole('listbox', { name: 'Workspace' }).getByRole('option', { name }).click();

test('a new policy observes at first: saved by one click, it holds nothing', async () => {
  const { page, faults, close } = await open();
  await page.goto('/console/policies/new');
  await page.getByText('Saved, it observes: it holds nothing').waitFor();
  await page.getByRole('button', { name: 'Save the policy' }).click();
  await page.waitForURL(/policies\/[0-9a-f]{24}$/);
  const id = new URL(page.url()).pathname.split('/').at(-1);
  expect((await call('GET', `/policies/${id}`)).body.data).toMatchObject({
    enabled: true,
    observe: true,
  });
  expect(faults).toEqual([]);
  await close();
});

test('name, state, operators and chips of the form are written into the rule', async () => {
  assertOk(await call('PUT', '/policy-lists/allowed', { values: ['reply'] }));
  const { page, faults, close } = await open();
  await page.goto('/console/policies/new');
  const rule = page.getByRole('textbox', { name: 'Rule' });
  const about = page.getByRole('region', { name: 'About the policy' });
  await about.getByLabel('Name').fill('Only known tools');
  await about.getByLabel('Name').blur();
  await expect.poll(() => rule.textContent()).toContain('policy "Only known tools"');
  await about.getByLabel('Priority').fill('3');
  await about.getByLabel('Priority').blur();
  await expect.poll(() => rule.textContent()).toContain('priority 3');
  await about.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Off' }).click();
  await expect.poll(() => rule.textContent()).toContain('disabled');
  const first = page.getByRole('group', { name: 'Condition 1' });
  await first.getByRole('combobox', { name: 'Compared' }).click();
  await page.getByRole('option', { name: 'is not in' }).click();
  await expect.poll(() => rule.textContent()).toContain('!(action.names in ["refund"])');
  await first.getByLabel('Value', { exact: true }).fill('lookup_order');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => rule.textContent())
    .toContain('!(action.names in ["refund","lookup_order"])');
  await first.getByRole('combobox', { name: 'Values' }).click();
  await page.getByRole('option', { name: 'list allowed' }).click();
  await expect.poll(() => rule.textContent()).toContain('!(action.names in list("allowed"))');
  const second = page.getByRole('group', { name: 'Condition 2' });
  await second.getByRole('combobox', { name: 'Compared' }).click();
  await page.getByRole('option', { name: 'is at least' }).click();
  await expect.poll(() => rule.textContent()).toContain('action.largestAmount >= 100');
  await page.getByRole('combobox', { name: 'Action' }).click();
  await page.getByRole('option', { name: 'Block it' }).click();
  await page.getByRole('combobox', { name: 'Halts as well' }).click();
  await page.getByRole('option', { name: 'the agent' }).click();
  await expect.poll(() => rule.textContent()).toContain('"halt":"agent"');
  await page.getByRole('button', { name: 'Save the policy' }).click();
  await page.waitForURL(/policies\/[0-9a-f]{24}$/);
  const id = new URL(page.url()).pathname.split('/').at(-1);
  expect((await call('GET', `/policies/${id}`)).body.data).toMatchObject({
    name: 'Only known tools',
    priority: 3,
    enabled: false,
    actions: [{ type: 'block', config: { halt: 'agent', reason: 'Money leaves' } }],
    conditions: [
      { field: 'action.names', operator: 'in', not: true, value: { list: 'allowed' } },
      { field: 'action.largestAmount', operator: 'at_least', value: 100 },
    ],
  });
  expect(faults).toEqual([]);
  await close();
});

test('the form says who has to approve what is held: steps of roles and people, in order, and who never does', async () => {
  const rita = await createMember(harness, shop, 'reviewer');
  const { page, faults, close } = await open();
  await page.goto('/console/policies/new');
  const rule = page.getByRole('textbox', { name: 'Rule' });
  const approvals = page.getByRole('group', { name: 'Approvals' });
  await page.getByRole('combobox', { name: 'Action' }).click();
  await page.getByRole('option', { name: 'Hold it for a person' }).click();
  await approvals.getByLabel('Certain people, or several, have to approve').check();
  await expect.poll(() => rule.textContent()).toContain('{"roles":["reviewer"],"count":2}');
  await approvals.getByRole('button', { name: 'Add a step' }).click();
  const second = approvals.getByRole('group', { name: 'Step 2' });
  await second.getByLabel('Name of the group').fill('Finance');
  await second.getByLabel('Name of the group').blur();
  await expect.poll(() => rule.textContent()).toContain('"name":"Finance"');
  await second.getByRole('combobox', { name: 'People' }).click();
  await page.getByRole('option', { name: 'Reviewer' }).click();
  await page.keyboard.press('Escape');
  await expect.poll(() => rule.textContent()).toContain(rita.userId);
  await second.getByLabel('The owner of the agent').check();
  await approvals.getByLabel('In this order').check();
  await approvals.getByRole('combobox', { name: 'Who never approves' }).click();
  await page.getByRole('option', { name: 'who made the key' }).click();
  await page.keyboard.press('Escape');
  await expect.poll(() => rule.textContent()).toContain('"exclude":["keyMaker"]');
  await page.getByRole('button', { name: 'Save the policy' }).click();
  await page.waitForURL(/policies\/[0-9a-f]{24}$/);
  const id = new URL(page.url()).pathname.split('/').at(-1);
  const { actions } = assertOk(await call('GET', `/policies/${id}`)).body.data;
  expect(actions[0].config.approvals).toEqual({
    steps: [
      { roles: ['reviewer'], count: 2 },
      { name: 'Finance', roles: ['owner', 'admin'], people: [rita.userId], agentOwner: true },
    ],
    inOrder: true,
    exclude: ['keyMaker'],
  });
  expect(faults).toEqual([]);
  await close();
});

test('the form sets the agents and the workspace that a policy is for, also of a proposal', async () => {
  const { _id: workspaceId } = assertOk(await call('POST', '/workspaces', { name: 'Depot' })).body
    .data;
  const { page, faults, close } = await open();
  await page.goto('/console/policies/new');
  const rule = page.getByRole('textbox', { name: 'Rule' });
  const about = page.getByRole('region', { name: 'About the policy' });
  const agents = about.getByRole('combobox', { name: 'Agents' });
  await agents.fill('shop-sup');
  await page.getByRole('option', { name: 'shop-support' }).click();
  await expect.poll(() => rule.textContent()).toContain('agentName == "shop-support" &&');
  await agents.fill('till, left');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => rule.textContent())
    .toContain('agentName in ["shop-support","till, left"] &&');
  await page.getByRole('group', { name: 'Condition 3' }).waitFor();
  await about.getByRole('combobox', { name: 'Workspace' }).click();
  await chooseWorkspace(page, 'Depot');
  await page.getByRole('button', { name: 'Save the policy' }).click();
  await page.waitForURL(/policies\/[0-9a-f]{24}$/);
  const id = new URL(page.url()).pathname.split('/').at(-1);
  const saved = (await call('GET', `/policies/${id}`)).body.data;
  expect(saved.workspaceId).toBe(workspaceId);
  expect(saved.conditions).toMatchObject([
    { field: 'agentName', operator: 'in', value: ['shop-support', 'till, left'] },
    { field: 'action.names' },
    { field: 'action.largestAmount' },
  ]);
  expect(saved.conditions[2]).not.toHaveProperty('logicalOperator');
  await agents.press('Backspace');
  await agents.press('Backspace');
  await expect.poll(() => rule.textContent()).not.toContain('agentName');
  expect(faults).toEqual([]);

  await page.goto('/console/policies/new');
  await rule.fill(
    'policy "Either"\nobserve\nwhen agentName == "a" || confidenceScore < 0.2\nthen notify',
  );
  await about.getByText('The rule says “or”').waitFor();
  expect(await agents.isDisabled()).toBe(true);
  await about.getByRole('combobox', { name: 'Workspace' }).click();
  await chooseWorkspace(page, 'Depot');
  await page.getByRole('button', { name: 'Propose it' }).click();
  await page.waitForURL(/policies\/approvals\/[0-9a-f]{24}$/);
  const approvalId = new URL(page.url()).pathname.split('/').at(-1);
  const approval = (await call('GET', `/policies/approvals/${approvalId}`)).body.data;
  expect(approval.workspaceId).toBe(workspaceId);
  expect(faults).toEqual([]);
  await close();
});

test('a list has a workspace from the start, and a description that changes', async () => {
  const { _id: workspaceId } = assertOk(await call('POST', '/workspaces', { name: 'Harbour' })).body
    .data;
  const { page, faults, close } = await open();
  await page.goto('/console/policies/lists');
  await page.getByRole('button', { name: 'New list' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('carriers');
  await dialog.getByRole('combobox', { name: 'Workspace' }).click();
  await chooseWorkspace(page, 'Harbour');
  await dialog.getByRole('button', { name: 'Make the list' }).click();
  const list = page.getByRole('region', { name: 'List carriers' });
  await list.getByText('For policies of the workspace Harbour.').waitFor();
  await list.getByLabel('Description').fill('Who may carry <b>parcels</b>');
  await list.getByRole('button', { name: 'Save', exact: true }).click();
  const row = page.getByRole('table', { name: 'Lists' }).getByRole('row', { name: /carriers/ });
  await row.getByText('Who may carry <b>parcels</b>').waitFor();
  expect((await call('GET', '/policy-lists/carriers')).body.data).toMatchObject({
    workspaceId,
    description: 'Who may carry <b>parcels</b>',
    values: [],
  });
  expect(faults).toEqual([]);
  await close();
});

test('the effect shows matches by day, what became of them, and leads to the decisions', async () => {
  const { traceId } = await postDecision(app, shop.key, createRefund());
  const { page, faults, close } = await open();
  await page.goto(`/console/policies/${shop.policyId}`);
  await page.getByRole('tab', { name: 'Effect' }).click();
  const matches = page.getByRole('region', { name: 'Matches by day' });
  await matches.getByText('Based on all decisions').waitFor();
  expect(await matches.textContent()).toMatch(/\d+ waiting/);
  await page.getByRole('region', { name: 'Tools' }).getByText('refund_payment').waitFor();
  await page.getByRole('region', { name: 'Agents' }).getByText('shop-support').waitFor();
  const first = page.getByRole('table', { name: 'Newest matches' }).getByRole('row').nth(1);
  expect(await first.textContent()).toMatch(/refund_payment.*Held/);
  await first.getByRole('link').click();
  await page.waitForURL(`**/console/decisions/${traceId}`);
  expect(faults).toEqual([]);
  await close();
});

test('an observing policy is let judge from its page', async () => {
  const body = {
    name: 'Refunds, observed',
    observe: true,
    conditions: [{ field: 'action.names', operator: 'contains', value: 'refund_payment' }],
    actions: [{ type: 'block' }],
  };
  const { id } = assertOk(await call('POST', '/policies', body)).body.data;
  expect((await postDecision(app, shop.key, createRefund())).status).toBe('flagged');
  const { page, faults, close } = await open();
  await page.goto(`/console/policies/${id}?part=effect`);
  await page.getByText('Matched without a say').waitFor();
  await page.getByText('Observes', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Let it judge' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Let it judge' }).click();
  await page.getByText('The policy is on').waitFor();
  expect((await postDecision(app, shop.key, createRefund())).status).toBe('blocked');
  expect(faults).toEqual([]);
  await close();
});

test('a list of thousands is made, changed and kept while a policy refers to it', async () => {
  const { page, faults, close } = await open();
  await page.goto('/console/policies');
  await page.getByRole('link', { name: 'Lists' }).click();
  await page.getByRole('button', { name: 'New list' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Not A Name');
  const many = Array.from({ length: 3_000 }, (_, index) => `customer-${index}`);
  // Thousands of lines take a browser half a minute to type.
  await dialog.getByLabel('Values').evaluate((box, text) => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(box, text);
    box.dispatchEvent(new Event('input', { bubbles: true }));
  }, many.join('\n'));
  await dialog.getByRole('button', { name: 'Make the list' }).click();
  await dialog.getByText('lower-case letters', { exact: false }).first().waitFor();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('customers');
  await dialog.getByRole('button', { name: 'Make the list' }).click();
  const list = page.getByRole('region', { name: 'List customers' });
  await list.getByText('3,000 now').waitFor();
  await list.getByLabel('Values').fill('one\ntwo\n\none');
  await list.getByRole('button', { name: 'Save', exact: true }).click();
  await list.getByText('2 now').waitFor();
  expect((await call('GET', '/policy-lists/customers')).body.data.values).toEqual(['one', 'two']);
  await page.goto('/console/policies/lists?list=partners');
  const partners = page.getByRole('region', { name: 'List partners' });
  await partners.getByRole('link', { name: 'Mail to strangers' }).waitFor();
  await partners.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByText('The policy "Mail to strangers" refers to the list').waitFor();
  // What is refused is a fault of the browser's console alone.
  expect(faults.filter((fault) => !/ 400 .*policy-lists\//.test(fault))).toEqual([]);
  await close();
  const viewer = await createMember(harness, shop, 'viewer');
  const seen = await open(viewer.token);
  await seen.page.goto('/console/policies/lists?list=partners');
  await seen.page.getByRole('region', { name: 'List partners' }).waitFor();
  for (const name of ['New list', 'Save', 'Remove'])
    expect(await seen.page.getByRole('button', { name }).count()).toBe(0);
  await seen.close();
});

test('marked text of the rule is replaced without a style that the policy of the pages refuses', async () => {
  const { page, faults, close } = await open();
  await page.goto('/console/policies/new');
  const rule = page.getByRole('textbox', { name: 'Rule' });
  const source = 'policy "Either"\nwhen confidenceScore < 0.2\nthen notify';
  const read = () => rule.innerText();
  await rule.fill(source);
  await expect.poll(read).toBe(source);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('policy x');
  await expect.poll(read).toBe('policy x');
  // What is marked is put into the brackets that are typed, and undone as a whole.
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.type('"');
  await expect.poll(read).toBe('policy "x"');
  await page.keyboard.press('Control+Z');
  await expect.poll(read).toBe('policy x');
  expect(faults).toEqual([]);
  await close();
});
