// The trusts of an agent in a browser: a workload is trusted, shown on wide and narrow screens, and the trust ended.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createAgent } from '../../setup/personas.ts';
import { useChromium } from '../setup/chromium.ts';
import { DESKTOP, openConsole, PHONE } from '../setup/visit.ts';

const settings = () => ({ ASSAY_OUTBOUND_ALLOW: '127.0.0.1' });
const harness = useHarness(settings, { consoleFolder: resolve('dist/console') });
const { app } = harness;
const ada = useOwner(harness);
const chromium = useChromium();

test('a workload is trusted, and the trust is ended', async () => {
  const { id } = await createAgent(app, ada);
  const list = async () =>
    assertOk(await app.call('GET', `/api/v1/agents/${id}/trusts`, { token: ada.token })).body.data;
  const { page, faults, close } = await openConsole(chromium.browser, app, {
    token: ada.token,
    viewport: DESKTOP,
  });
  await page.goto(`/console/agents/${id}`);
  await page.getByText('None: it acts by its key alone.').waitFor();
  await page.getByRole('button', { name: 'Trust a workload' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Issuer').fill('http://127.0.0.1:9/issuer');
  await dialog.getByLabel('Subject', { exact: false }).first().fill('repo:octo-org/octo-repo:.*');
  await dialog.getByRole('switch', { name: /is a pattern/ }).click();
  await dialog.getByRole('button', { name: 'Trust it' }).click();
  await page.getByText('matches repo:octo-org/octo-repo:.*').waitFor();
  expect(await list()).toMatchObject([
    { issuer: 'http://127.0.0.1:9/issuer', subject: { pattern: 'repo:octo-org/octo-repo:.*' } },
  ]);
  for (const viewport of [DESKTOP, PHONE]) {
    await page.setViewportSize(viewport);
    await page.getByText('Without a key').scrollIntoViewIfNeeded();
    const isWide = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(isWide).toBe(false);
  }
  await page.getByRole('button', { name: 'End it' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
  await page.getByText('None: it acts by its key alone.').waitFor();
  expect(await list()).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});
