// Messages to receivers over real connections: each answer, or none, is an outcome with its time and its reason.
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createReceivers, type PostOutcome } from '../../../src/platform/outbound/receivers.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const DAY_MS = 24 * 3600_000;

let server: Server;
let url: string;
let answer: RequestListener;
beforeAll(async () => {
  server = createServer((req, res) => answer(req, res));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

type Http = Parameters<typeof createReceivers>[0]['http'];
const toReceivers = (http: Partial<Http>) =>
  createReceivers({ http: http as Http, clock: { now: () => NOW } as never, suspectTimeoutMs: 20 });
const open = toReceivers({ fetch: fetch as never });
const toMessage = (address = url) => ({ url: address, headers: { 'x-id': '7' }, body: '{}' });

test('a message is posted as JSON, with its headers', async () => {
  const sent: unknown[] = [];
  answer = ({ method, headers }, res) => {
    sent.push([method, headers['content-type'], headers['user-agent'], headers['x-id']]);
    res.end();
  };
  const began = performance.now();
  const { durationMs, ...outcome } = await open.postMessage(toMessage());
  const passed = performance.now() - began;
  expect(outcome).toEqual({
    ok: true,
    statusCode: 200,
    error: null,
    retryAfterMs: null,
    hasTimedOut: false,
  });
  expect(durationMs).toBeGreaterThanOrEqual(0);
  expect(durationMs).toBeLessThanOrEqual(Math.ceil(passed));
  expect(sent).toEqual([['POST', 'application/json', 'Assay-Webhooks', '7']]);
});

test.each([
  ['7', 7000],
  ['0', 0],
  ['Mon, 01 Jun 2026 12:00:30 GMT', 30_000],
  ['Mon, 01 Jun 2026 11:00:00 GMT', 0],
  ['999999999', DAY_MS],
  ['soon', null],
])('a refusal that says Retry-After %j', async (retryAfter, retryAfterMs) => {
  answer = (_req, res) => void res.writeHead(503, { 'retry-after': retryAfter }).end();
  expect(await open.postMessage(toMessage())).toMatchObject({
    ok: false,
    statusCode: 503,
    error: 'answered 503',
    retryAfterMs,
    hasTimedOut: false,
  });
});

const unanswered: PostOutcome = {
  ok: false,
  statusCode: null,
  durationMs: expect.any(Number),
  error: '',
  retryAfterMs: null,
  hasTimedOut: false,
};

test('a suspect receiver that does not answer in its short time has timed out', async () => {
  answer = () => {};
  expect(await open.postMessage({ ...toMessage(), isSuspect: true })).toEqual({
    ...unanswered,
    error: 'did not answer: it took too long',
    hasTimedOut: true,
  });
});

test.each([
  [{ cause: { code: 'ECONNREFUSED' } }, 'did not answer: ECONNREFUSED', false],
  [{ cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } }, 'did not answer: it took too long', true],
  [{}, 'did not answer: the connection failed', false],
])('a connection that fails with %j', async (failure, error, hasTimedOut) => {
  const failing = toReceivers({ fetch: () => Promise.reject(Object.assign(new Error(), failure)) });
  expect(await failing.attempt(toMessage())).toEqual({ ...unanswered, error, hasTimedOut });
});

test('a forbidden destination is an error, and of an attempt a failed outcome', async () => {
  const forbidden = new AppError('SSRF_BLOCKED', 'forbidden');
  const refusing = toReceivers({ fetch: () => Promise.reject(forbidden) });
  await expect(refusing.postMessage(toMessage())).rejects.toBe(forbidden);
  expect(await refusing.attempt(toMessage())).toEqual({ ...unanswered, error: 'SSRF_BLOCKED' });
});
