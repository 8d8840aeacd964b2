// Two people edit one thing: the second one who saves is shown what the first one saved, and chooses.
import { expect, test } from 'vitest';
import { useOwner } from '../../setup/fixtures.ts';
import { assertOk, createAgent } from '../../setup/personas.ts';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { openConsole } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const ada = useOwner(harness);
const chromium = useChromium();

const call = async (method: 'GET' | 'PATCH' | 'POST', path: string, body?: object) =>
  assertOk(await app.call(method, `/api/v1${path}`, { token: ada.token, ...(body && { body }) }))
    .body.data;
const open = async (path: string) => {
  const visit = await openConsole(chromium.browser, app, { token: ada.token });
  await visit.page.goto(path);
  return visit;
};
/** A refused answer is an error in the console of the browser. */
const isRefusal = (fault: string): boolean => fault.includes('412');

test('a name that others changed is saved over only by choice; what was not touched follows', async () => {
  const { id } = await createAgent(app, ada);
  const { page, faults, close } = await open(`/console/agents/${id}`);
  const form = page.getByRole('region', { name: 'Name', exact: true });
  await form.getByLabel('Name').fill('Till of Ada');
  await call('PATCH', `/agents/${id}`, { name: 'Till of Bob', description: 'By Bob' });
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  const notice = form.getByRole('alert');
  const row = notice.getByRole('row', { name: /^Name/ });
  await row.getByText('Till of Bob').waitFor();
  await row.getByText('Till of Ada').waitFor();
  await notice.getByRole('row', { name: /^Description.*By Bob/ }).waitFor();
  expect(await call('GET', `/agents/${id}`)).toMatchObject({ name: 'Till of Bob' });
  await notice.getByRole('button', { name: 'Save mine' }).click();
  await notice.waitFor({ state: 'hidden' });
  const saved = { name: 'Till of Ada', description: 'By Bob' };
  expect(await call('GET', `/agents/${id}`)).toMatchObject(saved);
  await form.getByLabel('Name').fill('Till of Eve');
  await call('PATCH', `/agents/${id}`, { name: 'Till of Jo' });
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  await notice.getByRole('button', { name: 'Take theirs' }).click();
  await notice.waitFor({ state: 'hidden' });
  expect(await form.getByLabel('Name').inputValue()).toBe('Till of Jo');
  expect(faults.filter((fault) => !isRefusal(fault))).toEqual([]);
  await close();
});

test('a change elsewhere loses nothing: the form says so, and saves at the second try', async () => {
  const { id } = await createAgent(app, ada, 'warehouse');
  const { page, faults, close } = await open(`/console/agents/${id}`);
  const form = page.getByRole('region', { name: 'Name', exact: true });
  await form.getByLabel('Name').fill('Stock');
  await call('PATCH', `/agents/${id}/policies`, { strictMode: true });
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  await form.getByText('None of these fields was changed').waitFor();
  await form.getByRole('button', { name: 'Save mine' }).click();
  await expect
    .poll(() => call('GET', `/agents/${id}`))
    .toMatchObject({ name: 'Stock', policies: { strictMode: true } });
  expect(faults.filter((fault) => !isRefusal(fault))).toEqual([]);
  await close();
});

test('a rule that others changed is shown as a diff, and what was typed stays', async () => {
  const policy = {
    name: 'Goods',
    conditions: [{ field: 'action.names', operator: 'contains', value: 'order' }],
    actions: [{ type: 'flag_for_review' }],
  };
  const { _id: id } = await call('POST', '/policies', policy);
  const { page, faults, close } = await open(`/console/policies/${id}`);
  const about = page.getByRole('region', { name: 'About the policy' });
  await about.getByLabel('Name').fill('Goods of Ada');
  await about.getByLabel('Name').blur();
  await call('PATCH', `/policies/${id}`, { priority: 7 });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'Another person changed this' });
  await notice.getByText('priority 7').waitFor();
  expect(await page.getByRole('textbox', { name: 'Rule' }).textContent()).toContain('Goods of Ada');
  expect(await call('GET', `/policies/${id}`)).toMatchObject({ name: 'Goods', priority: 7 });
  await notice.getByRole('button', { name: 'Take theirs' }).click();
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Rule' }).textContent())
    .toContain('priority 7');
  expect(faults.filter((fault) => !isRefusal(fault))).toEqual([]);
  await close();
});
