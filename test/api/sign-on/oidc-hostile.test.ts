// Hostile and broken answers of OpenID providers: none signs anybody in, and the organisation's audit log says why.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Browser, cookieIn, landing, SESSION, TEMP_TOKEN } from '../../setup/browser.ts';
import { auditOf, objectId, startHarness, type Harness } from '../../setup/harness.ts';
import {
  askedBy,
  newKey,
  startHandmadeProvider,
  token,
  type Asked,
  type HandmadeProvider,
  type Realm,
} from '../../setup/providers/identity-provider.ts';
import { ok } from '../../setup/personas.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import {
  createSsoOrganization,
  initiate,
  startLogin,
  configureSso,
  type SsoOrganization,
} from '../../setup/providers/sso.ts';
import type { Answer } from '../../setup/start-app.ts';

const METADATA_HOST = '169.254.169.254';
const HOME = 'https://app.example.com/signed-on';
const clock = new MovedClock();
const foreign = newKey();

let harness: Harness;
let provider: HandmadeProvider;
let home: SsoOrganization;
beforeAll(async () => {
  provider = await startHandmadeProvider();
  harness = await startHarness(
    {
      ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
      ASSAY_PUBLIC_URL: 'https://assay.example.com',
      ASSAY_RETURN_URLS: HOME,
      ASSAY_LIMIT_ACCOUNT: '1000',
    },
    { clock },
  );
  home = await createSsoOrganization(harness, provider.realm());
});
afterAll(async () => {
  await harness.stop();
  await provider.stop();
});

const now = (): number => Math.floor(Date.now() / 1000);
const sessions = (): Promise<number> => harness.db.collection('sessions').countDocuments();
/** How many there are, and the newest. */
async function failures({
  owner,
}: SsoOrganization): Promise<{ total: number; newest: Record<string, unknown> | undefined }> {
  const path = '/api/v1/audit?action=auth.sso.failure&limit=1';
  const { data, pagination } = ok(await harness.app.call('GET', path, { token: owner.token })).body;
  return { total: pagination.total as number, newest: data.entries[0] };
}
let isAway = false;
/** The organisation of `home`, at another realm for the rest of the test. */
async function moved(realm: Realm): Promise<SsoOrganization> {
  isAway = true;
  await configureSso(harness, { ...home, realm });
  return { ...home, realm };
}
afterEach(async () => {
  if (isAway) await configureSso(harness, home);
  isAway = false;
});

/** Runs what must not sign in; answers the code that the browser is told. */
async function refusal(
  at: SsoOrganization,
  attack: () => Promise<Answer>,
  { audited = true } = {},
): Promise<string | undefined> {
  const [before, noted] = [await sessions(), (await failures(at)).total];
  const answer = await attack();
  const { status, at: place, query } = landing(answer);
  expect([status, place]).toEqual([302, HOME]);
  expect([cookieIn(answer, SESSION), cookieIn(answer, TEMP_TOKEN)]).toEqual([null, null]);
  expect(await sessions()).toBe(before);
  const { total, newest } = await failures(at);
  expect(total).toBe(noted + (audited ? 1 : 0));
  if (audited)
    expect(newest).toMatchObject({
      status: 'failure',
      detail: expect.stringMatching(/\w/),
      metadata: { method: 'oidc', code: query.error },
    });
  return query.error;
}

/** Goes the whole way; the provider's answer is `forge`'s. */
async function withToken(
  at: SsoOrganization,
  forge: (asked: Asked, realm: Realm) => string | null,
): Promise<Answer> {
  const browser = new Browser(harness.app);
  const asked = askedBy(await startLogin(browser, at));
  return browser.back('sso/callback', {
    code: at.realm.code(asked, forge(asked, at.realm)),
    state: asked.state,
  });
}

const mallory = (at: SsoOrganization) => ({ sub: 'mallory', email: `mallory@${at.domain}` });

test('the fixture is fair: what is changed in the cases below is all that is wrong', async () => {
  const answer = await withToken(home, (asked, realm) =>
    realm.sign(realm.claims(asked, mallory(home))),
  );
  expect([landing(answer).query, cookieIn(answer, SESSION)]).toEqual([{}, expect.any(String)]);
});

describe('claims of the ID token', () => {
  const claims: [string, (asked: Asked) => Record<string, unknown>, string?][] = [
    ['another issuer', () => ({ iss: 'https://issuer.example.net' })],
    ['an issuer that differs by a slash', () => ({ iss: `${home.realm.issuer}/` })],
    ['no issuer', () => ({ iss: undefined })],
    ['another audience', () => ({ aud: 'somebody-else' })],
    ['audiences without us', () => ({ aud: ['a', 'b'] })],
    ['us among audiences, nobody authorised', () => ({ aud: [home.realm.clientId, 'other'] })],
    [
      'us among audiences, another authorised',
      () => ({ aud: [home.realm.clientId, 'other'], azp: 'other' }),
    ],
    ['another party authorised', () => ({ azp: 'other' })],
    ['no audience', () => ({ aud: undefined })],
    ['an end in the past', () => ({ exp: now() - 60 })],
    ['no end', () => ({ exp: undefined })],
    ['an end that is a text', () => ({ exp: String(now() + 300) })],
    ['a beginning in the future', () => ({ nbf: now() + 300 })],
    ['issued in the future', () => ({ iat: now() + 3600, exp: now() + 7200 })],
    ['issued long ago', () => ({ iat: now() - 3600 })],
    ['no time of issue', () => ({ iat: undefined })],
    ['no nonce', () => ({ nonce: undefined })],
    ['another nonce', () => ({ nonce: 'a-nonce-of-another-sign-on' })],
    ['the state as nonce', ({ state }) => ({ nonce: state })],
    ['no subject', () => ({ sub: undefined })],
    ['an empty subject', () => ({ sub: '' })],
    ['a subject that is a number', () => ({ sub: 7 })],
    ['a subject of 256 characters', () => ({ sub: 'x'.repeat(256) })],
    ['an address that is not verified', () => ({ email_verified: false }), 'FORBIDDEN'],
    ['no address', () => ({ sub: 'new', email: undefined }), 'FORBIDDEN'],
    ['what is no address', () => ({ sub: 'new', email: `two words@${home.domain}` }), 'FORBIDDEN'],
    [
      'an address of nobody’s domain',
      () => ({ sub: 'new', email: 'm@unproved.example.org' }),
      'FORBIDDEN',
    ],
    [
      'an address of a domain below ours',
      () => ({ sub: 'new', email: `m@sub.${home.domain}` }),
      'FORBIDDEN',
    ],
    ['two addresses', () => ({ sub: 'new', email: [`m@${home.domain}`] }), 'FORBIDDEN'],
  ];
  test.for(claims)('%s', async ([, change, code = 'TOKEN_VERIFICATION_FAILED']) => {
    const attack = () =>
      withToken(home, (asked, realm) =>
        realm.sign({ ...realm.claims(asked, mallory(home)), ...change(asked) }),
      );
    expect(await refusal(home, attack)).toBe(code);
  });
});

describe('the signature of the ID token', () => {
  const pem = (realm: Realm): string =>
    realm.key.publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const jwk = { ...foreign.publicKey.export({ format: 'jwk' }), kid: 'mine' };
  const cut = (text: string): string => text.slice(0, text.lastIndexOf('.') + 1);
  const other = (text: string): string => {
    const [header, , signature] = text.split('.');
    return [
      header,
      Buffer.from(JSON.stringify({ sub: 'x' })).toString('base64url'),
      signature,
    ].join('.');
  };
  type Forge = (claims: Record<string, unknown>, realm: Realm) => string | null;
  const forgeries: [string, Forge, object?][] = [
    ['none', (claims, realm) => realm.sign(claims, { alg: 'none' }, null)],
    [
      'none, which the provider says it uses',
      (claims, realm) => realm.sign(claims, { alg: 'none' }, null),
      { id_token_signing_alg_values_supported: ['RS256', 'none'] },
    ],
    [
      'none, written in another case',
      (claims, realm) => realm.sign(claims, { alg: 'nOnE' }, null),
      { id_token_signing_alg_values_supported: ['nOnE'] },
    ],
    [
      'by the client secret',
      (claims, realm) => realm.sign(claims, { alg: 'HS256' }, realm.clientSecret),
    ],
    [
      'by the client secret, which the provider says it uses',
      (claims, realm) => realm.sign(claims, { alg: 'HS256' }, realm.clientSecret),
      { id_token_signing_alg_values_supported: ['HS256', 'RS256'] },
    ],
    [
      'by the public key as a secret',
      (claims, realm) => realm.sign(claims, { alg: 'HS256' }, pem(realm)),
      { id_token_signing_alg_values_supported: ['HS256', 'RS256'] },
    ],
    ['by an unknown key', (claims, realm) => realm.sign(claims, { kid: 'two' })],
    [
      'by a foreign key under a known name',
      (claims, realm) => realm.sign(claims, {}, foreign.privateKey),
    ],
    [
      'by a foreign key without a name',
      (claims) => token({ alg: 'RS256' }, claims, foreign.privateKey),
    ],
    [
      'by a key that the header brings',
      (claims, realm) => realm.sign(claims, { kid: 'mine', jwk }, foreign.privateKey),
    ],
    [
      'by a key that the header points to',
      (claims, realm) =>
        realm.sign(
          claims,
          { kid: 'mine', jku: `${provider.origin}/evil/jwks` },
          foreign.privateKey,
        ),
    ],
    [
      'by a certificate that the header points to',
      (claims, realm) =>
        realm.sign(claims, { kid: 'mine', x5u: `${provider.origin}/evil/x5u` }, foreign.privateKey),
    ],
    ['left out', (claims, realm) => cut(realm.sign(claims))],
    ['of other claims', (claims, realm) => other(realm.sign(claims))],
    [
      'with an extension that must be understood',
      (claims, realm) => realm.sign(claims, { crit: ['exp2'], exp2: 1 }),
    ],
    [
      'of another algorithm than the header says',
      (claims, realm) => realm.sign(claims, { alg: 'PS256' }),
      { id_token_signing_alg_values_supported: ['PS256'] },
    ],
    ['of an encrypted token', (claims, realm) => `${realm.sign(claims)}.a.b`],
    ['of no token', () => 'not-a-token'],
    ['and there is no ID token', () => null],
  ];
  test.for(forgeries)('%s', async ([, forge, metadata]) => {
    const realm = metadata ? provider.realm() : home.realm;
    realm.metadata = { ...metadata };
    const at = metadata ? await moved(realm) : home;
    const attack = () => withToken(at, (asked) => forge(realm.claims(asked, mallory(home)), realm));
    expect(await refusal(at, attack)).toBe('TOKEN_VERIFICATION_FAILED');
  });
});

describe('the way back', () => {
  test('without a state, or with one that nobody was given', async () => {
    const browser = new Browser(harness.app);
    const { code } = home.realm.vouch(await startLogin(browser, home), mallory(home));
    const attacks = [
      { code },
      { code, state: '' },
      { code, state: 'x'.repeat(43) },
      { error: 'access_denied' },
      {},
    ];
    for (const query of attacks)
      expect(
        await refusal(home, () => browser.back('sso/callback', query), { audited: false }),
      ).toBe('INVALID_TOKEN');
  });

  test('in another browser', async () => {
    const [victim, attacker] = [new Browser(harness.app), new Browser(harness.app)];
    const back = home.realm.vouch(await startLogin(attacker, home), mallory(home));
    await startLogin(victim, home);
    const attack = () => victim.back('sso/callback', back);
    expect(await refusal(home, attack)).toBe('INVALID_TOKEN');
  });

  test('a second time', async () => {
    const browser = new Browser(harness.app);
    const cookies = new Map(browser.cookies);
    const back = home.realm.vouch(await startLogin(browser, home), mallory(home));
    const kept = new Map(browser.cookies);
    expect(cookieIn(await browser.back('sso/callback', back), SESSION)).not.toBeNull();
    for (const jar of [cookies, kept]) {
      browser.cookies.clear();
      jar.forEach((value, name) => browser.cookies.set(name, value));
      const attack = () => browser.back('sso/callback', back);
      expect(await refusal(home, attack, { audited: false })).toBe('INVALID_TOKEN');
    }
  });

  test('too late', async () => {
    const browser = new Browser(harness.app);
    const back = home.realm.vouch(await startLogin(browser, home), mallory(home));
    clock.aheadMs = 10 * 60_000 + 1000;
    expect(await refusal(home, () => browser.back('sso/callback', back), { audited: false })).toBe(
      'EXPIRED',
    );
    clock.aheadMs = 0;
  });

  test('with two states', async () => {
    const browser = new Browser(harness.app);
    const { code, state } = home.realm.vouch(await startLogin(browser, home), mallory(home));
    const query = new URLSearchParams([
      ['code', code],
      ['state', state],
      ['state', state],
    ]);
    expect(await refusal(home, () => browser.back('sso/callback', query), { audited: false })).toBe(
      'INVALID_TOKEN',
    );
  });

  /** Sets out, and comes back with the query that `query` makes of what an honest provider would give. */
  async function backWith(
    query: (honest: { code: string; state: string }) => Record<string, string>,
  ): Promise<Answer> {
    const browser = new Browser(harness.app);
    const honest = home.realm.vouch(await startLogin(browser, home), mallory(home));
    return browser.back('sso/callback', query(honest));
  }
  const ways: [
    string,
    string,
    (honest: { code: string; state: string }) => Record<string, string>,
  ][] = [
    [
      'with a code that nobody was given',
      'TOKEN_VERIFICATION_FAILED',
      ({ state }) => ({ code: 'made-up', state }),
    ],
    ['without a code', 'TOKEN_VERIFICATION_FAILED', ({ state }) => ({ state })],
    [
      'in the name of another issuer',
      'TOKEN_VERIFICATION_FAILED',
      (honest) => ({ ...honest, iss: 'https://issuer.example.net' }),
    ],
    [
      'with a refusal',
      'FORBIDDEN',
      ({ state }) => ({ error: 'access_denied', error_description: 'no', state }),
    ],
    [
      'with a refusal and a code',
      'FORBIDDEN',
      (honest) => ({ ...honest, error: 'login_required' }),
    ],
    [
      'with a refusal in the name of another issuer',
      'TOKEN_VERIFICATION_FAILED',
      ({ state }) => ({ error: 'access_denied', state, iss: 'https://issuer.example.net' }),
    ],
  ];
  test.for(ways)('%s', async ([, code, query]) => {
    expect(await refusal(home, () => backWith(query))).toBe(code);
  });

  test('with the code of an earlier sign-on, spent or not', async () => {
    const [first, second] = [new Browser(harness.app), new Browser(harness.app)];
    for (const spend of [true, false]) {
      const earlier = home.realm.vouch(await startLogin(first, home), mallory(home));
      if (spend) await first.back('sso/callback', earlier);
      const { state } = askedBy(await startLogin(second, home));
      const attack = () => second.back('sso/callback', { code: earlier.code, state });
      expect(await refusal(home, attack)).toBe('TOKEN_VERIFICATION_FAILED');
    }
  });

  test('of another door: a social login’s callback', async () => {
    const browser = new Browser(harness.app);
    const back = home.realm.vouch(await startLogin(browser, home), mallory(home));
    const answer = await browser.back('oauth-a/callback', back);
    expect([answer.status, answer.body.code, cookieIn(answer, SESSION)]).toEqual([
      404,
      'NOT_FOUND',
      null,
    ]);
  });

  test('without the issuer that the provider says it always names', async () => {
    const realm = provider.realm();
    realm.metadata = { authorization_response_iss_parameter_supported: true };
    const at = await createSsoOrganization(harness, realm);
    const attack = () => withToken(at, (asked) => realm.sign(realm.claims(asked, mallory(at))));
    expect(await refusal(at, attack)).toBe('TOKEN_VERIFICATION_FAILED');
    const browser = new Browser(harness.app);
    const honest = {
      ...realm.vouch(await startLogin(browser, at), mallory(at)),
      iss: realm.issuer,
    };
    expect(cookieIn(await browser.back('sso/callback', honest), SESSION)).not.toBeNull();
  });
});

describe('two organisations', () => {
  let evil: SsoOrganization;
  beforeAll(async () => {
    evil = await createSsoOrganization(harness, provider.realm());
  });

  test('a code of one provider with the state of the other', async () => {
    const browser = new Browser(harness.app);
    const [toHome, toEvil] = [await startLogin(browser, home), await startLogin(browser, evil)];
    const code = home.realm.vouch(toHome, mallory(home)).code;
    const { state } = askedBy(toEvil);
    for (const query of [{ code, state, iss: home.realm.issuer }]) {
      const asked = evil.realm.asked.token ?? 0;
      expect(await refusal(evil, () => browser.back('sso/callback', query))).toBe(
        'TOKEN_VERIFICATION_FAILED',
      );
      expect(evil.realm.asked.token ?? 0, 'the code was given away').toBe(asked);
    }
    // Home's provider sends the browser to home's address, whatever state it was given.
    const own = `sso/callback/${home.owner.organizationId}`;
    const misled = await startLogin(browser, evil);
    const asked = evil.realm.asked.token ?? 0;
    const sent = { code, state: askedBy(misled).state };
    expect(await refusal(evil, () => browser.back(own, sent))).toBe('TOKEN_VERIFICATION_FAILED');
    expect(evil.realm.asked.token ?? 0, 'the code was given away').toBe(asked);
    const again = await startLogin(browser, evil);
    const attack = () => browser.back('sso/callback', { code, state: askedBy(again).state });
    expect(await refusal(evil, attack)).toBe('TOKEN_VERIFICATION_FAILED');
  });

  test('an ID token of the one issuer from the other’s token endpoint', async () => {
    const attack = () =>
      withToken(evil, (asked) =>
        home.realm.sign({ ...home.realm.claims(asked, mallory(home)), aud: evil.realm.clientId }),
      );
    expect(await refusal(evil, attack)).toBe('TOKEN_VERIFICATION_FAILED');
  });

  test('a provider that vouches for the other’s people', async () => {
    const email = `owner@${home.domain}`;
    const attack = () =>
      withToken(evil, (asked, realm) => realm.sign(realm.claims(asked, { sub: 'owner', email })));
    expect(await refusal(evil, attack)).toBe('FORBIDDEN');
    await harness.db.collection('sso_domains').insertOne({
      organizationId: objectId(evil.owner.organizationId),
      domain: home.domain,
      challenge: 'x',
      verifiedAt: null,
      verifiedBy: null,
    });
    expect(await refusal(evil, attack), 'a claimed domain is none').toBe('FORBIDDEN');
  });

  test('two clients of one issuer', async () => {
    const shared = await createSsoOrganization(harness, home.realm, {
      oidc: { clientId: 'another-client' },
    });
    const attack = () =>
      withToken(shared, (asked, realm) =>
        realm.sign(realm.claims(asked, { ...mallory(shared), aud: home.realm.clientId })),
      );
    expect(await refusal(shared, attack)).toBe('TOKEN_VERIFICATION_FAILED');
  });
});

describe('settings that change between the way out and the way back', () => {
  const change = (at: SsoOrganization, set: object) =>
    harness.db
      .collection('organizations')
      .updateOne({ _id: objectId(at.owner.organizationId) }, { $set: set });
  const changes: [string, string, (at: SsoOrganization) => Promise<unknown>][] = [
    ['are gone', 'NOT_FOUND', (at) => change(at, { ssoConfig: null })],
    ['name another protocol', 'NOT_FOUND', (at) => change(at, { 'ssoConfig.provider': 'saml' })],
    [
      'name another issuer',
      'INVALID_OPERATION',
      (at) => configureSso(harness, { ...at, realm: provider.realm() }),
    ],
    [
      'name another client',
      'INVALID_OPERATION',
      (at) => configureSso(harness, at, { oidc: { clientId: 'other' } }),
    ],
    [
      'are not in the plan any more',
      'UPGRADE_REQUIRED',
      (at) => change(at, { 'subscription.plan': 'scale' }),
    ],
    [
      'stay, and the domain is gone',
      'FORBIDDEN',
      (at) => harness.db.collection('sso_domains').deleteOne({ domain: at.domain }),
    ],
    [
      'stay, and nobody becomes a member any more',
      'FORBIDDEN',
      (at) => configureSso(harness, at, { justInTime: false }),
    ],
  ];
  test.for(changes)('%s', async ([, code, between]) => {
    const at = await createSsoOrganization(harness, provider.realm());
    const browser = new Browser(harness.app);
    const back = at.realm.vouch(await startLogin(browser, at), mallory(at));
    await between(at);
    const answer = await browser.back('sso/callback', back);
    expect([landing(answer).query.error, cookieIn(answer, SESSION)]).toEqual([code, null]);
    await change(at, { 'subscription.plan': 'enterprise' });
    await expect
      .poll(() => failures(at))
      .toMatchObject({ total: 1, newest: { metadata: { code } } });
  });
});

describe('a provider that does not answer as it must', () => {
  const huge = (type: string) => (res: Parameters<NonNullable<Realm['tricks'][string]>>[0]) => {
    res.writeHead(200, { 'content-type': type });
    const chunk = ' '.repeat(1 << 16);
    const pump = (): void => {
      while (!res.destroyed) if (!res.write(chunk)) return void res.once('drain', pump);
    };
    res.on('error', () => undefined);
    pump();
  };
  const tricks: [string, Realm['tricks'][string]][] = [
    ['redirects', (res) => res.writeHead(302, { location: `http://${METADATA_HOST}/` }).end()],
    ['never ends', huge('application/json')],
    ['breaks down', (res) => res.writeHead(503).end('{}')],
    ['hangs up', (res) => res.destroy()],
    [
      'says something else',
      (res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    ],
    ['says a list', (res) => res.writeHead(200, { 'content-type': 'application/json' }).end('[]')],
  ];

  test.for(tricks)('its description %s', async ([, trick]) => {
    const realm = provider.realm();
    const at = await moved(realm);
    realm.tricks['openid-configuration'] = trick;
    const answer = await initiate(new Browser(harness.app), `x@${at.domain}`);
    expect([answer.status, answer.body.code]).toEqual([424, 'IDENTITY_PROVIDER_UNAVAILABLE']);
    expect(answer.headers.getSetCookie()).toEqual([]);
    const [entry] = await auditOf(harness.app, at.owner, 'action=auth.sso.initiate');
    expect(entry).toMatchObject({
      status: 'failure',
      metadata: { code: 'IDENTITY_PROVIDER_UNAVAILABLE' },
    });
    // Nothing of it is remembered.
    delete realm.tricks['openid-configuration'];
    expect((await initiate(new Browser(harness.app), `x@${at.domain}`)).status).toBe(200);
  });

  test.for(
    ['token', 'jwks', 'userinfo'].flatMap((name) =>
      tricks.map(([what, trick]) => [name, what, trick] as const),
    ),
  )('its %s endpoint %s', async ([name, , trick]) => {
    const realm = provider.realm();
    realm.metadata = { userinfo_endpoint: `${realm.issuer}/userinfo` };
    realm.tricks[name] = trick;
    const at = await moved(realm);
    const thin = name === 'userinfo' ? { sub: 'thin' } : mallory(at);
    const attack = () => withToken(at, (asked) => realm.sign(realm.claims(asked, thin)));
    expect(await refusal(at, attack)).toMatch(
      /^(TOKEN_VERIFICATION_FAILED|IDENTITY_PROVIDER_UNAVAILABLE)$/,
    );
  });

  const descriptions: [string, (realm: Realm) => object][] = [
    ['another issuer', () => ({ issuer: 'https://issuer.example.net' })],
    ['no issuer', () => ({ issuer: undefined })],
    ['an issuer for every tenant', ({ issuer }) => ({ issuer: `${issuer}/{tenantid}` })],
    ['no authorisation endpoint', () => ({ authorization_endpoint: undefined })],
    [
      'a script as authorisation endpoint',
      () => ({ authorization_endpoint: 'javascript:alert(1)' }),
    ],
  ];
  test.for(descriptions)('describes itself with %s', async ([, metadata]) => {
    const realm = provider.realm();
    realm.metadata = metadata(realm) as Record<string, unknown>;
    const at = await moved(realm);
    const answer = await initiate(new Browser(harness.app), `x@${at.domain}`);
    expect([answer.status, answer.body.code]).toEqual([424, 'IDENTITY_PROVIDER_UNAVAILABLE']);
  });

  test('is known by its issuer, not by the place of its description', async () => {
    const realm = provider.realm();
    const at = await moved(realm);
    await configureSso(harness, at, {
      oidc: { issuer: `${realm.issuer}/.well-known/openid-configuration` },
    });
    const answer = await initiate(new Browser(harness.app), `x@${at.domain}`);
    expect([answer.status, answer.body.code]).toEqual([424, 'IDENTITY_PROVIDER_UNAVAILABLE']);
  });

  test.for(['token_endpoint', 'jwks_uri', 'userinfo_endpoint'])(
    'points its %s at a private address',
    async (name) => {
      const realm = provider.realm();
      realm.metadata = { [name]: `https://${METADATA_HOST}/latest` };
      const at = await moved(realm);
      const claims = name === 'userinfo_endpoint' ? { sub: 'thin' } : mallory(at);
      const attack = () => withToken(at, (asked) => realm.sign(realm.claims(asked, claims)));
      expect(await refusal(at, attack)).toBe('IDENTITY_PROVIDER_UNAVAILABLE');
      expect((await failures(at)).newest?.detail).toMatch(/not a? ?public/);
    },
  );

  test.for([
    '10.0.0.1',
    '[::1]',
    '127.1.2.3/.well-known/x',
    METADATA_HOST,
    'localhost',
    'metadata.internal',
  ])('is not called at %s, whoever wrote that into the settings', async (host) => {
    const issuer = `https://${host}`;
    const at = await moved(provider.realm());
    await harness.db
      .collection('organizations')
      .updateOne(
        { _id: objectId(at.owner.organizationId) },
        { $set: { 'ssoConfig.oidc.issuer': issuer } },
      );
    const answer = await initiate(new Browser(harness.app), `x@${at.domain}`);
    expect([answer.status, answer.body.code]).toEqual([424, 'IDENTITY_PROVIDER_UNAVAILABLE']);
  });
});
