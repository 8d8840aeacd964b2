// Keys of the review queue under other keyboards, beside an input method, and switched off.
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHarness } from '../../setup/fixtures.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import { useChromium } from '../setup/chromium.ts';
import { holdLeft, useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const clock = new MovedClock();
const harness = useHarness({}, { clock, consoleFolder: resolve('dist/console') });
const { app } = harness;
const shop = useShop(harness, 0);
const chromium = useChromium();

/** Opens what no caller waits for any more: a verdict on it can be undone for a moment, and says so. */
async function openHeld() {
  const traceId = await holdLeft(app, shop.key, clock);
  const visit = await openConsole(chromium.browser, app, { token: shop.token });
  await visit.page.goto(`/console/review/${traceId}`);
  await visit.page.getByRole('button', { name: /^Approve/ }).waitFor();
  return { ...visit, traceId };
}
const readStatus = async (traceId: string): Promise<string> =>
  (await app.call('GET', `/api/v1/traces/${traceId}`, { token: shop.token })).body.data.review
    .status;
interface Pressed {
  key: string;
  code: string;
  ctrlKey?: true;
  altKey?: true;
  shiftKey?: true;
  repeat?: true;
  isComposing?: true;
}
const pressAs = (page: Page, init: Pressed): Promise<unknown> =>
  page.evaluate(
    (given) =>
      document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, ...given })),
    init,
  );

/** The key that writes, or stands for, `r`. */
const LAYOUTS: readonly [name: string, init: Pressed][] = [
  ['Latin', { key: 'r', code: 'KeyR' }],
  ['Dvorak', { key: 'r', code: 'KeyO' }],
  ['Cyrillic', { key: 'к', code: 'KeyR' }],
  ['Greek', { key: 'ρ', code: 'KeyR' }],
  ['Hebrew', { key: 'ר', code: 'KeyR' }],
  ['Arabic', { key: 'ق', code: 'KeyR' }],
  ['Korean', { key: 'ㄱ', code: 'KeyR' }],
  ['an input method that is on', { key: 'Process', code: 'KeyR' }],
  ['caps lock', { key: 'R', code: 'KeyR' }],
];
test('r of every layout asks for the reason', async () => {
  const { page, close } = await openHeld();
  const dialog = page.getByRole('dialog');
  for (const [layout, init] of LAYOUTS) {
    await pressAs(page, init);
    await dialog.getByLabel('Reason').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await dialog.count(), layout).toBe(0);
  }
  await close();
});

/** What no one means as `a`. */
const OTHERS: readonly [name: string, init: Pressed][] = [
  ['q of AZERTY, where a is elsewhere', { key: 'q', code: 'KeyA' }],
  ['the o of Dvorak', { key: 'o', code: 'KeyS' }],
  ['Ctrl+a', { key: 'a', code: 'KeyA', ctrlKey: true }],
  ['Alt+a', { key: 'a', code: 'KeyA', altKey: true }],
  ['Shift+a', { key: 'A', code: 'KeyA', shiftKey: true }],
  ['a key that is held down', { key: 'a', code: 'KeyA', repeat: true }],
  ['a word that is being composed', { key: 'a', code: 'KeyA', isComposing: true }],
];
test('other keys approve nothing', async () => {
  const { page, traceId, close } = await openHeld();
  for (const [, init] of OTHERS) await pressAs(page, init);
  expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
  expect(page.url()).toContain(traceId);
  await close();
});

test('a of AZERTY approves, and so does a checkbox that has the focus', async () => {
  const { page, traceId, close } = await openHeld();
  await page
    .getByRole('checkbox', { name: /^Select/ })
    .first()
    .focus();
  await page.keyboard.press('a');
  await page.getByRole('button', { name: /^Undo/ }).waitFor();
  await page.goto('about:blank');
  await expect.poll(() => readStatus(traceId)).toBe('approved');
  await close();
});

test.each(['reason', 'edit'])(
  'Ctrl+Enter sends the %s, and not while an input method composes',
  async (what) => {
    const { page, traceId, close } = await openHeld();
    await page.keyboard.press(what === 'reason' ? 'r' : 'e');
    const field = page.getByLabel(what === 'reason' ? 'Reason' : 'Action', {
      exact: what !== 'reason',
    });
    const text = what === 'reason' ? '理由' : (await field.inputValue()).replace('89.9', '40');
    await field.fill(text);
    for (const more of [{ isComposing: true }, { keyCode: 229 }])
      await field.evaluate(
        (element, init) =>
          element.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, ...init }),
          ),
        more,
      );
    expect(await field.isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: /^Undo/ }).waitFor();
    await page.goto('about:blank');
    await expect.poll(() => readStatus(traceId)).toBe(what === 'reason' ? 'rejected' : 'approved');
    await close();
  },
);

test('single keys can be switched off: then buttons alone decide, and it stays so', async () => {
  const { page, traceId, close } = await openHeld();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByLabel('Single keys').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  for (const key of ['a', 'r', 'e', 's', 'x', '?', '/']) await page.keyboard.press(key);
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
  await page.reload();
  const approve = page.getByRole('button', { name: /^Approve/ });
  await approve.waitFor();
  expect(await approve.textContent()).toBe('Approve');
  await page.keyboard.press('a');
  expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
  expect(await readStatus(traceId)).toBe('pending');
  await page.goto('/console/settings/profile');
  await page.getByLabel('Single keys').click();
  await page.goto(`/console/review/${traceId}`);
  await approve.waitFor();
  await page.keyboard.press('r');
  await page.getByRole('dialog').getByLabel('Reason').waitFor();
  await close();
});
