// What every answer has in common (document 1, sections 1, 7 and 9): envelope, headers, unknown addresses and methods.
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { assertOk, createOwner } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);

function assertCommonHeaders(answer: Answer): void {
  expect(answer.headers.get('x-service-api-version')).toBe('v1');
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{24}$/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('x-powered-by')).toBeNull();
  expect(answer.headers.get('etag')).toBeNull();
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

test('every answer names its request and the version of the interface, whatever its status', async () => {
  const { token } = ada;
  const answers = await Promise.all([
    app.call('GET', '/health'),
    app.call('GET', '/ready'),
    app.call('GET', '/docs'),
    app.call('GET', '/openapi.json'),
    app.call('GET', '/api/v1/policies', { token }),
    app.call('POST', '/api/v1/workspaces', { token, body: { name: 'W' } }),
    app.call('POST', '/api/v1/workspaces', { token, body: {} }),
    app.call('GET', '/api/v1/policies'),
    app.call('GET', '/api/v1/agents/unknown', { token }),
    app.call('GET', '/nowhere'),
    app.call('PUT', '/api/v1/policies', { token }),
    app.call('OPTIONS', '/api/v1/policies'),
    app.call('GET', '/api/v1/agents/%zz', { token }),
    app.call('GET', '/api/policies', { token }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([
    200, 200, 200, 200, 200, 201, 400, 401, 404, 404, 405, 204, 400, 200,
  ]);
  answers.forEach(assertCommonHeaders);
});

test('failures come in the envelope, successes in theirs', async () => {
  const failed = await app.call('GET', '/api/v1/policies');
  expect(failed.body).toEqual({
    success: false,
    error: 'A bearer token is required',
    code: 'NO_TOKEN',
  });
  const list = await app.call('GET', '/api/v1/policies', { token: ada.token });
  expect(list.body).toEqual({
    success: true,
    data: [],
    count: 0,
    total: 0,
    pagination: { page: 1, limit: expect.any(Number), total: 0, pages: 0, hasMore: false },
  });
});

test('a request id of the caller is kept when it is harmless', async () => {
  const callWithId = (id: string): Promise<Answer> =>
    app.call('GET', '/health', { headers: { 'x-request-id': id } });
  expect((await callWithId('trace-2026.11_21')).headers.get('x-request-id')).toBe(
    'trace-2026.11_21',
  );
  for (const id of ['short', 'x'.repeat(65), 'with space 123', '"quoted-12345"', '<script>alert'])
    expect((await callWithId(id)).headers.get('x-request-id'), id).toMatch(/^[0-9a-f]{24}$/);
});

test.each([
  '/',
  '/api',
  '/api/v1',
  '/api/v1/nothing',
  '/api/v2/policies',
  '/API/v1/policies',
  '/v1/policies',
  '//api/v1/policies',
])('the address %s is unknown', async (path) => {
  const { status, body } = await app.call('GET', path, { token: ada.token });
  expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
});

test('a method that an address does not have is answered 405 with those it has', async () => {
  const put = await app.call('PUT', '/api/v1/policies', { token: ada.token, body: {} });
  expect([put.status, put.body.code, put.headers.get('allow')]).toEqual([
    405,
    'METHOD_NOT_ALLOWED',
    'GET, HEAD, POST, OPTIONS',
  ]);
  const post = await app.call('POST', '/api/v1/auth/me', { token: ada.token });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  const get = await app.call('GET', '/api/v1/auth/login');
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
});

test('OPTIONS lists the methods without credentials', async () => {
  const { status, headers, text } = await app.call('OPTIONS', '/api/v1/traces');
  expect([status, headers.get('allow'), text]).toEqual([204, 'POST, GET, HEAD, OPTIONS', '']);
  expect((await app.call('OPTIONS', '/nowhere')).status).toBe(404);
});

test('HEAD is GET without a body', async () => {
  const get = await app.call('GET', '/health');
  const head = await fetch(`${app.url}/health`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
});

test.each([
  '/api/v1/agents/%zz',
  '/api/v1/agents/%',
  '/api/v1/agents/%c3%28',
  '/api/v1/auth/keys/%ff',
])('the address %s does not decode and is refused', async (path) => {
  const { status, body } = await app.call('GET', path, { token: ada.token });
  expect([status, body.success, body.code]).toEqual([400, false, 'VALIDATION_ERROR']);
});

test.each(['%00', 'a%00', '%24ne', '..%2f..', `${'a'.repeat(23)}g`, 'a'.repeat(25)])(
  'the id %s is that of an unknown record',
  async (id) => {
    const { status, body } = await app.call('GET', `/api/v1/agents/${id}`, { token: ada.token });
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  },
);

test('a lacking plan is answered with what it takes, before the role is looked at', async () => {
  const viewer = await createMember(harness, ada, 'viewer');
  const setPlan = (plan: string) =>
    harness.db
      .collection('organizations')
      .updateOne({ _id: toObjectId(ada.organizationId) }, { $set: { 'subscription.plan': plan } });
  const listAudit = (token: string): Promise<Answer> => app.call('GET', '/api/v1/audit', { token });
  await setPlan('sandbox');
  const refused = {
    currentPlan: 'sandbox',
    requiredPlans: ['scale', 'governance', 'enterprise', 'custom'],
    feature: 'auditLog',
  };
  const createAnswer = async () => {
    const { status, body } = await listAudit(viewer.token);
    return [status, body.code, body.data];
  };
  await expect.poll(createAnswer, { interval: 10 }).toEqual([403, 'UPGRADE_REQUIRED', refused]);
  await setPlan('enterprise');
  await expect.poll(createAnswer, { interval: 10 }).toEqual([403, 'FORBIDDEN', undefined]);
  expect((await listAudit(ada.token)).status).toBe(200);
});

test('a change that is refused by a rule leaves an entry, a malformed or mistaken one leaves none', async () => {
  const home = await createOwner(app, 'Audit');
  const { token } = home;
  const post = (body: unknown): Promise<Answer> =>
    app.call('POST', '/api/v1/workspaces', { token, body });
  assertOk(await post({ name: 'Once' }));
  await post({ name: 'Once' });
  await post({});
  await app.call('PATCH', `/api/v1/workspaces/${'a'.repeat(24)}`, { token, body: { name: 'x' } });
  await app.call('POST', '/api/v1/workspaces', { body: { name: 'unnamed' } });
  const entries = await listAuditEntries(app, home, 'resource=workspace');
  expect(entries.map(({ action, status, metadata }) => [action, status, metadata])).toEqual([
    ['workspace.create', 'failure', { code: 'ALREADY_EXISTS' }],
    ['workspace.create', 'success', {}],
  ]);
});

test('a large answer is compressed when the client accepts it', async () => {
  // `fetch` asks for it and decompresses.
  const path = '/api/v1/policies/templates';
  const asked = await fetch(app.url + path, { headers: { authorization: `Bearer ${ada.token}` } });
  expect(asked.headers.get('content-encoding')).toMatch(/^(gzip|br)$/);
  const headers = { 'accept-encoding': 'identity' };
  const plain = await app.call('GET', path, { token: ada.token, headers });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(plain.text).toBe(await asked.text());
});
