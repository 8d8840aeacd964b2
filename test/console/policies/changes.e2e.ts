// Policies: written, tried on the past before they count, agreed on by three people, and let in by a canary.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createMember, listAuditEntries } from '../../setup/harness.ts';
import { assertOk } from '../../setup/personas.ts';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { createRefund, postDecision, useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 30);
const chromium = useChromium();

const call = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
  app.call(method, `/api/v1${path}`, { token: shop.token, ...(body && { body }) });

/** Replaces the rule as a person does, by keys. */
async function writeRule(page: Page, source: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Rule' }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(source);
}

const BLOCK_REFUNDS = {
  name: 'No refunds',
  conditions: [{ field: 'action.names', operator: 'contains', value: 'refund_payment' }],
  actions: [{ type: 'block', config: { reason: 'None for now' } }],
};

test('a rule is written as source or as form, its errors stand at their line, and it is saved', async () => {
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/policies/new?template=spending-review');
  const rule = page.getByRole('textbox', { name: 'Rule' });
  await writeRule(page, 'policy "Doubtful"\nwhen confidence < 0.4\nthen block');
  await page.getByText('Line 2, column 6: no decision has a fact "confidence"').waitFor();
  expect(await page.getByRole('button', { name: 'Save the policy' }).isDisabled()).toBe(true);
  await writeRule(page, 'policy "Doubtful"\nwhen confidenceScore < 0.4\nthen block');
  const value = page.getByRole('group', { name: 'Condition 1' }).getByLabel('Value');
  await expect.poll(() => value.inputValue()).toBe('0.4');
  await value.fill('0.3');
  await value.blur();
  await expect.poll(() => rule.textContent()).toContain('confidenceScore < 0.3');
  await page.getByRole('button', { name: 'Save the policy' }).click();
  await page.waitForURL(/policies\/[0-9a-f]{24}$/);
  const id = new URL(page.url()).pathname.split('/').at(-1);
  const { conditions, actions } = (await call('GET', `/policies/${id}`)).body.data;
  expect(conditions).toMatchObject([{ field: 'confidenceScore', value: 0.3 }]);
  expect(actions).toMatchObject([{ type: 'block' }]);
  expect(faults).toEqual([]);
  await close();
});

test('a decision of the past is tried condition by condition, with the value that each saw', async () => {
  const { page, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/policies/new?part=try');
  const conditions = page.getByRole('table', { name: 'Conditions' });
  await conditions.getByText('refund_payment').waitFor();
  expect(await conditions.textContent()).toMatch(/action\.names.*refund.*yes/);
  await close();
});

test('a replay shows first what would be blocked, and each example opens', async () => {
  const { id } = assertOk(await call('POST', '/policies', { ...BLOCK_REFUNDS, enabled: false }))
    .body.data;
  const { page, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto(`/console/policies/${id}?part=replay`);
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.waitForURL(/replay=[0-9a-f]{24}/);
  await app.instance.runJobsOnce();
  await page.getByText(/^Done: \d+ of \d+ decisions/).waitFor();
  const examples = page.getByRole('table', { name: 'Examples' });
  const first = examples.getByRole('row').nth(1);
  await expect
    .poll(() => first.textContent())
    .toMatch(/^\w+\(.*\) · [\w-]+Would be blocked.*Blocked$/);
  await first.getByRole('link').click();
  await page.waitForURL('**/console/decisions/trc_*');
  await page.getByText('refund_payment').first().waitFor();
  await close();
});

test('a change is proposed, reviewed and put into force by three people; the author sees no button of theirs', async () => {
  const author = await createMember(harness, shop, 'member');
  const reviewer = await createMember(harness, shop, 'reviewer');
  const proposal = await openConsole(chromium.browser, app, { token: author.token });
  await proposal.page.goto('/console/policies/new?template=low-confidence');
  await proposal.page.getByRole('button', { name: 'Propose it' }).click();
  await proposal.page.waitForURL(/policies\/approvals\/[0-9a-f]{24}$/);
  const path = new URL(proposal.page.url()).pathname;
  await proposal.page.getByRole('button', { name: 'Withdraw' }).waitFor();
  expect(await proposal.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  const review = await openConsole(chromium.browser, app, { token: reviewer.token });
  await review.page.goto(path);
  const changes = await review.page.getByRole('list', { name: 'Changes' }).textContent();
  expect(changes).toContain('confidenceScore <');
  await review.page.getByRole('button', { name: 'Approve' }).click();
  await review.page.getByText('Reviewed: approved').waitFor();
  const enforcement = await openConsole(chromium.browser, app, { token: shop.token });
  await enforcement.page.goto(path);
  await enforcement.page.getByRole('button', { name: 'Put it into force' }).click();
  await enforcement.page.getByRole('link', { name: 'The policy' }).click();
  await enforcement.page.getByText('Version 1', { exact: true }).waitFor();
  for (const { faults, close } of [proposal, review, enforcement]) {
    expect(faults).toEqual([]);
    await close();
  }
});

test('the glass is broken with a reason only, and the change waits for its review', async () => {
  const made = assertOk(await call('POST', '/policies/approvals', { policy: BLOCK_REFUNDS }));
  const { page, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto(`/console/policies/approvals/${made.body.data.id}`);
  const button = page.getByRole('button', { name: 'Break the glass' });
  expect(await button.isDisabled()).toBe(true);
  await page.getByLabel('Reason').fill('Refunds are being abused right now');
  await button.click();
  await page.getByText('It was enforced without a review').waitFor();
  await close();
});

/** Posts refunds; counts those that were held or blocked. */
async function countStopped(refunds: number): Promise<number> {
  let stopped = 0;
  for (let number = 0; number < refunds; number += 1)
    if ((await postDecision(app, shop.key, createRefund())).status !== 'approved') stopped += 1;
  return stopped;
}

test('no canary is offered of an enabled policy without a change: the page says why, with the number', async () => {
  await countStopped(2);
  await app.instance.runJobsOnce();
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto(`/console/policies/${shop.policyId}?part=canary`);
  const control = page.getByRole('region', { name: 'Control of the canary' });
  await control.getByText('The policy judges every decision already').waitFor();
  expect(await control.textContent()).toMatch(
    /It matched \d+ decisions in the last 24 hours: .* 9 of 10 like them would pass/,
  );
  expect(await control.getByRole('button').count()).toBe(0);
  expect(await countStopped(6)).toBe(6);
  expect(faults).toEqual([]);
  await close();
});

test('a canary is asked about, shows both arms, and rolled back the policy is what it was', async () => {
  const actions = [{ type: 'flag_for_review' }];
  const { id } = assertOk(await call('POST', '/policies', { ...BLOCK_REFUNDS, actions })).body.data;
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto(`/console/policies/${id}`);
  await writeRule(
    page,
    'policy "No refunds"\nwhen action.names.contains("refund_payment")\nthen notify',
  );
  await page.getByRole('tab', { name: 'Canary' }).click();
  await page.getByText('The changed rule judges a share of the decisions').waitFor();
  await page.getByRole('button', { name: 'Begin the canary' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('10 % of the decisions are judged by the change').waitFor();
  expect((await call('GET', `/policies/${id}`)).body.data.canary).toBeNull();
  await dialog.getByRole('button', { name: 'Begin the canary' }).click();
  await page.getByText('Not clear yet: let it run').waitFor();
  await page.getByText('10 % of the decisions', { exact: true }).waitFor();
  await page.getByRole('img', { name: /^With the change: no decision/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Switch off' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Promote it' }).click();
  await dialog.getByText('The change judges all decisions from then on').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Roll it back' }).click();
  await dialog.getByRole('button', { name: 'Roll it back' }).click();
  await page.getByText('It has ended: rolled back').waitFor();
  expect((await call('GET', `/policies/${id}`)).body.data).toMatchObject({
    enabled: true,
    canary: null,
    actions,
  });
  expect(faults).toEqual([]);
  await close();
});

test('a policy is switched off with a reason, and on again; nothing of its rule is lost', async () => {
  const { id, conditions } = assertOk(await call('POST', '/policies', BLOCK_REFUNDS)).body.data;
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto(`/console/policies/${id}`);
  await page.getByRole('button', { name: 'Switch off' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Switch off' }).click();
  await dialog.getByText('Say why, for the audit log').waitFor();
  expect((await call('GET', `/policies/${id}`)).body.data.enabled).toBe(true);
  await dialog.getByLabel('Reason').fill('It stops the whole shop');
  await dialog.getByRole('button', { name: 'Switch off' }).click();
  await page.getByText('The policy is off').waitFor();
  expect((await call('GET', `/policies/${id}`)).body.data.enabled).toBe(false);
  await page.getByRole('button', { name: 'Switch on' }).click();
  await dialog.getByRole('button', { name: 'Switch on' }).click();
  await page.getByText('The policy is on').waitFor();
  expect((await call('GET', `/policies/${id}`)).body.data).toMatchObject({
    enabled: true,
    conditions,
  });
  const audited = await listAuditEntries(app, shop, 'action=policy.update');
  expect(audited.map(({ metadata }) => metadata)).toContainEqual({
    reason: 'It stops the whole shop',
  });
  assertOk(await app.call('DELETE', `/api/v1/policies/${id}`, { token: shop.token }));
  expect(faults).toEqual([]);
  await close();
});

test('a viewer reads a policy and sees no button that would fail', async () => {
  const viewer = await createMember(harness, shop, 'viewer');
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: viewer.token });
  await page.goto(`/console/policies/${shop.policyId}`);
  await page.getByRole('group', { name: 'Condition 1' }).waitFor();
  for (const name of ['Save', 'Propose it', 'Add a condition', 'New policy'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  await page.goto('/console/evidence?part=bundles');
  await page.getByText('Owners and admins make them').waitFor();
  expect(await page.getByRole('button', { name: 'Verify and sign' }).count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});
