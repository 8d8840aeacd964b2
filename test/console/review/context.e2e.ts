// What the policy judged is what the reviewer sees: who asked, in which session, with what at hand, and why it was held.
import { expect, test } from 'vitest';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { createRefund, postDecision, useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 2);
const chromium = useChromium();

/** A refund that is held, with everything that a decision may say of its surroundings. */
const createSurrounded = (): object => ({
  ...createRefund(),
  inputContext: {
    prompt: 'My blender arrived broken.',
    retrieved: [{ document: 'returns-policy', text: 'Refunds within 30 days.' }],
  },
  sessionId: 'chat-815',
  actor: [{ type: 'user', id: 'customer-42' }],
  labels: ['returns', 'vip'],
});

test('a review names policy, session, person and context, with the buttons in sight', async () => {
  const { traceId } = await postDecision(app, shop.key, createSurrounded());
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto(`/console/review/${traceId}`);
  await page.getByText(/^Held by /).waitFor();
  await page.getByRole('link', { name: 'chat-815' }).waitFor();
  await page.getByText('customer-42 (user)').waitFor();
  await page.getByText('returns, vip').waitFor();
  await page.getByText(/returns-policy/).waitFor();
  const approve = page.getByRole('button', { name: /^Approve/ });
  const { y = 0 } = (await approve.boundingBox()) ?? {};
  expect(y).toBeGreaterThan(0);
  expect(y).toBeLessThan(450);
  // However far one reads on, the verdict stays in sight.
  await page.setViewportSize({ width: 1440, height: 400 });
  await page.mouse.move(1000, 300);
  await page.mouse.wheel(0, 2000);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(100);
  expect((await approve.boundingBox())?.y).toBeLessThan(400);
  expect(faults).toEqual([]);
  await close();
});

test('a decision that a person approved says so, with the reason, apart from those of policies', async () => {
  const { traceId } = await postDecision(app, shop.key, createSurrounded());
  const { token } = shop;
  const { body } = await app.call('GET', `/api/v1/traces/${traceId}`, { token });
  const path = `/api/v1/review-queue/${body.data.review._id}/decision`;
  const verdict = { decision: 'approve', reason: 'The photo shows the crack' };
  await app.call('POST', path, { token, body: verdict });
  const { page, faults, close } = await openConsole(chromium.browser, app, { token });
  await page.goto(`/console/decisions/${traceId}`);
  await page.getByText('by Ada', { exact: true }).waitFor();
  await page.getByText('Approved by Ada: The photo shows the crack').waitFor();
  const why = await page.getByRole('region', { name: 'Why' }).boundingBox();
  const says = await page.getByRole('region', { name: 'What it says' }).boundingBox();
  expect(why?.y).toBeLessThan(says?.y ?? 0);
  await page.getByRole('link', { name: 'Open the policy' }).first().click();
  await page.waitForURL('**/console/policies/*');
  expect(faults).toEqual([]);
  await close();
});
