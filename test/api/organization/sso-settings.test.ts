// Sign-on settings of an organisation over HTTP: who sets them, validation, views, and the sessions that they end.
import { signIn } from '../../../src/identity/auth/sessions/sign-in.service.ts';
import { describe, expect, test } from 'vitest';
import { loadActiveSso } from '../../../src/identity/organization/sso-settings/active-sso.service.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  CURVE_CERTIFICATE,
  EXPIRED_CERTIFICATE,
  FIRST_CERTIFICATE,
  SECOND_CERTIFICATE,
  SMALL_CERTIFICATE,
} from '../../setup/providers/certificates.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { assertOk, createOwner, createWorkspaceKey, type Owner } from '../../setup/personas.ts';
import { toOutcome, startApp, type Answer } from '../../setup/start-app.ts';

const at = '/api/v1/organization';
const SECRET = 'a client secret that must stay sealed';

const harness = useHarness({
  ASSAY_OUTBOUND_ALLOW: 'login.example.com,plain.example.com:8080',
  ASSAY_PUBLIC_URL: 'https://assay.example.com/',
});
const { app } = harness;
const ada = useOwner(harness);

const read = ({ token }: Owner): Promise<Answer> => app.call('GET', `${at}/sso`, { token });
const put = ({ token }: Owner, body: unknown): Promise<Answer> =>
  app.call('PUT', `${at}/sso`, { token, body });
const remove = ({ token }: Owner): Promise<Answer> => app.call('DELETE', `${at}/sso`, { token });
const oidc = (more: object = {}) => ({
  provider: 'oidc',
  oidc: {
    issuer: 'https://login.example.com/tenant',
    clientId: 'assay',
    clientSecret: SECRET,
    ...more,
  },
});
const samlPart = (more: object = {}) => ({
  entityId: 'urn:example:idp',
  ssoUrl: 'https://login.example.com/saml',
  certificates: [FIRST_CERTIFICATE],
  ...more,
});
const saml = (more: object = {}) => ({ provider: 'saml', saml: samlPart(more) });
const activeOf = ({ organizationId }: Owner) =>
  loadActiveSso(app.instance.platform, organizationId);
const configOf = async ({ organizationId }: Owner) =>
  (await harness.db.collection('organizations').findOne({ _id: toObjectId(organizationId) }))
    ?.ssoConfig;

describe('settings of the sign-on', () => {
  test('are empty at first, and say what the identity provider needs to know', async () => {
    const owner = await createOwner(app, 'Fresh');
    expect((await read(owner)).body.data).toEqual({
      settings: null,
      serviceProvider: {
        oidcRedirectUri: `https://assay.example.com/api/v1/auth/sso/callback/${owner.organizationId}`,
        oidcPostLogoutRedirectUri: 'https://assay.example.com/api/v1/auth/sso/logout/callback',
        oidcBackChannelLogoutUri: `https://assay.example.com/api/v1/auth/sso/backchannel-logout/${owner.organizationId}`,
        samlAcsUrl: 'https://assay.example.com/api/v1/auth/saml/callback',
        samlEntityId: `https://assay.example.com/api/v1/auth/saml/metadata/${owner.organizationId}`,
        samlSloUrl: `https://assay.example.com/api/v1/auth/saml/logout/callback?org=${owner.organizationId}`,
      },
      warnings: [],
    });
    expect(toOutcome(await remove(owner))).toEqual([404, 'NOT_FOUND']);
  });

  test('are replaced as a whole, with defaults, and read as they were set', async () => {
    const first = await put(ada, {
      ...oidc(),
      saml: samlPart({ certificates: [FIRST_CERTIFICATE, SECOND_CERTIFICATE] }),
    });
    expect(first.status).toBe(200);
    expect(first.body.data.settings).toMatchObject({
      provider: 'oidc',
      requireMfaEvenWithSso: false,
      requireSso: false,
      justInTime: true,
      oidc: {
        issuer: 'https://login.example.com/tenant',
        clientId: 'assay',
        hasClientSecret: true,
        subjectClaim: 'sub',
        groupsClaim: 'groups',
      },
      saml: {
        sloUrl: null,
        emailAttribute: 'email',
        nameAttribute: 'name',
        groupsAttribute: 'groups',
      },
    });
    expect(first.body.data.settings.saml.certificates).toEqual(
      ['first', 'second'].map((name) => ({
        pem: expect.stringContaining('BEGIN CERTIFICATE'),
        subject: `CN=idp.example.com, O=${name === 'first' ? 'roomy' : name}`,
        fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
        validFrom: expect.any(String),
        validTo: expect.stringMatching(/^21\d\d-/),
      })),
    );
    // No provider answers at that address, which only the answer to the save says.
    const untold = Object.assign({}, first.body.data, { warnings: [] });
    expect((await read(ada)).body.data).toEqual(untold);
    const second = await put(ada, { ...saml(), requireMfaEvenWithSso: true, justInTime: false });
    expect(second.body.data.settings).toMatchObject({
      requireMfaEvenWithSso: true,
      justInTime: false,
      oidc: null,
    });
    expect(assertOk(await remove(ada)).body.data).toEqual({ deleted: true, sessionsEnded: 0 });
    expect([(await read(ada)).body.data.settings, await configOf(ada)]).toEqual([null, null]);
  });

  test('never show the client secret, keep it sealed, and for the same client only', async () => {
    const answers = [await put(ada, oidc()), await read(ada)];
    const before = await configOf(ada);
    const { clientSecret: _, ...without } = oidc().oidc;
    answers.push(await put(ada, { provider: 'oidc', oidc: { ...without, groupsClaim: 'roles' } }));
    expect((await configOf(ada))?.oidc).toEqual({ ...before?.oidc, groupsClaim: 'roles' });
    const opened = await activeOf(ada);
    expect(opened.oidc?.clientSecret).toBe(SECRET);
    for (const other of [{ issuer: 'https://login.example.com/other' }, { clientId: 'other' }]) {
      const refused = await put(ada, { provider: 'oidc', oidc: { ...without, ...other } });
      expect([refused.status, refused.body.code, refused.text]).toEqual([
        400,
        'VALIDATION_ERROR',
        expect.stringContaining('oidc.clientSecret'),
      ]);
    }
    answers.push(await put(ada, oidc({ clientSecret: `${SECRET}, renewed` })), await read(ada));
    expect((await activeOf(ada)).oidc?.clientSecret).toBe(`${SECRET}, renewed`);
    const logged = JSON.stringify(await listAuditEntries(app, ada, 'resource=organization'));
    for (const text of [
      ...answers.map((answer) => answer.text),
      logged,
      JSON.stringify(await configOf(ada)),
    ])
      expect(text).not.toContain(SECRET);
  });

  test('are audited with what was set', async () => {
    const owner = await createOwner(app, 'Audited');
    assertOk(await put(owner, oidc()));
    assertOk(await put(owner, saml()));
    assertOk(await remove(owner));
    const entries = await listAuditEntries(
      app,
      owner,
      `resourceId=${owner.organizationId}&resource=organization`,
    );
    const [registered, ...changes] = entries.toReversed();
    expect(registered?.action).toBe('auth.register');
    expect(changes.toReversed().map(({ action, metadata }) => [action, metadata])).toEqual([
      ['organization.sso.delete', { sessionsEnded: 0 }],
      [
        'organization.sso.update',
        {
          provider: 'saml',
          requireMfaEvenWithSso: false,
          requireSso: false,
          justInTime: true,
          secretChanged: false,
          sessionsEnded: 0,
          entityId: 'urn:example:idp',
          ssoUrl: 'https://login.example.com/saml',
          sloUrl: null,
          certificates: [expect.any(String)],
        },
      ],
      [
        'organization.sso.update',
        {
          provider: 'oidc',
          requireMfaEvenWithSso: false,
          requireSso: false,
          justInTime: true,
          secretChanged: true,
          sessionsEnded: 0,
          issuer: 'https://login.example.com/tenant',
          clientId: 'assay',
        },
      ],
    ]);
  });

  test.each<[string, unknown, string]>([
    ['no provider', { oidc: oidc().oidc }, 'provider'],
    ['an unknown provider', { provider: 'ldap', oidc: oidc().oidc }, 'provider'],
    ['a provider that is not set up', { provider: 'saml', oidc: oidc().oidc }, 'saml: required'],
    ['a misspelt setting', { ...oidc(), requireMFA: true }, 'requireMFA'],
    ['a misspelt member', oidc({ secret: 'x' }), 'secret'],
    ['an operator', oidc({ clientId: { $ne: null } }), 'clientId'],
    ['no secret', oidc({ clientSecret: undefined, clientId: 'new' }), 'clientSecret'],
    ['an empty secret', oidc({ clientSecret: '' }), 'clientSecret'],
    ['an issuer with a query', oidc({ issuer: 'https://login.example.com/?tenant=a' }), 'issuer'],
    ['an issuer with a fragment', oidc({ issuer: 'https://login.example.com/#a' }), 'issuer'],
    ['no certificate', saml({ certificates: [] }), 'certificates'],
    ['three', saml({ certificates: Array(3).fill(FIRST_CERTIFICATE) }), 'certificates'],
    [
      'an expired one',
      saml({ certificates: [FIRST_CERTIFICATE, EXPIRED_CERTIFICATE] }),
      'certificates.1: expired on 2021',
    ],
    ['a short key', saml({ certificates: [SMALL_CERTIFICATE] }), 'fewer than 2048 bits'],
    ['another kind of key', saml({ certificates: [CURVE_CERTIFICATE] }), 'not RSA'],
    [
      'two in one',
      saml({ certificates: [FIRST_CERTIFICATE + SECOND_CERTIFICATE] }),
      'one certificate',
    ],
    [
      'something else',
      saml({ certificates: ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'] }),
      'X.509',
    ],
  ])('%s is refused', async (_what, body, text) => {
    const owner = ada;
    const before = await configOf(owner);
    const answer = await put(owner, body);
    expect([answer.status, answer.body.code, answer.text]).toEqual([
      400,
      'VALIDATION_ERROR',
      expect.stringContaining(text),
    ]);
    expect(await configOf(owner)).toEqual(before);
  });

  test.each([
    '127.0.0.1',
    '169.254.169.254',
    '2130706433',
    '[::ffff:10.0.0.1]',
    'localhost',
    'db.localhost.',
    'user:password@login.example.com',
  ])('no address leads to %s', async (host) => {
    const address = `https://${host}/saml`;
    for (const body of [
      oidc({ issuer: address }),
      saml({ ssoUrl: address }),
      saml({ sloUrl: address }),
    ])
      expect(toOutcome(await put(ada, body)), JSON.stringify(body)).toEqual([400, 'SSRF_BLOCKED']);
  });

  test('are reached over TLS, except where the installation says so', async () => {
    const addresses = (host: string) => [
      oidc({ issuer: `http://${host}/tenant` }),
      saml({ ssoUrl: `http://${host}/saml` }),
      saml({ sloUrl: `http://${host}/saml` }),
    ];
    for (const body of [
      ...addresses('idp.example.com'),
      ...addresses('plain.example.com'),
      saml({ ssoUrl: 'ftp://a' }),
    ])
      expect(toOutcome(await put(ada, body))).toEqual([400, 'SSRF_BLOCKED']);
    for (const body of addresses('plain.example.com:8080')) assertOk(await put(ada, body));
  });

  test('are for owners; admins see them; other roles do not', async () => {
    assertOk(await put(ada, oidc()));
    const admin = await createMember(harness, ada, 'admin');
    expect((await read(admin)).body.data.settings.oidc.clientId).toBe('assay');
    const fails = { action: 'organization.sso.update', status: 'failure' };
    const failures = async () => listAuditEntries(app, ada, new URLSearchParams(fails).toString());
    const before = (await failures()).length;
    for (const role of ['admin', 'reviewer', 'member', 'viewer', 'auditor']) {
      const person = role === 'admin' ? admin : await createMember(harness, ada, role);
      expect(toOutcome(await put(person, oidc())), role).toEqual([403, 'FORBIDDEN']);
      expect(toOutcome(await remove(person)), role).toEqual([403, 'FORBIDDEN']);
      if (role !== 'admin') expect(toOutcome(await read(person)), role).toEqual([403, 'FORBIDDEN']);
    }
    expect((await failures()).length).toBe(before + 5);
    const { key } = await createWorkspaceKey(app, ada);
    expect(toOutcome(await app.call('GET', `${at}/sso`, { key }))).toEqual([403, 'FORBIDDEN']);
    const stranger = await createOwner(app, 'Stranger');
    expect((await read(stranger)).body.data.settings).toBeNull();
    expect(toOutcome(await remove(stranger))).toEqual([404, 'NOT_FOUND']);
    expect((await read(ada)).body.data.settings).not.toBeNull();
  });

  test('need a plan that has them', async () => {
    const small = await startApp({ DEFAULT_PLAN: 'scale' });
    const { token } = await createOwner(small);
    const data = {
      currentPlan: 'scale',
      requiredPlans: ['governance', 'enterprise', 'custom'],
      feature: 'sso',
    };
    for (const [method, path, body] of [
      ['GET', '/sso', undefined],
      ['PUT', '/sso', oidc()],
      ['DELETE', '/sso', undefined],
      ['GET', '/role-mapping', undefined],
      ['PUT', '/role-mapping', { rules: [] }],
    ] as const) {
      const answer = await small.call(method, at + path, { token, ...(body && { body }) });
      expect([answer.status, answer.body.code, answer.body.data]).toEqual([
        403,
        'UPGRADE_REQUIRED',
        data,
      ]);
    }
    await small.stop();
  });
});

describe('sessions that a sign-on opened', () => {
  const ISSUER = 'https://login.example.com/tenant';

  /** A member with a session as the callback of a sign-on makes it, and one by password. */
  async function signedOn(home: Owner, issuer: string, protocol: 'oidc' | 'saml' = 'oidc') {
    const person = await createMember(harness, home, 'member');
    const user = await harness.db.collection('users').findOne({ _id: toObjectId(person.userId) });
    const signOn = { protocol, issuer, subject: person.userId, format: null, sessionIndex: null };
    const made = await signIn(app.instance.platform, user as never, {
      origin: { ip: '127.0.0.1', userAgent: null },
      proof: {
        method: protocol,
        secondFactor: 'identity_provider' as const,
        signOn: { ...signOn, organizationId: home.organizationId },
      },
    });
    if (made.mfaRequired) throw new Error('no second factor is set up');
    return { byPassword: person.token, bySignOn: made.token };
  }
  const me = async (token: string): Promise<[number, string | undefined]> =>
    toOutcome(await app.call('GET', '/api/v1/auth/me', { token }));

  test('end with it, the others stay', async () => {
    const owner = await createOwner(app, 'Ending');
    assertOk(await put(owner, oidc()));
    const [grace, joan] = [await signedOn(owner, ISSUER), await signedOn(owner, ISSUER)];
    expect(await me(grace.bySignOn)).toEqual([200, undefined]);
    expect((await remove(owner)).body.data.sessionsEnded).toBe(2);
    for (const { bySignOn, byPassword } of [grace, joan]) {
      expect(await me(bySignOn)).toEqual([401, 'SESSION_REVOKED']);
      expect(await me(byPassword)).toEqual([200, undefined]);
    }
  });

  test('end with another provider, and stay with other settings of the same one', async () => {
    const owner = await createOwner(app, 'Moving');
    assertOk(await put(owner, { ...oidc(), saml: samlPart({ entityId: ISSUER }) }));
    const grace = await signedOn(owner, ISSUER);
    const same = {
      ...oidc({ clientId: 'renewed' }),
      saml: samlPart({ entityId: ISSUER }),
      justInTime: false,
    };
    assertOk(await put(owner, same));
    expect(await me(grace.bySignOn)).toEqual([200, undefined]);
    // The same name with the other protocol is another provider.
    assertOk(await put(owner, { ...same, provider: 'saml' }));
    expect(await me(grace.bySignOn)).toEqual([401, 'SESSION_REVOKED']);
    const joan = await signedOn(owner, ISSUER, 'saml');
    expect(await me(joan.bySignOn)).toEqual([200, undefined]);
    assertOk(await put(owner, saml({ entityId: 'urn:example:other' })));
    expect(await me(joan.bySignOn)).toEqual([401, 'SESSION_REVOKED']);
    const [entry] = await listAuditEntries(app, owner, 'action=organization.sso.update');
    expect(entry?.metadata).toMatchObject({ sessionsEnded: 1 });
  });

  test('are refused when the provider was removed during the sign-on', async () => {
    const owner = await createOwner(app, 'Late');
    assertOk(await put(owner, oidc()));
    assertOk(await remove(owner));
    const late = await signedOn(owner, ISSUER);
    expect(await me(late.bySignOn)).toEqual([401, 'SESSION_REVOKED']);
  });

  test('of another organisation are not affected', async () => {
    const [owner, other] = [await createOwner(app, 'One'), await createOwner(app, 'Two')];
    for (const each of [owner, other]) assertOk(await put(each, oidc()));
    const theirs = await signedOn(other, ISSUER);
    expect((await remove(owner)).body.data.sessionsEnded).toBe(0);
    expect(await me(theirs.bySignOn)).toEqual([200, undefined]);
  });
});

describe('the mapping of roles', () => {
  const mapping = ({ token }: Owner): Promise<Answer> =>
    app.call('GET', `${at}/role-mapping`, { token });
  const map = ({ token }: Owner, body: unknown): Promise<Answer> =>
    app.call('PUT', `${at}/role-mapping`, { token, body });
  const ROLES = ['owner', 'admin', 'reviewer', 'member', 'viewer', 'auditor'];

  test('is kept in its order, knows every role, and is audited', async () => {
    expect((await mapping(ada)).body.data).toEqual({ rules: [] });
    const rules = ROLES.map((role) => ({ pattern: `^app-${role}s?$`, role }));
    expect((await map(ada, { rules })).body.data).toEqual({ rules });
    expect((await mapping(ada)).body.data).toEqual({ rules });
    const [entry] = await listAuditEntries(app, ada, 'action=organization.role_mapping.update');
    expect(entry).toMatchObject({
      resource: 'organization',
      resourceId: ada.organizationId,
      metadata: { rules },
    });
    const used = await activeOf(ada).catch(() => null);
    expect(used?.roleMapping ?? rules).toEqual(rules);
    const fifty = Array.from({ length: 50 }, (_, index) => ({
      pattern: 'x'.repeat(150 + index),
      role: 'viewer',
    }));
    expect((await map(ada, { rules: fifty })).status).toBe(200);
    assertOk(await map(ada, { rules: [] }));
  });

  test.each<[string, unknown, string]>([
    [
      'what is no expression',
      {
        rules: [
          { pattern: 'a', role: 'member' },
          { pattern: '(', role: 'admin' },
        ],
      },
      'rules.1.pattern',
    ],
    ['a back-reference', { rules: [{ pattern: '(a)\\1', role: 'admin' }] }, 'rules.0.pattern'],
    ['look-around', { rules: [{ pattern: '(?=a)', role: 'admin' }] }, 'rules.0.pattern'],
    ['an empty pattern', { rules: [{ pattern: '', role: 'admin' }] }, 'rules.0.pattern'],
    ['a huge program', { rules: [{ pattern: '(a{100}){10}', role: 'admin' }] }, 'rules.0.pattern'],
    ['a long pattern', { rules: [{ pattern: 'a'.repeat(201), role: 'admin' }] }, 'rules.0.pattern'],
    ['an unknown role', { rules: [{ pattern: 'a', role: 'root' }] }, 'rules.0.role'],
    ['a further member', { rules: [{ pattern: 'a', role: 'admin', deny: true }] }, 'rules.0'],
    ['51 rules', { rules: Array(51).fill({ pattern: 'a', role: 'viewer' }) }, 'rules'],
    ['no list', { rules: null }, 'rules'],
    ['nothing', {}, 'rules'],
  ])('%s is refused at its place', async (_what, body, path) => {
    const answer = await map(ada, body);
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.body.data.issues[0].path).toBe(path);
    expect((await mapping(ada)).body.data.rules).toEqual([]);
  });

  test('is for owners; admins see it', async () => {
    const rules = [{ pattern: '.', role: 'owner' }];
    for (const role of ['admin', 'reviewer', 'member', 'viewer', 'auditor']) {
      const person = await createMember(harness, ada, role);
      expect(toOutcome(await map(person, { rules })), role).toEqual([403, 'FORBIDDEN']);
      expect((await mapping(person)).status, role).toBe(role === 'admin' ? 200 : 403);
    }
  });
});
