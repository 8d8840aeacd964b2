// The HTTP server: same answers as stock Express, envelopes for malformed requests, slow senders cut, drained on stop.
import { once } from 'node:events';
import { createServer, Agent, request, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import express from 'express';
import { expect, test } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { createEventStreams } from '../../../src/http/answers/event-streams.ts';
import { createLimits } from '../../../src/http/checks/rate-limits.ts';
import { answerMalformed } from '../../../src/http/answers/malformed.ts';
import { limitConnections } from '../../../src/http/checks/connection-limits.ts';
import { createHttpServer, drain } from '../../../src/http/server.ts';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { Step } from '../../../src/ledger/probe.ts';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import {
  createAgent,
  buildDecision,
  createOwner,
  createWorkspaceKey,
} from '../../setup/personas.ts';
import { sendRequest, startApp, type Answer, type Call } from '../../setup/start-app.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends bytes as they are; resolves with everything that came back when the connection is closed. */
function sendBytes(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding('utf8').on('data', (piece: string) => (answer += piece));
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}

test('answers do not differ from those of a stock Express server', async () => {
  const config = loadConfig({ NODE_ENV: 'test' });
  const logger = createLogger('silent');
  const { shared } = app.instance.platform;
  const platform = {
    ...app.instance.platform,
    config,
    clock: systemClock,
    logger,
    metrics: createMetrics(),
    generateRequestId: () => 'x'.repeat(24),
    generateToken: () => 'y'.repeat(43),
  };
  const { app: stockApp } = createApp(platform, {
    authenticateFeed: () => Promise.reject(new Error('no feed is read')),
    limits: createLimits(config, shared),
    streams: createEventStreams(),
    allMetrics: () => Promise.resolve(''),
    consoleFolder: 'dist/console',
  });
  const stock = createServer(stockApp);
  const stockUrl = await listen(stock);
  const { token } = ada;
  const calls: [string, string, Call][] = [
    ['GET', '/health', {}],
    ['GET', '/docs', {}],
    ['GET', '/docs/start.js', {}],
    ['GET', '/docs/assets/swagger-ui.css', {}],
    ['GET', '/docs/assets/swagger-ui.css', { headers: { range: 'bytes=0-9' } }],
    ['GET', '/openapi.json', {}],
    ['GET', '/nowhere', {}],
    ['OPTIONS', '/api/v1/policies', {}],
    ['PUT', '/api/v1/policies', { token }],
    ['GET', '/api/v1/policies/templates', { token }],
    ['GET', '/api/v1/policies/templates', { token, headers: { 'accept-encoding': 'identity' } }],
    ['GET', '/api/v1/auth/me', { token }],
    ['GET', '/api/v1/auth/me', {}],
    ['GET', '/api/v1/agents/%zz', { token }],
    ['POST', '/api/v1/workspaces', { token, raw: '{' }],
    ['POST', '/api/v1/workspaces', { token, raw: '{', headers: { origin: 'https://x.example' } }],
    ['POST', '/api/v1/workspaces', {}],
    ['POST', '/api/workspaces', { token, raw: '{' }],
    ['POST', '/nowhere', {}],
    ['POST', '/health', {}],
    ['DELETE', '/api/v1/policies/templates', { token }],
    ['POST', '/api/v1/auth/login', { body: { email: 'unknown@example.com', password: 'x' } }],
  ];
  for (const [method, path, call] of calls) {
    const [ours, theirs] = [
      await sendRequest(app.url + path, method, call),
      await sendRequest(stockUrl + path, method, call),
    ];
    expect(toComparable(ours), `${method} ${path}`).toEqual(toComparable(theirs));
  }
  stock.close();
  stock.closeAllConnections();
});

/** What must be the same: everything but the moment, the request's name, counters and how long a connection is kept. */
function toComparable({ status, headers, text }: Answer): object {
  const varying = /^(date|x-request-id|ratelimit-.*|keep-alive)$/;
  return { status, text, headers: [...headers].filter(([name]) => !varying.test(name)) };
}

const twoLengths = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n';
const lengthAndChunks =
  'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';

test.each([
  [
    'too much of a header',
    `GET /scim/v2/Users HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
  ],
  [
    'too many headers, by an absolute address',
    `GET http://x/scim/v2/Users HTTP/1.1\r\nHost: x\r\n${'X-A: aaaaaaaa\r\n'.repeat(3000)}\r\n`,
    431,
  ],
  ['a header with a NUL', 'GET /scim/v2/Users HTTP/1.1\r\nHost: x\r\nX-A: \0\r\n\r\n', 400],
  ['two hosts', 'GET /scim/v2/Users HTTP/1.1\r\nHost: x\r\nHOST: y\r\n\r\n', 400],
])('%s below /scim is answered as SCIM errors are', async (_, text, status) => {
  const answer = await sendBytes(app.url, text);
  expect(answer).toContain(`HTTP/1.1 ${status} `);
  expect(answer).toContain('\r\nContent-Type: application/scim+json; charset=utf-8\r\n');
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    detail: expect.any(String),
  });
});

test.each([
  ['no HTTP', 'nonsense\r\n\r\n', '400 VALIDATION_ERROR'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01', '400 VALIDATION_ERROR'],
  [
    'a header with a NUL',
    'GET /health HTTP/1.1\r\nHost: x\r\nX-A: \0\r\n\r\n',
    '400 VALIDATION_ERROR',
  ],
  ['two lengths', twoLengths, '400 VALIDATION_ERROR'],
  ['two hosts', 'GET /health HTTP/1.1\r\nHost: x\r\nHOST: y\r\n\r\n', '400 VALIDATION_ERROR'],
  ['a length and chunks', lengthAndChunks, '400 VALIDATION_ERROR'],
  [
    'too much of a header',
    `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    '431 HEADERS_TOO_LARGE',
  ],
])('%s is answered in the envelope and hung up on', async (_, text, refusal) => {
  const answer = await sendBytes(app.url, text);
  const { success, code } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Record<
    string,
    unknown
  >;
  expect([/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1], code].join(' ')).toBe(refusal);
  expect(success).toBe(false);
  expect(answer).toContain('\r\nX-Service-API-Version: v1\r\n');
});

const SHORT = { headers: 100, request: 200, keepAlive: 1000, stall: 200, check: 50 };

test('slow headers and slow bodies are cut', async () => {
  const slow = express();
  slow.post('/', (req, res) => void req.resume().on('end', () => res.end('whole')));
  const server = createHttpServer(slow, {
    isFast: true,
    onMalformed: answerMalformed,
    timeouts: SHORT,
  });
  const url = await listen(server);
  const head = 'POST / HTTP/1.1\r\nHost: x\r\n';
  for (const part of ['POST', head, `${head}Content-Length: 10\r\n\r\nhalf`]) {
    const answer = await sendBytes(url, part);
    expect(answer, part).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toContain('"code":"REQUEST_TIMEOUT"');
  }
  server.close();
});

/** Asks for `/large` on a connection of its own. */
function askLarge(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  return socket.on('error', () => {});
}

test(
  'a reader that takes nothing is cut; a handler that takes its time is not, nor is a slow reader',
  { tags: ['long'] },
  async () => {
    const bytes = 64 << 20;
    const large = express();
    let closed = 0;
    large.get('/large', (_req, res) => {
      res.on('close', () => (closed += 1));
      res.end(Buffer.alloc(bytes));
    });
    large.get('/late', (_req, res) => void setTimeout(() => res.end('late'), 1.5 * timeouts.stall));
    const timeouts = { ...SHORT, headers: 10_000, request: 10_000, stall: 1000 };
    const server = createHttpServer(large, {
      isFast: true,
      onMalformed: answerMalformed,
      timeouts,
    });
    const url = await listen(server);
    askLarge(url).pause();
    await expect.poll(() => closed).toBe(1);
    expect((await sendRequest(`${url}/late`, 'GET', {})).text).toBe('late');
    let taken = 0;
    const slow = askLarge(url).on('data', (piece) => {
      taken += piece.length;
      slow.pause();
      setTimeout(() => slow.resume(), 1);
    });
    await new Promise((resolve) => slow.on('close', resolve));
    expect(taken).toBeGreaterThan(bytes);
    server.closeAllConnections();
    server.close();
  },
);

test('a target in absolute form means its path, for routes as for limits', async () => {
  const own = await startApp({ ASSAY_LIMIT_IP: '2' });
  const get = async (target: string): Promise<string[]> => {
    const answer = await sendBytes(
      own.url,
      `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    return [/^HTTP\/1\.1 (\d+)/, /ratelimit-remaining: (\d+)/i].map(
      (part) => part.exec(answer)?.[1] ?? '',
    );
  };
  expect(await get('http://x/api/v1/policies')).toEqual(['401', '1']);
  expect(await get('HTTPS://elsewhere:8443/api/policies?a=1')).toEqual(['401', '0']);
  expect(await get('http://x/api/v1/policies')).toEqual(['429', '0']);
  expect(await get('http://x')).toEqual(['404', '']);
  expect(await get('api/v1/policies')).toEqual(['400', '']);
  await own.stop();
});

test('connections beyond the limit are closed at once', async () => {
  const server = createHttpServer(express(), {
    isFast: true,
    onMalformed: answerMalformed,
    maxConnections: 1,
  });
  const url = await listen(server);
  const { hostname, port } = new URL(url);
  const first = connect(Number(port), hostname);
  await new Promise((resolve) => first.on('connect', resolve));
  await expect(sendBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n').catch(() => '')).resolves.toBe(
    '',
  );
  first.destroy();
  server.close();
});

test('one client address has a bounded number of connections; a trusted proxy has not', async () => {
  for (const isTrusted of [false, true]) {
    const server = createHttpServer(express(), { isFast: true, onMalformed: answerMalformed });
    limitConnections(server, { perAddress: 2, isTrustedProxy: () => isTrusted });
    const url = await listen(server);
    const { hostname, port } = new URL(url);
    const opened = [1, 2].map(() => connect(Number(port), hostname));
    await Promise.all(opened.map((one) => new Promise((resolve) => one.on('connect', resolve))));
    const get = () => sendBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const third = await get().catch(() => '');
    expect(third.startsWith('HTTP/1.1 404')).toBe(isTrusted);
    for (const one of opened) one.destroy();
    await expect.poll(() => get().catch(() => '')).toMatch(/^HTTP\/1.1 404/);
    server.close();
  }
});

test('an instance gives one address a quarter of its connections, unless it is configured or a proxy', async () => {
  for (const [settings, expected] of [
    [{}, 2],
    [{ ASSAY_MAX_CONNECTIONS_PER_ADDRESS: '5' }, 5],
    [{ ASSAY_TRUST_PROXY: '127.0.0.1' }, 8],
  ] as const) {
    const small = await startApp({ ASSAY_MAX_CONNECTIONS: '8', ...settings });
    const { hostname, port } = new URL(small.instance.url);
    const opened = Array.from({ length: 8 }, () => connect(Number(port), hostname));
    let closed = 0;
    for (const one of opened) one.on('error', () => undefined).on('close', () => (closed += 1));
    await expect.poll(() => closed).toBe(8 - expected);
    for (const one of opened) one.destroy();
    await small.stop();
  }
});

test('stopping does not wait for a client that has connected and said nothing', async () => {
  const quiet = await startApp();
  const { port } = new URL(quiet.url);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const ended = once(socket, 'close');
  await quiet.stop();
  await ended;
});

test(
  'stopping waits a second for half a head, and longer for a request that is under way',
  { tags: ['long'] },
  async () => {
    const app = express();
    app.get('/', (_, res) => void setTimeout(() => res.send('late'), 1600));
    const server = createHttpServer(app, { isFast: true, onMalformed: answerMalformed });
    const url = await listen(server);
    const { hostname, port } = new URL(url);
    const half = connect(Number(port), hostname);
    const ended = once(half, 'close');
    half.write('GET / HTTP/1.1\r\nHo');
    await expect.poll(() => half.bytesWritten).toBeGreaterThan(0);
    const arrived = once(server, 'request');
    const answer = sendBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrived;
    const began = performance.now();
    const drained = drain(server).then(() => performance.now() - began);
    await ended;
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(await answer).toContain('late');
    expect(await drained).toBeLessThan(10_000);
  },
);

test('stopping refuses new connections, answers what is under way, and does not wait for idle ones', async () => {
  let release = (): void => undefined;
  let notifyArrived = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const waiting = new Promise<void>((resolve) => (notifyArrived = resolve));
  let armed = false;
  const probe = async (step: Step): Promise<void> => {
    if (!armed || step !== 'before-insert') return;
    notifyArrived();
    await held;
  };
  const draining = await startApp({}, { probe });
  const person = await createOwner(draining);
  const { key } = await createWorkspaceKey(draining, person);
  const bot = await createAgent(draining, person);
  const kept = new Agent({ keepAlive: true });
  const post = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      request(`${draining.url}/api/v1/traces`, { method: 'POST', agent: kept, headers }, resolve)
        .on('error', reject)
        .end(JSON.stringify(buildDecision(bot.id)));
    });
  armed = true;
  const answer = post();
  await waiting;
  const stopped = draining.stop();
  await expect
    .poll(() =>
      fetch(`${draining.url}/health`).then(
        () => 'answered',
        () => 'refused',
      ),
    )
    .toBe('refused');
  armed = false;
  release();
  expect((await answer).statusCode).toBe(201);
  (await answer).resume();
  await stopped;
  kept.destroy();
});
