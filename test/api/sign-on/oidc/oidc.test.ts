// Sign-on at an organisation's OpenID provider: requests, callbacks, members, roles and the second factor.
import { beforeAll, describe, expect, test } from 'vitest';
import { useFixture, useHarness } from '../../../setup/fixtures.ts';
import { Browser, readCookie, parseLanding, SESSION, TEMP_TOKEN } from '../../../setup/browser.ts';
import {
  listAuditEntries,
  changeMembership,
  toObjectId,
  verifyMailbox,
} from '../../../setup/harness.ts';
import {
  parseAuthorization,
  startHandmadeProvider,
} from '../../../setup/providers/identity-provider.ts';
import { assertOk, createOwner, type Owner } from '../../../setup/personas.ts';
import { createDirectory } from '../../../setup/scim.ts';
import { Authenticator, registerFactor, MovedClock } from '../../../setup/second-factor.ts';
import {
  createSsoOrganization,
  readSession,
  startLogin,
  setSsoConfig,
  signOn,
  type SsoOrganization,
} from '../../../setup/providers/sso.ts';
import type { Answer } from '../../../setup/start-app.ts';

const HOME = 'https://app.example.com/signed-on';
const clock = new MovedClock();

let home: SsoOrganization;
const provider = useFixture(startHandmadeProvider, (started) => started.stop());
const harness = useHarness(
  {
    ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
    ASSAY_PUBLIC_URL: 'https://assay.example.com',
    ASSAY_RETURN_URLS: `${HOME},https://app.example.com/other`,
    ASSAY_LIMIT_ACCOUNT: '1000',
  },
  { clock },
);
beforeAll(async () => {
  home = await createSsoOrganization(harness, provider.createRealm());
});

let made = 0;
/** A person at the provider. */
const person = (at: SsoOrganization, more: object = {}) => {
  made += 1;
  return { sub: `sub-${made}`, email: `p${made}@${at.domain}`, name: `Person ${made}`, ...more };
};
const ended = (answer: Answer) => ({
  ...parseLanding(answer),
  session: readCookie(answer, SESSION) !== null,
});
const signedOn = { status: 302, at: HOME, query: {}, session: true };
const refused = (code: string) => ({
  status: 302,
  at: HOME,
  query: { error: code },
  session: false,
});
const me = async (token: string): Promise<Answer['body']> =>
  assertOk(await harness.app.call('GET', '/api/v1/auth/me', { token })).body.data;
const membershipOf = (at: SsoOrganization, userId: string) =>
  harness.db
    .collection('memberships')
    .findOne({ organizationId: toObjectId(at.owner.organizationId), userId: toObjectId(userId) });
/** The organisation's own settings of roles. */
const mapRoles = async ({ owner }: SsoOrganization, ...rules: object[]) =>
  assertOk(
    await harness.app.call('PUT', '/api/v1/organization/role-mapping', {
      token: owner.token,
      body: { rules },
    }),
  );

describe('the sign-on', () => {
  test('begins with a code flow with PKCE, state and nonce, for the client of the organisation', async () => {
    const browser = new Browser(harness.app);
    const location = await startLogin(browser, home);
    const { state, nonce, challenge, redirectUri, clientId, params } = parseAuthorization(location);
    expect(location.split('?')[0]).toBe(`${home.realm.issuer}/authorize`);
    expect([params.get('response_type'), params.get('code_challenge_method')]).toEqual([
      'code',
      'S256',
    ]);
    expect(params.get('scope')?.split(' ')).toEqual(['openid', 'email', 'profile']);
    expect([redirectUri, clientId]).toEqual([
      `https://assay.example.com/api/v1/auth/sso/callback/${home.owner.organizationId}`,
      home.realm.clientId,
    ]);
    for (const secret of [state, nonce, challenge]) expect(secret).toMatch(/^[\w-]{43}$/);
    expect(browser.cookies.size).toBe(1);
  });

  test('ends with a session in an HttpOnly cookie, exchanged once, and no token in a URL', async () => {
    const { answer, browser } = await signOn(harness, home, person(home));
    expect(ended(answer)).toEqual(signedOn);
    const set = answer.headers.getSetCookie().find((text) => text.startsWith(SESSION));
    expect(set).toMatch(/; Max-Age=604800; .*HttpOnly/);
    expect(answer.headers.get('location')).not.toContain(readSession(answer));
    expect([...browser.cookies.keys()]).toEqual([SESSION]);
    const exchanged = await browser.call('GET', '/api/v1/auth/oauth-token');
    expect(exchanged.body.data).toMatchObject({
      token: readSession(answer),
      organizationId: home.owner.organizationId,
      role: 'member',
      expiresAt: expect.stringMatching(/Z$/),
    });
    expect(browser.cookies.size).toBe(0);
    const again = await browser.call('GET', '/api/v1/auth/oauth-token');
    expect([again.status, again.body.code]).toEqual([401, 'NO_TOKEN']);
  });

  test('returns to an address of the allow-list, with its query', async () => {
    const browser = new Browser(harness.app);
    const returnTo = 'https://app.example.com/other?tab=2';
    const back = home.realm.authorizePerson(
      await startLogin(browser, home, { returnTo }),
      person(home),
    );
    expect((await browser.returnFromProvider('sso/callback', back)).headers.get('location')).toBe(
      returnTo,
    );
  });

  test('is audited in the organisation, with the method', async () => {
    const one = person(home);
    await signOn(harness, home, one);
    const [entry] = await listAuditEntries(harness.app, home.owner, 'action=auth.login');
    expect(entry).toMatchObject({
      status: 'success',
      userEmail: one.email,
      resource: 'session',
      metadata: { method: 'oidc', secondFactor: 'identity_provider', jti: expect.any(String) },
    });
  });

  test('gives one session for one state and code in twenty simultaneous requests', async () => {
    const browser = new Browser(harness.app);
    const one = person(home);
    const back = home.realm.authorizePerson(await startLogin(browser, home), one);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const path = `/api/v1/auth/sso/callback?${new URLSearchParams(back).toString()}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => harness.app.call('GET', path, { headers: { cookie } })),
    );
    expect(answers.filter((answer) => readCookie(answer, SESSION) !== null)).toHaveLength(1);
    expect(
      answers
        .map((answer) => parseLanding(answer).query)
        .filter(({ error }) => error === 'INVALID_TOKEN'),
    ).toHaveLength(19);
    const user = await harness.db.collection('users').findOne({ email: one.email });
    expect(await harness.db.collection('sessions').countDocuments({ userId: user?._id })).toBe(1);
  });
});

describe('the person who signs on', () => {
  test('becomes a member once, and stays the same one, whatever the address is later', async () => {
    const one = person(home);
    const first = await me(readSession((await signOn(harness, home, one)).answer));
    expect([first.user.email, first.user.name, first.role]).toEqual([
      one.email,
      one.name,
      'member',
    ]);
    for (const email of [`renamed-${made}@${home.domain}`, 'elsewhere@example.net', undefined]) {
      const { answer } = await signOn(harness, home, { ...one, email });
      expect((await me(readSession(answer))).user._id).toBe(first.user._id);
    }
    expect(await harness.db.collection('users').countDocuments({ name: one.name })).toBe(1);
  });

  test('two first sign-ons at once are one member', async () => {
    const one = person(home);
    const answers = await Promise.all([1, 2, 3].map(() => signOn(harness, home, one)));
    expect(answers.map(({ answer }) => ended(answer))).toEqual([signedOn, signedOn, signedOn]);
    expect(await harness.db.collection('users').countDocuments({ email: one.email })).toBe(1);
  });

  test('two organisations at once that share a domain owner: no account is created twice', async () => {
    const other = await createSsoOrganization(harness, provider.createRealm());
    const one = person(home);
    const answers = await Promise.all([
      signOn(harness, home, one),
      signOn(harness, other, { ...one, sub: 'x' }),
    ]);
    expect(answers.map(({ answer }) => ended(answer))).toEqual([signedOn, refused('FORBIDDEN')]);
  });

  test('another person with the address of a member who signs on here already is refused', async () => {
    const one = person(home);
    await signOn(harness, home, one);
    const { answer } = await signOn(harness, home, { ...one, sub: 'recycled' });
    expect(ended(answer)).toEqual(refused('CONFLICT'));
  });

  test('is identified by the chosen claim', async () => {
    const own = await createSsoOrganization(harness, provider.createRealm(), {
      oidc: { subjectClaim: 'oid' },
    });
    const one = person(own, { oid: 'object-1' });
    const first = await me(readSession((await signOn(harness, own, one)).answer));
    const second = await me(
      readSession((await signOn(harness, own, { ...one, sub: 'pairwise-2' })).answer),
    );
    expect(second.user._id).toBe(first.user._id);
    const { answer } = await signOn(harness, own, person(own));
    expect(ended(answer)).toEqual(refused('TOKEN_VERIFICATION_FAILED'));
  });

  test('is the member that the directory provisioned under that name', async () => {
    const own = await createSsoOrganization(harness, provider.createRealm());
    const { id } = await (
      await createDirectory(harness.app, own.owner)
    ).provision({
      userName: `prov@${own.domain}`,
      externalId: 'idp-77',
    });
    const { answer } = await signOn(harness, own, { sub: 'idp-77', email: `other@${own.domain}` });
    expect((await me(readSession(answer))).user._id).toBe(id);
  });

  test('without just-in-time membership only members are let in', async () => {
    const own = await createSsoOrganization(harness, provider.createRealm(), { justInTime: false });
    const { answer } = await signOn(harness, own, person(own));
    expect(ended(answer)).toEqual(refused('FORBIDDEN'));
    const { id } = await (
      await createDirectory(harness.app, own.owner)
    ).provision({ userName: `known@${own.domain}` });
    const known = await signOn(harness, own, { sub: 's', email: `known@${own.domain}` });
    expect((await me(readSession(known.answer))).user._id).toBe(id);
  });

  test('is described by the UserInfo endpoint when the ID token is thin, but only for the same subject', async () => {
    const realm = provider.createRealm();
    realm.metadata = { userinfo_endpoint: `${realm.issuer}/userinfo` };
    const own = await createSsoOrganization(harness, realm);
    const one = person(own);
    realm.userInfo = { ...one, email_verified: true };
    expect(ended((await signOn(harness, own, { sub: one.sub })).answer)).toEqual(signedOn);
    realm.userInfo = { ...person(own), email_verified: true };
    expect(ended((await signOn(harness, own, { sub: 'another' })).answer)).toEqual(
      refused('TOKEN_VERIFICATION_FAILED'),
    );
    // The token's own address is not verified by what is said of another one.
    realm.userInfo = { sub: 'third', email: one.email, email_verified: true };
    const third = { sub: 'third', email: `third@${own.domain}`, email_verified: false };
    expect(ended((await signOn(harness, own, third)).answer)).toEqual(refused('FORBIDDEN'));
  });
});

describe('`email_verified`', () => {
  test.for([false, 'false', 'FALSE', 0, 1, '', 'yes', null, {}])(
    '%j: the address is not verified, and the sign-on is refused',
    async (email_verified) => {
      const { answer } = await signOn(harness, home, person(home, { email_verified }));
      expect(ended(answer)).toEqual(refused('FORBIDDEN'));
    },
  );

  test.for([true, 'true', undefined])('%j: signed on', async (email_verified) => {
    const { answer } = await signOn(harness, home, person(home, { email_verified }));
    expect(ended(answer)).toEqual(signedOn);
  });
});

/** Registers an account with the address of a person of the organisation. */
async function registered(
  at: SsoOrganization,
): Promise<{ one: ReturnType<typeof person>; squatter: Owner }> {
  const one = person(at);
  const squatter = await createOwner(harness.app, 'Squatter');
  await harness.db
    .collection('users')
    .updateOne({ email: squatter.email }, { $set: { email: one.email } });
  return { one, squatter: { ...squatter, email: one.email } };
}

describe('an account that exists', () => {
  test('with an unproved mailbox loses password and sessions to the owner of the mailbox', async () => {
    const { one, squatter } = await registered(home);
    const { answer } = await signOn(harness, home, one);
    expect((await me(readSession(answer))).user._id).toBe(squatter.userId);
    const stale = await harness.app.call('GET', '/api/v1/auth/me', { token: squatter.token });
    expect(stale.status).toBe(401);
    const body = { email: one.email, password: 'Correct-Horse-9' };
    expect((await harness.app.call('POST', '/api/v1/auth/login', { body })).body.code).toBe(
      'INVALID_CREDENTIALS',
    );
  });

  test('keeps its other organisations, which the session does not lead to', async () => {
    const { one, squatter } = await registered(home);
    await verifyMailbox(harness, squatter);
    const token = readSession((await signOn(harness, home, one)).answer);
    const { organizationId } = squatter;
    const switched = await harness.app.call('POST', '/api/v1/auth/switch-org', {
      token,
      body: { organizationId },
    });
    expect([switched.status, switched.body.code]).toEqual([403, 'FORBIDDEN']);
    const fresh = assertOk(await harness.app.call('POST', '/api/v1/auth/refresh', { token })).body
      .data.token as string;
    const again = await harness.app.call('POST', '/api/v1/auth/switch-org', {
      token: fresh,
      body: { organizationId },
    });
    expect([again.status, again.body.code]).toEqual([403, 'FORBIDDEN']);
    expect((await me(fresh)).organization._id).toBe(home.owner.organizationId);
  });

  test('opens a membership that waited for the proof', async () => {
    const own = await createSsoOrganization(harness, provider.createRealm());
    const { one } = await registered(own);
    await (await createDirectory(harness.app, own.owner)).provision({ userName: one.email });
    const user = await harness.db.collection('users').findOne({ email: one.email });
    expect(await membershipOf(own, String(user?._id))).toMatchObject({ awaitsProof: true });
    expect(ended((await signOn(harness, own, one)).answer)).toEqual(signedOn);
    expect(await membershipOf(own, String(user?._id))).toMatchObject({ awaitsProof: false });
  });

  test('that is suspended here stays outside', async () => {
    const one = person(home);
    const { user } = await me(readSession((await signOn(harness, home, one)).answer));
    await changeMembership(
      harness,
      { ...home.owner, userId: user._id },
      { isActive: false, deactivatedBy: 'team' },
    );
    expect(ended((await signOn(harness, home, one)).answer)).toEqual(
      refused('ACCOUNT_DEACTIVATED'),
    );
  });

  test('that another directory made, of a domain that is not proved here, is not opened', async () => {
    const [ours, theirs] = [
      await createSsoOrganization(harness, provider.createRealm()),
      await createSsoOrganization(harness, provider.createRealm()),
    ];
    const victim = `victim@${theirs.domain}`;
    await (await createDirectory(harness.app, theirs.owner)).provision({ userName: victim });
    await (
      await createDirectory(harness.app, ours.owner)
    ).provision({ userName: victim, externalId: 'evil' });
    for (const claims of [
      { sub: 'evil' },
      { sub: 'evil', email: victim },
      { sub: 'other', email: victim },
    ])
      expect(ended((await signOn(harness, ours, claims)).answer)).toEqual(refused('FORBIDDEN'));
  });
});

describe('roles', () => {
  test('follow the groups, come and go with them, and stay where the provider points elsewhere', async () => {
    const own = await createSsoOrganization(harness, provider.createRealm());
    await mapRoles(
      own,
      { pattern: '^assay-audit', role: 'auditor' },
      { pattern: '^assay-admins$', role: 'admin' },
    );
    const one = person(own);
    const roleWith = async (more: object): Promise<string> =>
      (await me(readSession((await signOn(harness, own, { ...one, ...more })).answer)))
        .role as string;
    const admins = { groups: ['staff', 'assay-admins'] };
    expect(await roleWith(admins)).toBe('admin');
    for (const elsewhere of [{ _claim_names: { groups: 'src1' } }, { hasgroups: true }])
      expect(await roleWith(elsewhere)).toBe('admin');
    // Keycloak leaves the claim out for a user without groups.
    expect(await roleWith({})).toBe('member');
    expect(await roleWith(admins)).toBe('admin');
    expect(await roleWith({ groups: [] })).toBe('member');
    expect(await roleWith(admins)).toBe('admin');
    expect(await roleWith({ groups: 'assay-audit-eu' })).toBe('auditor');
    expect(await roleWith({ groups: [7, null, 'staff'] })).toBe('member');
  });

  test('stay where the groups come in a form that is not understood', async () => {
    const own = await createSsoOrganization(harness, provider.createRealm());
    await mapRoles(own, { pattern: '^assay-admins$', role: 'admin' });
    const one = person(own);
    const roleWith = async (more: object): Promise<string> =>
      (await me(readSession((await signOn(harness, own, { ...one, ...more })).answer)))
        .role as string;
    expect(await roleWith({ groups: ['/assay-admins'] })).toBe('admin');
    for (const groups of [
      { name: 'staff' },
      [{ name: 'staff' }],
      [['staff']],
      ['staff', { name: 'assay-admins' }],
      7,
      [7],
      true,
      '["assay-admins"]',
      ['{"name":"assay-admins"}'],
      '%2Fassay-admins',
      ['staff', 'assay%2dadmins'],
    ])
      expect(await roleWith({ groups }), JSON.stringify(groups)).toBe('admin');
    for (const elsewhere of [
      { _claim_names: '{"groups":"src1"}' },
      { _claim_names: ['groups'] },
      { groups: [], _claim_names: { groups: 'src1' } },
      { groups: ['staff'], hasgroups: 'true' },
    ])
      expect(await roleWith(elsewhere)).toBe('admin');
    expect(await roleWith({ _claim_names: { address: 'src1' } })).toBe('member');
  });

  test('that were given by hand stay without a group, and without a rule', async () => {
    const own = await createSsoOrganization(harness, provider.createRealm());
    const one = person(own);
    const { user } = await me(readSession((await signOn(harness, own, one)).answer));
    await changeMembership(harness, { ...own.owner, userId: user._id }, { role: 'reviewer' });
    expect((await me(readSession((await signOn(harness, own, one)).answer))).role).toBe('reviewer');
    await mapRoles(own, { pattern: '^assay-admins$', role: 'admin' });
    expect((await me(readSession((await signOn(harness, own, one)).answer))).role).toBe('reviewer');
  });

  test('never take the last owner', async () => {
    const own = await createSsoOrganization(harness, provider.createRealm());
    await mapRoles(own, { pattern: 'staff', role: 'viewer' });
    await harness.db
      .collection('users')
      .updateOne({ _id: toObjectId(own.owner.userId) }, { $set: { email: `owner@${own.domain}` } });
    const claims = { sub: 'owner', email: `owner@${own.domain}`, groups: ['staff'] };
    const { user, role } = await me(readSession((await signOn(harness, own, claims)).answer));
    expect([user._id, role]).toEqual([own.owner.userId, 'owner']);
  });
});

describe('the second factor', () => {
  test('is left to the provider, unless the organisation wants it all the same', async () => {
    const own = await createSsoOrganization(harness, provider.createRealm());
    const one = person(own);
    const first = readSession((await signOn(harness, own, one)).answer);
    const authenticator = await registerFactor(harness.app, clock, first);
    expect(ended((await signOn(harness, own, one)).answer)).toEqual(signedOn);

    await setSsoConfig(harness, own, { requireMfaEvenWithSso: true });
    const { answer, browser } = await signOn(harness, own, one);
    expect(ended(answer)).toEqual({
      status: 302,
      at: HOME,
      query: { ssoMfa: '1' },
      session: false,
    });
    expect(readCookie(answer, TEMP_TOKEN)).not.toBeNull();
    const exchanged = await browser.call('GET', '/api/v1/auth/sso/mfa-exchange');
    expect(exchanged.body.data).toEqual({
      mfaRequired: true,
      tempToken: readCookie(answer, TEMP_TOKEN),
    });
    expect((await browser.call('GET', '/api/v1/auth/sso/mfa-exchange')).body.code).toBe('NO_TOKEN');

    const body = {
      tempToken: exchanged.body.data.tempToken as string,
      code: authenticator.generateNextCode(),
    };
    const { token } = assertOk(await harness.app.call('POST', '/api/v1/auth/mfa/login', { body }))
      .body.data;
    expect((await me(token as string)).organization._id).toBe(own.owner.organizationId);
    const session = await harness.db
      .collection('sessions')
      .find({ userId: { $exists: true } })
      .sort({ _id: -1 })
      .next();
    expect(session?.signOn).toMatchObject({
      protocol: 'oidc',
      issuer: own.realm.issuer,
      subject: one.sub,
    });
    const [entry] = await listAuditEntries(harness.app, own.owner, 'action=auth.login');
    expect(entry).toMatchObject({ metadata: { method: 'oidc', secondFactor: 'totp' } });
  });

  test('is set up as the second step where the organisation asks for it and there is none', async () => {
    const own = await createSsoOrganization(harness, provider.createRealm(), {
      requireMfaEvenWithSso: true,
    });
    const one = person(own);
    const { answer, browser } = await signOn(harness, own, one);
    expect(ended(answer).query).toEqual({ ssoMfa: '1' });
    const { data } = assertOk(await browser.call('GET', '/api/v1/auth/sso/mfa-exchange')).body;
    const authenticator = new Authenticator(clock, data.enrolment.secret as string);
    const finish = (code: string) =>
      harness.app.call('POST', '/api/v1/auth/mfa/login', {
        body: { tempToken: data.tempToken as string, code },
      });
    expect((await finish(authenticator.generateWrongCode())).body.code).toBe('INVALID_MFA_CODE');
    const { token } = assertOk(await finish(authenticator.code())).body.data;
    const { user } = await me(token as string);
    expect(user.mfaEnabled).toBe(true);
    const again = await signOn(harness, own, one);
    const exchanged = assertOk(await again.browser.call('GET', '/api/v1/auth/sso/mfa-exchange'));
    expect(Object.keys(exchanged.body.data).sort()).toEqual(['mfaRequired', 'tempToken']);
  });

  test('is not set up by a provider for an account that is more than the organisation’s own', async () => {
    const own = await createSsoOrganization(harness, provider.createRealm(), {
      requireMfaEvenWithSso: true,
    });
    const { one, squatter } = await registered(own);
    await verifyMailbox(harness, squatter);
    expect(ended((await signOn(harness, own, one)).answer).query).toEqual({ error: 'FORBIDDEN' });
    await registerFactor(harness.app, clock, squatter.token);
    expect(ended((await signOn(harness, own, one)).answer).query).toEqual({ ssoMfa: '1' });
  });

  test('a temp token or a session that is over is not handed out', async () => {
    const { answer, browser } = await signOn(harness, home, person(home));
    assertOk(await harness.app.call('POST', '/api/v1/auth/logout', { token: readSession(answer) }));
    expect((await browser.call('GET', '/api/v1/auth/oauth-token')).body.code).toBe(
      'SESSION_REVOKED',
    );
    const cookie = `${TEMP_TOKEN}=${readSession(answer)}`;
    const wrong = await harness.app.call('GET', '/api/v1/auth/sso/mfa-exchange', {
      headers: { cookie },
    });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'TOKEN_VERIFICATION_FAILED']);
  });
});
