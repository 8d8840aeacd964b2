// A real OpenID provider as the peer: sign-on of an organisation, and social login.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, readCookie, parseLanding, SESSION } from '../../../setup/browser.ts';
import { startHarness, type Harness } from '../../../setup/harness.ts';
import {
  startOpenIdProvider,
  type OpenIdProvider,
} from '../../../setup/providers/openid-provider.ts';
import { assertOk, createOwner, type Owner } from '../../../setup/personas.ts';
import { claimDomain, beginLogin } from '../../../setup/providers/sso.ts';
import type { Answer } from '../../../setup/start-app.ts';

const HOME = 'https://app.example.com/signed-on';
const AUTH = 'https://assay.example.com/api/v1/auth';
const secrets = { clientSecret: 'a secret of both sides, for the tests only' };
const ours = { ...secrets, clientId: 'company' };
const social = { ...secrets, clientId: 'everybody', redirectUri: `${AUTH}/oauth-a/callback` };

let provider: OpenIdProvider;
/** The organisation's, which has to know its return address. */
let company: OpenIdProvider;
let harness: Harness;
let owner: Owner;
beforeAll(async () => {
  provider = await startOpenIdProvider([social]);
  harness = await startHarness({
    ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
    ASSAY_PUBLIC_URL: 'https://assay.example.com',
    ASSAY_RETURN_URLS: HOME,
    ASSAY_OAUTH_A_ISSUER: provider.issuer,
    ASSAY_OAUTH_A_CLIENT_ID: social.clientId,
    ASSAY_OAUTH_A_CLIENT_SECRET: social.clientSecret,
  });
  owner = await createOwner(harness.app, 'Owner');
  await claimDomain(harness, owner, 'company.example.org');
  company = await startOpenIdProvider([
    { ...ours, redirectUri: `${AUTH}/sso/callback/${owner.organizationId}` },
  ]);
  const { clientId, clientSecret } = ours;
  const put = (path: string, body: object): Promise<Answer> =>
    harness.app.call('PUT', `/api/v1/organization/${path}`, { token: owner.token, body });
  assertOk(
    await put('sso', {
      provider: 'oidc',
      oidc: { issuer: company.issuer, clientId, clientSecret },
    }),
  );
  assertOk(await put('role-mapping', { rules: [{ pattern: 'auditors', role: 'auditor' }] }));
});
afterAll(async () => {
  await harness.stop();
  await provider.stop();
  await company.stop();
});

const whoIs = async (answer: Answer): Promise<Answer['body']> =>
  assertOk(
    await harness.app.call('GET', '/api/v1/auth/me', { token: readCookie(answer, SESSION) ?? '' }),
  ).body.data;

test('an organisation’s people sign on there, with their groups', async () => {
  const ada = {
    email: 'ada@company.example.org',
    email_verified: true,
    name: 'Ada',
    groups: ['the auditors'],
  };
  company.people.set('ada', ada);
  const browser = new Browser(harness.app);
  const { redirectUrl } = assertOk(await beginLogin(browser, ada.email)).body.data;
  const back = await company.visit(redirectUrl as string, 'ada');
  expect(back.get('iss')).toBe(company.issuer);
  const callback = `sso/callback/${owner.organizationId}`;
  const answer = await browser.returnFromProvider(callback, back);
  expect(parseLanding(answer)).toEqual({ status: 302, at: HOME, query: {} });
  const { user, role, organization } = await whoIs(answer);
  expect([user.email, user.name, role, organization._id]).toEqual([
    ada.email,
    'Ada',
    'auditor',
    owner.organizationId,
  ]);
  // The same code once more, with a state of its own.
  const again = assertOk(await beginLogin(browser, ada.email)).body.data.redirectUrl as string;
  const replayed = new URLSearchParams(back);
  replayed.set('state', new URL(again).searchParams.get('state') ?? '');
  expect(parseLanding(await browser.returnFromProvider(callback, replayed)).query).toEqual({
    error: 'TOKEN_VERIFICATION_FAILED',
  });
});

test('any user signs in there with a verified address, and none with another one', async () => {
  const bob = { email: 'bob@example.net', email_verified: true, name: 'Bob', groups: [] };
  provider.people
    .set('bob', bob)
    .set('eve', { ...bob, email: 'eve@example.net', email_verified: false });
  const come = async (name: string): Promise<Answer> => {
    const browser = new Browser(harness.app);
    const { headers } = await browser.call('GET', '/api/v1/auth/oauth-a');
    return browser.returnFromProvider(
      'oauth-a/callback',
      await provider.visit(headers.get('location') ?? '', name),
    );
  };
  const answer = await come('bob');
  expect(parseLanding(answer).query).toEqual({});
  expect((await whoIs(answer)).user.email).toBe(bob.email);
  expect(parseLanding(await come('eve')).query).toEqual({ error: 'FORBIDDEN' });
});
