// Who is involved does not decide: the control in the settings, and what the person then sees in the queue.
import { expect, test } from 'vitest';
import { createMember } from '../../setup/harness.ts';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { createRefund, postDecision, useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 0);
const chromium = useChromium();

const readWorkspace = async () =>
  (await app.call('GET', '/api/v1/workspaces', { token: shop.token })).body.data[0];
const readStatus = async (traceId: string): Promise<string> =>
  (await app.call('GET', `/api/v1/traces/${traceId}`, { token: shop.token })).body.data.review
    .status;

test('who made the key does not decide, is shown why, and another person does', async () => {
  const reviewer = await createMember(harness, shop, 'reviewer');
  const owner = await openConsole(chromium.browser, app, { token: shop.token });
  const { page } = owner;
  await page.goto('/console/settings/workspaces');
  await page.getByRole('combobox', { name: 'The person who made the key' }).click();
  await page.getByRole('option', { name: 'Not while another person may' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The workspace is saved').waitFor();
  expect((await readWorkspace()).preventSelfReview).toEqual({
    actor: 'where-possible',
    keyMaker: 'where-possible',
    agentOwner: 'off',
  });

  const { traceId } = await postDecision(app, shop.key, createRefund());
  await page.goto(`/console/review/${traceId}`);
  await page.getByText('It was posted with a key that you made').waitFor();
  expect(await page.getByRole('button', { name: /^Approve/ }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: /^Reject/ }).isDisabled()).toBe(true);
  // One was held before the control was set.
  const boxes = page.getByRole('checkbox', { name: /^Select the decision/, disabled: true });
  expect(await boxes.count()).toBe(2);
  for (const key of ['a', 'x', 'r', 'e']) await page.keyboard.press(key);
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
  expect(owner.faults).toEqual([]);
  await owner.close();
  expect(await readStatus(traceId)).toBe('pending');

  const other = await openConsole(chromium.browser, app, { token: reviewer.token });
  await other.page.goto(`/console/review/${traceId}`);
  await other.page.getByRole('button', { name: /^Approve/ }).waitFor();
  await other.page.keyboard.press('a');
  await expect.poll(() => readStatus(traceId)).toBe('approved');
  expect(other.faults).toEqual([]);
  await other.close();
});
