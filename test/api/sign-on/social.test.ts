// Social login: three providers, whom they let in, and everything that must not let anybody in.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser, cookieIn, landing, SESSION, TEMP_TOKEN } from '../../setup/browser.ts';
import { auditOf, objectId, startHarness, type Harness } from '../../setup/harness.ts';
import {
  askedBy,
  newKey,
  says,
  startHandmadeProvider,
  type Asked,
  type Claims,
  type HandmadeProvider,
  type Realm,
} from '../../setup/providers/identity-provider.ts';
import { ok, createOwner, PASSWORD, type Owner } from '../../setup/personas.ts';
import { enrol, MovedClock } from '../../setup/second-factor.ts';
import type { Answer } from '../../setup/start-app.ts';

const HOME = 'https://app.example.com/signed-on';
const ENTRA = 'https://login.microsoftonline.com';
const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';
const clock = new MovedClock();
const foreign = newKey();

let harness: Harness;
let provider: HandmadeProvider;
let google: Realm;
let gitHub: Realm;
let entra: Realm;
let environment: Record<string, string>;
const parts = {
  clock,
  // Entra is known by its name, so that is what it is called; it answers on the loopback.
  fetch: ((url: string, options?: RequestInit) =>
    fetch(url.replace(ENTRA, provider.origin), options)) as typeof globalThis.fetch,
};
beforeAll(async () => {
  provider = await startHandmadeProvider();
  [google, gitHub, entra] = [
    provider.realm(),
    provider.realm(),
    provider.realm(`${ENTRA}/common/v2.0`),
  ];
  entra.metadata = { issuer: `${ENTRA}/{tenantid}/v2.0` };
  const client = (letter: string, { clientId, clientSecret }: Realm) => ({
    [`ASSAY_OAUTH_${letter}_CLIENT_ID`]: clientId,
    [`ASSAY_OAUTH_${letter}_CLIENT_SECRET`]: clientSecret,
  });
  environment = {
    ASSAY_PUBLIC_URL: 'https://assay.example.com',
    ASSAY_RETURN_URLS: HOME,
    ASSAY_OAUTH_A_ISSUER: google.issuer,
    ASSAY_OAUTH_B_AUTHORIZATION_URL: `${gitHub.issuer}/authorize`,
    ASSAY_OAUTH_B_TOKEN_URL: `${gitHub.issuer}/token`,
    ASSAY_OAUTH_B_API_URL: gitHub.issuer,
    ...client('A', google),
    ...client('B', gitHub),
    ...client('C', entra),
  };
  harness = await startHarness(environment, parts);
});
afterAll(async () => {
  await harness.stop();
  await provider.stop();
});

type Door = 'oauth-a' | 'oauth-b' | 'oauth-c';
let made = 0;
/** Somebody at a provider, whose address it vouches for. */
const person = (more: Claims = {}): Claims & { sub: string; email: string } => {
  made += 1;
  return {
    sub: `s${made}`,
    email: `s${made}@example.net`,
    email_verified: true,
    name: `Sam ${made}`,
    ...more,
  };
};
const start = (browser: Browser, door: Door, query = ''): Promise<Answer> =>
  browser.call('GET', `/api/v1/auth/${door}${query}`);
async function setOut(browser: Browser, door: Door): Promise<string> {
  const { status, headers } = await start(browser, door);
  expect(status).toBe(302);
  return headers.get('location') ?? '';
}

/** The whole way through one door, with what the provider says there. */
async function through(
  door: Door,
  answer: (asked: Asked) => { realm: Realm; idToken: string | null },
) {
  const browser = new Browser(harness.app);
  const asked = askedBy(await setOut(browser, door));
  const { realm, idToken } = answer(asked);
  const back = { code: realm.code(asked, idToken), state: asked.state };
  return { browser, back, answer: await browser.back(`${door}/callback`, back) };
}
const byGoogle = (claims: Claims) =>
  through('oauth-a', (asked) => ({
    realm: google,
    idToken: google.sign(google.claims(asked, claims)),
  }));
const byEntra = (claims: Claims) =>
  through('oauth-c', (asked) => {
    const mine = { iss: `${ENTRA}/${TENANT}/v2.0`, tid: TENANT, ...claims };
    return { realm: entra, idToken: entra.sign(entra.claims(asked, mine)) };
  });
function byGitHub(user: unknown, emails: unknown) {
  gitHub.tricks = { user: says(user), 'user/emails': says(emails) };
  return through('oauth-b', () => ({ realm: gitHub, idToken: null }));
}

const ended = (answer: Answer) => ({
  ...landing(answer),
  session: cookieIn(answer, SESSION) !== null,
});
const signedIn = { status: 302, at: HOME, query: {}, session: true };
const refused = (error: string) => ({ status: 302, at: HOME, query: { error }, session: false });
const tokenIn = (answer: Answer): string => cookieIn(answer, SESSION) ?? '';
const me = async (answer: Answer): Promise<Answer['body']> =>
  ok(await harness.app.call('GET', '/api/v1/auth/me', { token: tokenIn(answer) })).body.data;
const login = (email: string): Promise<Answer> =>
  harness.app.call('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
const users = (where: object) => harness.db.collection('users').countDocuments(where);
/** An account made with a password; nobody has proved its address unless `proved`. */
async function registered(proved: boolean): Promise<Owner> {
  const somebody = await createOwner(harness.app, 'Reg');
  if (proved)
    await harness.db
      .collection('users')
      .updateOne({ _id: objectId(somebody.userId) }, { $set: { emailVerifiedAt: new Date() } });
  return somebody;
}

describe('setting out', () => {
  test('each to its own provider, with PKCE and a state of this browser', async () => {
    const ways = [
      ['oauth-a', `${google.issuer}/authorize`, 'openid email profile', null],
      ['oauth-b', `${gitHub.issuer}/authorize`, 'read:user user:email', null],
      ['oauth-c', `${ENTRA}/common/v2.0/authorize`, 'openid email profile', 'select_account'],
    ] as const;
    for (const [door, at, scope, prompt] of ways) {
      const browser = new Browser(harness.app);
      const location = await setOut(browser, door);
      const { params, redirectUri, state, challenge } = askedBy(location);
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

  test('only towards an allowed address', async () => {
    const evil = await start(
      new Browser(harness.app),
      'oauth-b',
      '?returnTo=https://evil.example.net/',
    );
    expect([evil.status, evil.body.code, evil.headers.getSetCookie()]).toEqual([
      400,
      'VALIDATION_ERROR',
      [],
    ]);
    const good = await start(
      new Browser(harness.app),
      'oauth-b',
      `?returnTo=${encodeURIComponent(`${HOME}?a=1`)}`,
    );
    expect(good.status).toBe(302);
  });

  test('not at all where nothing is set up; back with a code where nobody answers', async () => {
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

describe('somebody new', () => {
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
    const entries = await auditOf(
      harness.app,
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
      const user = await harness.db.collection('users').findOne({ email: one.email });
      expect(user?.identities).toMatchObject([
        { issuer: `${ENTRA}/${TENANT}/v2.0`, subject: one.sub },
      ]);
    },
  );

  test('twenty times at once with one code: one session, one account', async () => {
    const one = person();
    const browser = new Browser(harness.app);
    const back = google.vouch(await setOut(browser, 'oauth-a'), one);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const path = `/api/v1/auth/oauth-a/callback?${new URLSearchParams(back).toString()}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => harness.app.call('GET', path, { headers: { cookie } })),
    );
    expect(answers.filter((answer) => ended(answer).session)).toHaveLength(1);
    expect(
      answers.filter((answer) => landing(answer).query.error === 'INVALID_TOKEN'),
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
      { ...environment, REGISTRATION: 'invite' },
      { ...parts, mongoUri: harness.mongoUri },
    );
    const known = person();
    await byGoogle(known);
    const come = async (claims: Claims): Promise<Answer> => {
      const browser = new Browser(closed.app);
      return browser.back(
        'oauth-a/callback',
        google.vouch(await setOut(browser, 'oauth-a'), claims),
      );
    };
    const one = person();
    expect(ended(await come(one))).toEqual(refused('FORBIDDEN'));
    expect(await users({ email: one.email })).toBe(0);
    expect(ended(await come(known))).toEqual(signedIn);
    await closed.stop();
  });
});

describe('somebody who has an account', () => {
  test('is linked to it by a verified address, and keeps the password', async () => {
    const somebody = await registered(true);
    const { answer } = await byGoogle(person({ email: somebody.email.toUpperCase() }));
    expect((await me(answer)).user._id).toBe(somebody.userId);
    expect((await login(somebody.email)).status).toBe(200);
  });

  test('that nobody had proved: whoever set its password is out', async () => {
    const stranger = await registered(false);
    const { answer } = await byGoogle(person({ email: stranger.email }));
    expect((await me(answer)).user._id).toBe(stranger.userId);
    expect((await login(stranger.email)).body.code).toBe('INVALID_CREDENTIALS');
    const stale = await harness.app.call('GET', '/api/v1/auth/me', { token: stranger.token });
    // The organisation that they had begun has ended.
    expect(stale.body.code).toBe('UNAUTHORIZED_NO_USER');
  });

  test('gives the second factor too', async () => {
    const one = person();
    const authenticator = await enrol(harness.app, clock, tokenIn((await byGoogle(one)).answer));
    const { answer, browser } = await byGoogle(one);
    expect(ended(answer)).toEqual({
      status: 302,
      at: HOME,
      query: { ssoMfa: '1' },
      session: false,
    });
    const exchanged = await browser.call('GET', '/api/v1/auth/sso/mfa-exchange');
    const body = { tempToken: exchanged.body.data.tempToken as string, code: authenticator.next() };
    const { token } = ok(await harness.app.call('POST', '/api/v1/auth/mfa/login', { body })).body
      .data;
    const [entry] = await auditOf(harness.app, { token } as Owner, 'action=auth.login');
    expect(entry?.metadata).toMatchObject({
      method: 'oauth',
      provider: 'oauth-a',
      secondFactor: 'totp',
    });
    expect((await browser.call('GET', '/api/v1/auth/sso/mfa-exchange')).body.code).toBe('NO_TOKEN');
    const used = await harness.app.call('GET', '/api/v1/auth/sso/mfa-exchange', {
      headers: { cookie: `${TEMP_TOKEN}=${body.tempToken}` },
    });
    expect([used.status, used.body.code]).toEqual([401, 'TOKEN_REVOKED']);
  });

  test('and is suspended everywhere stays outside, which is audited', async () => {
    const one = person();
    const { answer } = await byGoogle(one);
    const { user } = await me(answer);
    const where = { userId: objectId(user._id as string) };
    await harness.db
      .collection('memberships')
      .updateMany(where, { $set: { isActive: false, deactivatedBy: 'team' } });
    expect(ended((await byGoogle(one)).answer)).toEqual(refused('ACCOUNT_DEACTIVATED'));
    await harness.db
      .collection('memberships')
      .updateMany(where, { $set: { isActive: true, deactivatedBy: null } });
    const noted = () =>
      auditOf(harness.app, { token: tokenIn(answer) } as Owner, 'action=auth.login&status=failure');
    await expect.poll(noted).toMatchObject([{ metadata: { method: 'oauth' } }]);
  });
});

describe('nobody comes in', () => {
  const vouchless: [string, Claims][] = [
    ['an address that is not verified', { email_verified: false }],
    ['an address of which nothing is said', { email_verified: undefined }],
    ['an address that is verified in words', { email_verified: 'true' }],
    ['an address that is verified by a number', { email_verified: 1 }],
    ['no address', { email: undefined }],
    ['what is no address', { email: 'sam' }],
    ['two addresses', { email: ['a@example.net', 'b@example.net'] }],
    ['a claim that only Entra is trusted with', { email_verified: undefined, xms_edov: true }],
  ];
  test.for(vouchless)('with %s: nobody is made, linked or let in', async ([, claims]) => {
    const somebody = await registered(true);
    const before = await users({});
    const stranger = person({
      ...(claims.email === undefined && { email: somebody.email }),
      ...claims,
    });
    expect(ended((await byGoogle(stranger)).answer)).toEqual(refused('FORBIDDEN'));
    const known = person();
    await byGoogle(known);
    expect(ended((await byGoogle({ ...known, ...claims })).answer)).toEqual(refused('FORBIDDEN'));
    expect(await users({})).toBe(before + 1);
    expect(await users({ _id: objectId(somebody.userId), 'identities.0': { $exists: true } })).toBe(
      0,
    );
  });

  test('as another account at the provider with a recycled address', async () => {
    const one = person();
    await byGoogle(one);
    expect(ended((await byGoogle({ ...one, sub: 'recycled' })).answer)).toEqual(
      refused('CONFLICT'),
    );
  });

  test('by the same name at another provider', async () => {
    const one = person();
    const { user } = await me((await byGoogle(one)).answer);
    const other = await me((await byEntra(person({ sub: one.sub, xms_edov: true }))).answer);
    expect(other.user._id).not.toBe(user._id);
  });

  const entraClaims: [string, Claims, string][] = [
    ['nobody vouches for the address', { email_verified: undefined }, 'FORBIDDEN'],
    [
      'the owner of the domain did not give it',
      { email_verified: undefined, xms_edov: false },
      'FORBIDDEN',
    ],
    [
      'verified, and the owner of the domain did not',
      { email_verified: false, xms_edov: true },
      'FORBIDDEN',
    ],
    ['the issuer is another tenant’s', { tid: 'another-tenant' }, 'TOKEN_VERIFICATION_FAILED'],
    ['there is no tenant', { tid: undefined }, 'TOKEN_VERIFICATION_FAILED'],
    ['the issuer is the pattern', { iss: `${ENTRA}/{tenantid}/v2.0` }, 'TOKEN_VERIFICATION_FAILED'],
    [
      'the issuer is not Entra',
      { iss: `https://sts.example.net/${TENANT}/v2.0` },
      'TOKEN_VERIFICATION_FAILED',
    ],
  ];
  test.for(entraClaims)('by Entra where %s', async ([, claims, code]) => {
    expect(ended((await byEntra(person(claims))).answer)).toEqual(refused(code));
  });

  const sam = { id: 7, login: 'sam', name: 'Sam' };
  const good = [{ email: 'sam@example.net', primary: true, verified: true }];
  const gitHubAnswers: [string, unknown, unknown, string][] = [
    ['the primary address is not verified', sam, [{ ...good[0], verified: false }], 'FORBIDDEN'],
    [
      'another address is verified',
      sam,
      [
        { ...good[0], verified: false },
        { ...good[0], email: 'x@example.net', primary: false },
      ],
      'FORBIDDEN',
    ],
    ['there is no address', sam, [], 'FORBIDDEN'],
    ['addresses are not told', sam, { message: 'Not Found' }, 'TOKEN_VERIFICATION_FAILED'],
    ['nobody is told', { message: 'Bad credentials' }, good, 'TOKEN_VERIFICATION_FAILED'],
    ['the number is a text', { ...sam, id: '7' }, good, 'TOKEN_VERIFICATION_FAILED'],
  ];
  test.for(gitHubAnswers)('by GitHub where %s', async ([, user, emails, code]) => {
    expect(ended((await byGitHub(user, emails)).answer)).toEqual(refused(code));
  });

  test('by GitHub where the code is refused with the status of a success, or the API refuses', async () => {
    gitHub.tricks = { token: says({ error: 'bad_verification_code' }) };
    const denied = await through('oauth-b', () => ({ realm: gitHub, idToken: null }));
    expect(ended(denied.answer)).toEqual(refused('TOKEN_VERIFICATION_FAILED'));
    gitHub.tricks = { user: says(sam), 'user/emails': says({ message: 'Not Found' }, 404) };
    const scopeless = await through('oauth-b', () => ({ realm: gitHub, idToken: null }));
    expect(ended(scopeless.answer)).toEqual(refused('IDENTITY_PROVIDER_UNAVAILABLE'));
    gitHub.tricks = {};
  });

  const forgeries: [string, (claims: Claims) => string | null][] = [
    ['is unsigned', (claims) => google.sign(claims, { alg: 'none' }, null)],
    [
      'is signed by the client secret',
      (claims) => google.sign(claims, { alg: 'HS256' }, google.clientSecret),
    ],
    ['is signed by a foreign key', (claims) => google.sign(claims, {}, foreign.privateKey)],
    ['is for another client', (claims) => google.sign({ ...claims, aud: entra.clientId })],
    ['is of another issuer', (claims) => google.sign({ ...claims, iss: entra.issuer })],
    ['is of another sign-on', (claims) => google.sign({ ...claims, nonce: 'another' })],
    ['is over', (claims) => google.sign({ ...claims, exp: 1 })],
    ['names nobody', (claims) => google.sign({ ...claims, sub: undefined })],
    ['is missing', () => null],
  ];
  test.for(forgeries)('when the ID token %s', async ([, forge]) => {
    const { answer } = await through('oauth-a', (asked) => ({
      realm: google,
      idToken: forge(google.claims(asked, person())),
    }));
    expect(ended(answer)).toEqual(refused('TOKEN_VERIFICATION_FAILED'));
  });

  test('with a state of another door, of another browser, of nobody, or a second time', async () => {
    const [one, two] = [new Browser(harness.app), new Browser(harness.app)];
    const back = google.vouch(await setOut(one, 'oauth-a'), person());
    const wrong = refused('INVALID_TOKEN');
    expect(ended(await one.back('oauth-b/callback', back))).toEqual(wrong);
    expect(ended(await one.back('sso/callback', back))).toEqual(wrong);
    expect(ended(await two.back('oauth-a/callback', back))).toEqual(wrong);
    expect(ended(await one.back('oauth-a/callback', { ...back, state: 'x' }))).toEqual(wrong);
    expect(ended(await one.back('oauth-a/callback', { error: 'access_denied' }))).toEqual(wrong);
    const cookies = new Map(one.cookies);
    expect(ended(await one.back('oauth-a/callback', back))).toEqual(signedIn);
    cookies.forEach((value, name) => one.cookies.set(name, value));
    expect(ended(await one.back('oauth-a/callback', back))).toEqual(wrong);
  });

  test('when the person or the provider says no', async () => {
    const browser = new Browser(harness.app);
    const { state } = askedBy(await setOut(browser, 'oauth-a'));
    const answer = await browser.back('oauth-a/callback', { error: 'access_denied', state });
    expect(ended(answer)).toEqual(refused('FORBIDDEN'));
    expect(browser.cookies.size).toBe(0);
  });

  test('with a cookie that somebody made up', async () => {
    for (const value of [
      '',
      'x',
      'a.b.c',
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`,
    ]) {
      const headers = { cookie: `${SESSION}=${value}; ${TEMP_TOKEN}=${value}` };
      for (const path of ['oauth-token', 'sso/mfa-exchange'])
        expect((await harness.app.call('GET', `/api/v1/auth/${path}`, { headers })).status).toBe(
          401,
        );
    }
  });
});
