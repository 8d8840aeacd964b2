// Hostile answers of an OpenID provider, tokens and ways back: none signs anybody in, and the audit log says why.
// @module-tag long
import { describe, expect, test } from 'vitest';
import { Browser, readCookie, parseLanding, SESSION } from '../../../setup/browser.ts';
import {
  createKeyPair,
  parseAuthorization,
  signToken,
  type AuthorizationRequest,
  type Realm,
} from '../../../setup/providers/identity-provider.ts';
import { createSsoOrganization, startLogin } from '../../../setup/providers/sso.ts';
import type { Answer } from '../../../setup/start-app.ts';
import { mallory, oidcStage } from './oidc-stage.ts';

const foreign = createKeyPair();
const stage = oidcStage();
const { clock, moved, refusal, withToken } = stage;
const now = (): number => Math.floor(Date.now() / 1000);

test('the fixture signs in when nothing is changed', async () => {
  const answer = await withToken(stage.home, (asked, realm) =>
    realm.sign(realm.claims(asked, mallory(stage.home))),
  );
  expect([parseLanding(answer).query, readCookie(answer, SESSION)]).toEqual([
    {},
    expect.any(String),
  ]);
});

describe('claims of the ID token', () => {
  const claims: [string, (asked: AuthorizationRequest) => Record<string, unknown>, string?][] = [
    ['another issuer', () => ({ iss: 'https://issuer.example.net' })],
    ['an issuer that differs by a slash', () => ({ iss: `${stage.home.realm.issuer}/` })],
    ['no issuer', () => ({ iss: undefined })],
    ['another audience', () => ({ aud: 'another-audience' })],
    ['audiences without us', () => ({ aud: ['a', 'b'] })],
    [
      'us among audiences, no authorised party',
      () => ({ aud: [stage.home.realm.clientId, 'other'] }),
    ],
    [
      'us among audiences, another authorised',
      () => ({ aud: [stage.home.realm.clientId, 'other'], azp: 'other' }),
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
    [
      'what is no address',
      () => ({ sub: 'new', email: `two words@${stage.home.domain}` }),
      'FORBIDDEN',
    ],
    [
      'an address of an unproved domain',
      () => ({ sub: 'new', email: 'm@unproved.example.org' }),
      'FORBIDDEN',
    ],
    [
      'an address of a domain below ours',
      () => ({ sub: 'new', email: `m@sub.${stage.home.domain}` }),
      'FORBIDDEN',
    ],
    ['two addresses', () => ({ sub: 'new', email: [`m@${stage.home.domain}`] }), 'FORBIDDEN'],
  ];
  test.for(claims)('%s', async ([, change, code = 'TOKEN_VERIFICATION_FAILED']) => {
    const attack = () =>
      withToken(stage.home, (asked, realm) =>
        realm.sign({ ...realm.claims(asked, mallory(stage.home)), ...change(asked) }),
      );
    expect(await refusal(stage.home, attack)).toBe(code);
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
      (claims) => signToken({ alg: 'RS256' }, claims, foreign.privateKey),
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
          { kid: 'mine', jku: `${stage.provider.origin}/evil/jwks` },
          foreign.privateKey,
        ),
    ],
    [
      'by a certificate that the header points to',
      (claims, realm) =>
        realm.sign(
          claims,
          { kid: 'mine', x5u: `${stage.provider.origin}/evil/x5u` },
          foreign.privateKey,
        ),
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
    const realm = metadata ? stage.provider.createRealm() : stage.home.realm;
    realm.metadata = { ...metadata };
    const at = metadata ? await moved(realm) : stage.home;
    const attack = () =>
      withToken(at, (asked) => forge(realm.claims(asked, mallory(stage.home)), realm));
    expect(await refusal(at, attack)).toBe('TOKEN_VERIFICATION_FAILED');
  });
});

describe('the callback', () => {
  test('without a state, or with one that was never issued', async () => {
    const browser = new Browser(stage.harness.app);
    const { code } = stage.home.realm.authorizePerson(
      await startLogin(browser, stage.home),
      mallory(stage.home),
    );
    const attacks = [
      { code },
      { code, state: '' },
      { code, state: 'x'.repeat(43) },
      { error: 'access_denied' },
      {},
    ];
    for (const query of attacks)
      expect(
        await refusal(stage.home, () => browser.returnFromProvider('sso/callback', query), {
          audited: false,
        }),
      ).toBe('INVALID_TOKEN');
  });

  test('in another browser', async () => {
    const [victim, attacker] = [new Browser(stage.harness.app), new Browser(stage.harness.app)];
    const back = stage.home.realm.authorizePerson(
      await startLogin(attacker, stage.home),
      mallory(stage.home),
    );
    await startLogin(victim, stage.home);
    const attack = () => victim.returnFromProvider('sso/callback', back);
    expect(await refusal(stage.home, attack)).toBe('INVALID_TOKEN');
  });

  test('a second time', async () => {
    const browser = new Browser(stage.harness.app);
    const cookies = new Map(browser.cookies);
    const back = stage.home.realm.authorizePerson(
      await startLogin(browser, stage.home),
      mallory(stage.home),
    );
    const kept = new Map(browser.cookies);
    expect(
      readCookie(await browser.returnFromProvider('sso/callback', back), SESSION),
    ).not.toBeNull();
    for (const jar of [cookies, kept]) {
      browser.cookies.clear();
      jar.forEach((value, name) => browser.cookies.set(name, value));
      const attack = () => browser.returnFromProvider('sso/callback', back);
      expect(await refusal(stage.home, attack, { audited: false })).toBe('INVALID_TOKEN');
    }
  });

  test('too late', async () => {
    const browser = new Browser(stage.harness.app);
    const back = stage.home.realm.authorizePerson(
      await startLogin(browser, stage.home),
      mallory(stage.home),
    );
    clock.aheadMs = 10 * 60_000 + 1000;
    expect(
      await refusal(stage.home, () => browser.returnFromProvider('sso/callback', back), {
        audited: false,
      }),
    ).toBe('EXPIRED');
    clock.aheadMs = 0;
  });

  test('with two states', async () => {
    const browser = new Browser(stage.harness.app);
    const { code, state } = stage.home.realm.authorizePerson(
      await startLogin(browser, stage.home),
      mallory(stage.home),
    );
    const query = new URLSearchParams([
      ['code', code],
      ['state', state],
      ['state', state],
    ]);
    expect(
      await refusal(stage.home, () => browser.returnFromProvider('sso/callback', query), {
        audited: false,
      }),
    ).toBe('INVALID_TOKEN');
  });

  /** Sets out, and comes back with the query that `query` makes of what an honest provider would give. */
  async function backWith(
    query: (honest: { code: string; state: string }) => Record<string, string>,
  ): Promise<Answer> {
    const browser = new Browser(stage.harness.app);
    const honest = stage.home.realm.authorizePerson(
      await startLogin(browser, stage.home),
      mallory(stage.home),
    );
    return browser.returnFromProvider('sso/callback', query(honest));
  }
  const ways: [
    string,
    string,
    (honest: { code: string; state: string }) => Record<string, string>,
  ][] = [
    [
      'with a code that was never issued',
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
    expect(await refusal(stage.home, () => backWith(query))).toBe(code);
  });

  test('with the code of an earlier sign-on, spent or not', async () => {
    const [first, second] = [new Browser(stage.harness.app), new Browser(stage.harness.app)];
    for (const spend of [true, false]) {
      const earlier = stage.home.realm.authorizePerson(
        await startLogin(first, stage.home),
        mallory(stage.home),
      );
      if (spend) await first.returnFromProvider('sso/callback', earlier);
      const { state } = parseAuthorization(await startLogin(second, stage.home));
      const attack = () => second.returnFromProvider('sso/callback', { code: earlier.code, state });
      expect(await refusal(stage.home, attack)).toBe('TOKEN_VERIFICATION_FAILED');
    }
  });

  test('at another callback: that of a social login', async () => {
    const browser = new Browser(stage.harness.app);
    const back = stage.home.realm.authorizePerson(
      await startLogin(browser, stage.home),
      mallory(stage.home),
    );
    const answer = await browser.returnFromProvider('oauth-a/callback', back);
    expect([answer.status, answer.body.code, readCookie(answer, SESSION)]).toEqual([
      404,
      'NOT_FOUND',
      null,
    ]);
  });

  test('without the issuer that the provider says it always names', async () => {
    const realm = stage.provider.createRealm();
    realm.metadata = { authorization_response_iss_parameter_supported: true };
    const at = await createSsoOrganization(stage.harness, realm);
    const attack = () => withToken(at, (asked) => realm.sign(realm.claims(asked, mallory(at))));
    expect(await refusal(at, attack)).toBe('TOKEN_VERIFICATION_FAILED');
    const browser = new Browser(stage.harness.app);
    const honest = {
      ...realm.authorizePerson(await startLogin(browser, at), mallory(at)),
      iss: realm.issuer,
    };
    expect(
      readCookie(await browser.returnFromProvider('sso/callback', honest), SESSION),
    ).not.toBeNull();
  });
});
