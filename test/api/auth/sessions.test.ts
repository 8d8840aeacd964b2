// Session tokens over HTTP: forged, expired, revoked, refreshed, switched (document 1, sections 2, 3 and 5).
import { createHmac, generateKeyPairSync } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { expect, test } from 'vitest';
import { generateHex } from '../../../src/platform/ids.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  listAuditEntries,
  changeMembership,
  createMember,
  toObjectId,
} from '../../setup/harness.ts';
import { assertOk, createOwner, PASSWORD, type Owner } from '../../setup/personas.ts';
import { startApp, type Answer, type TestApp } from '../../setup/start-app.ts';

const secrets = {
  jwt: 'the present secret of session tokens',
  formerJwt: ['a former secret of session tokens'],
  ledgerKey: 'a ledger key for tests, long enough',
  encryptionKey: 'an encryption key for tests, long enough',
  formerEncryption: [],
};
/** The app's clock: the system's, and what tests add to it, or where it stands still. */
let aheadMs = 0;
let standsAt: number | null = null;
const clock = { now: () => new Date(standsAt ?? Date.now() + aheadMs) };

const harness = useHarness({}, { secrets, clock });
const { app } = harness;
const ada = useOwner(harness);

const me = (token: string, on: TestApp = app): Promise<Answer> =>
  on.call('GET', '/api/v1/auth/me', { token });
const post = (token: string, path: string, body?: unknown): Promise<Answer> =>
  app.call('POST', `/api/v1/auth/${path}`, { token, ...(body !== undefined && { body }) });
const login = async ({ email }: Owner): Promise<string> =>
  assertOk(await app.call('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } }))
    .body.data.token;
const claimsOf = (token: string): jwt.JwtPayload => jwt.decode(token) as jwt.JwtPayload;
/** What `me` answers a token: `ok`, or the code of a 401. */
async function verdict(token: string, on: TestApp = app): Promise<string> {
  const { status, body, headers } = await me(token, on);
  if (status === 200) return 'ok';
  expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  return body.code;
}

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** Signs by hand what no library would. */
function forge(header: object, claims: object, key: string | null): string {
  const text = `${base64(header)}.${base64(claims)}`;
  return `${text}.${key === null ? '' : createHmac('sha256', key).update(text).digest('base64url')}`;
}

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const plain = { alg: 'HS256', typ: 'JWT' };
const forgeries: [string, (claims: jwt.JwtPayload) => string][] = [
  ['without a signature', (claims) => forge({ alg: 'none', typ: 'JWT' }, claims, null)],
  [
    'with alg none and a signature',
    (claims) => forge({ alg: 'none', typ: 'JWT' }, claims, secrets.jwt),
  ],
  ['with alg None in another case', (claims) => forge({ alg: 'nOnE', typ: 'JWT' }, claims, null)],
  ['of another secret', (claims) => forge(plain, claims, 'some other secret of session tokens')],
  ['of an empty secret', (claims) => forge(plain, claims, '')],
  ['of HS512', (claims) => jwt.sign(claims, secrets.jwt, { algorithm: 'HS512' })],
  ['of RS256', (claims) => jwt.sign(claims, privateKey, { algorithm: 'RS256' })],
  ['keyed with a public key', (claims) => forge(plain, claims, pem)],
  ['with another typ', (claims) => forge({ alg: 'HS256', typ: 'at+jwt' }, claims, secrets.jwt)],
  ['without a typ', (claims) => forge({ alg: 'HS256' }, claims, secrets.jwt)],
  ['for another audience', (claims) => forge(plain, { ...claims, aud: 'assay:temp' }, secrets.jwt)],
  ['without an audience', ({ aud: _, ...claims }) => forge(plain, claims, secrets.jwt)],
  ['of another issuer', (claims) => forge(plain, { ...claims, iss: 'other' }, secrets.jwt)],
  ['without a jti', ({ jti: _, ...claims }) => forge(plain, claims, secrets.jwt)],
  ['without an end', ({ exp: _, ...claims }) => forge(plain, claims, secrets.jwt)],
  [
    'with an end that is no number',
    (claims) => forge(plain, { ...claims, exp: '9999999999' }, secrets.jwt),
  ],
  [
    'with an object for a user',
    (claims) => forge(plain, { ...claims, sub: { $ne: null } }, secrets.jwt),
  ],
  ['that is no token', () => 'garbage'],
  ['of three empty parts', () => '..'],
  ['that is very long', () => `a.${'b'.repeat(5000)}.c`],
];

test.each(forgeries)('a token %s is refused', async (_, make) => {
  expect(await verdict(make(claimsOf(ada.token)))).toBe('TOKEN_VERIFICATION_FAILED');
});

test('claims that were changed under their signature are refused', async () => {
  const [header, , signature] = ada.token.split('.');
  const claims = { ...claimsOf(ada.token), role: 'owner', organizationId: 'a'.repeat(24) };
  expect(await verdict(`${header}.${base64(claims)}.${signature}`)).toBe(
    'TOKEN_VERIFICATION_FAILED',
  );
});

test('a genuine token of no known session is refused as revoked, one of no known user as without user', async () => {
  const claims = claimsOf(ada.token);
  expect(await verdict(forge(plain, { ...claims, jti: 'never issued' }, secrets.jwt))).toBe(
    'SESSION_REVOKED',
  );
  const gone = await createOwner(app);
  await harness.db.collection('users').deleteOne({ _id: toObjectId(gone.userId) });
  expect(await verdict(gone.token)).toBe('UNAUTHORIZED_NO_USER');
});

test('a token holds user, organisation, role and end; only the identity is trusted', async () => {
  expect(claimsOf(ada.token)).toEqual({
    sub: ada.userId,
    organizationId: ada.organizationId,
    role: 'owner',
    jti: expect.stringMatching(/^[\w-]{43}$/),
    iat: expect.any(Number),
    exp: claimsOf(ada.token).iat! + 7 * 24 * 3600,
    aud: 'assay:session',
    iss: 'assay',
  });
  const viewer = await createMember(harness, ada, 'viewer');
  const raised = forge(plain, { ...claimsOf(viewer.token), role: 'owner' }, secrets.jwt);
  expect((await me(raised)).body.data.role).toBe('viewer');
});

test('a token of a former secret is still accepted, and new ones are not signed with it', async () => {
  const person = await createMember(harness, ada, 'viewer');
  const former = forge(plain, claimsOf(person.token), secrets.formerJwt[0]!);
  expect(await verdict(former)).toBe('ok');
  const { token } = assertOk(await post(former, 'refresh')).body.data;
  expect(() => jwt.verify(token, secrets.jwt)).not.toThrow();
});

test.each([
  [undefined, 'NO_TOKEN'],
  ['Bearer', 'NO_TOKEN'],
  ['Basic YTpi', 'NO_TOKEN'],
  ['Bearer svc_live_short', 'INVALID_API_KEY_FORMAT'],
  [`Bearer svc_live_${'0'.repeat(64)}`, 'INVALID_API_KEY'],
])('the credentials %s are answered %s', async (authorization, code) => {
  const { status, body } = await app.call('GET', '/api/v1/auth/me', {
    headers: authorization === undefined ? {} : { authorization },
  });
  expect([status, body]).toEqual([401, { success: false, error: expect.any(String), code }]);
});

test.each([
  ['1h', 3600],
  ['8h', 8 * 3600],
  ['24h', 24 * 3600],
  ['7d', 7 * 24 * 3600],
])(
  'a session of a user with the time-out %s ends on the second',
  async (sessionTimeout, seconds) => {
    const person = await createOwner(app);
    await harness.db
      .collection('users')
      .updateOne({ _id: toObjectId(person.userId) }, { $set: { sessionTimeout } });
    const token = await login(person);
    const { exp = 0, iat = 0 } = claimsOf(token);
    expect(exp - iat).toBe(seconds);
    standsAt = exp * 1000 - 1;
    expect(await verdict(token)).toBe('ok');
    standsAt = exp * 1000;
    expect(await verdict(token)).toBe('TOKEN_EXPIRED');
    standsAt = null;
  },
);

test('a revoked session stays revoked after its end', async () => {
  const person = await createOwner(app);
  assertOk(await post(person.token, 'logout'));
  aheadMs = 8 * 24 * 3600 * 1000;
  expect(await verdict(person.token)).toBe('SESSION_REVOKED');
  aheadMs = 0;
});

test('logging out ends the session of the token presented and no other', async () => {
  const person = await createOwner(app);
  const other = await login(person);
  const { status, body } = await post(person.token, 'logout');
  expect([status, body]).toEqual([200, { success: true, data: { revoked: 1 } }]);
  expect([await verdict(person.token), await verdict(other)]).toEqual(['SESSION_REVOKED', 'ok']);
  expect(
    await listAuditEntries(app, { ...person, token: other }, 'action=auth.logout'),
  ).toMatchObject([{ status: 'success', resource: 'session', userId: person.userId }]);
});

test(
  'a change on one instance counts on the next request to another',
  { tags: ['long'] },
  async () => {
    const second = await startApp({}, { secrets, clock, mongoUri: harness.mongoUri });
    const person = await createMember(harness, ada, 'admin');
    expect(await verdict(person.token, second)).toBe('ok');
    await changeMembership(harness, person, { role: 'viewer' });
    expect((await me(person.token, second)).body.data.role).toBe('viewer');
    assertOk(await post(person.token, 'logout'));
    expect(await verdict(person.token, second)).toBe('SESSION_REVOKED');
    await second.stop();
  },
);

test('every session of the caller, and of no other user, can be ended at once', async () => {
  const person = await createMember(harness, ada, 'member');
  const tokens = [person.token, await login(person), await login(person)];
  // Registering and switching opened one session each.
  const { status, body } = await post(person.token, 'revoke-sessions');
  expect([status, body.data]).toEqual([200, { revoked: 4 }]);
  expect(await Promise.all(tokens.map((token) => verdict(token)))).toEqual(
    Array(3).fill('SESSION_REVOKED'),
  );
  expect(await verdict(ada.token)).toBe('ok');
});

test('one session is ended by its jti or by the audit entry of its sign-in', async () => {
  const person = await createOwner(app);
  const [byJti, byEntry] = [await login(person), await login(person)];
  const { jti } = claimsOf(byJti);
  expect((await post(person.token, 'revoke-session', { jti })).body.data).toEqual({ revoked: 1 });
  const [entry] = await listAuditEntries(app, person, 'action=auth.login');
  expect(entry?.metadata).toEqual({ method: 'password', jti: claimsOf(byEntry).jti });
  expect((await post(person.token, 'revoke-session', { auditLogId: entry?._id })).status).toBe(200);
  expect(await Promise.all([byJti, byEntry, person.token].map((token) => verdict(token)))).toEqual([
    'SESSION_REVOKED',
    'SESSION_REVOKED',
    'ok',
  ]);
  // A second revocation has the same result.
  expect((await post(person.token, 'revoke-session', { jti })).status).toBe(200);
});

test('another user’s session, of the same organisation or not, is an unknown one', async () => {
  const [colleague, stranger] = [
    await createMember(harness, ada, 'member'),
    await createOwner(app),
  ];
  const again = await login(colleague);
  const [entry] = await listAuditEntries(app, ada, `action=auth.login&userId=${colleague.userId}`);
  const [foreign] = await listAuditEntries(app, stranger, 'action=auth.register');
  const [wordless] = await listAuditEntries(app, ada, 'action=auth.register');
  assertOk(await post(ada.token, 'keys', { name: 'no session' }));
  const [noSession] = await listAuditEntries(app, ada, 'action=apikey.create');
  expect([entry, foreign, wordless, noSession].every(Boolean)).toBe(true);
  for (const named of [
    { jti: claimsOf(again).jti },
    { jti: 'unknown' },
    { auditLogId: entry?._id },
    { auditLogId: foreign?._id },
    { auditLogId: noSession?._id },
    { auditLogId: 'b'.repeat(24) },
  ]) {
    const { status, body } = await post(ada.token, 'revoke-session', named);
    expect([status, body.code], JSON.stringify(named)).toEqual([404, 'NOT_FOUND']);
  }
  expect([await verdict(again), await verdict(stranger.token)]).toEqual(['ok', 'ok']);
});

test.each([
  {},
  { jti: '' },
  { jti: { $ne: null } },
  { jti: ['a'] },
  { auditLogId: 'short' },
  { auditLogId: 7 },
  [],
])('revoke-session of %j is refused', async (body) => {
  const answer = await post(ada.token, 'revoke-session', body);
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
});

test('refreshing mints a token for the same organisation and ends the old one', async () => {
  const guest = await createMember(harness, ada, 'viewer');
  const { status, body } = await post(guest.token, 'refresh');
  expect(status).toBe(200);
  expect(Object.keys(body.data).sort()).toEqual(['expiresAt', 'organizationId', 'role', 'token']);
  expect(body.data).toMatchObject({ organizationId: ada.organizationId, role: 'viewer' });
  expect(claimsOf(body.data.token).jti).not.toBe(claimsOf(guest.token).jti);
  expect([await verdict(guest.token), await verdict(body.data.token)]).toEqual([
    'SESSION_REVOKED',
    'ok',
  ]);
  const [entry] = await listAuditEntries(app, ada, `action=auth.refresh&userId=${guest.userId}`);
  expect(entry?.metadata).toEqual({ jti: claimsOf(body.data.token).jti });
});

test('a revoked token refreshes nothing', async () => {
  const person = await createOwner(app);
  assertOk(await post(person.token, 'logout'));
  expect((await post(person.token, 'refresh')).body.code).toBe('SESSION_REVOKED');
});

test('a user of two organisations lists them and switches between them; both tokens stay valid', async () => {
  const own = await createOwner(app, 'Eve');
  const guest = await createOwner(app, 'Guest');
  const row = {
    organizationId: toObjectId(own.organizationId),
    userId: toObjectId(guest.userId),
    role: 'viewer',
  };
  await harness.db.collection('memberships').insertOne({
    ...row,
    isActive: true,
    deactivatedBy: null,
    createdAt: new Date(),
    updatedAt: new Date(),
  });
  const listed = assertOk(await app.call('GET', '/api/v1/auth/me/orgs', { token: guest.token }))
    .body.data;
  expect(listed).toEqual([
    expect.objectContaining({
      organizationId: guest.organizationId,
      name: 'Guest Ltd',
      role: 'owner',
      isCurrent: true,
    }),
    expect.objectContaining({
      organizationId: own.organizationId,
      name: 'Eve Ltd',
      role: 'viewer',
      isCurrent: false,
    }),
  ]);
  expect(Object.keys(listed[0]).sort()).toEqual([
    'isCurrent',
    'isPending',
    'joinedAt',
    'name',
    'organizationId',
    'plan',
    'role',
    'slug',
  ]);
  const { status, body } = await post(guest.token, 'switch-org', {
    organizationId: own.organizationId,
  });
  expect([status, body.data.organizationId, body.data.role]).toEqual([
    200,
    own.organizationId,
    'viewer',
  ]);
  const [before, after] = [await me(guest.token), await me(body.data.token)];
  expect([before.body.data.organization._id, after.body.data.organization._id]).toEqual([
    guest.organizationId,
    own.organizationId,
  ]);
  // Recorded where the caller now is.
  expect(await listAuditEntries(app, own, 'action=auth.switch_org')).toMatchObject([
    { userId: guest.userId, userRole: 'viewer' },
  ]);
});

test('an organisation that is not the caller’s cannot be switched to, and looks like none at all', async () => {
  const stranger = await createOwner(app);
  const suspended = await createMember(harness, ada, 'member');
  await changeMembership(harness, suspended, { isActive: false, deactivatedBy: 'scim' });
  const refused = await Promise.all([
    post(ada.token, 'switch-org', { organizationId: stranger.organizationId }),
    post(ada.token, 'switch-org', { organizationId: 'c'.repeat(24) }),
    post(suspended.token, 'switch-org', { organizationId: ada.organizationId }),
  ]);
  expect(refused.map(({ status, body }) => [status, body])).toEqual(
    Array(3).fill([404, { success: false, error: expect.any(String), code: 'NOT_FOUND' }]),
  );
  expect((await post(ada.token, 'switch-org', { organizationId: { $ne: null } })).status).toBe(400);
});

test('a role, a suspension and a removal count from the next request on', async () => {
  const person = await createMember(harness, ada, 'admin');
  const listKeys = (): Promise<Answer> =>
    app.call('GET', '/api/v1/auth/keys', { token: person.token });
  expect((await listKeys()).status).toBe(200);
  await changeMembership(harness, person, { role: 'member' });
  expect([(await listKeys()).status, (await listKeys()).body.code]).toEqual([403, 'FORBIDDEN']);
  await changeMembership(harness, person, { isActive: false, deactivatedBy: 'team' });
  expect(await verdict(person.token)).toBe('ACCOUNT_DEACTIVATED');
  await changeMembership(harness, person, { isActive: true, deactivatedBy: null });
  expect(await verdict(person.token)).toBe('ok');
  const where = {
    organizationId: toObjectId(ada.organizationId),
    userId: toObjectId(person.userId),
  };
  await harness.db.collection('memberships').deleteOne(where);
  expect(await verdict(person.token)).toBe('TOKEN_REVOKED');
});

test('de-provisioning by the identity provider leaves open sessions to their end, and mints no new ones', async () => {
  const person = await createMember(harness, ada, 'member');
  await changeMembership(harness, person, { isActive: false, deactivatedBy: 'scim' });
  expect(await verdict(person.token)).toBe('ok');
  const { status, body } = await post(person.token, 'refresh');
  expect([status, body.code]).toEqual([401, 'ACCOUNT_DEACTIVATED']);
});

test('an auditor has a session like everybody else', async () => {
  const auditor = await createMember(harness, ada, 'auditor');
  expect(assertOk(await me(auditor.token)).body.data.role).toBe('auditor');
  expect((await app.call('GET', '/api/v1/auth/me/orgs', { token: auditor.token })).status).toBe(
    200,
  );
  expect((await app.call('GET', '/api/v1/policies', { token: auditor.token })).body.code).toBe(
    'FORBIDDEN',
  );
  expect((await post(auditor.token, 'refresh')).status).toBe(200);
});

test('a session is bound to its row, not to what its token says of the organisation', async () => {
  const stranger = await createOwner(app, `S${generateHex(2)}`);
  const crossed = forge(
    plain,
    { ...claimsOf(ada.token), organizationId: stranger.organizationId },
    secrets.jwt,
  );
  expect(await verdict(crossed)).toBe('TOKEN_REVOKED');
});
