// Approvals with a passkey: a person enrols one in the browser, and signs with it what a policy wants signed.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { useHarness } from '../../setup/fixtures.ts';
import { createMember } from '../../setup/harness.ts';
import { callCredentials, confirm, createPasskey, enrol } from '../../setup/passkeys/enrolled.ts';
import { assertOk, buildDecision, createWorkspaceKey, PASSWORD } from '../../setup/personas.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import { useChromium } from '../setup/chromium.ts';
import { useShop } from '../setup/shop.ts';
import { openConsole } from '../setup/visit.ts';

const clock = new MovedClock();
const harness = useHarness({}, { clock, consoleFolder: resolve('dist/console') });
const { app } = harness;
const shop = useShop(harness, 0);
const chromium = useChromium();
const DAY = 86_400_000;

/** Browsers make passkeys for a name, and not for an address. */
function moveToName(): typeof app {
  const url = app.url.replace('127.0.0.1', 'localhost');
  Object.assign(app.instance.platform, { publicUrl: url });
  return { ...app, url };
}

test('a passkey is enrolled in the browser, confirmed by another person, and signs an approval', async () => {
  const named = moveToName();
  const first = await enrol(app, shop, createPasskey(app));
  clock.aheadMs += DAY;
  const login = { email: shop.email, password: PASSWORD };
  const signedIn = await app.call('POST', '/api/v1/auth/login', { body: login });
  const ada = { ...shop, token: assertOk(signedIn).body.data.token as string, ...first };
  assertOk(await callCredentials(app, ada, { path: `/${first.id}/confirm`, body: {} }));
  const rita = await createMember(harness, ada, 'reviewer');
  const condition = { field: 'outputDecision.action.tool', operator: 'equals', value: 'wire' };
  const config = { reason: 'Money leaves', approvals: { signed: true } };
  const actions = [{ type: 'flag_for_review', config }];
  const policy = { name: 'Wires', conditions: [condition], actions };
  assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body: policy }));
  const { key } = await createWorkspaceKey(app, ada);
  const body = buildDecision('till', { outputDecision: { action: { tool: 'wire', amount: 9 } } });
  const { traceId } = assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body.data;

  const { page, faults, close } = await openConsole(chromium.browser, named, {
    token: rita.token,
    isFirst: true,
  });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  await page.goto('/console/settings/security');
  await page.getByRole('button', { name: 'Enrol a passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Laptop');
  await dialog.getByLabel('Your password').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Enrol' }).click();
  const laptop = page.getByRole('group', { name: 'Laptop' });
  await laptop.getByText('Waits for its confirmation').waitFor();
  const own = await callCredentials(app, rita, { method: 'GET' });
  const [{ id }] = assertOk(own).body.data as [{ id: string }];
  assertOk(await confirm(app, ada, id));
  await page.reload();
  await laptop.getByText('Counts').waitFor();

  await page.goto(`/console/review/${traceId}`);
  const chosen = page.getByRole('region', { name: 'Chosen decision' });
  await chosen.getByRole('button', { name: /^Approve/ }).click();
  const readReview = async () =>
    (await app.call('GET', `/api/v1/review-queue/${traceId}`, { token: ada.token })).body.data;
  await expect.poll(async () => (await readReview()).status, { timeout: 10_000 }).toBe('approved');
  const entry = await harness.db.collection('ledger').findOne({ traceId, kind: 'review' });
  expect(JSON.parse(String(entry?.['view'])).commitments).toMatchObject({
    statement: expect.any(String),
    assertion: expect.any(String),
    credential: expect.any(String),
  });
  expect(faults).toEqual([]);
  await close();
});
