// Sessions: a list with filters, one step by step with keys, live, and of ten thousand steps.
import { expect, test } from 'vitest';
import { assertOk } from '../../setup/personas.ts';
import { createCase } from '../setup/case.ts';
import { useChromium } from '../setup/chromium.ts';
import { useConsole } from '../setup/console.ts';
import { postDecision, useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const harness = useConsole();
const { app } = harness;
const shop = useShop(harness, 10);
const chromium = useChromium();

const step = (tool: string, sessionId: string): object => ({
  agentId: 'runner',
  sessionId,
  inputContext: { prompt: 'Go on' },
  outputDecision: { action: { tool, arguments: { place: 1 } }, rationale: 'It is next.' },
});

test('from a hold to its session: what came before, who said what, and what its agent was given', async () => {
  const caseId = await createCase(app, shop);
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto(`/console/review/${caseId}`);
  await page.getByRole('link', { name: 'ticket-4711' }).click();
  await page.getByRole('heading', { name: 'Session' }).waitFor();
  const steps = page.getByRole('listbox', { name: 'Steps' });
  await steps.getByRole('option').nth(6).waitFor();
  const texts = await steps.getByRole('option').allInnerTexts();
  expect(texts).toHaveLength(7);
  expect(texts[3]).toContain('carrier-desk: track_parcel');
  expect(texts[5]).toContain('The amount is not that of the order');
  const panel = page.getByRole('region', { name: 'The chosen step' });
  await panel.getByText('chat-88').waitFor();
  await panel.getByRole('link', { name: 'Review it' }).waitFor();
  await page.keyboard.press('k');
  await panel.getByText('Rejected').waitFor();
  await page.keyboard.press('j');
  await page.getByRole('switch', { name: "Today's policies" }).click();
  await page.getByText('0 of 5 decisions would differ').waitFor();
  await page.keyboard.press('o');
  await page.getByRole('heading', { name: 'What its session had done' }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('the list is filtered by what stands in the address, and new sessions come by themselves', async () => {
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/sessions?status=held');
  await page.getByRole('link', { name: 'ticket-4711' }).waitFor();
  await page.goto('/console/sessions');
  await postDecision(app, shop.key, step('look', 'fresh-run'));
  await page.getByRole('link', { name: 'fresh-run' }).click();
  await page.getByRole('option').first().waitFor();
  const { traceId } = await postDecision(app, shop.key, step('write_report', 'fresh-run'));
  await page.getByRole('option').getByText('write_report').waitFor();
  expect(traceId).toMatch(/^trc_/);
  expect(faults).toEqual([]);
  await close();
});

test('ten thousand steps answer to a key', { tags: ['long'] }, async () => {
  let named = '';
  for (let from = 0; from < 10_000; from += 100) {
    const decisions = Array.from({ length: 100 }, (_, at) => step(`tool_${from + at}`, 'long-run'));
    const path = '/api/v1/traces/batch';
    const answer = assertOk(await app.call('POST', path, { key: shop.key, body: { decisions } }));
    named = answer.body.data.results.at(-1).data.traceId;
  }
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto(`/console/sessions/${named}`);
  await page.locator('[aria-setsize="10000"]').first().waitFor({ timeout: 120_000 });
  expect(await page.getByRole('option').count()).toBeLessThan(100);
  const started = Date.now();
  const keys = 20;
  for (let at = 1; at <= keys; at += 1) {
    await page.keyboard.press('k');
    await page.locator(`[data-step="${9999 - at}"][aria-selected="true"]`).waitFor();
  }
  console.log(`k among 10,000 steps: ${Math.round((Date.now() - started) / keys)} ms a key`);
  expect(faults).toEqual([]);
  await close();
});
