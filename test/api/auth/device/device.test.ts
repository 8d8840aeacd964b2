// The device flow over HTTP: what RFC 8628 fixes, who approves, and what the device gets.
import { describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { changeMembership, createMember, listAuditEntries } from '../../../setup/harness.ts';
import { assertOk, createOwner, createWorkspaceKey, type Owner } from '../../../setup/personas.ts';
import { MovedClock } from '../../../setup/second-factor.ts';
import { type Answer, startApp, toOutcome } from '../../../setup/start-app.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const clock = new MovedClock();
const harness = useHarness({ ASSAY_PUBLIC_URL: 'https://assay.example' }, { clock });
const { app } = harness;
const ada = useOwner(harness);

interface Codes {
  device_code: string;
  user_code: string;
}
const path = '/api/v1/auth/device';
const post = (to: string, form: Record<string, string>, on = app): Promise<Answer> =>
  on.call('POST', `${path}/${to}`, {
    raw: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
const begin = async (clientName = 'assay on ada-laptop'): Promise<Codes> =>
  assertOk(await post('code', { client_id: clientName })).body as Codes;
const ask = ({ device_code: code }: Codes, on = app): Promise<Answer> =>
  post('token', { grant_type: GRANT, device_code: code, client_id: 'assay' }, on);
const show = (userCode: string, { token }: Owner = ada): Promise<Answer> =>
  app.call('GET', `${path}/approve?userCode=${encodeURIComponent(userCode)}`, { token });
const settle = (userCode: string, decision = 'approve', { token }: Owner = ada): Promise<Answer> =>
  app.call('POST', `${path}/approve`, { token, body: { userCode, decision } });
const toError = ({ status, body }: Answer) => [status, body.error];
/** Leaves the pause that a client has to leave. */
const pause = (seconds = 5): void => void (clock.aheadMs += seconds * 1000);

test('a device asks, a person sees what for and approves, and the device gets a session once', async () => {
  const answer = await post('code', { client_id: 'assay on ada-laptop' });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.body).toEqual({
    device_code: expect.stringMatching(/^\S{20,}$/),
    user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
    verification_uri: 'https://assay.example/console/device',
    verification_uri_complete: `https://assay.example/console/device?user_code=${answer.body.user_code}`,
    expires_in: 600,
    interval: 5,
  });
  const codes = answer.body as Codes;
  expect(toError(await ask(codes))).toEqual([400, 'authorization_pending']);
  const typed = codes.user_code.toLowerCase().replace('-', ' ');
  expect(assertOk(await show(typed)).body.data).toMatchObject({
    clientName: 'assay on ada-laptop',
    ip: expect.any(String),
    expiresAt: expect.any(String),
  });
  assertOk(await settle(typed));
  pause();
  const opened = await ask(codes);
  expect([opened.status, opened.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(opened.body).toEqual({
    access_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: expect.any(Number),
  });
  const token = opened.body.access_token as string;
  const me = assertOk(await app.call('GET', '/api/v1/auth/me', { token })).body.data;
  expect([me.user._id, me.organization._id]).toEqual([ada.userId, ada.organizationId]);
  expect(toError(await ask(codes))).toEqual([400, 'invalid_grant']);
  expect(toOutcome(await settle(codes.user_code))).toEqual([404, 'NOT_FOUND']);
  const actions = (await listAuditEntries(app, ada)).map(({ action }) => action);
  expect(actions).toEqual(expect.arrayContaining(['auth.device_approve', 'auth.device_login']));
});

test('of many simultaneous questions one gets the session, on two instances', async () => {
  const other = await startApp({}, { mongoUri: harness.mongoUri, clock });
  const codes = await begin();
  assertOk(await settle(codes.user_code));
  const asked = Array.from({ length: 20 }, (_, at) => ask(codes, at % 2 === 0 ? app : other));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  await other.stop();
});

test('a client whose answer was lost asks again, and only the last session is open', async () => {
  const codes = await begin();
  assertOk(await settle(codes.user_code));
  const openedBy = async (): Promise<string> => assertOk(await ask(codes)).body.access_token;
  const isOpen = async (token: string): Promise<boolean> =>
    (await app.call('GET', '/api/v1/auth/me', { token })).status === 200;
  const lost = await openedBy();
  expect(toError(await ask(codes))).toEqual([400, 'invalid_grant']);
  pause();
  const second = await openedBy();
  pause(20);
  const third = await openedBy();
  expect(await Promise.all([lost, second, third].map(isOpen))).toEqual([false, false, true]);
  pause(6);
  expect(toError(await ask(codes))).toEqual([400, 'invalid_grant']);
  expect(await isOpen(third)).toBe(true);
});

test('a failure of the service takes nothing from a client', async () => {
  const codes = await begin();
  assertOk(await settle(codes.user_code));
  const sessions = harness.db.collection('sessions');
  await harness.db.command({
    collMod: 'sessions',
    validator: { refused: true },
    validationLevel: 'strict',
  });
  expect((await ask(codes)).status).toBeGreaterThanOrEqual(500);
  await harness.db.command({ collMod: sessions.collectionName, validator: {} });
  expect((await ask(codes)).status).toBe(200);
});

test('a client that asks too often has to slow down, and then for longer', async () => {
  const codes = await begin();
  expect(toError(await ask(codes))).toEqual([400, 'authorization_pending']);
  pause(4);
  expect(toError(await ask(codes))).toEqual([400, 'slow_down']);
  pause(6);
  expect(toError(await ask(codes))).toEqual([400, 'slow_down']);
  pause(15);
  expect(toError(await ask(codes))).toEqual([400, 'authorization_pending']);
});

test('what is denied, expired or unknown is said in the words of the RFC', async () => {
  const denied = await begin();
  assertOk(await settle(denied.user_code, 'deny'));
  expect(toError(await ask(denied))).toEqual([400, 'access_denied']);
  expect(toOutcome(await settle(denied.user_code))).toEqual([404, 'NOT_FOUND']);
  const late = await begin();
  pause(601);
  expect(toError(await ask(late))).toEqual([400, 'expired_token']);
  expect(toOutcome(await show(late.user_code))).toEqual([404, 'NOT_FOUND']);
  expect(toOutcome(await settle(late.user_code))).toEqual([404, 'NOT_FOUND']);
  const unknown = { device_code: 'x'.repeat(43), user_code: '' };
  expect(toError(await ask(unknown))).toEqual([400, 'invalid_grant']);
  expect(toError(await post('token', { grant_type: GRANT }))).toEqual([400, 'invalid_request']);
  expect(toError(await post('code', {}))).toEqual([400, 'invalid_request']);
  const long = { client_id: 'x'.repeat(101) };
  expect(toError(await post('code', long))).toEqual([400, 'invalid_request']);
  const password = { grant_type: 'password', device_code: 'x' };
  expect(toError(await post('token', password))).toEqual([400, 'unsupported_grant_type']);
});

test('an approval that came in time is worth nothing after the end', async () => {
  const codes = await begin();
  assertOk(await settle(codes.user_code));
  pause(601);
  expect(toError(await ask(codes))).toEqual([400, 'expired_token']);
});

test('neither code is stored', async () => {
  const codes = await begin();
  const stored = JSON.stringify(await harness.db.collection('device_logins').find().toArray());
  expect(stored).not.toContain(codes.device_code);
  expect(stored).not.toContain(codes.user_code.replace('-', ''));
  expect(stored).not.toContain(codes.user_code);
});

test('the device acts in the organisation and with the role of the session that approved', async () => {
  const viewer = await createMember(harness, ada, 'viewer');
  const codes = await begin();
  assertOk(await settle(codes.user_code, 'approve', viewer));
  const token = assertOk(await ask(codes)).body.access_token as string;
  const me = assertOk(await app.call('GET', '/api/v1/auth/me', { token })).body.data;
  expect([me.role, me.organization._id]).toEqual(['viewer', ada.organizationId]);
  const made = await app.call('POST', '/api/v1/auth/keys', { token, body: { name: 'x' } });
  expect(made.status).toBe(403);
});

test('an approval ends with the session that gave it, and with the membership', async () => {
  const eve = await createOwner(app, 'Eve');
  const first = await begin();
  assertOk(await settle(first.user_code, 'approve', eve));
  assertOk(await app.call('POST', '/api/v1/auth/logout', { token: eve.token }));
  expect(toError(await ask(first))).toEqual([400, 'access_denied']);
  const member = await createMember(harness, ada, 'member');
  const second = await begin();
  assertOk(await settle(second.user_code, 'approve', member));
  await changeMembership(harness, member, { isActive: false });
  expect(toError(await ask(second))).toEqual([400, 'access_denied']);
});

test('a device session is one of the person’s sessions, and can be ended', async () => {
  const codes = await begin();
  assertOk(await settle(codes.user_code));
  const token = assertOk(await ask(codes)).body.access_token as string;
  assertOk(await app.call('POST', '/api/v1/auth/logout', { token }));
  expect((await app.call('GET', '/api/v1/auth/me', { token })).status).toBe(401);
  expect((await app.call('GET', '/api/v1/auth/me', { token: ada.token })).status).toBe(200);
});

const isOpen = async (token: string): Promise<boolean> =>
  (await app.call('GET', '/api/v1/auth/me', { token })).status === 200;
const openDevice = async (approver: Owner): Promise<string> => {
  const codes = await begin();
  assertOk(await settle(codes.user_code, 'approve', approver));
  return assertOk(await ask(codes)).body.access_token as string;
};
const act = async (token: string, to: string, body?: object, method = 'POST') =>
  assertOk(await app.call(method, `/api/v1/auth/${to}`, { token, ...(body && { body }) })).body
    .data;

describe('a device session ends with the session that approved it', () => {
  const listJtis = async (token: string): Promise<string[]> =>
    (await act(token, 'sessions', undefined, 'GET')).map(({ jti }: { jti: string }) => jti);

  test.for<[string, (approver: Owner) => Promise<unknown>]>([
    ['signed out', ({ token }) => act(token, 'logout')],
    [
      'signed out after a refresh',
      async ({ token }) => act((await act(token, 'refresh')).token, 'logout'),
    ],
    [
      'ended from the list',
      async (approver) => {
        const [, , jti] = await listJtis(approver.token);
        await act(approver.token, 'revoke-session', { jti });
      },
    ],
    ['all were ended', ({ token }) => act(token, 'revoke-sessions')],
  ])('%s', async ([, end]) => {
    const eve = await createOwner(app, 'Eve');
    const device = await openDevice(eve);
    const next = await openDevice({ ...eve, token: device });
    const refreshed = (await act(device, 'refresh')).token as string;
    expect([await isOpen(refreshed), await isOpen(next)]).toEqual([true, true]);
    await end(eve);
    expect([await isOpen(refreshed), await isOpen(next)]).toEqual([false, false]);
  });

  test('and no other session does', async () => {
    const eve = await createOwner(app, 'Eve');
    const [one, other] = [await openDevice(eve), await openDevice(eve)];
    const below = await openDevice({ ...eve, token: one });
    await act(one, 'logout');
    const tokens = [eve.token, one, below, other];
    expect(await Promise.all(tokens.map(isOpen))).toEqual([true, false, false, true]);
  });
});

test('keys and strangers approve nothing', async () => {
  const codes = await begin();
  const { key } = await createWorkspaceKey(app, ada);
  const body = { userCode: codes.user_code, decision: 'approve' };
  expect(toOutcome(await app.call('POST', `${path}/approve`, { key, body }))).toEqual([
    403,
    'FORBIDDEN',
  ]);
  expect((await app.call('POST', `${path}/approve`, { body })).status).toBe(401);
  expect(toOutcome(await settle('BCDF-GHJK'))).toEqual([404, 'NOT_FOUND']);
  expect(toOutcome(await settle("' || 1"))).toEqual([404, 'NOT_FOUND']);
  expect(toError(await ask(codes))).toEqual([400, 'authorization_pending']);
});
