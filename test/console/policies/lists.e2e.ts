// Lists that change by approval: proposed on their page, compared value by value, and put into force by three people.
import { expect, test } from 'vitest';
import { createMember } from '../../setup/harness.ts';
import { assertOk } from '../../setup/personas.ts';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { useShop } from '../setup/shop.ts';
import { openConsole, PHONE } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 30);
const chromium = useChromium();

const call = (method: string, path: string, body?: object, token = shop.token) =>
  app.call(method, `/api/v1${path}`, { token, ...(body && { body }) });
const open = (token = shop.token, more: object = {}) =>
  openConsole(chromium.browser, app, { token, ...more });

test('a list that judges is proposed, its values are compared, and three people put them into force', async () => {
  const author = await createMember(harness, shop, 'member');
  const reviewer = await createMember(harness, shop, 'reviewer');
  assertOk(await call('PUT', '/policy-lists/allowed', { values: ['lookup_order', 'reply'] }));
  const policy = {
    name: 'Only known tools',
    conditions: [{ field: 'action.names', operator: 'in', value: { list: 'allowed' }, not: true }],
    actions: [{ type: 'notify' }],
  };
  assertOk(await call('POST', '/policies', policy));
  assertOk(await call('PATCH', '/organization', { requirePolicyApproval: true }));
  const owner = await open();
  await owner.page.goto('/console/policies/lists?list=allowed');
  const list = owner.page.getByRole('region', { name: 'List allowed' });
  await list.getByText('Others review and enforce other values.').waitFor();
  expect(await list.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  // A list that only an observing policy refers to is saved at once.
  await owner.page.goto('/console/policies/lists?list=partners');
  await owner.page.getByRole('button', { name: 'Save', exact: true }).waitFor();

  const proposal = await open(author.token);
  await proposal.page.goto('/console/policies/lists?list=allowed');
  await proposal.page.getByLabel('Values').fill('reply\nsearch\ncancel_order');
  await proposal.page.getByRole('button', { name: 'Propose it' }).click();
  await proposal.page.waitForURL(/policies\/approvals\/[0-9a-f]{24}$/);
  const path = new URL(proposal.page.url()).pathname;
  await proposal.page.getByRole('button', { name: 'Withdraw' }).waitFor();
  expect(await proposal.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);

  const review = await open(reviewer.token);
  await review.page.goto('/console/policies/approvals');
  await review.page.getByRole('link', { name: 'allowed' }).click();
  await review.page.waitForURL(`**${path}`);
  await review.page.getByText('2 added, 1 removed, 1 unchanged').waitFor();
  const changes = review.page.getByRole('group', { name: 'Changes' });
  expect(await changes.getByRole('listitem').allTextContents()).toEqual([
    '+cancel_order',
    '-lookup_order',
    '+search',
  ]);
  await review.page.getByRole('button', { name: 'Approve' }).click();
  await review.page.getByText('Reviewed: approved').waitFor();
  await owner.page.goto(path);
  await owner.page.getByRole('button', { name: 'Put it into force' }).click();
  await owner.page.getByRole('list').getByText('Put into force').waitFor();
  await owner.page.getByRole('link', { name: 'The list' }).click();
  await expect
    .poll(() => list.getByLabel('Values').inputValue())
    .toBe('cancel_order\nreply\nsearch');
  for (const { faults, close } of [owner, proposal, review]) {
    expect(faults).toEqual([]);
    await close();
  }
});

test(
  'thousands of long and hostile values are compared in a box that scrolls',
  { tags: ['long'] },
  async () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `${'customer-'.repeat(10)}${at}`);
    const hostile = ['<img src=x onerror=alert(1)>', '\u202emoc.knab', 'bank.example ', 'a\n+ b'];
    assertOk(await call('PUT', '/policy-lists/hostile', { values: many.slice(0, 2_990) }));
    const values = [...many.slice(2_000), ...hostile];
    const proposed = await call('POST', '/policy-lists/hostile/approvals', { values });
    const { id } = assertOk(proposed).body.data;
    const { page, faults, close } = await open(shop.token, { viewport: PHONE });
    await page.goto(`/console/policies/approvals/${id}`);
    await page.getByText('14 added, 2,000 removed, 990 unchanged').waitFor();
    const changes = page.getByRole('group', { name: 'Changes' });
    await changes.getByRole('listitem').first().waitFor();
    expect(await changes.getByRole('listitem').count()).toBeLessThan(100);
    expect((await changes.boundingBox())?.height).toBeLessThanOrEqual(420);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    const find = page.getByLabel('Find a value');
    for (const [sought, shown] of [
      ['bank.example', '+"bank.example "'],
      ['knab', '+⟨U+202E⟩moc.knab'],
      ['onerror', '+<img src=x onerror=alert(1)>'],
      ['+ b', String.raw`+"a\n+ b"`],
    ] as const) {
      await find.fill(sought);
      await expect.poll(() => changes.getByRole('listitem').allTextContents()).toEqual([shown]);
    }
    assertOk(await call('PUT', '/policy-lists/hostile', { values: ['other'] }));
    await page.reload();
    await page.getByText('The list has changed since this was proposed').waitFor();
    expect(faults).toEqual([]);
    await close();
  },
);

test('a member proposes to remove a list; a viewer proposes nothing', async () => {
  assertOk(await call('PUT', '/policy-lists/old', { values: ['a', 'b'] }));
  const member = await createMember(harness, shop, 'member');
  const viewer = await createMember(harness, shop, 'viewer');
  const { page, faults, close } = await open(member.token);
  await page.goto('/console/policies/lists?list=old');
  await page.getByRole('button', { name: 'Propose to remove it' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Propose to remove it' }).click();
  await page.waitForURL(/policies\/approvals\/[0-9a-f]{24}$/);
  await page.getByText('The removal of a list').waitFor();
  await page.getByText('0 added, 2 removed, 0 unchanged').waitFor();
  expect((await call('GET', '/policy-lists/old')).status).toBe(200);
  expect(faults).toEqual([]);
  await close();
  const seen = await open(viewer.token);
  await seen.page.goto('/console/policies/lists?list=old');
  await seen.page.getByRole('region', { name: 'List old' }).waitFor();
  expect(await seen.page.getByRole('button', { name: /Propose/ }).count()).toBe(0);
  await seen.close();
});

test('values with blanks outside, line breaks and quotes stay as they are, and are not taken by mistake', async () => {
  const odd = [' first', 'bank.example ', 'a\nb', '"quoted"', 'plain "word"', '\t'];
  assertOk(await call('PUT', '/policy-lists/odd', { values: odd }));
  const { page, faults, close } = await open();
  await page.goto('/console/policies/lists?list=odd');
  const list = page.getByRole('region', { name: 'List odd' });
  const field = list.getByLabel('Values');
  const save = list.getByRole('button', { name: 'Save', exact: true });
  const text = await field.inputValue();
  await list.getByText('6 now').waitFor();
  await field.fill(`${text}\nother`);
  await save.click();
  await list.getByText('7 now').waitFor();
  const stored = async () => (await call('GET', '/policy-lists/odd')).body.data.values;
  await expect.poll(stored).toEqual([...odd, 'other'].sort());
  await field.fill('one\ntwo \nthree');
  expect(await field.inputValue()).toBe('one\ntwo \nthree');
  await list
    .getByText('Line 2 begins or ends with a blank: take it away, or write the value as "two "')
    .waitFor();
  expect(await save.isDisabled()).toBe(true);
  expect(await list.getByRole('button', { name: 'Propose it' }).isDisabled()).toBe(true);
  await field.fill('one\n"two "\nthree');
  await save.click();
  await expect.poll(stored).toEqual(['one', 'three', 'two ']);
  await page.getByRole('button', { name: 'New list' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('new');
  await dialog.getByLabel('Values').fill('one\n two');
  await dialog.getByRole('button', { name: 'Make the list' }).click();
  await dialog.getByText('Line 2 begins or ends with a blank').waitFor();
  await dialog.getByLabel('Values').fill('one\n" two"');
  await dialog.getByRole('button', { name: 'Make the list' }).click();
  await page.getByRole('region', { name: 'List new' }).getByText('2 now').waitFor();
  expect((await call('GET', '/policy-lists/new')).body.data.values).toEqual([' two', 'one']);
  expect(faults).toEqual([]);
  await close();
});
