// Signing on by SAML, with an identity provider that signs and encrypts (document 1, sections 3 and 4.1).
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Browser } from '../../setup/browser.ts';
import { selfSigned } from '../../setup/providers/self-signed.ts';
import { auditOf, objectId, startHarness, type Harness } from '../../setup/harness.ts';
import {
  assertionIn,
  base64,
  EMAIL_ATTRIBUTE,
  EMAIL_FORMAT,
  responseXml,
  SamlIdentityProvider,
  useDomain,
  useSaml,
  type Asked,
  type Said,
} from '../../setup/providers/identity-provider-saml.ts';
import { ok, createOwner, type Owner } from '../../setup/personas.ts';
import { enrol, MovedClock } from '../../setup/second-factor.ts';
import type { Answer } from '../../setup/start-app.ts';

const PUBLIC = 'https://assay.example.com';
const HOME = `${PUBLIC}/app`;
const SAML_PATH = '/api/v1/auth/saml';
const CALLBACK = `${SAML_PATH}/callback`;
const LOGOUT = `${SAML_PATH}/logout/callback`;
const ours = selfSigned('assay');
const clock = new MovedClock();
const idp = new SamlIdentityProvider(clock.now);

let harness: Harness;
let home: Owner;
let made = 0;
let domain = '';
beforeAll(async () => {
  harness = await startHarness(
    {
      ASSAY_PUBLIC_URL: PUBLIC,
      ASSAY_RETURN_URLS: `${HOME},${PUBLIC}/admin`,
      ASSAY_SAML_KEY: ours.key.replaceAll('\n', '\\n'),
      ASSAY_SAML_CERTIFICATE: ours.certificate,
    },
    { clock },
  );
});
beforeEach(async () => {
  home = await createOwner(harness.app);
  domain = `d${++made}.example.com`;
  await useSaml(harness, home, { idp, domain });
});
afterAll(() => harness.stop());

/** Begins in a browser; answers what the identity provider receives. */
async function begin(
  browser: Browser,
  body: object = { organizationId: home.organizationId },
): Promise<Asked> {
  const answer = ok(await browser.call('POST', `${SAML_PATH}/initiate`, { body }));
  expect(answer.body.data.provider).toBe('saml');
  return idp.receive(answer.body.data.redirectUrl);
}

type Saying = (asked: Asked) => Partial<Said> | string | Promise<string>;

/** A whole sign-on; `saying` is what the provider says instead of the ordinary, or a whole response. */
async function signOn(nameId: string, saying: Saying = () => ({}), body?: object) {
  const browser = new Browser(harness.app);
  const asked = await begin(browser, body);
  const said = await saying(asked);
  const SAMLResponse = typeof said === 'string' ? said : idp.response(asked, nameId, said);
  const answer = await browser.post(CALLBACK, { SAMLResponse, RelayState: asked.relayState });
  return { browser, asked, answer, token: browser.cookies.get('svc_oauth_token') ?? '' };
}

const me = async (token: string) =>
  ok(await harness.app.call('GET', '/api/v1/auth/me', { token })).body.data;
const whereTo = (answer: Answer): string | null =>
  answer.status === 302 ? answer.headers.get('location') : null;
const person = (name = 'grace'): string => `${name}@${domain}`;
const withEmail = (attributes: Said['attributes'] = {}) => ({
  attributes: { [EMAIL_ATTRIBUTE]: [person()], ...attributes },
});

describe('signing on', () => {
  test('a stranger of a proved domain becomes a member by the first sign-on', async () => {
    const saying = () =>
      withEmail({ displayName: ['Grace Hopper'], groups: ['engineers', 'staff'] });
    const { answer, token, browser } = await signOn('g-1', saying);
    expect(whereTo(answer)).toBe(HOME);
    expect(answer.headers.getSetCookie().join('\n')).toMatch(
      /svc_oauth_token=[^;]+; Max-Age=604800;[^\n]*HttpOnly/,
    );
    expect([...browser.cookies.keys()]).toEqual(['svc_oauth_token']);
    const { user, role, organization } = await me(token);
    expect([user.email, user.name, role, organization._id]).toEqual([
      person(),
      'Grace Hopper',
      'member',
      home.organizationId,
    ]);
    const [entry] = await auditOf(harness.app, home, 'action=auth.login');
    expect(entry).toMatchObject({
      status: 'success',
      userEmail: person(),
      metadata: { method: 'saml' },
    });
    const [begun] = await auditOf(harness.app, home, 'action=auth.sso.initiate');
    expect(begun).toMatchObject({ status: 'success', metadata: { provider: 'saml' } });
  });

  test('as an owner sets it up', async () => {
    const owner = await createOwner(harness.app);
    const saml = {
      entityId: idp.entityId,
      ssoUrl: idp.ssoUrl,
      certificates: [idp.pair.certificate],
    };
    const body = { provider: 'saml', saml };
    const { data } = ok(
      await harness.app.call('PUT', '/api/v1/organization/sso', { token: owner.token, body }),
    ).body;
    await useDomain(harness, owner, `own.${domain}`);
    const start = { organizationId: owner.organizationId };
    const { token, asked } = await signOn(
      `ann@own.${domain}`,
      () => ({ sessionIndex: null }),
      start,
    );
    expect(asked.issuer).toBe(data.serviceProvider.samlEntityId);
    expect((await me(token)).organization._id).toBe(owner.organizationId);
  });

  test('the session ends with that of the provider, and no refresh moves its end', async () => {
    const { token } = await signOn('g-5', (asked) => ({
      ...withEmail(),
      sessionUntil: idp.honest(asked, 'g-5').notOnOrAfter,
    }));
    const { data } = ok(await harness.app.call('POST', '/api/v1/auth/refresh', { token })).body;
    const lasts = Date.parse(data.expiresAt) - clock.now().getTime();
    expect(lasts).toBeGreaterThan(200_000);
    expect(lasts).toBeLessThan(300_000);
  });

  test('the second time the name at the provider suffices, whatever the address is now', async () => {
    const first = await me((await signOn('g-2', () => withEmail())).token);
    const second = await me((await signOn('g-2')).token);
    expect(second.user._id).toBe(first.user._id);
  });

  test('an address in the NameID is the address', async () => {
    const { token } = await signOn(person('ada'), () => ({ nameIdFormat: EMAIL_FORMAT }));
    expect((await me(token)).user.email).toBe(person('ada'));
    const other = await signOn(person('bob'), () => ({ nameIdFormat: null }));
    expect((await me(other.token)).user.email).toBe(person('bob'));
  });

  test('beginning with an address finds the organisation, and the wanted place is returned to', async () => {
    const body = { email: person(), returnTo: `${PUBLIC}/admin?tab=1` };
    const { answer } = await signOn(person(), undefined, body);
    expect(whereTo(answer)).toBe(`${PUBLIC}/admin?tab=1`);
  });

  test('the dispatcher leads here as well', async () => {
    const browser = new Browser(harness.app);
    const { data } = ok(
      await browser.call('POST', '/api/v1/auth/sso/initiate', { body: { email: person() } }),
    ).body;
    expect(data.provider).toBe('saml');
    const asked = idp.receive(data.redirectUrl);
    await browser.post(CALLBACK, {
      SAMLResponse: idp.response(asked, person()),
      RelayState: asked.relayState,
    });
    const { token } = ok(await browser.call('GET', '/api/v1/auth/oauth-token')).body.data;
    expect((await me(token)).user.email).toBe(person());
  });

  test('role mapping by the groups of the assertion', async () => {
    const roleMapping = [{ pattern: '^eng-leads$', role: 'admin' }];
    await harness.db
      .collection('organizations')
      .updateOne({ _id: objectId(home.organizationId) }, { $set: { roleMapping } });
    const saying = () => withEmail({ groups: ['all', 'eng-leads'] });
    expect((await me((await signOn('g-3', saying)).token)).role).toBe('admin');
    expect((await me((await signOn('g-3', () => withEmail({ groups: ['all'] }))).token)).role).toBe(
      'member',
    );
    expect((await me((await signOn('g-3', saying)).token)).role).toBe('admin');
    // Entra sends a link instead of many groups; Keycloak leaves the attribute out for whoever is in none.
    const link = 'http://schemas.microsoft.com/claims/groups.link';
    const linked = await signOn('g-3', () => withEmail({ [link]: ['https://graph.example.com'] }));
    expect((await me(linked.token)).role).toBe('admin');
    expect((await me((await signOn('g-3', () => withEmail())).token)).role).toBe('member');
  });

  test('the second factor of Assay where the organisation wants it', async () => {
    const { token } = await signOn('g-4', () => withEmail());
    const authenticator = await enrol(harness.app, clock, token);
    await useSaml(harness, home, { idp, requireMfaEvenWithSso: true });
    const { answer, browser } = await signOn('g-4');
    expect(whereTo(answer)).toBe(`${HOME}?ssoMfa=1`);
    expect([...browser.cookies.keys()]).toEqual(['svc_sso_mfa_token']);
    const body = {
      tempToken: browser.cookies.get('svc_sso_mfa_token'),
      code: authenticator.next(),
    };
    const session = ok(await harness.app.call('POST', '/api/v1/auth/mfa/login', { body })).body.data
      .token;
    expect((await me(session)).organization._id).toBe(home.organizationId);
    await useSaml(harness, home, { idp });
    expect((await signOn('g-4')).token).not.toBe('');
  });

  const signed: Record<string, (asked: Asked) => string | Promise<string>> = {
    'response and assertion signed': (asked) =>
      base64(idp.sign(idp.sign(responseXml(idp.honest(asked, person())), 'Assertion'), 'Response')),
    'RSA with SHA-512': (asked) =>
      base64(
        idp.sign(responseXml(idp.honest(asked, person())), 'Assertion', {
          signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
          digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha512',
        }),
      ),
    'RSA-PSS': (asked) =>
      base64(
        idp.sign(responseXml(idp.honest(asked, person())), 'Assertion', {
          signatureAlgorithm: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
        }),
      ),
    'a declaration, line breaks in the base64 and in the XML': (asked) =>
      base64(
        `<?xml version="1.0" encoding="UTF-8"?>\r\n${idp.sign(responseXml(idp.honest(asked, person())).replaceAll('><', '>\r\n<'), 'Assertion')}\n`,
      ).replace(/.{76}/g, '$&\r\n'),
    'text beyond ASCII and with entities': (asked) =>
      idp.response(asked, person(), { attributes: { displayName: ['Žofie & <Söhne> 𝒳'] } }),
  };
  test.for(Object.entries(signed))('%s', async ([, saying]) => {
    const { answer, token } = await signOn(person(), saying);
    expect(whereTo(answer)).toBe(HOME);
    expect((await me(token)).user.email).toBe(person());
  });

  const ciphers = [
    '2001/04/xmlenc#aes128-cbc',
    '2001/04/xmlenc#aes256-cbc',
    '2009/xmlenc11#aes128-gcm',
  ];
  test.for([...ciphers, '2009/xmlenc11#aes256-gcm'])('encrypted with %s', async (cipher) => {
    const { token } = await signOn(person(), async (asked) => {
      const plain = idp.sign(responseXml(idp.honest(asked, person())), 'Assertion');
      const sealed = await idp.encrypt(plain, ours.certificate, {
        content: `http://www.w3.org/${cipher}`,
      });
      expect(assertionIn(sealed)).toEqual([]);
      return base64(idp.sign(sealed, 'Response'));
    });
    expect((await me(token)).user.email).toBe(person());
  });

  test('two certificates while one is replaced, whatever their dates', async () => {
    const [next, old] = [selfSigned('next'), selfSigned('old', '2021-01-01')];
    await useSaml(harness, home, { idp, certificates: [old.certificate, next.certificate] });
    for (const pair of [old, next]) {
      const { token } = await signOn(person(), (asked) =>
        base64(idp.sign(responseXml(idp.honest(asked, person())), 'Assertion', { pair })),
      );
      expect((await me(token)).user.email).toBe(person());
    }
  });

  test('the same response twenty times at once opens one session', async () => {
    const browser = new Browser(harness.app);
    const asked = await begin(browser);
    const SAMLResponse = idp.response(asked, person());
    const cookies = new Map(browser.cookies);
    const again = (): Promise<Answer> => {
      const copy = new Browser(harness.app);
      cookies.forEach((value, name) => copy.cookies.set(name, value));
      return copy.post(CALLBACK, { SAMLResponse, RelayState: asked.relayState });
    };
    const answers = await Promise.all(Array.from({ length: 20 }, again));
    const signedIn = answers.filter((answer) =>
      answer.headers.getSetCookie().join().includes('svc_oauth_token='),
    );
    expect(signedIn).toHaveLength(1);
    expect(answers.filter((answer) => whereTo(answer)?.includes('error='))).toHaveLength(19);
    const signOns = { organizationId: objectId(home.organizationId), signOn: { $ne: null } };
    expect(await harness.db.collection('sessions').countDocuments(signOns)).toBe(1);
  });

  test('an assertion is good once, also for another attempt that it would fit', async () => {
    const { organizationId } = home;
    const use = (issuer: string): Promise<void> =>
      messages.useOnce(organizationId, issuer, '_same');
    const messages = harness.app.instance.background.samlMessages;
    const uses = await Promise.allSettled(Array.from({ length: 20 }, () => use('a')));
    expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(use('b')).resolves.toBeUndefined();
  });
});

describe('what we send', () => {
  test('the request is signed, names where the answer goes, and another implementation reads the response to it', async () => {
    const browser = new Browser(harness.app);
    const answer = ok(
      await browser.call('POST', `${SAML_PATH}/initiate`, {
        body: { organizationId: home.organizationId },
      }),
    );
    const address = new URL(answer.body.data.redirectUrl);
    const asked = idp.receive(address.href);
    expect(address.href.startsWith(`${idp.ssoUrl}&SAMLRequest=`)).toBe(true);
    expect(asked.relayState.length).toBeLessThanOrEqual(80);
    expect(asked.issuer).toBe(`${PUBLIC}${SAML_PATH}/metadata/${home.organizationId}`);
    expect(asked.xml).toContain(`Destination="${idp.ssoUrl}"`);
    const other = new SAML({
      callbackUrl: PUBLIC + CALLBACK,
      issuer: asked.issuer,
      idpCert: idp.pair.certificate,
      wantAuthnResponseSigned: false,
      validateInResponseTo: ValidateInResponseTo.never,
    });
    const { profile } = await other.validatePostResponseAsync({
      SAMLResponse: idp.response(asked, person()),
    });
    expect(profile).toMatchObject({
      nameID: person(),
      issuer: idp.entityId,
      inResponseTo: asked.id,
    });
    expect(await signedBy(ours.certificate, address)).toBe(true);
    expect(await signedBy(idp.pair.certificate, address)).toBe(false);
  });

  test('metadata of every organisation, with keys', async () => {
    const path = `${SAML_PATH}/metadata/${home.organizationId}`;
    const answer = await harness.app.call('GET', path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/samlmetadata+xml; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBeNull();
    expect(answer.text).toContain(`entityID="${PUBLIC}${path}"`);
    expect(answer.text).toMatch(/WantAssertionsSigned="true"/);
    expect(answer.text).toContain(`Location="${PUBLIC}${CALLBACK}"`);
    expect(answer.text).toContain(`Location="${PUBLIC}${LOGOUT}?org=${home.organizationId}"`);
    const certificate = ours.certificate.replace(/-----[^-]+-----|\s/g, '');
    expect(answer.text.split(certificate)).toHaveLength(3);
    const unset = await createOwner(harness.app);
    expect(
      (await harness.app.call('GET', `${SAML_PATH}/metadata/${unset.organizationId}`)).status,
    ).toBe(200);
    const none = await harness.app.call('GET', `${SAML_PATH}/metadata/${'0'.repeat(24)}`);
    expect(none).toMatchObject({ status: 404, body: { code: 'ORG_NOT_FOUND' } });
  });

  test.for<[string, () => object | Promise<object>, string]>([
    ['an unknown organisation', () => ({ organizationId: '0'.repeat(24) }), 'NOT_FOUND'],
    ['an address of no proved domain', () => ({ email: 'a@nobody.example.com' }), 'NOT_FOUND'],
    [
      'an organisation without sign-on',
      async () => ({ organizationId: (await createOwner(harness.app)).organizationId }),
      'NOT_FOUND',
    ],
    ['both', () => ({ organizationId: home.organizationId, email: person() }), 'VALIDATION_ERROR'],
    ['neither', () => ({}), 'VALIDATION_ERROR'],
    [
      'another place to return to',
      () => ({ email: person(), returnTo: 'https://evil.example.net/' }),
      'VALIDATION_ERROR',
    ],
  ])('no start: %s', async ([, body, code]) => {
    const answer = await harness.app.call('POST', `${SAML_PATH}/initiate`, { body: await body() });
    expect(answer.body).toMatchObject({ success: false, code });
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('no start for another protocol, nor on a plan without sign-on', async () => {
    const start = () =>
      harness.app.call('POST', `${SAML_PATH}/initiate`, {
        body: { organizationId: home.organizationId },
      });
    await useSaml(harness, home, { idp, provider: 'oidc' });
    expect((await start()).body.code).toBe('NOT_FOUND');
    const [refused] = await auditOf(harness.app, home, 'action=auth.sso.initiate');
    expect(refused).toMatchObject({ status: 'failure', metadata: { code: 'NOT_FOUND' } });
    await useSaml(harness, home, { idp });
    const change = { $set: { 'subscription.plan': 'sandbox' } };
    await harness.db
      .collection('organizations')
      .updateOne({ _id: objectId(home.organizationId) }, change);
    expect((await start()).body.code).toBe('UPGRADE_REQUIRED');
  });
});

/** Whether an address is signed by the key of a certificate, as another implementation sees it. */
async function signedBy(certificate: string, address: URL): Promise<boolean> {
  const query = Object.fromEntries(address.searchParams);
  const saml = new SAML({ callbackUrl: PUBLIC, issuer: 'x', idpCert: certificate });
  if (!query.Signature) return false;
  return saml['hasValidSignatureForRedirect'](query as never, address.search.slice(1)).then(
    () => true,
    () => false,
  );
}

describe('single logout', () => {
  const sessionsOf = async (token: string): Promise<number> =>
    (await harness.app.call('GET', '/api/v1/auth/me', { token })).status;
  const leave = (browser: Browser, token: string, body?: object): Promise<Answer> =>
    browser.call('POST', `${SAML_PATH}/logout/initiate`, { token, ...(body && { body }) });
  const destination = (): string => `${PUBLIC}${LOGOUT}?org=${home.organizationId}`;
  const message = (name: string, attributes: string, content: string): string =>
    `<samlp:${name} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_l${++made}" Version="2.0" IssueInstant="${idp.at(0)}" Destination="${destination()}"${attributes}><saml:Issuer>${idp.entityId}</saml:Issuer>${content}</samlp:${name}>`;
  const done = (requestId: string): string =>
    message(
      'LogoutResponse',
      ` InResponseTo="${requestId}"`,
      '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>',
    );
  const wish = (nameId: string, sessionIndex?: string): string =>
    message(
      'LogoutRequest',
      '',
      `<saml:NameID>${nameId}</saml:NameID>${sessionIndex ? `<samlp:SessionIndex>${sessionIndex}</samlp:SessionIndex>` : ''}`,
    );
  const path = (): string => `${LOGOUT}?org=${home.organizationId}`;

  test.for(['POST', 'GET'])('begun here, ended by %s', async (method) => {
    const { browser, token } = await signOn('g-5', () => ({
      ...withEmail(),
      sessionIndex: 'session-5',
    }));
    const { data } = ok(await leave(browser, token, { returnTo: `${PUBLIC}/admin` })).body;
    expect(data.revoked).toBe(1);
    expect(await sessionsOf(token)).toBe(401);
    const asked = idp.receive(data.redirectUrl);
    expect(asked.xml).toContain('<samlp:SessionIndex>session-5</samlp:SessionIndex>');
    expect(asked.xml).toMatch(/<saml:NameID Format="[^"]+persistent">g-5</);
    expect(await signedBy(ours.certificate, new URL(data.redirectUrl))).toBe(true);
    const answer =
      method === 'POST'
        ? await browser.post(path(), {
            SAMLResponse: base64(idp.sign(done(asked.id), 'LogoutResponse')),
            RelayState: asked.relayState,
          })
        : await browser.call(
            'GET',
            `${path()}&${idp.redirected('SAMLResponse', done(asked.id), asked)}`,
          );
    expect(whereTo(answer)).toBe(`${PUBLIC}/admin`);
    expect([...browser.cookies.keys()]).toEqual(['svc_oauth_token']);
    const [entry] = await auditOf(harness.app, home, 'action=auth.logout');
    expect(entry).toMatchObject({
      status: 'success',
      userEmail: person(),
      metadata: { method: 'saml' },
    });
  });

  test('a session that was not opened by SAML ends, and leads nowhere', async () => {
    const { data } = ok(await leave(new Browser(harness.app), home.token)).body;
    expect(data).toEqual({ revoked: 1, redirectUrl: null });
    expect(await sessionsOf(home.token)).toBe(401);
  });

  test('nor does one whose provider has no single logout', async () => {
    await useSaml(harness, home, { idp, saml: { sloUrl: null } });
    const { browser, token } = await signOn('g-6', () => ({ ...withEmail(), sessionIndex: null }));
    expect(ok(await leave(browser, token)).body.data).toEqual({ revoked: 1, redirectUrl: null });
    expect(await sessionsOf(token)).toBe(401);
  });

  test.for(['POST', 'GET'])(
    'begun at the provider, sent by %s: the sessions end, and it is answered',
    async (method) => {
      const [one, two] = [
        await signOn('g-7', () => ({ ...withEmail(), sessionIndex: 'one' })),
        await signOn('g-7', () => ({ sessionIndex: 'two' })),
      ];
      const send = (xml: string, RelayState = 'theirs'): Promise<Answer> => {
        const stranger = new Browser(harness.app);
        if (method === 'GET')
          return stranger.call(
            'GET',
            `${path()}&${idp.redirected('SAMLRequest', xml, { relayState: RelayState })}`,
          );
        return stranger.post(path(), {
          SAMLRequest: base64(idp.sign(xml, 'LogoutRequest')),
          RelayState,
        });
      };
      const asked = wish('g-7', 'one');
      const answer = await send(asked);
      const address = new URL(whereTo(answer) ?? '');
      expect(address.origin + address.pathname).toBe(idp.sloUrl);
      const told = idp.receive(address.href);
      expect(told.relayState).toBe('theirs');
      expect(told.xml).toContain(`InResponseTo="${/ ID="([^"]+)"/.exec(asked)?.[1] ?? ''}"`);
      expect(await signedBy(ours.certificate, address)).toBe(true);
      expect([await sessionsOf(one.token), await sessionsOf(two.token)]).toEqual([401, 200]);
      const [entry] = await auditOf(harness.app, home, 'action=auth.logout');
      expect(entry).toMatchObject({ metadata: { by: 'identity_provider', revoked: 1 } });
      expect(whereTo(await send(asked))).toContain('error=TOKEN_VERIFICATION_FAILED');
      await send(wish('g-7'));
      expect(await sessionsOf(two.token)).toBe(401);
    },
  );

  test('no message that is not signed for this organisation ends anything', async () => {
    const { token } = await signOn('g-8', () => withEmail());
    const theirs = await createOwner(harness.app);
    await useSaml(harness, theirs, { idp, domain: `x${domain}` });
    const stranger = selfSigned('stranger');
    const shared = wish('g-8');
    const elsewhere = shared.replace(
      destination(),
      `${PUBLIC}${LOGOUT}?org=${theirs.organizationId}`,
    );
    const sign = (xml: string, how = {}): string => base64(idp.sign(xml, 'LogoutRequest', how));
    const sha1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
    const forms: Record<string, Record<string, string>> = {
      unsigned: { SAMLRequest: base64(shared) },
      'signed by a stranger': { SAMLRequest: sign(shared, { pair: stranger }) },
      'signed with SHA-1': { SAMLRequest: sign(shared, { signatureAlgorithm: sha1 }) },
      'for another organisation': { SAMLRequest: sign(elsewhere) },
      'of another issuer': {
        SAMLRequest: sign(shared.replace(idp.entityId, 'https://other.example.org')),
      },
      'without a destination': { SAMLRequest: sign(shared.replace(/ Destination="[^"]+"/, '')) },
      'too old': {
        SAMLRequest: sign(shared.replace(/IssueInstant="[^"]+"/, `IssueInstant="${idp.at(-600)}"`)),
      },
      'a request sent as a response': { SAMLResponse: sign(shared) },
      'both at once': { SAMLRequest: sign(shared), SAMLResponse: sign(shared) },
      nothing: {},
      'no XML': { SAMLRequest: base64('<a') },
    };
    for (const [name, form] of Object.entries(forms)) {
      const answer = await new Browser(harness.app).post(path(), form);
      expect(whereTo(answer), name).toBe(`${HOME}?error=TOKEN_VERIFICATION_FAILED`);
      expect(await sessionsOf(token), name).toBe(200);
    }
    const queries: Record<string, string> = {
      unsigned: idp.redirected('SAMLRequest', shared).replace(/&SigAlg.*/, ''),
      'signed by a stranger': idp.redirected('SAMLRequest', shared, { pair: stranger }),
      'signed with SHA-1': idp.redirected('SAMLRequest', shared, { algorithm: sha1 }),
      'for another organisation': idp.redirected('SAMLRequest', elsewhere),
      'with another state': `${idp.redirected('SAMLRequest', shared, { relayState: 'a' })}`.replace(
        '=a&',
        '=b&',
      ),
      'with another message': `SAMLResponse=x&${idp.redirected('SAMLRequest', shared)}`,
      'no deflate': `SAMLRequest=abcd&SigAlg=x&Signature=y`,
    };
    for (const [name, query] of Object.entries(queries)) {
      const answer = await new Browser(harness.app).call('GET', `${path()}&${query}`);
      expect(whereTo(answer), name).toBe(`${HOME}?error=TOKEN_VERIFICATION_FAILED`);
      expect(await sessionsOf(token), name).toBe(200);
    }
    const failures = await auditOf(harness.app, home, 'action=auth.sso.failure');
    expect(failures).toHaveLength(Object.keys(forms).length + Object.keys(queries).length);
    // The other organisation's provider is the same, and the request is good there: it ends nothing here.
    const there = `${LOGOUT}?org=${theirs.organizationId}`;
    const answer = await new Browser(harness.app).post(there, { SAMLRequest: sign(elsewhere) });
    expect(whereTo(answer)).toContain(idp.sloUrl);
    expect(await sessionsOf(token)).toBe(200);
  });

  test('an end that answers another logout, or comes to another browser, is refused', async () => {
    const { browser, token } = await signOn('g-9', () => withEmail());
    const asked = idp.receive(ok(await leave(browser, token)).body.data.redirectUrl);
    const answerWith = (from: Browser, xml: string): Promise<Answer> =>
      from.post(path(), {
        SAMLResponse: base64(idp.sign(xml, 'LogoutResponse')),
        RelayState: asked.relayState,
      });
    expect(whereTo(await answerWith(new Browser(harness.app), done(asked.id)))).toBe(
      `${HOME}?error=INVALID_TOKEN`,
    );
    expect(whereTo(await answerWith(browser, done('_other')))).toContain(
      'error=TOKEN_VERIFICATION_FAILED',
    );
    expect(whereTo(await answerWith(browser, done(asked.id)))).toContain('error=INVALID_TOKEN');
  });
});
