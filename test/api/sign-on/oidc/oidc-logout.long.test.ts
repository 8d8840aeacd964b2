// Logout with OpenID Connect: by the provider over the back channel, begun here, and what must end nothing.
// @module-tag long
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { useFixture, useHarness } from '../../../setup/fixtures.ts';
import { Browser, parseLanding } from '../../../setup/browser.ts';
import { listAuditEntries } from '../../../setup/harness.ts';
import { startHandmadeProvider, type Claims } from '../../../setup/providers/identity-provider.ts';
import { assertOk } from '../../../setup/personas.ts';
import {
  setSsoConfig,
  createSsoOrganization,
  readSession,
  signOn,
  type SsoOrganization,
} from '../../../setup/providers/sso.ts';
import type { Answer } from '../../../setup/start-app.ts';

const PUBLIC = 'https://assay.example.com';
const HOME = 'https://app.example.com/';
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let home: SsoOrganization;
const provider = useFixture(startHandmadeProvider, (started) => started.stop());
const harness = useHarness({
  ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
  ASSAY_PUBLIC_URL: PUBLIC,
  ASSAY_RETURN_URLS: HOME,
});
beforeEach(async () => {
  home = await createSsoOrganization(harness, provider.createRealm());
});

const now = (): number => Math.floor(Date.now() / 1000);
const fresh = (): string => randomBytes(12).toString('hex');
/** The claims of an honest provider when the sessions of a person have ended. */
const createLogoutClaims = (more: Claims = {}): Claims => ({
  iss: home.realm.issuer,
  aud: home.realm.clientId,
  iat: now(),
  exp: now() + 120,
  jti: fresh(),
  events: { [EVENT]: {} },
  ...more,
});
const signed = (claims: Claims, header: object = { typ: 'logout+jwt' }): string =>
  home.realm.sign(claims, header);

const send = (logout_token: string, at: SsoOrganization = home): Promise<Answer> =>
  harness.app.call('POST', `/api/v1/auth/sso/backchannel-logout/${at.owner.organizationId}`, {
    raw: new URLSearchParams({ logout_token }).toString(),
    headers: FORM,
  });
async function session(sub: string, sid?: string): Promise<string> {
  const person = { sub, email: `${sub}@${home.domain}`, ...(sid !== undefined && { sid }) };
  return readSession((await signOn(harness, home, person)).answer);
}
const statusOf = async (token: string): Promise<number> =>
  (await harness.app.call('GET', '/api/v1/auth/me', { token })).status;

describe('the provider tells', () => {
  test('which session has ended: that one, and what a refresh made of it', async () => {
    const [one, two] = [await session('ada', 's-1'), await session('ada', 's-2')];
    const refreshed = assertOk(
      await harness.app.call('POST', '/api/v1/auth/refresh', { token: one }),
    ).body.data.token as string;
    const answer = assertOk(await send(signed(createLogoutClaims({ sub: 'ada', sid: 's-1' }))));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect([await statusOf(one), await statusOf(refreshed), await statusOf(two)]).toEqual([
      401, 401, 200,
    ]);
    const [entry] = await listAuditEntries(harness.app, home.owner, 'action=auth.logout');
    expect(entry).toMatchObject({
      status: 'success',
      userEmail: `ada@${home.domain}`,
      metadata: { method: 'oidc', by: 'identity_provider', revoked: 1 },
    });
    assertOk(await send(signed(createLogoutClaims({ sid: 's-2' }))));
    expect(await statusOf(two)).toBe(401);
  });

  test('which person has left: all of their sessions end, and no others', async () => {
    const [one, two, other] = [
      await session('ben', 's-3'),
      await session('ben'),
      await session('joe', 's-4'),
    ];
    assertOk(await send(signed(createLogoutClaims({ sub: 'ben' }))));
    expect([await statusOf(one), await statusOf(two), await statusOf(other)]).toEqual([
      401, 401, 200,
    ]);
    // A person without a session here has nothing to end, which is no error.
    assertOk(await send(signed(createLogoutClaims({ sub: 'stranger' }))));
    expect(await statusOf(home.owner.token)).toBe(200);
  });

  test('in a token without a type, for a list of one audience', async () => {
    const token = await session('eve', 's-5');
    const claims = createLogoutClaims({ sub: 'eve', aud: [home.realm.clientId] });
    assertOk(await send(signed(claims, {})));
    expect(await statusOf(token)).toBe(401);
  });

  test('by another claim where that names people', async () => {
    await setSsoConfig(harness, home, { oidc: { subjectClaim: 'oid' } });
    const person = { sub: 'x', oid: 'o-1', sid: 's-6', email: `oid@${home.domain}` };
    const token = readSession((await signOn(harness, home, person)).answer);
    expect((await send(signed(createLogoutClaims({ sub: 'o-1' })))).status).toBe(400);
    expect(await statusOf(token)).toBe(200);
    assertOk(await send(signed(createLogoutClaims({ sub: 'x', sid: 's-6' }))));
    expect(await statusOf(token)).toBe(401);
  });
});

describe('nothing ends', () => {
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const forgeries: Record<string, () => string> = {
    'by nothing': () => '',
    'by no token': () => 'a.b.c',
    'by an ID token': () =>
      signed(
        { ...createLogoutClaims({ sub: 'ada', nonce: 'n' }), events: undefined },
        { typ: 'JWT' },
      ),
    'with a nonce': () => signed(createLogoutClaims({ sub: 'ada', nonce: 'n' })),
    'with the type of another token': () =>
      signed(createLogoutClaims({ sub: 'ada' }), { typ: 'at+jwt' }),
    'signed by a stranger': () =>
      home.realm.sign(createLogoutClaims({ sub: 'ada' }), { typ: 'logout+jwt' }, stranger),
    'signed with the client secret': () =>
      home.realm.sign(
        createLogoutClaims({ sub: 'ada' }),
        { alg: 'HS256' },
        home.realm.clientSecret,
      ),
    unsigned: () => home.realm.sign(createLogoutClaims({ sub: 'ada' }), { alg: 'none' }, null),
    'with an unknown critical header': () =>
      signed(createLogoutClaims({ sub: 'ada' }), { crit: ['x'], x: 1 }),
    'of another issuer': () =>
      signed(createLogoutClaims({ sub: 'ada', iss: `${home.realm.issuer}/` })),
    'without an issuer': () => signed(createLogoutClaims({ sub: 'ada', iss: undefined })),
    'for another client': () => signed(createLogoutClaims({ sub: 'ada', aud: 'other' })),
    'for two clients': () =>
      signed(createLogoutClaims({ sub: 'ada', aud: [home.realm.clientId, 'other'] })),
    'without an audience': () => signed(createLogoutClaims({ sub: 'ada', aud: undefined })),
    expired: () => signed(createLogoutClaims({ sub: 'ada', iat: now() - 200, exp: now() - 100 })),
    'too old': () => signed(createLogoutClaims({ sub: 'ada', iat: now() - 400 })),
    'of the future': () =>
      signed(createLogoutClaims({ sub: 'ada', iat: now() + 200, exp: now() + 400 })),
    'without a time': () => signed(createLogoutClaims({ sub: 'ada', iat: undefined })),
    'without an identifier': () => signed(createLogoutClaims({ sub: 'ada', jti: undefined })),
    'with an identifier that is no text': () => signed(createLogoutClaims({ sub: 'ada', jti: 7 })),
    'without an event': () => signed(createLogoutClaims({ sub: 'ada', events: undefined })),
    'with another event': () => signed(createLogoutClaims({ sub: 'ada', events: { other: {} } })),
    'with an event that is no object': () =>
      signed(createLogoutClaims({ sub: 'ada', events: { [EVENT]: 'x' } })),
    'without person and session': () => signed(createLogoutClaims()),
    'with a person that is no text': () =>
      signed(createLogoutClaims({ sub: { $ne: null }, sid: 's' })),
    'with a session that is no text': () =>
      signed(createLogoutClaims({ sub: 'ada', sid: { $ne: null } })),
  };
  test.for(Object.entries(forgeries))('%s', async ([, forge]) => {
    const token = await session('ada', 's-7');
    const answer = await send(forge());
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_TOKEN']);
    expect(await statusOf(token)).toBe(200);
    const [entry] = await listAuditEntries(harness.app, home.owner, 'action=auth.sso.failure');
    expect(entry).toMatchObject({ status: 'failure', detail: expect.stringMatching(/\w/) });
  });

  test('a second time, nor by a token for another organisation', async () => {
    const other = await createSsoOrganization(harness, provider.createRealm());
    const token = signed(createLogoutClaims({ sub: 'ada' }));
    const first = await session('ada', 's-8');
    expect((await send(token, other)).status).toBe(400);
    expect(await statusOf(first)).toBe(200);
    assertOk(await send(token));
    expect(await statusOf(first)).toBe(401);
    const second = await session('ada', 's-8');
    expect((await send(token)).body.code).toBe('INVALID_TOKEN');
    expect(await statusOf(second)).toBe(200);
  });

  test('at an organisation that has no such sign-on', async () => {
    const path = `/api/v1/auth/sso/backchannel-logout/${'0'.repeat(24)}`;
    const answer = await harness.app.call('POST', path, { raw: 'logout_token=x', headers: FORM });
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('begun here', () => {
  const leave = (browser: Browser, token: string): Promise<Answer> =>
    browser.call('POST', '/api/v1/auth/sso/logout/initiate', { token, body: {} });

  test('every session of the sign-on ends, and the browser goes to the provider and comes back', async () => {
    home.realm.metadata = { end_session_endpoint: `${home.realm.issuer}/logout` };
    const own = await createSsoOrganization(harness, home.realm);
    const person = { sub: 'kim', sid: 's-9', email: `kim@${own.domain}` };
    const { answer, browser } = await signOn(harness, own, person);
    const token = readSession(answer);
    const refreshed = assertOk(await harness.app.call('POST', '/api/v1/auth/refresh', { token }))
      .body.data.token as string;
    const { data } = assertOk(await leave(browser, refreshed)).body;
    expect(data.revoked).toBe(1);
    expect([await statusOf(token), await statusOf(refreshed)]).toEqual([401, 401]);
    const place = new URL(data.redirectUrl as string);
    expect(place.origin + place.pathname).toBe(`${home.realm.issuer}/logout`);
    const { state = '', ...asked } = Object.fromEntries(place.searchParams);
    expect(asked).toEqual({
      client_id: home.realm.clientId,
      logout_hint: 'kim',
      post_logout_redirect_uri: `${PUBLIC}/api/v1/auth/sso/logout/callback`,
    });
    const back = await browser.returnFromProvider('sso/logout/callback', { state });
    expect(parseLanding(back)).toEqual({ status: 302, at: HOME, query: {} });
    const again = await browser.returnFromProvider('sso/logout/callback', { state });
    expect(parseLanding(again).query).toEqual({ error: 'INVALID_TOKEN' });
  });

  test('without such a place at the provider, or without a provider, the session just ends', async () => {
    const token = await session('lea', 's-10');
    for (const one of [token, home.owner.token]) {
      const { data } = assertOk(await leave(new Browser(harness.app), one)).body;
      expect(data).toEqual({ revoked: 1, redirectUrl: null });
      expect(await statusOf(one)).toBe(401);
    }
  });

  test('a provider that cannot be reached keeps no session open, nor one whose place is no web address', async () => {
    for (const end_session_endpoint of ['javascript:alert(1)', 'not an address']) {
      const realm = provider.createRealm();
      const own = await createSsoOrganization(harness, realm);
      const person = { sub: 'max', email: `max@${own.domain}` };
      const token = readSession((await signOn(harness, own, person)).answer);
      realm.metadata = { end_session_endpoint };
      await setSsoConfig(harness, { owner: own.owner, realm }, { oidc: { clientSecret: fresh() } });
      const { data } = assertOk(await leave(new Browser(harness.app), token)).body;
      expect(data).toEqual({ revoked: 1, redirectUrl: null });
      expect(await statusOf(token)).toBe(401);
    }
  });
});
