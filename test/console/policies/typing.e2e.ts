// Forms of what is stored: what a person types while it is saved stays, and the rest follows what is stored.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { assertOk, createAgent } from '../../setup/personas.ts';
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

/** Holds back what changes something until it is let through. */
async function holdChanges(page: Page): Promise<() => void> {
  let letThrough = (): void => undefined;
  const until = new Promise<void>((resolve) => (letThrough = resolve));
  await page.route('**/api/v1/**', async (route) => {
    if (/^(PUT|PATCH)$/.test(route.request().method())) await until;
    await route.continue();
  });
  return letThrough;
}

interface Form {
  path: string;
  /** What holds its fields. */
  region: (page: Page) => Locator;
  field: string;
  readStored: () => Promise<string>;
}

async function createForms(): Promise<Record<string, Form>> {
  const agent = await createAgent(app, shop, 'Mabel');
  assertOk(await call('PUT', '/policy-lists/typed', { values: ['one'] }));
  return {
    'an agent’s name': {
      path: `/console/agents/${agent.id}`,
      region: (page) => page.getByRole('region', { name: 'Name', exact: true }),
      field: 'Name',
      readStored: async () =>
        assertOk(await call('GET', `/agents/${agent.id}`)).body.data.name as string,
    },
    'a list': {
      path: '/console/policies/lists?list=typed',
      region: (page) => page.getByRole('region', { name: 'List typed' }),
      field: 'Values',
      readStored: async () =>
        assertOk(await call('GET', '/policy-lists/typed')).body.data.values.join('\n') as string,
    },
  };
}

test('what is typed while a form is saved stays, and is saved next', async () => {
  for (const [name, form] of Object.entries(await createForms())) {
    const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
    await page.goto(form.path);
    const region = form.region(page);
    const field = region.getByRole('textbox', { name: form.field });
    const save = region.getByRole('button', { name: 'Save', exact: true });
    const letThrough = await holdChanges(page);
    await field.fill('first');
    await save.click();
    await field.fill('second');
    letThrough();
    await page
      .getByText(/^The \w+ is saved$/)
      .first()
      .waitFor();
    expect([name, await field.inputValue()]).toEqual([name, 'second']);
    expect(await form.readStored()).toBe('first');
    await save.click();
    await expect.poll(form.readStored).toBe('second');
    await expect.poll(() => save.isDisabled()).toBe(true);
    expect(faults).toEqual([]);
    await close();
  }
});

test('a field that nothing was typed in since shows what is stored', async () => {
  assertOk(await call('PUT', '/policy-lists/sorted', { values: ['one'] }));
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/policies/lists?list=sorted');
  const list = page.getByRole('region', { name: 'List sorted' });
  await list.getByRole('textbox', { name: 'Values' }).fill('b\na\nb');
  await list.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => list.getByRole('textbox', { name: 'Values' }).inputValue()).toBe('a\nb');
  expect(await list.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  expect(faults).toEqual([]);
  await close();
});

test('the rule that is typed while a policy is saved stays', async () => {
  const body = {
    name: 'Typed',
    conditions: [{ field: 'confidenceScore', operator: 'less_than', value: 0.1 }],
    actions: [{ type: 'notify' }],
  };
  const made = assertOk(await call('POST', '/policies', body)).body.data;
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto(`/console/policies/${made._id}`);
  const rule = page.getByRole('textbox', { name: 'Rule' });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const writeLimit = async (limit: string): Promise<void> => {
    await rule.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(`policy "Typed"\nwhen confidenceScore < ${limit}\nthen notify`);
  };
  const letThrough = await holdChanges(page);
  await rule.waitFor();
  await writeLimit('0.2');
  await expect.poll(() => save.isEnabled()).toBe(true);
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
  await save.click();
  await writeLimit('0.3');
  const again = page.waitForResponse((answer) => /\/adl|\/source/.test(answer.url()));
  letThrough();
  await saved;
  await again;
  await expect.poll(() => save.isEnabled()).toBe(true);
  expect(await rule.textContent()).toContain('confidenceScore < 0.3');
  await save.click();
  const readLimit = async () =>
    assertOk(await call('GET', `/policies/${made._id}`)).body.data.conditions[0].value;
  await expect.poll(readLimit).toBe(0.3);
  expect(faults).toEqual([]);
  await close();
});
