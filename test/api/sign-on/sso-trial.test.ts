// The test of a sign-on: shows what the provider sends with settings that are not saved, and changes nothing.
import { beforeAll, expect, test } from 'vitest';
import { Browser, parseLanding, readCookie, SESSION, TEMP_TOKEN } from '../../setup/browser.ts';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, toObjectId } from '../../setup/harness.ts';
import { assertOk, createOwner } from '../../setup/personas.ts';
import { SamlIdentityProvider } from '../../setup/providers/identity-provider-saml.ts';
import { startHandmadeProvider, type Claims } from '../../setup/providers/identity-provider.ts';
import { claimDomain } from '../../setup/providers/sso.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const HOME = 'https://app.example.com/signed-on';
/** An address that the service must not call. */
const PRIVATE = '169.254.169.254';
const PATH = '/api/v1/organization/sso/test';
const DOMAIN = 'trial.example.org';

const clock = new MovedClock();
const provider = useFixture(startHandmadeProvider, (started) => started.stop());
const harness = useHarness(
  {
    ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
    ASSAY_PUBLIC_URL: 'https://assay.example.com',
    ASSAY_RETURN_URLS: HOME,
    ASSAY_LIMIT_ACCOUNT: '1000',
  },
  { clock },
);
const ada = useOwner(harness);
const { app } = harness;
beforeAll(() => claimDomain(harness, ada, DOMAIN));

const begin = (browser: Browser, settings: object, token = ada.token): Promise<Answer> =>
  browser.call('POST', PATH, { token, body: { settings } });

const read = (id: string, token = ada.token) => app.call('GET', `${PATH}/${id}`, { token });

/** A test by OpenID Connect, from its begin to its result. */
async function tryOut(person: Claims, more: object = {}, realm = provider.createRealm()) {
  const browser = new Browser(app);
  const settings = { provider: 'oidc', oidc: { ...realm.settings, ...more } };
  const begun = assertOk(await begin(browser, settings)).body.data;
  const back = realm.authorizePerson(begun.redirectUrl, person);
  const callback = `sso/callback/${ada.organizationId}`;
  const answer = await browser.returnFromProvider(callback, back);
  const { state, result } = assertOk(await read(begun.id)).body.data;
  return { id: begun.id as string, back, callback, browser, answer, state, result };
}

/** What a sign-on would have changed. */
async function countAll(): Promise<number[]> {
  const names = ['users', 'sessions', 'memberships', 'auth_sessions'];
  return Promise.all(names.map((name) => harness.db.collection(name).countDocuments()));
}

const hasSession = (answer: Answer): boolean =>
  readCookie(answer, SESSION) !== null || readCookie(answer, TEMP_TOKEN) !== null;

test('by OpenID Connect it shows the claims, and signs no one in', async () => {
  const before = await countAll();
  const person = { sub: 'sub-1', email: `new@${DOMAIN}`, name: 'New', groups: ['ops', 'audit'] };
  const { id, answer, state, result } = await tryOut(person);
  expect([parseLanding(answer), hasSession(answer)]).toEqual([
    { status: 302, at: HOME, query: { ssoTest: id } },
    false,
  ]);
  expect(state).toBe('ended');
  expect(result).toMatchObject({
    wouldSignIn: true,
    person: { subject: 'sub-1', subjectFormat: 'sub', email: `new@${DOMAIN}`, name: 'New' },
    member: 'new',
    role: 'member',
    problems: [],
  });
  expect(result.person.groups).toEqual(['ops', 'audit']);
  expect(result.received).toContainEqual({ name: 'groups', values: ['ops', 'audit'] });
  expect(await countAll()).toEqual(before);
  const shown = await app.call('GET', '/api/v1/organization/sso', { token: ada.token });
  expect(shown.body.data.settings).toBeNull();
  const [entry] = await listAuditEntries(app, ada, 'action=organization.sso.test');
  expect(entry).toMatchObject({ status: 'success', metadata: { provider: 'oidc' } });
  expect(await listAuditEntries(app, ada, 'action=auth.login')).not.toContainEqual(
    expect.objectContaining({ metadata: expect.objectContaining({ method: 'oidc' }) }),
  );
});

test('by SAML it shows the attributes, and signs no one in', async () => {
  const before = await countAll();
  const idp = new SamlIdentityProvider(clock.now);
  const saml = {
    entityId: idp.entityId,
    ssoUrl: idp.ssoUrl,
    certificates: [idp.pair.certificate],
  };
  const browser = new Browser(app);
  const begun = assertOk(await begin(browser, { provider: 'saml', saml })).body.data;
  const asked = idp.receive(begun.redirectUrl);
  const attributes = { email: [`grace@${DOMAIN}`], groups: ['ops'] };
  const SAMLResponse = idp.createResponse(asked, 'grace', { attributes });
  const form = { SAMLResponse, RelayState: asked.relayState };
  const answer = await browser.postForm('/api/v1/auth/saml/callback', form);
  expect([parseLanding(answer).query, hasSession(answer)]).toEqual([{ ssoTest: begun.id }, false]);
  const { result } = assertOk(await read(begun.id)).body.data;
  expect(result).toMatchObject({
    wouldSignIn: true,
    person: { subject: 'grace', email: `grace@${DOMAIN}`, groups: ['ops'] },
    received: [
      { name: 'email', values: [`grace@${DOMAIN}`] },
      { name: 'groups', values: ['ops'] },
    ],
  });
  expect(await countAll()).toEqual(before);
});

test('it says who would come in, and in which role by which rule', async () => {
  const rules = [{ pattern: '^audit', role: 'auditor' }];
  const body = { rules };
  assertOk(await app.call('PUT', '/api/v1/organization/role-mapping', { token: ada.token, body }));
  const newcomer = await tryOut({ sub: 's', email: `x@${DOMAIN}`, groups: ['auditors'] });
  expect(newcomer.result).toMatchObject({
    member: 'new',
    role: 'auditor',
    rule: { pattern: '^audit', group: 'auditors' },
  });
  const users = harness.db.collection('users');
  const where = { _id: toObjectId(ada.userId) };
  const known = await users.findOne(where);
  await users.updateOne(where, { $set: { email: `ada@${DOMAIN}` } });
  const owner = await tryOut({ sub: 's', email: `ada@${DOMAIN}`, groups: ['auditors'] });
  // The last owner stays one, and is not linked.
  expect(owner.result).toMatchObject({ member: 'address', role: 'owner' });
  const again = await tryOut({ sub: 'other', email: `ada@${DOMAIN}`, groups: [] });
  expect(again.result).toMatchObject({ member: 'address', role: 'owner', rule: null });
  await users.updateOne(where, { $set: { email: known?.['email'] } });
});

test.for([
  ['no address', { sub: 's' }, 'FORBIDDEN', /no usable e-mail address/],
  ['a strange domain', { sub: 's', email: 'a@b.example.net' }, 'FORBIDDEN', /not verified the dom/],
  [
    'an unproved address',
    { sub: 's', email: `a@${DOMAIN}`, email_verified: false },
    'FORBIDDEN',
    /has not verified the e-mail address/,
  ],
] as const)('it says why %s is refused', async ([, person, code, message]) => {
  const { result, answer } = await tryOut(person);
  expect([result.wouldSignIn, result.member, result.role]).toEqual([false, null, null]);
  expect(result.problems).toEqual([{ code, message: expect.stringMatching(message) }]);
  expect(result.received).toContainEqual({ name: 'sub', values: ['s'] });
  expect(parseLanding(answer).query).toHaveProperty('ssoTest');
});

test('it says that another claim names no one, and what the claims are', async () => {
  const { result } = await tryOut({ sub: 's', email: `a@${DOMAIN}` }, { subjectClaim: 'oid' });
  expect(result.person).toBeNull();
  expect(result.problems).toEqual([
    { code: 'TOKEN_VERIFICATION_FAILED', message: expect.stringContaining('`oid`') },
  ]);
});

test('it says that the secret is wrong, and what the provider answers instead of a person', async () => {
  const wrong = await tryOut({ sub: 's' }, { clientSecret: 'wrong' });
  expect(wrong.result.problems[0]).toMatchObject({
    code: 'TOKEN_VERIFICATION_FAILED',
    message: expect.stringContaining('invalid_client'),
  });
  const realm = provider.createRealm();
  realm.tricks['token'] = (res) => void res.writeHead(503).end();
  const down = await tryOut({ sub: 's' }, {}, realm);
  expect(down.result.problems[0].code).toBe('IDENTITY_PROVIDER_UNAVAILABLE');
  const browser = new Browser(app);
  const settings = { provider: 'oidc', oidc: provider.createRealm().settings };
  const begun = assertOk(await begin(browser, settings)).body.data;
  const state = new URL(begun.redirectUrl).searchParams.get('state') ?? '';
  await browser.returnFromProvider('sso/callback', { state, error: 'access_denied' });
  expect((await read(begun.id)).body.data.result.problems[0]).toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('access_denied'),
  });
});

test('what is sent is cut to what a page can hold', async () => {
  const many = Array.from({ length: 400 }, (_, at) => `group ${at} ${'x'.repeat(600)}`);
  const claims = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`claim${at}`, at]));
  const { result } = await tryOut({ sub: 's', groups: many, deep: { a: [1] }, ...claims });
  expect(result.received.length).toBe(100);
  const groups = result.received.find(({ name }: { name: string }) => name === 'groups');
  expect([groups.values.length, groups.values[0].length]).toEqual([200, 500]);
  expect(result.received).toContainEqual({ name: 'deep', values: ['{"a":[1]}'] });
});

test('a response is taken once, in the browser that began', async () => {
  const realm = provider.createRealm();
  const settings = { provider: 'oidc', oidc: realm.settings };
  const browser = new Browser(app);
  const begun = assertOk(await begin(browser, settings)).body.data;
  const back = realm.authorizePerson(begun.redirectUrl, { sub: 's' });
  const callback = `sso/callback/${ada.organizationId}`;
  const stranger = await new Browser(app).returnFromProvider(callback, back);
  expect(parseLanding(stranger).query).toEqual({ error: 'INVALID_TOKEN' });
  expect((await read(begun.id)).body.data).toMatchObject({ state: 'waiting', result: null });
  await browser.returnFromProvider(callback, back);
  const again = await browser.returnFromProvider(callback, back);
  expect(parseLanding(again).query).toEqual({ error: 'INVALID_TOKEN' });
  expect((await read(begun.id)).body.data.state).toBe('ended');
});

test('a newer test of the same person replaces the older, which then ends nothing', async () => {
  const realm = provider.createRealm();
  const settings = { provider: 'oidc', oidc: realm.settings };
  const browser = new Browser(app);
  const older = assertOk(await begin(browser, settings)).body.data;
  const newer = assertOk(await begin(browser, settings)).body.data;
  const back = realm.authorizePerson(older.redirectUrl, { sub: 's' });
  const answer = await browser.returnFromProvider('sso/callback', back);
  expect(parseLanding(answer).query).toEqual({ error: 'INVALID_OPERATION' });
  expect(toOutcome(await read(older.id))).toEqual([404, 'NOT_FOUND']);
  expect((await read(newer.id)).body.data.state).toBe('waiting');
});

test('the secret of the saved settings is used, and never another one’s', async () => {
  const realm = provider.createRealm();
  const body = { provider: 'oidc', oidc: realm.settings };
  assertOk(await app.call('PUT', '/api/v1/organization/sso', { token: ada.token, body }));
  const { issuer, clientId } = realm.settings;
  const browser = new Browser(app);
  const kept = await begin(browser, { provider: 'oidc', oidc: { issuer, clientId } });
  const back = realm.authorizePerson(assertOk(kept).body.data.redirectUrl, { sub: 's' });
  await browser.returnFromProvider('sso/callback', back);
  const { problems } = (await read(kept.body.data.id)).body.data.result;
  expect(problems[0].message).toMatch(/no usable e-mail/);
  const other = { issuer: provider.createRealm().issuer, clientId };
  expect(toOutcome(await begin(browser, { provider: 'oidc', oidc: other }))).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
  const stored = await harness.db.collection('sign_on_trials').find().toArray();
  expect(JSON.stringify(stored)).not.toContain(realm.clientSecret);
});

test('unusable settings and addresses are refused before anyone is sent anywhere', async () => {
  const browser = new Browser(app);
  const realm = provider.createRealm();
  const oidc = realm.settings;
  const outcome = async (body: object) =>
    toOutcome(await browser.call('POST', PATH, { token: ada.token, body }));
  expect(await outcome({ settings: { provider: 'saml', oidc } })).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
  const settings = { provider: 'oidc', oidc };
  expect(await outcome({ settings, returnTo: 'https://evil.example.net/' })).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
  const inside = { ...oidc, issuer: `http://${PRIVATE}/` };
  expect(await outcome({ settings: { ...settings, oidc: inside } })).toEqual([400, 'SSRF_BLOCKED']);
  const nowhere = { ...oidc, issuer: `${provider.origin}/nowhere` };
  const [status, code] = await outcome({ settings: { ...settings, oidc: nowhere } });
  expect([status, code]).toEqual([424, 'IDENTITY_PROVIDER_UNAVAILABLE']);
  expect(browser.cookies.size).toBe(0);
});

test('a result is for owners of its organisation, and for an hour', async () => {
  const { id } = await tryOut({ sub: 's' });
  const eve = await createOwner(app, 'Eve');
  expect(toOutcome(await read(id, eve.token))).toEqual([404, 'NOT_FOUND']);
  await harness.db
    .collection('sign_on_trials')
    .updateOne({ _id: toObjectId(id) }, { $set: { expiresAt: new Date(clock.now()) } });
  expect(toOutcome(await read(id))).toEqual([404, 'NOT_FOUND']);
});
