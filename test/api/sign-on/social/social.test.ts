// Social login at three providers: redirects, new accounts, linked accounts.
import { describe, expect, test } from 'vitest';
import { Browser, parseLanding, SESSION, TEMP_TOKEN } from '../../../setup/browser.ts';
import { listAuditEntries, toObjectId, startHarness } from '../../../setup/harness.ts';
import { parseAuthorization, type Claims } from '../../../setup/providers/identity-provider.ts';
import { assertOk, type Owner } from '../../../setup/personas.ts';
import { registerFactor } from '../../../setup/second-factor.ts';
import type { Answer } from '../../../setup/start-app.ts';
import {
  HOME,
  ENTRA,
  TENANT,
  ended,
  signedIn,
  refused,
  tokenIn,
  socialStage,
} from './social-stage.ts';

const stage = socialStage();
const {
  clock,
  person,
  start,
  setOut,
  byGoogle,
  byEntra,
  byGitHub,
  me,
  login,
  users,
  registered,
  parts,
} = stage;

describe('the redirect', () => {
  test('leads to the provider of each login, with PKCE and a state for this browser', async () => {
    const ways = [
      ['oauth-a', `${stage.google.issuer}/authorize`, 'openid email profile', null],
      ['oauth-b', `${stage.gitHub.issuer}/authorize`, 'read:user user:email', null],
      ['oauth-c', `${ENTRA}/common/v2.0/authorize`, 'openid email profile', 'select_account'],
    ] as const;
    for (const [door, at, scope, prompt] of ways) {
      const browser = new Browser(stage.harness.app);
      const location = await setOut(browser, door);
      const { params, redirectUri, state, challenge } = parseAuthorization(location);
      expect([location.split('?')[0], params.get('scope'), params.get('prompt')]).toEqual([
        at,
        scope,
        prompt,
      ]);
      expect(redirectUri).toBe(`https://assay.example.com/api/v1/auth/${door}/callback`);
      expect([state, challenge]).toEqual([
        expect.stringMatching(/^[\w-]{43}$/),
        expect.stringMatching(/^[\w-]{43}$/),
      ]);
      expect(browser.cookies.size).toBe(1);
    }
  });

  test('accepts only allowed return addresses', async () => {
    const evil = await start(
      new Browser(stage.harness.app),
      'oauth-b',
      '?returnTo=https://evil.example.net/',
    );
    expect([evil.status, evil.body.code, evil.headers.getSetCookie()]).toEqual([
      400,
      'VALIDATION_ERROR',
      [],
    ]);
    const good = await start(
      new Browser(stage.harness.app),
      'oauth-b',
      `?returnTo=${encodeURIComponent(`${HOME}?a=1`)}`,
    );
    expect(good.status).toBe(302);
  });

  test('is refused when nothing is set up, and returns with a code when the provider does not answer', async () => {
    const other = await startHarness({
      ASSAY_RETURN_URLS: HOME,
      ASSAY_OAUTH_A_ISSUER: 'http://127.0.0.1:9',
      ASSAY_OAUTH_A_CLIENT_ID: 'x',
      ASSAY_OAUTH_A_CLIENT_SECRET: 'y',
    });
    const [down, unset] = [
      await start(new Browser(other.app), 'oauth-a'),
      await start(new Browser(other.app), 'oauth-c'),
    ];
    expect(ended(down)).toEqual(refused('IDENTITY_PROVIDER_UNAVAILABLE'));
    expect([unset.status, unset.body.code]).toEqual([404, 'NOT_FOUND']);
    const back = await other.app.call('GET', '/api/v1/auth/oauth-c/callback?code=x&state=y');
    expect([back.status, back.body.code]).toEqual([404, 'NOT_FOUND']);
    await other.stop();
  });
});

describe('a new user', () => {
  test('gets an account and an organisation, and is the same ever after, whatever the address says', async () => {
    const one = person();
    const { answer } = await byGoogle(one);
    expect(ended(answer)).toEqual(signedIn);
    expect(answer.headers.getSetCookie().find((text) => text.startsWith(SESSION))).toMatch(
      /Max-Age=604800; .*HttpOnly/,
    );
    const first = await me(answer);
    expect([first.user.email, first.user.name, first.organization.name, first.role]).toEqual([
      ...[one.email, one.name, one.name],
      'owner',
    ]);
    const again = await byGoogle({ ...one, email: 'renamed@example.net' });
    expect((await me(again.answer)).user._id).toBe(first.user._id);
    expect(await users({ email: 'renamed@example.net' })).toBe(0);
    const entries = await listAuditEntries(
      stage.harness.app,
      { token: tokenIn(answer) } as Owner,
      'action=auth.login',
    );
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({
      status: 'success',
      userEmail: one.email,
      metadata: { method: 'oauth', provider: 'oauth-a', jti: expect.any(String) },
    });
  });

  test('hands the token to the page once', async () => {
    const { browser, answer } = await byGoogle(person());
    const exchanged = await browser.call('GET', '/api/v1/auth/oauth-token');
    expect([exchanged.body.data.token, exchanged.headers.get('cache-control')]).toEqual([
      tokenIn(answer),
      'no-store',
    ]);
    expect((await browser.call('GET', '/api/v1/auth/oauth-token')).body.code).toBe('NO_TOKEN');
  });

  test('comes by GitHub with the verified primary address, and is known by the number', async () => {
    const id = 583_231;
    const emails = [
      { email: 'other@example.net', primary: false, verified: true },
      { email: 'Octo@example.net', primary: true, verified: true },
    ];
    const first = await me((await byGitHub({ id, login: 'octo', name: null }, emails)).answer);
    expect([first.user.email, first.user.name]).toEqual(['octo@example.net', 'octo']);
    const renamed = [{ email: 'new@example.net', primary: true, verified: true }];
    const again = await me((await byGitHub({ id, login: 'renamed' }, renamed)).answer);
    expect(again.user._id).toBe(first.user._id);
  });

  test.for([true, 1, '1', 'true'])(
    'comes by Entra when the domain’s owner gave the address: %s',
    async (xms_edov) => {
      const one = person({ email_verified: undefined, xms_edov });
      expect((await me((await byEntra(one)).answer)).user.email).toBe(one.email);
      const user = await stage.harness.db.collection('users').findOne({ email: one.email });
      expect(user?.identities).toMatchObject([
        { issuer: `${ENTRA}/${TENANT}/v2.0`, subject: one.sub },
      ]);
    },
  );

  test('twenty times at once with one code: one session, one account', async () => {
    const one = person();
    const browser = new Browser(stage.harness.app);
    const back = stage.google.authorizePerson(await setOut(browser, 'oauth-a'), one);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const path = `/api/v1/auth/oauth-a/callback?${new URLSearchParams(back).toString()}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        stage.harness.app.call('GET', path, { headers: { cookie } }),
      ),
    );
    expect(answers.filter((answer) => ended(answer).session)).toHaveLength(1);
    expect(
      answers.filter((answer) => parseLanding(answer).query.error === 'INVALID_TOKEN'),
    ).toHaveLength(19);
    expect(await users({ email: one.email })).toBe(1);
  });

  test('in two browsers at once is one account', async () => {
    const one = person();
    const answers = await Promise.all([byGoogle(one), byGoogle(one), byGoogle(one)]);
    expect(answers.filter(({ answer }) => ended(answer).session).length).toBeGreaterThan(0);
    expect(await users({ email: one.email })).toBe(1);
    expect((await byGoogle(one)).answer.status).toBe(302);
  });

  test('is not taken in where registration is closed, and who is known comes in', async () => {
    const closed = await startHarness(
      { ...stage.environment, REGISTRATION: 'invite' },
      { ...parts, mongoUri: stage.harness.mongoUri },
    );
    const known = person();
    await byGoogle(known);
    const come = async (claims: Claims): Promise<Answer> => {
      const browser = new Browser(closed.app);
      return browser.returnFromProvider(
        'oauth-a/callback',
        stage.google.authorizePerson(await setOut(browser, 'oauth-a'), claims),
      );
    };
    const one = person();
    expect(ended(await come(one))).toEqual(refused('FORBIDDEN'));
    expect(await users({ email: one.email })).toBe(0);
    expect(ended(await come(known))).toEqual(signedIn);
    await closed.stop();
  });
});

describe('a user with an account', () => {
  test('is linked to it by a verified address, and keeps the password', async () => {
    const registrant = await registered(true);
    const { answer } = await byGoogle(person({ email: registrant.email.toUpperCase() }));
    expect((await me(answer)).user._id).toBe(registrant.userId);
    expect((await login(registrant.email)).status).toBe(200);
  });

  test('with an unproved address: the password of the registrant ends', async () => {
    const stranger = await registered(false);
    const { answer } = await byGoogle(person({ email: stranger.email }));
    expect((await me(answer)).user._id).toBe(stranger.userId);
    expect((await login(stranger.email)).body.code).toBe('INVALID_CREDENTIALS');
    const stale = await stage.harness.app.call('GET', '/api/v1/auth/me', { token: stranger.token });
    expect(stale.body.code).toBe('SESSION_REVOKED');
  });

  test('gives the second factor too', async () => {
    const one = person();
    const authenticator = await registerFactor(
      stage.harness.app,
      clock,
      tokenIn((await byGoogle(one)).answer),
    );
    const { answer, browser } = await byGoogle(one);
    expect(ended(answer)).toEqual({
      status: 302,
      at: HOME,
      query: { ssoMfa: '1' },
      session: false,
    });
    const exchanged = await browser.call('GET', '/api/v1/auth/sso/mfa-exchange');
    const body = {
      tempToken: exchanged.body.data.tempToken as string,
      code: authenticator.generateNextCode(),
    };
    const { token } = assertOk(
      await stage.harness.app.call('POST', '/api/v1/auth/mfa/login', { body }),
    ).body.data;
    const [entry] = await listAuditEntries(
      stage.harness.app,
      { token } as Owner,
      'action=auth.login',
    );
    expect(entry?.metadata).toMatchObject({
      method: 'oauth',
      provider: 'oauth-a',
      secondFactor: 'totp',
    });
    expect((await browser.call('GET', '/api/v1/auth/sso/mfa-exchange')).body.code).toBe('NO_TOKEN');
    const used = await stage.harness.app.call('GET', '/api/v1/auth/sso/mfa-exchange', {
      headers: { cookie: `${TEMP_TOKEN}=${body.tempToken}` },
    });
    expect([used.status, used.body.code]).toEqual([401, 'TOKEN_REVOKED']);
  });

  test('and is suspended everywhere stays outside, which is audited', async () => {
    const one = person();
    const { answer } = await byGoogle(one);
    const { user } = await me(answer);
    const where = { userId: toObjectId(user._id as string) };
    await stage.harness.db
      .collection('memberships')
      .updateMany(where, { $set: { isActive: false, deactivatedBy: 'team' } });
    expect(ended((await byGoogle(one)).answer)).toEqual(refused('ACCOUNT_DEACTIVATED'));
    await stage.harness.db
      .collection('memberships')
      .updateMany(where, { $set: { isActive: true, deactivatedBy: null } });
    const noted = () =>
      listAuditEntries(
        stage.harness.app,
        { token: tokenIn(answer) } as Owner,
        'action=auth.login&status=failure',
      );
    await expect.poll(noted).toMatchObject([{ metadata: { method: 'oauth' } }]);
  });
});
