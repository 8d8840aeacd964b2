// Several OpenID providers, changed settings, and providers with wrong answers: none leads to a sign-in by mistake.
// @module-tag long
import { beforeAll, describe, expect, test } from 'vitest';
import { Browser, readCookie, parseLanding, SESSION } from '../../../setup/browser.ts';
import { listAuditEntries, toObjectId } from '../../../setup/harness.ts';
import { parseAuthorization, type Realm } from '../../../setup/providers/identity-provider.ts';
import {
  createSsoOrganization,
  beginLogin,
  startLogin,
  setSsoConfig,
  type SsoOrganization,
} from '../../../setup/providers/sso.ts';
import { mallory, oidcStage } from './oidc-stage.ts';

const METADATA_HOST = '169.254.169.254';
const stage = oidcStage();
const { failures, moved, refusal, withToken } = stage;

describe('two organisations', () => {
  let evil: SsoOrganization;
  beforeAll(async () => {
    evil = await createSsoOrganization(stage.harness, stage.provider.createRealm());
  });

  test('a code of one provider with the state of the other', async () => {
    const browser = new Browser(stage.harness.app);
    const [toHome, toEvil] = [
      await startLogin(browser, stage.home),
      await startLogin(browser, evil),
    ];
    const code = stage.home.realm.authorizePerson(toHome, mallory(stage.home)).code;
    const { state } = parseAuthorization(toEvil);
    for (const query of [{ code, state, iss: stage.home.realm.issuer }]) {
      const asked = evil.realm.asked.token ?? 0;
      expect(await refusal(evil, () => browser.returnFromProvider('sso/callback', query))).toBe(
        'TOKEN_VERIFICATION_FAILED',
      );
      expect(evil.realm.asked.token ?? 0, 'the code was given away').toBe(asked);
    }
    // Home's provider sends the browser to home's address, whatever state it was given.
    const own = `sso/callback/${stage.home.owner.organizationId}`;
    const misled = await startLogin(browser, evil);
    const asked = evil.realm.asked.token ?? 0;
    const sent = { code, state: parseAuthorization(misled).state };
    expect(await refusal(evil, () => browser.returnFromProvider(own, sent))).toBe(
      'TOKEN_VERIFICATION_FAILED',
    );
    expect(evil.realm.asked.token ?? 0, 'the code was given away').toBe(asked);
    const again = await startLogin(browser, evil);
    const attack = () =>
      browser.returnFromProvider('sso/callback', { code, state: parseAuthorization(again).state });
    expect(await refusal(evil, attack)).toBe('TOKEN_VERIFICATION_FAILED');
  });

  test('an ID token of the one issuer from the other’s token endpoint', async () => {
    const attack = () =>
      withToken(evil, (asked) =>
        stage.home.realm.sign({
          ...stage.home.realm.claims(asked, mallory(stage.home)),
          aud: evil.realm.clientId,
        }),
      );
    expect(await refusal(evil, attack)).toBe('TOKEN_VERIFICATION_FAILED');
  });

  test('a provider that vouches for the other’s people', async () => {
    const email = `owner@${stage.home.domain}`;
    const attack = () =>
      withToken(evil, (asked, realm) => realm.sign(realm.claims(asked, { sub: 'owner', email })));
    expect(await refusal(evil, attack)).toBe('FORBIDDEN');
    await stage.harness.db.collection('sso_domains').insertOne({
      organizationId: toObjectId(evil.owner.organizationId),
      domain: stage.home.domain,
      challenge: 'x',
      verifiedAt: null,
      verifiedBy: null,
    });
    expect(await refusal(evil, attack), 'a claimed domain is none').toBe('FORBIDDEN');
  });

  test('two clients of one issuer', async () => {
    const shared = await createSsoOrganization(stage.harness, stage.home.realm, {
      oidc: { clientId: 'another-client' },
    });
    const attack = () =>
      withToken(shared, (asked, realm) =>
        realm.sign(realm.claims(asked, { ...mallory(shared), aud: stage.home.realm.clientId })),
      );
    expect(await refusal(shared, attack)).toBe('TOKEN_VERIFICATION_FAILED');
  });
});

describe('settings that change between request and callback', () => {
  const change = (at: SsoOrganization, set: object) =>
    stage.harness.db
      .collection('organizations')
      .updateOne({ _id: toObjectId(at.owner.organizationId) }, { $set: set });
  const changes: [string, string, (at: SsoOrganization) => Promise<unknown>][] = [
    ['are gone', 'NOT_FOUND', (at) => change(at, { ssoConfig: null })],
    ['name another protocol', 'NOT_FOUND', (at) => change(at, { 'ssoConfig.provider': 'saml' })],
    [
      'name another issuer',
      'INVALID_OPERATION',
      (at) => setSsoConfig(stage.harness, { ...at, realm: stage.provider.createRealm() }),
    ],
    [
      'name another client',
      'INVALID_OPERATION',
      (at) => setSsoConfig(stage.harness, at, { oidc: { clientId: 'other' } }),
    ],
    [
      'are not in the plan any more',
      'UPGRADE_REQUIRED',
      (at) => change(at, { 'subscription.plan': 'scale' }),
    ],
    [
      'stay, and the domain is gone',
      'FORBIDDEN',
      (at) => stage.harness.db.collection('sso_domains').deleteOne({ domain: at.domain }),
    ],
    [
      'stay, and no new member is accepted any more',
      'FORBIDDEN',
      (at) => setSsoConfig(stage.harness, at, { justInTime: false }),
    ],
  ];
  test.for(changes)('%s', async ([, code, between]) => {
    const at = await createSsoOrganization(stage.harness, stage.provider.createRealm());
    const browser = new Browser(stage.harness.app);
    const back = at.realm.authorizePerson(await startLogin(browser, at), mallory(at));
    await between(at);
    const answer = await browser.returnFromProvider('sso/callback', back);
    expect([parseLanding(answer).query.error, readCookie(answer, SESSION)]).toEqual([code, null]);
    await change(at, { 'subscription.plan': 'enterprise' });
    await expect
      .poll(() => failures(at))
      .toMatchObject({ total: 1, newest: { metadata: { code } } });
  });
});

describe('a provider with wrong answers', () => {
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
    const realm = stage.provider.createRealm();
    const at = await moved(realm);
    realm.tricks['openid-configuration'] = trick;
    const answer = await beginLogin(new Browser(stage.harness.app), `x@${at.domain}`);
    expect([answer.status, answer.body.code]).toEqual([424, 'IDENTITY_PROVIDER_UNAVAILABLE']);
    expect(answer.headers.getSetCookie()).toEqual([]);
    const [entry] = await listAuditEntries(stage.harness.app, at.owner, 'action=auth.sso.initiate');
    expect(entry).toMatchObject({
      status: 'failure',
      metadata: { code: 'IDENTITY_PROVIDER_UNAVAILABLE' },
    });
    // Nothing of it is remembered.
    delete realm.tricks['openid-configuration'];
    expect((await beginLogin(new Browser(stage.harness.app), `x@${at.domain}`)).status).toBe(200);
  });

  test.for(
    ['token', 'jwks', 'userinfo'].flatMap((name) =>
      tricks.map(([what, trick]) => [name, what, trick] as const),
    ),
  )('its %s endpoint %s', async ([name, , trick]) => {
    const realm = stage.provider.createRealm();
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
    const realm = stage.provider.createRealm();
    realm.metadata = metadata(realm) as Record<string, unknown>;
    const at = await moved(realm);
    const answer = await beginLogin(new Browser(stage.harness.app), `x@${at.domain}`);
    expect([answer.status, answer.body.code]).toEqual([424, 'IDENTITY_PROVIDER_UNAVAILABLE']);
  });

  test('is known by its issuer, not by the place of its description', async () => {
    const realm = stage.provider.createRealm();
    const at = await moved(realm);
    await setSsoConfig(stage.harness, at, {
      oidc: { issuer: `${realm.issuer}/.well-known/openid-configuration` },
    });
    const answer = await beginLogin(new Browser(stage.harness.app), `x@${at.domain}`);
    expect([answer.status, answer.body.code]).toEqual([424, 'IDENTITY_PROVIDER_UNAVAILABLE']);
  });

  test.for(['token_endpoint', 'jwks_uri', 'userinfo_endpoint'])(
    'points its %s at a private address',
    async (name) => {
      const realm = stage.provider.createRealm();
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
  ])('is not called at %s, although the settings say so', async (host) => {
    const issuer = `https://${host}`;
    const at = await moved(stage.provider.createRealm());
    await stage.harness.db
      .collection('organizations')
      .updateOne(
        { _id: toObjectId(at.owner.organizationId) },
        { $set: { 'ssoConfig.oidc.issuer': issuer } },
      );
    const answer = await beginLogin(new Browser(stage.harness.app), `x@${at.domain}`);
    expect([answer.status, answer.body.code]).toEqual([424, 'IDENTITY_PROVIDER_UNAVAILABLE']);
  });
});
