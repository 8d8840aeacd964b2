// Evidence: the chain is verified and handed on, anchors name who signed them, and what was erased leaves the chain whole.
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { SEALED_AT_ONCE, sealAll } from '../api/log/log-steps.ts';
import { useHarness } from '../setup/fixtures.ts';
import { assertOk } from '../setup/personas.ts';
import { useChromium } from './setup/chromium.ts';
import { createRefund, postDecision, useShop } from './setup/shop.ts';
import { openConsole } from './setup/visit.ts';

const harness = useHarness(SEALED_AT_ONCE, { consoleFolder: resolve('dist/console') });
const { app } = harness;
const shop = useShop(harness, 5);
const chromium = useChromium();

/** Saves what the button offers; asserts that the browser says of it that it is consistent. */
async function assertConsistent(page: Page, button: string): Promise<void> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  const path = await download.path();
  await page.goto('/verify');
  await page.setInputFiles('input[type="file"]', path);
  await page.getByText('consistent, but nothing that you trust vouches for it').waitFor();
}

test('what was verified is saved as a bundle, and the browser says that it is consistent', async () => {
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/evidence');
  await page.getByRole('button', { name: 'Verify the whole chain' }).click();
  await page.getByText('The chain is intact').waitFor();
  expect(await page.getByText('witness', { exact: false }).count()).toBe(1);
  await assertConsistent(page, 'Save the bundle');
  expect(faults).toEqual([]);
  await close();
});

test('an anchor says what is fixed, and gives the files and the key by which others check it', async () => {
  await sealAll(app);
  const { page, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/evidence?part=log');
  await page.getByRole('heading', { name: /are fixed by our signature/ }).waitFor();
  for (const name of ['Proof', 'Signed head']) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name, exact: true }).first().click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.tlog-proof$/);
  }
  const keys = page.getByRole('group', { name: 'keys of the log and of promises', exact: true });
  const { body } = await app.call('GET', '/api/v1/hash-chain/anchors?limit=1', {
    token: shop.token,
  });
  await expect.poll(() => keys.textContent()).toContain(`${body.data[0].origin}+`);
  await close();
});

test('a promise that an agent kept is checked, and what holds none says so', async () => {
  const body = createRefund();
  const answer = await app.call('POST', '/api/v1/traces', { key: shop.key, body });
  expect(answer.body.data.hashChain.promise).not.toBeNull();
  await sealAll(app);
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/evidence?part=log');
  const field = page.getByLabel('Answer to the decision');
  await field.fill('{"sequence": 1}');
  await page.getByText('There is no promise in it').waitFor();
  await field.fill(answer.text);
  await page.getByRole('button', { name: 'Check it' }).click();
  await page.getByRole('status').getByText('Kept', { exact: true }).waitFor();
  const hash = answer.body.data.hashChain.chainHash.slice(0, 12);
  await page.getByRole('status').getByText(hash).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('the bundle of the audit log is saved, and the browser says that it is consistent', async () => {
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/evidence?part=audit');
  await assertConsistent(page, 'Save the bundle');
  expect(faults).toEqual([]);
  await close();
});

test('the audit log says who did what; filters and place stand in the address', async () => {
  const names = Array.from({ length: 27 }, (_, number) => `Till ${number}`);
  const create = (name: string) =>
    app.call('POST', '/api/v1/workspaces', { token: shop.token, body: { name } });
  await Promise.all(names.map(create));
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/evidence?part=audit&action=workspace.create');
  const table = page.getByRole('table', { name: 'Audit log' });
  await table.getByRole('row').nth(25).waitFor();
  await page.getByRole('link', { name: 'Older' }).click();
  await page.waitForURL(/[?&]before=\d+/);
  await page.getByRole('link', { name: 'Newest' }).waitFor();
  // The first workspace of all is there as well.
  await expect.poll(() => table.getByRole('row').count()).toBeLessThan(10);
  await page.reload();
  await table
    .getByRole('button', { name: /^Details/ })
    .first()
    .click();
  await page.getByRole('dialog').getByText('Chain hash').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.waitForURL(
    (url) => !url.searchParams.has('action') && !url.searchParams.has('before'),
  );
  // Two fields, one right after the other: both count.
  await page.getByLabel('Did').fill('apikey.create');
  await page.getByLabel('From').fill('2020-01-31');
  await page.waitForURL(/action=apikey\.create/);
  await page.waitForURL(/from=2020-01-31/);
  await table.getByText('apikey.create').first().waitFor();
  await page.getByRole('button', { name: 'Verify the audit log' }).click();
  await page.getByText(/^Intact: all \d+ entries/).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('an audit bundle is made, and names the key that signed it', async () => {
  const { page, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/evidence?part=bundles');
  await page.getByRole('button', { name: 'Verify and sign' }).click();
  const row = page.getByRole('table', { name: 'Audit bundles' }).getByRole('row').nth(1);
  await row.getByText('commitments only').waitFor();
  await close();
});

test('a decision is erased in two steps, with a certificate, and the chain stays whole', async () => {
  const [traceId = ''] = shop.byStatus.approved;
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  await page.goto('/console/evidence?part=erasures');
  await page.getByRole('textbox', { name: 'Person' }).fill('user-4711');
  await page.getByLabel('Reason').fill('The person asked for it');
  await page.getByRole('button', { name: 'Show what would be erased' }).click();
  await page.getByText('No decision was found, nothing would be erased').waitFor();
  await page.getByText('Ids', { exact: true }).click();
  await page.getByLabel('Ids of decisions').fill(traceId);
  await page.getByLabel('Reason').fill('The person asked for it');
  await page.getByRole('button', { name: 'Show what would be erased' }).click();
  await page.getByText(/This destroys \d+ values of 1 decision/).waitFor();
  await page.getByRole('button', { name: 'Erase for good' }).click();
  const show = page.getByRole('button', { name: 'Show', exact: true });
  await show.waitFor();
  // The consumers that follow an erasure have ended then.
  await app.instance.runJobsOnce();
  await show.click();
  await page.getByRole('dialog').getByText('impactDigest').waitFor();
  await page.getByRole('dialog').getByText('None in the stores of Assay').waitFor();
  await page.keyboard.press('Escape');
  await page.goto(`/console/decisions/${traceId}`);
  await page.getByText('The contents are erased.').waitFor();
  await page.goto('/console/evidence');
  await page.getByRole('button', { name: 'Verify the whole chain' }).click();
  await page.getByText('The chain is intact').waitFor();
  // Its contents are asked for once, and are gone; a search for a person finds none.
  const expected = [traceId, '/erasure/acknowledge'];
  expect(faults.filter((fault) => !expected.some((part) => fault.includes(part)))).toEqual([]);
  await close();
});

test('a manifest is revoked by a dialog that names the reason; closing it revokes nothing', async () => {
  const contentHash = 'a'.repeat(64);
  const manifests = '/api/v1/provenance/c2pa/manifests';
  const by = { token: shop.token };
  const { traceId } = await postDecision(app, shop.key, createRefund());
  const body = { traceId, label: 'An answer', contentHash };
  const issued = assertOk(await app.call('POST', manifests, { ...by, body }));
  const read = async () => {
    const { data } = assertOk(await app.call('GET', manifests, by)).body;
    return data.find(({ id }: { id: string }) => id === issued.body.data.id);
  };
  const { page, faults, close } = await openConsole(chromium.browser, app, by);
  await page.goto('/console/evidence?part=manifests');
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect(await read()).toMatchObject({ revokedAt: null });
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('combobox', { name: 'Reason' }).click();
  await page.getByRole('option', { name: 'key compromise' }).click();
  await page.getByRole('button', { name: 'Revoke for good' }).click();
  await page.getByText('Revoked: key compromise').waitFor();
  expect(await read()).toMatchObject({ revocationReason: 'key-compromise' });
  expect(faults).toEqual([]);
  await close();
});
