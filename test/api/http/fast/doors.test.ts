// Both ways through the server, the fast one and that of Express alone, answer alike: status, headers and body.
import { gunzipSync } from 'node:zlib';
import express from 'express';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createExpressMessages,
  hasKnownPrototypes,
} from '../../../../src/http/fast/express-messages.ts';
import { repeatHeaders } from '../../../../src/http/fast/collected-headers.ts';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { createAgent, createWorkspaceKey } from '../../../setup/personas.ts';
import { startApp, type TestApp } from '../../../setup/start-app.ts';

const ORIGIN = 'https://console.example.com';
const SETTINGS = { ASSAY_CORS_ORIGINS: ORIGIN };
const harness = useHarness(SETTINGS);
const ada = useOwner(harness);
let plain: TestApp;
let key: string;
let agentId: string;
beforeAll(async () => {
  const settings = { ...SETTINGS, ASSAY_FAST_HTTP: 'off' };
  plain = await startApp(settings, { mongoUri: harness.mongoUri });
  ({ key } = await createWorkspaceKey(harness.app, ada));
  ({ id: agentId } = await createAgent(harness.app, ada));
});
afterAll(() => plain.stop());

interface Case {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
}

const asUser = (): Record<string, string> => ({ authorization: `Bearer ${ada.token}` });
const asKey = (): Record<string, string> => ({ 'x-api-key': key });
let amounts = 0;
const createDecision = (): object => ({
  agentId,
  inputContext: { prompt: 'May I refund?' },
  outputDecision: { action: 'refund', amount: ++amounts },
});

let workspaces = 0;
const createWorkspace = (): object => ({ name: `Room ${++workspaces}` });

/** Masks what differs between two answers to the same request: ids, times, digests, tokens and counts. */
function maskText(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\b(trc|exp|key|req)_[\w-]+/g, '<id>')
    .replaceAll(/"salt":"[^"]+"/g, '"salt":""')
    .replaceAll(/Room \d+/g, '<name>')
    .replaceAll(/\b[0-9a-f]{16,}\b/g, '<hex>')
    .replaceAll(/[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}/g, '<token>')
    .replaceAll(
      /"(sequence|count|total|uptime\w*|tracesThisMonth|ms|latencyMs)":[\d.]+/g,
      '"$1":0',
    );
}

const VARYING = new Set([
  'date',
  'ratelimit-remaining',
  'ratelimit-reset',
  'content-length',
  'set-cookie',
]);

async function answer(app: TestApp, { method, path, headers = {}, body }: Case) {
  const isText = body === undefined || typeof body === 'string';
  const type = isText ? {} : { 'content-type': 'application/json' };
  const response = await request(app.url + path, {
    method: method as 'GET',
    headers: { 'x-request-id': 'the-same-request', ...type, ...headers },
    body: isText ? ((body as string | undefined) ?? null) : JSON.stringify(body),
  });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  const isPacked = response.headers['content-encoding'] === 'gzip';
  const text = (isPacked ? gunzipSync(bytes) : bytes).toString();
  const shown = Object.entries(response.headers).map(([name, value]) => [
    name,
    VARYING.has(name) ? typeof value : value,
  ]);
  return {
    status: response.statusCode,
    headers: Object.fromEntries(shown) as Record<string, unknown>,
    text: maskText(text),
  };
}

const cases: [title: string, status: number, create: () => Case][] = [
  ['GET', 200, () => ({ method: 'GET', path: '/api/v1/policies', headers: asUser() })],
  ['HEAD', 200, () => ({ method: 'HEAD', path: '/api/v1/policies', headers: asUser() })],
  ['OPTIONS', 204, () => ({ method: 'OPTIONS', path: '/api/v1/policies' })],
  ['health', 200, () => ({ method: 'GET', path: '/health' })],
  ['a page', 200, () => ({ method: 'GET', path: '/docs' })],
  [
    'a compressed list',
    200,
    () => ({
      method: 'GET',
      path: '/api/v1/traces',
      headers: { ...asUser(), 'accept-encoding': 'gzip' },
    }),
  ],
  [
    'a decision',
    201,
    () => ({ method: 'POST', path: '/api/v1/traces', headers: asKey(), body: createDecision() }),
  ],
  [
    'a decision on a legacy path',
    201,
    () => ({ method: 'POST', path: '/api/traces', headers: asKey(), body: createDecision() }),
  ],
  [
    'a decision with a query',
    400,
    () => ({
      method: 'POST',
      path: '/api/v1/traces?x=1',
      headers: asKey(),
      body: createDecision(),
    }),
  ],
  [
    'a decision with a slash at the end',
    201,
    () => ({ method: 'POST', path: '/api/v1/traces/', headers: asKey(), body: createDecision() }),
  ],
  [
    'a workspace',
    201,
    () => ({
      method: 'POST',
      path: '/api/v1/workspaces',
      headers: asUser(),
      body: createWorkspace(),
    }),
  ],
  [
    'a page of another origin that posts',
    201,
    () => ({
      method: 'POST',
      path: '/api/v1/workspaces',
      headers: { ...asUser(), origin: ORIGIN },
      body: createWorkspace(),
    }),
  ],
  [
    'a body that lacks a member',
    400,
    () => ({ method: 'POST', path: '/api/v1/workspaces', headers: asUser(), body: {} }),
  ],
  [
    'a body that is no JSON',
    400,
    () => ({
      method: 'POST',
      path: '/api/v1/traces',
      headers: { ...asKey(), 'content-type': 'application/json' },
      body: '{"a":',
    }),
  ],
  [
    'a malformed address',
    400,
    () => ({ method: 'GET', path: '/api/v1/agents/%zz', headers: asUser() }),
  ],
  [
    'a change without a credential',
    401,
    () => ({ method: 'POST', path: '/api/v1/traces', body: createDecision() }),
  ],
  [
    'a wrong password',
    401,
    () => ({
      method: 'POST',
      path: '/api/v1/auth/login',
      body: { email: 'unknown@example.com', password: 'not the password' },
    }),
  ],
  ['a read without a credential', 401, () => ({ method: 'GET', path: '/api/v1/policies' })],
  [
    'SCIM without a credential',
    401,
    () => ({ method: 'POST', path: '/scim/v2/Users', body: { userName: 'a@example.com' } }),
  ],
  ['an unknown path', 404, () => ({ method: 'POST', path: '/api/v1/nowhere', body: {} })],
  [
    'an unknown record',
    404,
    () => ({ method: 'DELETE', path: `/api/v1/agents/${'0'.repeat(24)}`, headers: asUser() }),
  ],
  [
    'a method that is not allowed',
    405,
    () => ({ method: 'PUT', path: '/api/v1/policies', headers: asUser(), body: {} }),
  ],
  [
    'a body that is too large',
    413,
    () => ({
      method: 'POST',
      path: '/api/v1/workspaces',
      headers: asUser(),
      body: { name: 'x'.repeat(200_000) },
    }),
  ],
  [
    'a body of another type',
    415,
    () => ({
      method: 'POST',
      path: '/api/v1/workspaces',
      headers: { ...asUser(), 'content-type': 'text/csv' },
      body: 'name',
    }),
  ],
];

test.each(cases)('%s is answered alike: %i', async (_, status, create) => {
  const fast = await answer(harness.app, create());
  expect(fast.status).toBe(status);
  expect(fast.headers['x-request-id']).toBe('the-same-request');
  expect(await answer(plain, create())).toEqual(fast);
});

test('a conditional request for a file of the reference is answered alike', async () => {
  const path = '/docs/assets/swagger-ui.css';
  const { headers } = await answer(harness.app, { method: 'GET', path });
  const condition = { 'if-none-match': String(headers.etag) };
  const fast = await answer(harness.app, { method: 'GET', path, headers: condition });
  expect(await answer(plain, { method: 'GET', path, headers: condition })).toEqual(fast);
  expect(fast.status).toBe(304);
});

test('this version of Express keeps its prototypes where the fast way expects them', () => {
  const app = express();
  expect(hasKnownPrototypes(app)).toBe(true);
  expect(createExpressMessages(app)).toHaveProperty('IncomingMessage');
});

test('messages stay those of Node where Express keeps its prototypes elsewhere', () => {
  const app = express();
  app.request = {} as typeof app.request;
  expect(createExpressMessages(app)).toEqual({});
});

test('a middleware that needs more than headers is used as it is', () => {
  const needsMore: express.RequestHandler = (req, _res, next) => {
    if (req.socket.destroyed) next();
  };
  const waits: express.RequestHandler = (_req, _res, next) => void setImmediate(next);
  expect(repeatHeaders(needsMore)).toBe(needsMore);
  expect(repeatHeaders(waits)).toBe(waits);
  expect(repeatHeaders((_req, _res, next) => next())).not.toBe(waits);
});
