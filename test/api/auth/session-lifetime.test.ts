// Lifetime of sessions over HTTP: the absolute end, the end of refreshed tokens, and the user of a session.
import { createHmac } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { beforeEach, expect, test } from 'vitest';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { assertOk, createOwner, PASSWORD, type Owner } from '../../setup/personas.ts';
import { startHandmadeProvider } from '../../setup/providers/identity-provider.ts';
import { createSsoOrganization, readSession, signOn } from '../../setup/providers/sso.ts';
import { registerFactor, MovedClock } from '../../setup/second-factor.ts';
import type { Answer } from '../../setup/start-app.ts';

const HOUR = 3600_000;
const DAY = 24 * HOUR;
const secrets = {
  jwt: 'a session secret that an attacker has obtained',
  formerJwt: [],
  ledgerKey: 'a ledger key for tests, long enough',
  encryptionKey: 'an encryption key for tests, long enough',
  formerEncryption: [],
};
const clock = new MovedClock();

const provider = useFixture(startHandmadeProvider, (started) => started.stop());
const harness = useHarness(
  {
    ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
    ASSAY_PUBLIC_URL: 'https://assay.example.com',
    ASSAY_RETURN_URLS: 'https://app.example.com/',
  },
  { clock, secrets },
);
beforeEach(() => {
  clock.aheadMs = 0;
});

const post = (token: string, path: string, body: object = {}): Promise<Answer> =>
  harness.app.call('POST', `/api/v1/auth/${path}`, { token, body });
async function verdict(token: string): Promise<string> {
  return (await harness.app.call('GET', '/api/v1/auth/me', { token })).body.code ?? 'ok';
}
const claimsOf = (token: string): jwt.JwtPayload => jwt.decode(token) as jwt.JwtPayload;
const endOf = (token: string): number => (claimsOf(token).exp ?? 0) * 1000;
const refresh = async (token: string): Promise<string> =>
  assertOk(await post(token, 'refresh')).body.data.token as string;
const login = async ({ email }: Owner): Promise<string> =>
  assertOk(
    await harness.app.call('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } }),
  ).body.data.token as string;

test('thirty days after the sign-in a session is over, however often it was refreshed', async () => {
  const ada = await createOwner(harness.app);
  const start = clock.now().getTime();
  let { token } = ada;
  for (let day = 6; day <= 24; day += 6) {
    clock.aheadMs = day * DAY;
    token = await refresh(token);
    expect(endOf(token) - start).toBeLessThan(30 * DAY + 60_000);
  }
  clock.aheadMs = 29 * DAY;
  const last = await refresh(token);
  expect(endOf(last)).toBe(endOf(token));
  clock.aheadMs = 30 * DAY + 60_000;
  expect(await verdict(last)).toBe('TOKEN_EXPIRED');
});

test('another organisation begins no new thirty days', async () => {
  const ada = await createOwner(harness.app);
  clock.aheadMs = 6 * DAY;
  const body = { organizationId: ada.organizationId };
  let { token } = assertOk(await post(ada.token, 'switch-org', body)).body.data;
  for (let day = 12; day <= 24; day += 6) {
    clock.aheadMs = day * DAY;
    token = assertOk(await post(token as string, 'switch-org', body)).body.data.token;
  }
  clock.aheadMs = 30 * DAY - HOUR;
  expect(await verdict(token as string)).toBe('ok');
  clock.aheadMs = 30 * DAY + 60_000;
  expect(await verdict(token as string)).toBe('TOKEN_EXPIRED');
});

test('a refreshed token ends at once, also for a second refresh and after its time', async () => {
  const ada = await createOwner(harness.app);
  const fresh = await refresh(ada.token);
  expect([await verdict(ada.token), await verdict(fresh)]).toEqual(['SESSION_REVOKED', 'ok']);
  expect((await post(ada.token, 'refresh')).body.code).toBe('SESSION_REVOKED');
  const { data } = assertOk(
    await harness.app.call('GET', '/api/v1/auth/sessions', { token: fresh }),
  ).body;
  expect(data.map(({ jti }: { jti: string }) => jti)).toEqual([claimsOf(fresh).jti]);
  clock.aheadMs = 8 * DAY;
  expect(await verdict(ada.token)).toBe('SESSION_REVOKED');
});

test('after a refresh and a logout neither token answers', async () => {
  const ada = await createOwner(harness.app);
  const fresh = await refresh(ada.token);
  assertOk(await post(fresh, 'logout'));
  expect([await verdict(ada.token), await verdict(fresh)]).toEqual([
    'SESSION_REVOKED',
    'SESSION_REVOKED',
  ]);
});

test('of many refreshes of one token at once one succeeds', async () => {
  const ada = await createOwner(harness.app);
  const answers = await Promise.all(Array.from({ length: 5 }, () => post(ada.token, 'refresh')));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
});

test('a session that an earlier version has refreshed has ended', async () => {
  const ada = await createOwner(harness.app);
  const later = new Date(clock.now().getTime() + HOUR);
  const { jti } = claimsOf(ada.token);
  await harness.db.collection('sessions').updateOne({ jti }, { $set: { supersededAt: later } });
  expect(await verdict(ada.token)).toBe('SESSION_REVOKED');
});

test('a session that a sign-on opened is over after a day, refreshed or not', async () => {
  const home = await createSsoOrganization(harness, provider.createRealm());
  const person = { sub: 'lasting', email: `lasting@${home.domain}` };
  const { answer } = await signOn(harness, home, person);
  const token = readSession(answer);
  expect(endOf(token) - clock.now().getTime()).toBeLessThan(DAY + 60_000);
  clock.aheadMs = 23 * HOUR;
  const fresh = await refresh(token);
  clock.aheadMs = DAY + 5000;
  expect(await verdict(fresh)).toBe('TOKEN_EXPIRED');
});

test('a second factor restarts the thirty days, a session of an earlier version ends thirty days after its start', async () => {
  const ada = await createOwner(harness.app);
  clock.aheadMs = 2 * DAY;
  const authenticator = await registerFactor(harness.app, clock, ada.token, { password: PASSWORD });
  const { tempToken } = assertOk(
    await harness.app.call('POST', '/api/v1/auth/login', {
      body: { email: ada.email, password: PASSWORD },
    }),
  ).body.data;
  const body = { tempToken, code: authenticator.generateNextCode() };
  const { token } = assertOk(await harness.app.call('POST', '/api/v1/auth/mfa/login', { body }))
    .body.data;
  const session = await harness.db.collection('sessions').findOne({ jti: claimsOf(token).jti });
  expect(session).toMatchObject({ secondFactor: 'totp' });

  const bob = await createOwner(harness.app, 'Bob');
  await harness.db
    .collection('sessions')
    .updateOne(
      { userId: toObjectId(bob.userId) },
      { $unset: { authenticatedAt: '', endsAt: '', secondFactor: '', supersededAt: '' } },
    );
  clock.aheadMs += 5 * DAY;
  const fresh = await refresh(bob.token);
  expect(await verdict(fresh)).toBe('ok');
});

/** Signs a token with the secret. */
function forge(claims: object): string {
  const text = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${createHmac('sha256', secrets.jwt).update(text).digest('base64url')}`;
}

test('the signing secret alone gives no access: a session is bound to its user and organisation', async () => {
  const [thief, victim] = [
    await createOwner(harness.app, 'Thief'),
    await createOwner(harness.app, 'Victim'),
  ];
  const { jti } = claimsOf(thief.token);
  const stolen = { ...claimsOf(victim.token), jti };
  expect(await verdict(forge(stolen))).toBe('TOKEN_REVOKED');
  expect(await verdict(forge(claimsOf(victim.token)))).toBe('ok');
  expect(await verdict(await login(victim))).toBe('ok');
});
