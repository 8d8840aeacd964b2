// Takes a picture of every page, wide and narrow, light and dark: `npm run console:pictures`, into data/pictures.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { useFixture, useHarness } from '../setup/fixtures.ts';
import { startReceiver } from '../setup/providers/receiver.ts';
import { useChromium } from './setup/chromium.ts';
import { useCompany } from './setup/company.ts';
import { settlePage } from './setup/page-checks.ts';
import { listFurtherPages, listOpenPages, listPages } from './setup/pages.ts';
import { DESKTOP, openConsole, PHONE } from './setup/visit.ts';

const FOLDER = resolve('data/pictures');
const receiver = useFixture(startReceiver, (one) => one.close());
const settings = () => ({
  ASSAY_OUTBOUND_ALLOW: receiver.host,
  ASSAY_MEMORY_INDEXING: 'on',
});
const harness = useHarness(settings, { consoleFolder: resolve('dist/console') });
const company = useCompany(harness, receiver, 200);
const chromium = useChromium();
mkdirSync(FOLDER, { recursive: true });

async function takePictures(
  name: string,
  path: string,
  token?: string,
  openPart?: (page: Page) => Promise<void>,
): Promise<void> {
  for (const viewport of [DESKTOP, PHONE])
    for (const colorScheme of ['light', 'dark'] as const) {
      const options = {
        viewport,
        colorScheme,
        reducedMotion: 'reduce',
        ...(token && { token }),
      } as const;
      const { page, close } = await openConsole(chromium.browser, harness.app, options);
      await page.goto(path);
      await settlePage(page);
      if (path.endsWith('#sample')) await page.getByRole('region', { name: 'Result' }).waitFor();
      await openPart?.(page);
      const file = `${FOLDER}/${name}-${viewport.width}-${colorScheme}.png`;
      await page.screenshot({ path: file, fullPage: openPart === undefined });
      await close();
    }
}

/** ASSAY_PICTURES names the pages to take, comma-separated; unset: all. */
const wanted = process.env['ASSAY_PICTURES']?.split(',');
const isWanted = ([name]: [string, unknown]): boolean => wanted?.includes(name) ?? true;

const shown = { ...listPages(), ...listFurtherPages() };
test.each(Object.entries(shown).filter(isWanted))('%s', async (name, toPath) => {
  await takePictures(name, toPath(company), company.token);
});

test.each(Object.entries(listOpenPages()).filter(isWanted))('%s', async (name, path) => {
  await takePictures(name, path);
});

/** Dialogs, menus and boxes: the page they are opened on, and how the name of the button begins. */
const OPENED: Readonly<Record<string, readonly [page: string, button: string]>> = {
  'search-box': ['live', 'Search'],
  'views-dialog': ['live-searched', 'Views'],
  'account-menu': ['live', 'Account'],
  'reject-dialog': ['review-item', 'Reject'],
  'edit-dialog': ['review-item', 'Edit'],
  'assign-dialog': ['review-item', 'Assign'],
  'stop-dialog': ['live', 'Stop'],
  'stop-agent-dialog': ['agent', 'Stop this agent'],
  'agent-dialog': ['agents', 'Register an agent'],
  'model-dialog': ['agent', 'State the model'],
  'key-dialog': ['keys', 'Make a key'],
  'alert-dialog': ['alerts', 'Add a rule'],
  'webhook-dialog': ['webhooks', 'Add a webhook'],
  'delivery-dialog': ['webhook', 'Open$'],
  'incident-dialog': ['incidents', 'Open an incident'],
  'checkpoint-dialog': ['incident', 'Complete early'],
  'attest-dialog': ['compliance', 'Attest'],
  'assessment-dialog': ['assessments', 'Begin an assessment'],
  'invite-dialog': ['members', 'Invite a person'],
  'workspace-dialog': ['workspaces', 'Add a workspace'],
  'second-factor-dialog': ['security', 'Switch on'],
  'delete-dialog': ['organization', 'Delete it'],
};

test.each(Object.entries(OPENED).filter(isWanted))('%s', async (name, [on, button]) => {
  const path = shown[on]?.(company) ?? '';
  await takePictures(name, path, company.token, async (page) => {
    await page
      .getByRole('button', { name: new RegExp(`^${button}`) })
      .first()
      .click();
    await page.locator('[role="dialog"], :popover-open').first().waitFor();
    await page.waitForLoadState('networkidle');
  });
});

test.runIf(wanted === undefined || wanted.includes('readme'))('readme', async () => {
  const [traceId = ''] = company.byStatus.flagged;
  const { page, close } = await openConsole(chromium.browser, harness.app, {
    viewport: { width: 1280, height: 760 },
    reducedMotion: 'reduce',
    token: company.token,
  });
  await page.goto(`/console/review/${traceId}`);
  await settlePage(page);
  await page.screenshot({ path: resolve('docs/console.png') });
  await close();
});
