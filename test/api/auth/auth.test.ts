// Local accounts over HTTP (document 1, section 4.1): register, log in, who am I, and what strangers learn.
import { authenticateSession } from '../../../src/identity/auth/sessions/authentication.service.ts';
import { expect, test } from 'vitest';
import { generateHex } from '../../../src/platform/ids.ts';
import { useOwnHarness } from '../../setup/fixtures.ts';
import {
  listAuditEntries,
  changeMembership,
  createMember,
  toObjectId,
  startHarness,
} from '../../setup/harness.ts';
import { assertOk, createOwner, PASSWORD } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const HEX_ID = /^[0-9a-f]{24}$/;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const DAY = 86_400_000;

const harness = useOwnHarness();

const newEmail = (): string => `p-${generateHex(6)}@example.com`;
const register = (more: object = {}): Promise<Answer> =>
  harness.app.call('POST', '/api/v1/auth/register', {
    body: {
      name: 'Ada',
      email: newEmail(),
      password: PASSWORD,
      organizationName: 'Ada & Söhne',
      ...more,
    },
  });
const login = (body: unknown): Promise<Answer> =>
  harness.app.call('POST', '/api/v1/auth/login', { body });
const me = (token: string): Promise<Answer> =>
  harness.app.call('GET', '/api/v1/auth/me', { token });

test('registering makes a user, an organisation with its default workspace, and a session of seven days', async () => {
  const email = newEmail();
  const before = Date.now();
  const { status, body } = await register({ name: '  Ada  ', email: `  ${email.toUpperCase()} ` });
  expect(status).toBe(201);
  expect(body).toEqual({
    success: true,
    data: {
      token: expect.stringMatching(JWT),
      expiresAt: expect.any(String),
      organizationId: expect.stringMatching(HEX_ID),
      role: 'owner',
      user: {
        _id: expect.stringMatching(HEX_ID),
        email,
        name: 'Ada',
        locale: 'en',
        timezone: 'UTC',
        sessionTimeout: '7d',
        mfaEnabled: false,
        systemRole: null,
        createdAt: expect.any(String),
      },
      organization: {
        _id: body.data.organizationId,
        name: 'Ada & Söhne',
        slug: expect.stringMatching(/^ada-sohne-[0-9a-f]{8}$/),
        plan: 'enterprise',
        defaultWorkspaceId: expect.stringMatching(HEX_ID),
        reclaimedAt: null,
      },
    },
  });
  const lifetime = new Date(body.data.expiresAt).getTime() - before;
  expect(Math.abs(lifetime - 7 * DAY)).toBeLessThan(DAY / 24);
  const mine = await me(body.data.token);
  expect(mine.status).toBe(200);
  expect(mine.body.data).toEqual({
    user: body.data.user,
    organization: body.data.organization,
    role: 'owner',
  });
});

test('the password is kept as an argon2id hash and nowhere else', async () => {
  const { body } = await register();
  const kept = await harness.db
    .collection('users')
    .findOne({ _id: toObjectId(body.data.user._id) });
  expect(kept?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
  for (const { collectionName } of await harness.db.collections()) {
    const documents = await harness.db.collection(collectionName).find().toArray();
    expect(JSON.stringify(documents), collectionName).not.toContain(PASSWORD);
    expect(JSON.stringify(documents), collectionName).not.toContain(body.data.token);
  }
});

test('an instance without a configured cost hashes passwords as OWASP recommends', async () => {
  const usual = await startHarness({}, { passwordCost: undefined });
  try {
    const email = newEmail();
    const body = { name: 'Ada', email, password: PASSWORD, organizationName: 'Ada Ltd' };
    assertOk(await usual.app.call('POST', '/api/v1/auth/register', { body }));
    const kept = await usual.db.collection('users').findOne({ email });
    expect(kept?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  } finally {
    await usual.stop();
  }
});

test.each([
  ['Short-1aB', 'nine characters'],
  ['lower-case-9', 'no upper-case letter'],
  ['UPPER-CASE-9', 'no lower-case letter'],
  ['No-digit-here', 'no digit'],
  [`Aa1${'x'.repeat(126)}`, 'too long'],
])('password %s is refused: %s', async (password) => {
  const { status, body } = await register({ password });
  expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(body.data.issues[0].path).toBe('password');
  expect(body.error).not.toContain(password);
});

test('ten characters with an upper-case letter, a lower-case letter and a digit are enough, in any script', async () => {
  expect((await register({ password: 'Abcdefgh1j' })).status).toBe(201);
  expect((await register({ password: 'ÄбгдежзийΩ1' })).status).toBe(201);
});

test.each([
  ['name', undefined],
  ['name', ' '],
  ['name', 'x'.repeat(201)],
  ['email', 'not-an-address'],
  ['email', { $ne: null }],
  ['email', ['a@example.com']],
  ['email', `${'x'.repeat(250)}@example.com`],
  ['organizationName', ''],
  ['organizationName', null],
])('registering with %s %j is refused', async (member, value) => {
  const { status, body } = await register({ [member]: value });
  expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(body.data.issues[0].path).toBe(member);
});

test('an address has one account, whatever its case and however many register it at once', async () => {
  const email = newEmail();
  const answers = await Promise.all(
    [email, email.toUpperCase(), email, email].map((given) => register({ email: given })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe('ALREADY_EXISTS');
  expect(await harness.db.collection('users').countDocuments({ email })).toBe(1);
  // Nothing of those who lost is left behind.
  const [organizations, users] = await Promise.all(
    ['organizations', 'users'].map((name) => harness.db.collection(name).countDocuments()),
  );
  expect(organizations).toBe(users);
});

test('registration can be closed to strangers', async () => {
  const closed = await startHarness({ REGISTRATION: 'invite' });
  const body = { name: 'Ada', email: newEmail(), password: PASSWORD, organizationName: 'Ada Ltd' };
  const answer = await closed.app.call('POST', '/api/v1/auth/register', { body });
  expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
  expect(await closed.db.collection('users').countDocuments()).toBe(0);
  await closed.stop();
});

test('a password opens a session in the organisation used last', async () => {
  const ada = await createOwner(harness.app);
  const guest = await createMember(harness, ada, 'viewer');
  const { status, body } = await login({ email: guest.email.toUpperCase(), password: PASSWORD });
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    token: expect.stringMatching(JWT),
    organizationId: ada.organizationId,
    role: 'viewer',
    user: { _id: guest.userId, email: guest.email },
  });
  expect(Object.keys(body.data.user).join()).not.toMatch(/password|hash/i);
  const { organization, role } = (await me(body.data.token)).body.data;
  expect([organization._id, role]).toEqual([ada.organizationId, 'viewer']);
});

test('a stranger learns nothing from a login: same status, body, headers and work for a known and an unknown address', async () => {
  const { passwords } = harness.app.instance.platform;
  const ada = await createOwner(harness.app);
  const passwordless = await createOwner(harness.app);
  await harness.db
    .collection('users')
    .updateOne({ _id: toObjectId(passwordless.userId) }, { $set: { passwordHash: null } });
  const seen = [];
  for (const email of [ada.email, newEmail(), passwordless.email]) {
    const before = passwords.computed;
    const { status, headers, body } = await login({ email, password: 'Wrong-Horse-9' });
    expect([status, body]).toEqual([
      401,
      { success: false, error: expect.any(String), code: 'INVALID_CREDENTIALS' },
    ]);
    const names = [...headers.keys()].filter((name) => name !== 'keep-alive').sort();
    seen.push({ body, names, hashes: passwords.computed - before });
  }
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[2]).toEqual(seen[0]);
  expect(seen[0]?.hashes).toBe(1);
});

test('signing in leaves entries: a success, a failure of a known account, none of an unknown one', async () => {
  const ada = await createOwner(harness.app);
  assertOk(
    await harness.app.call('POST', '/api/v1/auth/login', {
      body: { email: ada.email, password: PASSWORD },
      headers: { 'user-agent': 'test-agent/1' },
    }),
  );
  await login({ email: ada.email, password: 'Wrong-Horse-9' });
  const entries = async () =>
    (await listAuditEntries(harness.app, ada, 'resource=session')).map(({ status }) => status);
  await expect.poll(entries).toEqual(['failure', 'success']);
  const [failure, success] = await listAuditEntries(harness.app, ada, 'action=auth.login');
  const known = {
    userId: ada.userId,
    userEmail: ada.email,
    userRole: 'owner',
    action: 'auth.login',
    resource: 'session',
  };
  expect(failure).toMatchObject({
    ...known,
    status: 'failure',
    detail: 'wrong password',
    metadata: { method: 'password' },
  });
  expect(success).toMatchObject({
    ...known,
    userAgent: 'test-agent/1',
    ipAddress: expect.stringContaining('127.0.0.1'),
  });
  const [registered] = await listAuditEntries(harness.app, ada, 'action=auth.register');
  expect(registered).toMatchObject({
    status: 'success',
    resource: 'organization',
    resourceId: ada.organizationId,
  });
});

test.each(['team', 'scim'])(
  'a membership suspended by %s opens no session, and the attempt is recorded',
  async (deactivatedBy) => {
    const ada = await createOwner(harness.app);
    const guest = await createMember(harness, ada, 'member');
    await harness.db
      .collection('memberships')
      .deleteOne({ userId: toObjectId(guest.userId), role: 'owner' });
    await changeMembership(harness, guest, { isActive: false, deactivatedBy });
    const { status, body } = await login({ email: guest.email, password: PASSWORD });
    expect([status, body.code]).toEqual([401, 'ACCOUNT_DEACTIVATED']);
    const failures = () => listAuditEntries(harness.app, ada, 'action=auth.login&status=failure');
    await expect
      .poll(failures)
      .toMatchObject([{ userEmail: guest.email, detail: 'ACCOUNT_DEACTIVATED' }]);
    // A caller without the password does not learn of the suspension.
    expect((await login({ email: guest.email, password: 'Wrong-Horse-9' })).body.code).toBe(
      'INVALID_CREDENTIALS',
    );
  },
);

test('sign-in attempts are throttled per account, known or not, from everywhere together', async () => {
  const strict = await startHarness({
    ASSAY_LIMIT_ACCOUNT_TOTAL: '3',
    ASSAY_TRUST_PROXY: 'loopback',
  });
  const ada = await createOwner(strict.app);
  const attempt = (email: string, address: string) =>
    strict.app.call('POST', '/api/v1/auth/login', {
      body: { email, password: 'Wrong-Horse-9' },
      headers: { 'x-forwarded-for': address },
    });
  for (const email of [ada.email, newEmail()]) {
    for (const last of [1, 2, 3])
      expect((await attempt(email, `192.0.2.${last}`)).status).toBe(401);
    const { status, body, headers } = await attempt(email.toUpperCase(), '192.0.2.4');
    expect([status, body.code, body.data]).toEqual([
      429,
      'RATE_LIMIT_EXCEEDED',
      { limit: 3, windowSeconds: 900 },
    ]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((await attempt(newEmail(), '192.0.2.1')).status).toBe(401);
  await strict.stop();
});

test('the page of a link takes no more passwords of an account than any sign-in, and its address has a limit', async () => {
  const strict = await startHarness({ ASSAY_LIMIT_ACCOUNT: '3', ASSAY_LIMIT_IP: '8' });
  const email = newEmail();
  const page = `${strict.app.url}/decide/${'A'.repeat(43)}`;
  const attempt = async (address: string): Promise<number> => {
    const form = new URLSearchParams({ email: address, password: 'Wrong-Horse-9' });
    const init: RequestInit = { method: 'POST', body: form, redirect: 'manual' };
    return (await fetch(`${page}/sign-in`, init)).status;
  };
  for (const spelling of [email, email.toUpperCase(), ` ${email} `])
    expect(await attempt(spelling)).toBe(302);
  expect(await attempt(email)).toBe(429);
  const login = await strict.app.call('POST', '/api/v1/auth/login', {
    body: { email, password: 'Wrong-Horse-9' },
  });
  expect([login.status, login.body.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  const seen = [];
  for (let looks = 0; looks < 4; looks += 1) seen.push((await fetch(page)).status);
  expect(seen).toEqual([200, 200, 200, 429]);
  await strict.stop();
});

test('a stranger who uses up the attempts of one network does not lock users out', async () => {
  const strict = await startHarness({ ASSAY_LIMIT_ACCOUNT: '3', ASSAY_TRUST_PROXY: 'loopback' });
  const ada = await createOwner(strict.app);
  const attempt = (password: string, address: string) =>
    strict.app.call('POST', '/api/v1/auth/login', {
      body: { email: ada.email, password },
      headers: { 'x-forwarded-for': address },
    });
  const stranger = async () => (await attempt('Wrong-Horse-9', '198.51.100.7')).status;
  const statuses = [];
  for (let tries = 1; tries <= 5; tries += 1) statuses.push(await stranger());
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
  expect((await attempt(PASSWORD, '192.0.2.1')).status).toBe(200);
  // Nor do they reach into a session, whatever network it is used from.
  const change = await strict.app.call('POST', '/api/v1/auth/change-password', {
    token: ada.token,
    body: { currentPassword: PASSWORD, newPassword: 'Another-Horse-8' },
    headers: { 'x-forwarded-for': '198.51.100.7' },
  });
  expect(change.status).toBe(200);
  await strict.stop();
});

test('the configured system owners hold the system-level role, whatever the case of their address, once it is proved', async () => {
  const email = newEmail();
  const own = await startHarness({ SYSTEM_OWNERS: ` Root@Example.com, ${email.toUpperCase()}` });
  const body = { name: 'Root', email, password: PASSWORD, organizationName: 'Root Ltd' };
  const { token } = assertOk(await own.app.call('POST', '/api/v1/auth/register', { body })).body
    .data;
  const systemRole = async () =>
    (await authenticateSession(own.app.instance.platform, token)).user?.systemRole;
  expect(await systemRole()).toBeNull();
  await own.db.collection('users').updateOne({ email }, { $set: { emailVerifiedAt: new Date() } });
  expect(await systemRole()).toBe('owner');
  await own.stop();
});
