// Sessions in a browser: registering, signing in with and without a second factor, and a session that ends elsewhere.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHarness } from '../setup/fixtures.ts';
import { startHarness } from '../setup/harness.ts';
import { startOpenIdProvider } from '../setup/providers/openid-provider.ts';
import { claimDomain } from '../setup/providers/sso.ts';
import { assertOk, createOwner, PASSWORD } from '../setup/personas.ts';
import { Authenticator, MovedClock } from '../setup/second-factor.ts';
import { useChromium } from './setup/chromium.ts';
import { startFront } from './setup/front.ts';
import { createRefund, postDecision } from './setup/shop.ts';
import { openConsole } from './setup/visit.ts';

const clock = new MovedClock();
const harness = useHarness({}, { consoleFolder: resolve('dist/console'), clock });
const { app } = harness;
const chromium = useChromium();

test('from registering to a verified chain, each step ticked off as it happens', async () => {
  const { page, faults, close } = await openConsole(chromium.browser, app);
  await page.goto('/console/register');
  await page.getByLabel('Your name').fill('Grace');
  await page.getByLabel('Organisation').fill('Grace Ltd');
  await page.getByLabel('E-mail').fill('grace@example.com');
  await page.getByLabel('Password', { exact: false }).first().fill(PASSWORD);
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('button', { name: 'Make a key' }).click();
  const key = (await page.getByRole('group', { name: 'key', exact: true }).textContent()) ?? '';
  await page.getByRole('button', { name: /Money out/ }).click();
  await expect.poll(() => page.getByText('Done', { exact: true }).count()).toBe(2);
  const { traceId, status } = await postDecision(app, key.trim(), createRefund());
  expect(status).toBe('flagged');
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('the chain is intact').waitFor();
  await expect.poll(() => page.getByText('Done', { exact: true }).count()).toBe(4);
  await page.goto(`/console/review/${traceId}`);
  await page.getByRole('button', { name: /^Approve/ }).click();
  await page.goto('/console/start');
  await expect.poll(() => page.getByText('Done', { exact: true }).count()).toBe(5);
  expect(faults).toEqual([]);
  await close();
});

test('a password and a code of the authenticator, then back to where the link led', async () => {
  const owner = await createOwner(app, 'Mina');
  const setup = assertOk(
    await app.call('POST', '/api/v1/auth/mfa/setup', { token: owner.token, body: {} }),
  );
  const authenticator = new Authenticator(clock, setup.body.data.secret);
  const body = { code: authenticator.code() };
  assertOk(await app.call('POST', '/api/v1/auth/mfa/enable', { token: owner.token, body }));
  const { page, close } = await openConsole(chromium.browser, app);
  await page.goto('/console/review?status=approved');
  await page.waitForURL('**/console/sign-in?**');
  await page.getByLabel('E-mail').fill(owner.email);
  await page.getByLabel('Password', { exact: false }).first().fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('Code').fill(authenticator.generateNextCode());
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/console/review?status=approved');
  const cookies = await page.context().cookies(`${app.url}/api/`);
  expect(cookies).toMatchObject([{ name: 'assay_session', httpOnly: true, sameSite: 'Strict' }]);
  expect(await page.evaluate(() => document.cookie + JSON.stringify(localStorage))).not.toContain(
    'eyJ',
  );
  await close();
});

/** Signs a person in at the provider, where a page has been sent. */
async function signInThere(page: Page, issuer: string): Promise<void> {
  await page.waitForURL(`${issuer}/**`);
  await page.locator('input[name="login"]').fill('kim');
  await page.locator('input[name="password"]').fill('any');
  await page.locator('button[type="submit"]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('single sign-on at a real provider is tested and saved, and leads back to where the link led', async () => {
  // A provider returns to the address that it knows before the service has a port.
  const front = await startFront();
  const company = await startHarness(
    { ASSAY_OUTBOUND_ALLOW: '127.0.0.1', ASSAY_PUBLIC_URL: front.url },
    { consoleFolder: resolve('dist/console') },
  );
  front.leadTo(company.app.url);
  const owner = await createOwner(company.app, 'Sol');
  await claimDomain(company, owner, 'sol.example.org');
  const client = { clientId: 'sol', clientSecret: 'a secret of both sides, for the tests only' };
  const redirectUri = `${front.url}/api/v1/auth/sso/callback/${owner.organizationId}`;
  const provider = await startOpenIdProvider([{ ...client, redirectUri }]);
  const email = 'kim@sol.example.org';
  provider.people.set('kim', { email, email_verified: true, name: 'Kim', groups: [] });
  const at = { ...company.app, url: front.url };
  const settings = await openConsole(chromium.browser, at, { token: owner.token });
  await settings.page.goto('/console/settings/sign-on');
  await settings.page.getByLabel('Issuer').fill(provider.issuer);
  await settings.page.getByLabel('Client id').fill(client.clientId);
  await settings.page.getByLabel('Client secret', { exact: false }).first().fill('wrong');
  await settings.page.getByLabel('The first sign-on makes a membership').check();
  await tryOut('This person would be refused');
  await settings.page.getByRole('alert').getByText('invalid_client').waitFor();
  await settings.page.getByRole('button', { name: 'Close' }).click();
  await settings.page
    .getByLabel('Client secret', { exact: false })
    .first()
    .fill(client.clientSecret);
  await tryOut('This person would come in');
  const sent = settings.page.getByRole('table', { name: 'What the provider sent' });
  await sent.getByText('kim', { exact: true }).waitFor();
  await settings.page.getByText('A new member').waitFor();
  const { settings: saved } = await readSettings();
  expect(saved).toBeNull();
  await settings.page.getByRole('button', { name: 'Close' }).click();
  await settings.page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await settings.page.getByText('The sign-on is saved').waitFor();
  expect(settings.faults).toEqual([]);
  await settings.close();
  const { page, close } = await openConsole(chromium.browser, at);
  await page.goto('/console/policies');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Single sign-on' }).click();
  await signInThere(page, provider.issuer);
  await page.waitForURL('**/console/policies');
  await page.getByRole('heading', { name: 'Policies', exact: true }).waitFor();
  await close();
  await provider.stop();
  await company.stop();
  await front.stop();

  async function readSettings() {
    const { token } = owner;
    return assertOk(await company.app.call('GET', '/api/v1/organization/sso', { token })).body.data;
  }

  async function tryOut(outcome: string): Promise<void> {
    await settings.page.getByRole('button', { name: 'Test it', exact: true }).click();
    const opened = settings.page.context().waitForEvent('page');
    await settings.page.getByRole('link', { name: 'Go to the provider' }).click();
    const tab = await opened;
    // The second time the provider knows who is there.
    const login = tab.locator('input[name="login"]');
    const consent = tab.getByRole('button', { name: 'Continue' });
    await login.or(consent).or(tab.getByText('No one was signed in')).first().waitFor();
    if (await login.isVisible()) await signInThere(tab, provider.issuer);
    else if (await consent.isVisible()) await consent.click();
    await tab.getByText('No one was signed in').waitFor();
    await tab.close();
    await settings.page.getByText(outcome).waitFor();
  }
});

test('a session that ends elsewhere leads to the sign-in page, which says so, with no one at the page', async () => {
  const owner = await createOwner(app, 'Olga');
  const { page, close } = await openConsole(chromium.browser, app, { token: owner.token });
  await page.goto('/console/live');
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  // From now on the stream alone can notice.
  await page.route(/\/api\/v1\/(?!auth\/stream-token|traces\/stream)/, (route) => route.abort());
  assertOk(await app.call('POST', '/api/v1/auth/revoke-sessions', { token: owner.token }));
  await page.getByText('Your session has ended').waitFor();
  await close();
});

test('a wrong password says what to do, with the id of the request', async () => {
  const owner = await createOwner(app, 'Wanda');
  const { page, close } = await openConsole(chromium.browser, app);
  await page.goto('/console/sign-in');
  await page.getByLabel('E-mail').fill(owner.email);
  await page.getByLabel('Password', { exact: false }).first().fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  expect(await page.getByRole('alert').textContent()).toMatch(
    /INVALID_CREDENTIALS · request \S{8,}/,
  );
  await close();
});

test('what is refused while a person signs out does not say that the session ended elsewhere', async () => {
  const owner = await createOwner(app, 'Yara');
  const { page, close } = await openConsole(chromium.browser, app, { token: owner.token });
  await page.goto('/console/start');
  await page.route('**/auth/logout', async (route) => {
    const answer = await route.fetch();
    const isRefused = page.waitForResponse((response) => response.status() === 401);
    await page.evaluate(() =>
      document.querySelector<HTMLElement>('a[href="/console/usage"]')?.click(),
    );
    await isRefused;
    await sleep(500);
    await route.fulfill({ response: answer });
  });
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect.poll(() => page.url(), { timeout: 20_000 }).toContain('/console/sign-in');
  expect(new URL(page.url()).search).toBe('');
  await close();
});

test('signing out ends the session at the service too', async () => {
  const owner = await createOwner(app, 'Zoe');
  const { page, close } = await openConsole(chromium.browser, app, { token: owner.token });
  await page.goto('/console/start');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/console/sign-in');
  expect((await app.call('GET', '/api/v1/auth/me', { token: owner.token })).status).toBe(401);
  await close();
});
