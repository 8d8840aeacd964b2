// A user's profile, preferences, time-out, sessions, sign-ins and placeholders over HTTP (document 1, section 4.1).
import jwt from 'jsonwebtoken';
import { describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { assertOk, createOwner, PASSWORD, type Owner } from '../../setup/personas.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import type { Answer } from '../../setup/start-app.ts';

const DAY_MS = 86_400_000;
const clock = new MovedClock();
const harness = useHarness({}, { clock });
const ada = useOwner(harness);

/** `operation` is a method and a path below `/auth/`. */
function call(operation: string, token: string, body?: unknown): Promise<Answer> {
  const [method = '', path = ''] = operation.split(' ');
  return harness.app.call(method, `/api/v1/auth/${path}`, {
    token,
    ...(body !== undefined && { body }),
  });
}
const login = async ({ email }: Owner, agent = 'test/1'): Promise<string> =>
  assertOk(
    await harness.app.call('POST', '/api/v1/auth/login', {
      body: { email, password: PASSWORD },
      headers: { 'user-agent': agent },
    }),
  ).body.data.token;

test('name, locale and time zone change one by one', async () => {
  const { status, body } = await call('PATCH profile', ada.token, { locale: 'de-AT' });
  expect([status, body.data]).toMatchObject([
    200,
    { _id: ada.userId, name: 'Ada', locale: 'de-AT', timezone: 'UTC' },
  ]);
  assertOk(
    await call('PATCH profile', ada.token, { name: '  Ada L. ', timezone: 'Europe/Vienna' }),
  );
  const { user } = assertOk(await call('GET me', ada.token)).body.data;
  expect(user).toMatchObject({ name: 'Ada L.', locale: 'de-AT', timezone: 'Europe/Vienna' });
  expect(await listAuditEntries(harness.app, ada, 'action=user.update_profile')).toHaveLength(2);
});

test('nothing else of a user changes that way', async () => {
  const sent = {
    email: 'eve@example.com',
    systemRole: 'owner',
    passwordHash: 'x',
    mfa: { enabled: true },
    name: 'Ada',
  };
  assertOk(await call('PATCH profile', ada.token, sent));
  const { user } = assertOk(await call('GET me', ada.token)).body.data;
  expect(user).toMatchObject({ email: ada.email, systemRole: null, mfaEnabled: false });
});

test.each([
  { locale: 'not a locale' },
  { locale: '' },
  { timezone: 'Mars/Base' },
  { timezone: '' },
  { name: ' ' },
  { name: { $ne: '' } },
])('the profile %j is refused', async (body) => {
  expect((await call('PATCH profile', ada.token, body)).body.code).toBe('VALIDATION_ERROR');
});

test('preferences: absent members stay', async () => {
  const noticeDigest = { after: 5, minutes: 10 };
  const optOuts = { notificationOptOuts: { email: [], inApp: [] } };
  const start = { theme: 'system', ...optOuts, noticeDigest };
  expect(assertOk(await call('GET me/preferences', ada.token)).body.data).toEqual(start);
  assertOk(
    await call('PATCH me/preferences', ada.token, {
      theme: 'dark',
      notificationOptOuts: { email: ['review.assigned'] },
    }),
  );
  const { data } = assertOk(
    await call('PATCH me/preferences', ada.token, {
      notificationOptOuts: { inApp: ['a.b'] },
      noticeDigest: { after: 0 },
    }),
  ).body;
  expect(data).toEqual({
    theme: 'dark',
    notificationOptOuts: { email: ['review.assigned'], inApp: ['a.b'] },
    noticeDigest: { after: 0, minutes: 10 },
  });
  expect(assertOk(await call('GET me/preferences', ada.token)).body.data).toEqual(data);
  for (const bad of [
    { theme: 'pink' },
    { notificationOptOuts: { email: ['has blank'] } },
    { notificationOptOuts: [] },
    { notificationOptOut: { email: ['alert'] } },
    { notificationOptOuts: { mail: ['alert'] } },
    { notificationOptOuts: { inapp: ['alert'] } },
    { notificationOptOuts: { email: ['alerts'] } },
    { notificationOptOuts: { inApp: ['Broadcast'] } },
  ])
    expect((await call('PATCH me/preferences', ada.token, bad)).status).toBe(400);
});

test.each([
  ['1h', 3600],
  ['8h', 8 * 3600],
  ['24h', 24 * 3600],
  ['7d', 7 * 24 * 3600],
])('the session time-out %s counts from the next token on', async (sessionTimeout, seconds) => {
  const set = await call('PATCH me/session-timeout', ada.token, { sessionTimeout });
  expect([set.status, set.body.data]).toEqual([200, { sessionTimeout }]);
  const { exp = 0, iat = 0 } = jwt.decode(await login(ada)) as jwt.JwtPayload;
  expect(exp - iat).toBe(seconds);
});

test.each(['30d', '', 7, null, { $ne: '1h' }])(
  'the session time-out %j is refused',
  async (sessionTimeout) => {
    expect((await call('PATCH me/session-timeout', ada.token, { sessionTimeout })).status).toBe(
      400,
    );
  },
);

test('open sessions are listed, in all organisations, and ended by what the list says', async () => {
  const guest = await createMember(harness, ada, 'viewer');
  const other = await login(guest, 'other/1');
  const { body } = assertOk(await call('GET sessions', guest.token));
  expect(body).toMatchObject({
    count: 3,
    total: 3,
    pagination: { page: 1, limit: 25, hasMore: false },
  });
  expect(body.data.map(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toEqual([
    false,
    true,
    false,
  ]);
  expect(body.data[0]).toEqual({
    jti: (jwt.decode(other) as jwt.JwtPayload).jti,
    organizationId: ada.organizationId,
    ip: expect.stringContaining('127.0.0.1'),
    userAgent: 'other/1',
    createdAt: expect.any(String),
    expiresAt: expect.any(String),
    isCurrent: false,
  });
  assertOk(await call('POST revoke-session', guest.token, { jti: body.data[0].jti }));
  expect((await call('GET me', other)).body.code).toBe('SESSION_REVOKED');
  expect(assertOk(await call('GET sessions', guest.token)).body.total).toBe(2);
  expect(JSON.stringify((await call('GET sessions', ada.token)).body)).not.toContain(
    body.data[1].jti,
  );
});

test('the security settings show the age of the password', async () => {
  const person = await createOwner(harness.app);
  const at = new Date(clock.now().getTime() - 40.5 * DAY_MS);
  await harness.db
    .collection('users')
    .updateOne({ _id: toObjectId(person.userId) }, { $set: { passwordChangedAt: at } });
  expect(assertOk(await call('GET security-settings', person.token)).body.data).toEqual({
    mfa: { enabled: false, backupCodesLeft: 0 },
    password: { isSet: true, changedAt: at.toISOString(), ageDays: 40 },
    emailVerifiedAt: null,
    sessionTimeout: '7d',
    trustedDevices: [],
  });
});

test('sign-ins and failed attempts are the caller’s own, and name what revokes their session', async () => {
  const [person, colleague] = [await createOwner(harness.app), await createOwner(harness.app)];
  const token = await login(person);
  await login(colleague);
  await harness.app.call('POST', '/api/v1/auth/login', {
    body: { email: person.email, password: 'Wrong-Horse-9' },
  });
  const activity = async () => assertOk(await call('GET login-activity', person.token)).body;
  await expect.poll(async () => (await activity()).total).toBe(2);
  const { data } = await activity();
  expect(data).toMatchObject([
    { status: 'failure', detail: 'wrong password', method: 'password' },
    { status: 'success', detail: null, method: 'password', userAgent: 'test/1' },
  ]);
  assertOk(await call('POST revoke-session', person.token, { auditLogId: data[1]._id }));
  expect((await call('GET me', token)).body.code).toBe('SESSION_REVOKED');
});

test('an auditor and a viewer have an account like everybody else', async () => {
  for (const role of ['auditor', 'viewer']) {
    const { token } = await createMember(harness, ada, role);
    for (const path of ['sessions', 'security-settings', 'login-activity', 'me/preferences'])
      expect((await call(`GET ${path}`, token)).status, `${role} ${path}`).toBe(200);
  }
});

describe('placeholders', () => {
  const id = 'a'.repeat(24);
  test.each([
    ['POST', 'passkeys/registration/options', true],
    ['POST', 'passkeys/registration/verify', true],
    ['POST', 'passkeys/authentication/options', false],
    ['POST', 'passkeys/authentication/verify', false],
    ['DELETE', `passkeys/${id}`, true],
    ['DELETE', `trusted-devices/${id}`, true],
    ['POST', 'account/unlock-request', false],
    ['POST', 'password-history/check', true],
    ['POST', 'verify-email', false],
    ['POST', 'resend-verification', false],
    ['POST', 'mfa/resend', false],
  ])('%s %s informs and does nothing', async (method, path, needsSession) => {
    const stranger = await harness.app.call(method, `/api/v1/auth/${path}`, {
      body: { email: ada.email, password: PASSWORD },
    });
    const { status, body } = needsSession ? await call(`${method} ${path}`, ada.token) : stranger;
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        data: { available: false, feature: expect.any(String), message: expect.any(String) },
      },
    ]);
    expect(stranger.status).toBe(needsSession ? 401 : 200);
    expect(await harness.db.collection('outbox').countDocuments({ topic: 'mail' })).toBe(0);
  });
});
