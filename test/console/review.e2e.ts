// The review queue: a hold is decided by keyboard alone, and the agent that waits goes on.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createMember } from '../setup/harness.ts';
import { useHarness } from '../setup/fixtures.ts';
import { useChromium } from './setup/chromium.ts';
import { createRefund, postDecision, useShop } from './setup/shop.ts';
import { openConsole } from './setup/visit.ts';

const harness = useHarness(
  { ASSAY_MEMORY_INDEXING: 'on' },
  { consoleFolder: resolve('dist/console') },
);
const { app } = harness;
const shop = useShop(harness, 5);
const chromium = useChromium();

const openReview = (token: string, path = '/console/review') =>
  openConsole(chromium.browser, app, { token }).then(async (visit) => {
    await visit.page.goto(path);
    await visit.page.getByRole('heading', { name: 'Review queue' }).waitFor();
    return visit;
  });

/** A hold of its own: the same decision sent again is the same decision. */
async function hold(): Promise<{ traceId: string }> {
  const posted = await postDecision(app, shop.key, createRefund());
  expect(posted.status).toBe('flagged');
  return posted;
}
const waitForVerdict = (traceId: string) =>
  app.call('GET', `/api/v1/traces/${traceId}?wait=30`, { token: shop.token });
const readReview = async (traceId: string) =>
  (await app.call('GET', `/api/v1/traces/${traceId}`, { token: shop.token })).body.data.review;

test('approved with one key, for exactly the action on screen; the waiting agent goes on', async () => {
  const { traceId } = await hold();
  const waiting = waitForVerdict(traceId);
  const { page, faults, close } = await openReview(shop.token, `/console/review/${traceId}`);
  await page.getByRole('button', { name: /^Approve/ }).waitFor();
  await page.keyboard.press('a');
  const { review } = (await waiting).body.data;
  expect(review.status).toBe('approved');
  expect(review.receipt.actionDigest).toBe(review.actionDigest);
  expect(faults).toEqual([]);
  await close();
});

test('a rejection asks for its reason, which the agent gets', async () => {
  const { traceId } = await hold();
  const waiting = waitForVerdict(traceId);
  const { page, close } = await openReview(shop.token, `/console/review/${traceId}`);
  await page.getByRole('button', { name: /^Reject/ }).waitFor();
  await page.keyboard.press('r');
  await page.getByLabel('Reason').fill('Out of warranty');
  await page.keyboard.press('Control+Enter');
  expect((await waiting).body.data.review.status).toBe('rejected');
  const { body } = await app.call('GET', '/api/v1/review-queue?status=rejected', {
    token: shop.token,
  });
  expect(body.data[0].reason).toBe('Out of warranty');
  await close();
});

test('an action is edited with its difference in view, and the approval carries the edits', async () => {
  const { traceId } = await hold();
  const { page, close } = await openReview(shop.token, `/console/review/${traceId}`);
  await page.getByRole('button', { name: /^Edit/ }).waitFor();
  await page.keyboard.press('e');
  const action = page.getByLabel('Action', { exact: true });
  await action.fill((await action.inputValue()).replace('89.9', '40'));
  const changes = await page.getByRole('table', { name: 'Changes' }).textContent();
  expect(changes).toContain('arguments.amount89.940');
  await page.getByRole('button', { name: 'Approve with these changes' }).click();
  // Closing the page sends what still waits.
  await page.goto('about:blank');
  await expect
    .poll(async () => await readReview(traceId))
    .toMatchObject({ status: 'approved', edits: { arguments: { amount: 40 } } });
  await close();
});

test('twenty decisions in a row by keyboard', async () => {
  const held = new Set<string>();
  for (let i = 0; i < 20; i += 1) held.add((await hold()).traceId);
  const { page, faults, close } = await openReview(shop.token);
  await page.getByRole('button', { name: /^Approve/ }).waitFor();
  for (let left = await page.locator('ol[aria-label] > li').count(); left > 0; left -= 1) {
    await page.keyboard.press('a');
    await expect.poll(() => page.locator('ol[aria-label] > li').count()).toBe(left - 1);
  }
  await page.goto('about:blank');
  for (const traceId of held)
    await expect.poll(async () => (await readReview(traceId)).status).toBe('approved');
  expect(faults).toEqual([]);
  await close();
});

test('similar decisions stand beside the action, each decision one click away', async () => {
  // Other tests decide refunds of a blender: this one is of a kettle.
  const holdKettle = (price: number) =>
    postDecision(app, shop.key, {
      agentId: 'shop-support',
      inputContext: { prompt: 'The kettle leaks water over my kitchen table. I return it.' },
      outputDecision: { action: { tool: 'refund_payment', arguments: { amount: price } } },
    });
  const { traceId: refused } = await holdKettle(31);
  const { review } = (await app.call('GET', `/api/v1/traces/${refused}`, { token: shop.token }))
    .body.data;
  const verdict = { decision: 'reject', reason: 'Twice in a week' };
  const path = `/api/v1/review-queue/${review._id}/decision`;
  await app.call('POST', path, { token: shop.token, body: verdict });
  const { traceId } = await holdKettle(32);
  // The first search begins the index.
  const search = { query: 'x', topK: 1 };
  await app.call('POST', '/api/v1/traces/memory', { token: shop.token, body: search });
  await app.instance.runJobsOnce();
  const { page, faults, close } = await openReview(shop.token, `/console/review/${traceId}`);
  const alike = page.getByRole('region', { name: 'Similar decisions' });
  await alike.getByText(/^[1-9]\d* rejected$/).waitFor();
  await alike.locator(`a[href$="${refused}"]`).click();
  await page.waitForURL(`**/console/decisions/${refused}`);
  expect(faults).toEqual([]);
  await close();
});

test('what people approve is counted by pattern, and what is asked of a pattern stands in the address', async () => {
  const { traceId } = await hold();
  const { _id } = await readReview(traceId);
  const path = `/api/v1/review-queue/${_id}/decision`;
  await app.call('POST', path, { token: shop.token, body: { decision: 'approve' } });
  await app.instance.runJobsOnce();
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/oversight');
  const table = page.getByRole('table', { name: 'Patterns' });
  await table
    .getByText(/^[1-9]\d* of 50$/)
    .first()
    .waitFor();
  await page.getByLabel('Approvals in a row').fill('30');
  await page.waitForURL(/approvals=30/);
  await table
    .getByText(/^[1-9]\d* of 30$/)
    .first()
    .waitFor();
  await page.getByText('Verdicts that stood').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('two reviewers at once: the second learns that it is decided', async () => {
  const { traceId } = await hold();
  const { page, close } = await openReview(shop.token, `/console/review/${traceId}`);
  await page.getByRole('button', { name: /^Approve/ }).waitFor();
  const { _id } = await readReview(traceId);
  // The other verdict arrives just before this one.
  await page.route('**/decision', async (route) => {
    const body = { decision: 'reject', reason: 'first' };
    await app.call('POST', `/api/v1/review-queue/${_id}/decision`, { token: shop.token, body });
    await route.continue();
  });
  await page.keyboard.press('a');
  await page.getByText(/^Not decided/).waitFor();
  expect((await readReview(traceId)).status).toBe('rejected');
  await close();
});

test('a link to a decision that waits no longer leads to no other one', async () => {
  const [approved = ''] = shop.byStatus.approved;
  const { page, close } = await openReview(shop.token, `/console/review/${approved}`);
  await page.getByText('This decision is not in the list').waitFor();
  await page.keyboard.press('a');
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  await close();
});

test('a viewer reads the queue and sees no button that would fail', async () => {
  const { traceId } = await hold();
  const viewer = await createMember(harness, shop, 'viewer');
  const { page, faults, close } = await openReview(viewer.token, `/console/review/${traceId}`);
  await page.getByText('Your role reads the queue').waitFor();
  for (const name of [/^Approve \d|^Approvea/, /^Reject/, /^Edit/, /^Assign/])
    expect(await page.locator('section').getByRole('button', { name }).count()).toBe(0);
  await page.keyboard.press('a');
  await page.keyboard.press('r');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect((await readReview(traceId)).status).toBe('pending');
  expect(faults).toEqual([]);
  await close();
});
