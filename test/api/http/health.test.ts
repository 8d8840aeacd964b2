// Endpoints for operators (document 1, section 1; docs/internals/decisions/requests.md): health, readiness, metrics.
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Request } from 'express';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { AppError } from '../../../src/errors.ts';
import { mayReadMetrics } from '../../../src/http/checks/metrics-access.ts';
import { drainInstance, requireReady } from '../../../src/governance/health/readiness.service.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { useOwnHarness } from '../../setup/fixtures.ts';
import {
  createAgent,
  buildDecision,
  assertOk,
  createOwner,
  createWorkspaceKey,
} from '../../setup/personas.ts';
import { createDatabaseUri } from '../../setup/databases.ts';
import { startApp, type Answer } from '../../setup/start-app.ts';

const harness = useOwnHarness();
const { app } = harness;

test('health answers without credentials and reveals no data', async () => {
  for (const headers of [{}, { authorization: 'Bearer nonsense' }, { 'x-api-key': 'nonsense' }]) {
    const { status, body } = await app.call('GET', '/health', {
      headers: headers as Record<string, string>,
    });
    expect([status, body]).toEqual([200, { success: true, data: { status: 'ok' } }]);
  }
});

test('readiness is reported while everything is well', async () => {
  const { status, body } = await app.call('GET', '/ready');
  expect([status, body]).toEqual([200, { success: true, data: { status: 'ready' } }]);
});

type Parts = Partial<Pick<Platform, 'checkDatabase' | 'clockAgrees'>>;
const unwell: [string, Parts, string][] = [
  ['a clock that differs', { clockAgrees: () => false }, 'clock'],
  [
    'a database that does not answer',
    { checkDatabase: () => Promise.reject(new Error('no database')) },
    'no database',
  ],
  ['a draining instance', {}, 'draining'],
];

test.each(unwell)('%s is not ready, and why is for the log alone', async (_, parts, why) => {
  const well = { checkDatabase: () => Promise.resolve(), clockAgrees: () => true };
  const platform = { ...app.instance.platform, ...well, ...parts };
  if (why === 'draining') drainInstance(platform);
  const error: unknown = await requireReady(platform).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(AppError);
  const { code, message, cause } = error as AppError;
  expect([code, message]).toEqual(['SERVICE_UNAVAILABLE', 'Not ready']);
  expect((cause as Error).message).toBe(why);
});

/** A way to the database that can be cut. */
async function startBridge(): Promise<{
  uri: string;
  cut: () => void;
  mend: () => void;
  close: () => void;
}> {
  const target = new URL(createDatabaseUri());
  const sockets = new Set<Socket>();
  let open = true;
  const server: Server = createServer((near) => {
    if (!open) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    open = false;
    sockets.forEach((socket) => socket.destroy());
  };
  const uri = `mongodb://127.0.0.1:${port}${target.pathname}?directConnection=true`;
  return { uri, cut, mend: () => (open = true), close: () => (cut(), server.close()) };
}

test(
  'without its database an instance lives, is not ready, answers 503 with Retry-After, and recovers by itself',
  { tags: ['long'], timeout: 60_000 },
  async () => {
    const way = await startBridge();
    const cutOff = await startApp({}, { mongoUri: way.uri });
    const ada = await createOwner(cutOff);
    const { key } = await createWorkspaceKey(cutOff, ada);
    const bot = await createAgent(cutOff, ada);
    const list = (): Promise<Answer> => cutOff.call('GET', '/api/v1/agents', { token: ada.token });
    assertOk(await list());
    way.cut();
    const [alive, ready, listed] = await Promise.all([
      cutOff.call('GET', '/health'),
      cutOff.call('GET', '/ready'),
      list(),
    ]);
    expect(alive.status).toBe(200);
    const metrics = await cutOff.call('GET', '/metrics');
    expect([metrics.status, metrics.text.includes('assay_http_request_seconds')]).toEqual([
      200,
      true,
    ]);
    for (const answer of [ready, listed]) {
      expect([answer.status, answer.body.success, answer.body.code]).toEqual([
        503,
        false,
        'SERVICE_UNAVAILABLE',
      ]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.text).not.toMatch(/mongo|127\.0\.0\.1|ECONN/i);
    }
    expect(cutOff.logged.some((line) => line.includes('request failed'))).toBe(true);
    way.mend();
    await expect
      .poll(async () => (await cutOff.call('GET', '/ready')).status, { timeout: 15_000 })
      .toBe(200);
    await expect
      .poll(
        async () =>
          (await cutOff.call('POST', '/api/v1/traces', { key, body: buildDecision(bot.id) }))
            .status,
        {
          timeout: 15_000,
        },
      )
      .toBe(201);
    await cutOff.stop();
    way.close();
  },
);

test('metrics are for this machine alone when no token is set, also past a proxy on it', async () => {
  assertOk(await app.call('GET', '/health'));
  await app.instance.runJobsOnce();
  const { status, text, headers } = await app.call('GET', '/metrics');
  expect([status, headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('text/plain'),
  ]);
  expect(text).toMatch(
    /assay_http_request_seconds_count\{route="GET \/health",status="200"\} [1-9]/,
  );
  expect(text).toMatch(/^assay_clock_skew_seconds -?[\d.e-]+$/m);
  expect(text).toMatch(/^assay_quarantined_chains 0$/m);
  expect(text).toMatch(/^assay_outbox_rows\{status="dead"\} 0$/m);
  expect(text).toMatch(/^assay_consumer_lag_entries\{consumer="[^"]+"\} 0$/m);
});

test.each(['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'])(
  'metrics are not for whom a proxy speaks: %s',
  async (header) => {
    const { status, body } = await app.call('GET', '/metrics', {
      headers: { [header]: '192.0.2.1' },
    });
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  },
);

test('in production metrics take a token, also on this machine', () => {
  const local = { socket: { remoteAddress: '127.0.0.1' }, headers: {} } as unknown as Request;
  const config = loadConfig({ NODE_ENV: 'test' });
  expect(mayReadMetrics(config, local)).toBe(true);
  expect(mayReadMetrics({ ...config, NODE_ENV: 'production' }, local)).toBe(false);
});

/** An address under which this machine is not local to itself. */
const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((address) => address && !address.internal && address.family === 'IPv4')?.address;

test.skipIf(elsewhere === undefined)('metrics are not for other machines', async () => {
  const wide = await startApp({ ASSAY_HOST: '0.0.0.0' });
  const { port } = new URL(wide.url);
  expect((await fetch(`http://${elsewhere}:${port}/metrics`)).status).toBe(404);
  await wide.stop();
});

test('metrics require the configured token', async () => {
  const guarded = await startApp({ ASSAY_METRICS_TOKEN: 'a token of metrics' });
  const get = (authorization?: string): Promise<Answer> =>
    guarded.call('GET', '/metrics', {
      headers: authorization === undefined ? {} : { authorization },
    });
  expect((await get('Bearer a token of metrics')).status).toBe(200);
  for (const wrong of [
    undefined,
    'Bearer a token of metric',
    'Bearer ',
    'Basic a token of metrics',
  ])
    expect((await get(wrong)).status, wrong).toBe(404);
  await guarded.stop();
});
