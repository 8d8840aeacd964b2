// Several processes on one port: they serve together, count together, are replaced when they die, and end together.
// @module-tag long
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test, type TestContext, vi } from 'vitest';
import { openReader } from '../api/traces/stream/event-reader.ts';
import {
  accepts,
  isAlive,
  machine,
  patience,
  type Server,
  slow,
} from '../embedded-db/server-process.ts';
import {
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  PASSWORD,
} from '../setup/personas.ts';
import { type Answer, SECRETS, sendRequest, type TestApp } from '../setup/start-app.ts';
import { createDatabaseUri } from '../setup/databases.ts';
import { allPidsOf, pidsOf } from './pids.ts';

const ROOMY = {
  ASSAY_WORKERS: '2',
  ASSAY_LIMIT_IP: '1000000',
  ASSAY_LIMIT_USER: '1000000',
  ASSAY_LIMIT_AUTH: '1000000',
  ASSAY_MEMORY_INDEXING: 'off',
};

/** The database of the run, where a test is not about the one that an instance brings. */
const onSharedDatabase = (): Record<string, string> => ({
  MONGODB_URI: createDatabaseUri(),
  ASSAY_JWT_SECRET: SECRETS.jwt,
  ASSAY_LEDGER_KEY: SECRETS.ledgerKey,
  ASSAY_ENCRYPTION_KEY: SECRETS.encryptionKey,
});

/** Time to replace a worker: a tenth of a second after its first death, and at least a second until it listens. */
const FORKED_MS = 200;

async function startWorkers(context: TestContext, environment: Record<string, string> = {}) {
  const { folder, start } = await machine(context);
  const server = await start(Object.assign({}, ROOMY, environment));
  context.onTestFinished(() => {
    for (const pid of allPidsOf(server).filter(isAlive)) process.kill(pid, 'SIGKILL');
  });
  expect(server.url, server.output()).not.toBe('');
  const call: TestApp['call'] = (method, path, what = {}) =>
    sendRequest(server.url + path, method, what);
  return { folder, server, app: { call } as TestApp };
}

const several = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

const statusesOf = (answers: readonly Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

/** Lists agents, forty at a time, until both workers have answered and logged some; returns how often. */
async function askBoth(server: Server, ask: () => Promise<void>): Promise<number> {
  const listServing = () =>
    [...server.output().matchAll(/"worker":(\d).*"path":"\/api\/v1\/agents"/g)].map(
      ([, worker]) => worker,
    );
  let asked = 0;
  do {
    asked += (await several(40, ask)).length;
    await vi.waitUntil(() => listServing().length === asked, patience);
  } while (new Set(listServing()).size < 2);
  return asked;
}

test(
  'workers serve one port, share its limits and report their metrics together',
  slow,
  async (context) => {
    const { server, app } = await startWorkers(context, {
      ...onSharedDatabase(),
      LOG_LEVEL: 'debug',
      ASSAY_LIMIT_ACCOUNT: '7',
      ASSAY_LIMIT_STREAMS_USER: '3',
    });
    const ada = await createOwner(app);
    const eve = await createOwner(app, 'Eve');
    const asked = await askBoth(server, async () => {
      // Each on a connection of its own: the kernel gives them to the workers as it likes.
      const call = { token: ada.token, headers: { connection: 'close' } };
      expect((await app.call('GET', '/api/v1/agents', call)).status).toBe(200);
    });

    const wrong = { email: eve.email, password: `${PASSWORD}!` };
    const tried = await several(20, () => app.call('POST', '/api/v1/auth/login', { body: wrong }));
    expect(statusesOf(tried)).toEqual({ 401: 7, 429: 13 });

    const readers = await several(12, () =>
      openReader(`${server.url}/api/v1/traces/stream?token=${ada.token}`, {}),
    );
    const [open, refused] = [200, 429].map((code) =>
      readers.filter(({ status }) => status === code),
    );
    expect([open?.length, refused?.length]).toEqual([3, 9]);
    for (const reader of readers) reader.close();
    await vi.waitUntil(async () => {
      const again = await openReader(`${server.url}/api/v1/traces/stream?token=${ada.token}`, {});
      again.close();
      return again.status === 200;
    }, patience);

    const responses = await several(6, () => app.call('GET', '/metrics'));
    for (const { status, text } of responses) {
      expect(status).toBe(200);
      expect(text).toMatch(
        new RegExp(
          String.raw`^assay_http_request_seconds_count\{route="GET /api/v1/agents/?",status="200"\} ${asked}$`,
          'm',
        ),
      );
      expect(text).toMatch(/^assay_quarantined_chains 0$/m);
    }
    server.process.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  },
);

/** Waits until another process is about to replace a worker; that one does not listen yet. */
async function kill(server: Server, worker: number): Promise<void> {
  process.kill(pidsOf(server).get(worker)?.at(-1) as number, 'SIGKILL');
  await vi.waitUntil(() => server.output().includes('a worker was ended by SIGKILL'), patience);
  await setTimeout(FORKED_MS);
}

test('a killed worker is replaced and no acknowledged decision is lost', slow, async (context) => {
  const { server, app } = await startWorkers(context, onSharedDatabase());
  const ada = await createOwner(app);
  const { key } = await createWorkspaceKey(app, ada);
  const acknowledged = new Set<string>();
  let isDone = false;
  const posting = several(4, async (client) => {
    for (let turn = 0; !isDone; turn++) {
      const body = buildDecision(`${client}-${turn}`);
      const answer = await app.call('POST', '/api/v1/traces', { key, body }).catch(() => null);
      if (answer) expect(answer.status).toBe(201);
      if (answer) acknowledged.add(answer.body.data.traceId);
    }
  });
  for (const [kill, worker] of [1, 2, 1].entries()) {
    const goal = acknowledged.size + 50;
    await vi.waitUntil(() => acknowledged.size > goal, patience);
    const pids = pidsOf(server);
    process.kill(pids.get(worker)?.at(-1) as number, 'SIGKILL');
    await vi.waitUntil(() => allPidsOf(server).length === 3 + kill, patience);
  }
  isDone = true;
  await posting;
  expect(server.output()).toContain('a worker was ended by SIGKILL and is replaced');
  const verified = assertOk(
    await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token }),
  );
  expect(verified.body.data).toMatchObject({ verified: true });
  expect(verified.body.data.totalChecked).toBeGreaterThanOrEqual(acknowledged.size);
  const exported = assertOk(
    await app.call('GET', '/api/v1/hash-chain/export', { token: ada.token }),
  );
  const kept = new Set(exported.text.match(/(?<="traceId":")[^"]+/g));
  expect([...acknowledged].filter((traceId) => !kept.has(traceId))).toEqual([]);
});

test('of a thousand claims at once on two workers one succeeds', slow, async (context) => {
  const environment = { ...onSharedDatabase(), LOG_LEVEL: 'debug' };
  const { server, app } = await startWorkers(context, environment);
  const ada = await createOwner(app);
  const conditions = [{ field: 'outputDecision.action.tool', operator: 'equals', value: 'pay' }];
  const actions = [{ type: 'approve', config: { effect: 'pay:{id}' } }];
  const policy = { name: 'Once', conditions, actions };
  assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body: policy }));
  const { key } = await createWorkspaceKey(app, ada);
  const propose = async (action: object): Promise<string> => {
    const body = buildDecision('bot', { outputDecision: { action } });
    return assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body.data.traceId;
  };
  const claim = (traceId: string, action: object): Promise<Answer> => {
    const rawActionDigest = createHash('sha256').update(JSON.stringify(action)).digest('hex');
    return app.call('POST', `/api/v1/traces/${traceId}/executions`, {
      key,
      body: { rawActionDigest },
    });
  };
  const reply = { tool: 'reply' };
  const traceId = await propose(reply);
  const answers = await several(1000, () => claim(traceId, reply));
  expect(statusesOf(answers)).toEqual({ 201: 1, 409: 999 });
  // Each worker logs the requests that it answers.
  await vi.waitUntil(() => {
    const served = [...server.output().matchAll(/"worker":(\d)[^\n]*executions","status":409/g)];
    return new Set(served.map(([, worker]) => worker)).size === 2;
  }, patience);
  const payment = { id: '7', tool: 'pay' };
  const payments = await several(40, () => propose(payment));
  const claimed = await Promise.all(payments.map((each) => claim(each, payment)));
  expect(statusesOf(claimed)).toEqual({ 201: 1, 409: 39 });
  const verified = await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token });
  expect(assertOk(verified).body.data).toMatchObject({ verified: true });
});

test('SIGTERM ends a worker that has not started', slow, async (context) => {
  const { server } = await startWorkers(context, onSharedDatabase());
  await kill(server, 1);
  server.process.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(allPidsOf(server).filter(isAlive)).toEqual([]);
  expect(pidsOf(server).get(1)).toHaveLength(1);
});

test(
  'SIGTERM lets each worker finish its requests and leaves no process behind',
  slow,
  async (context) => {
    const { folder, server } = await startWorkers(context);
    const { hostname, port } = new URL(server.url);
    const bodies = Array.from({ length: 4 }, (_, index) =>
      JSON.stringify({
        name: 'Ada',
        email: `ada-${index}@example.com`,
        password: PASSWORD,
        organizationName: 'Example',
      }),
    );
    const pending = bodies.map((text) => {
      const headers = { 'content-type': 'application/json', 'content-length': text.length };
      const path = '/api/v1/auth/register';
      const sent = request({ hostname, port, path, method: 'POST', headers });
      sent.write(text.slice(0, 20));
      return { sent, text, answered: once(sent, 'response') };
    });
    // Answered requests on other connections show that the bytes above have arrived.
    await several(8, () => fetch(`${server.url}/health`));
    server.process.kill('SIGTERM');
    await vi.waitUntil(async () => !(await accepts(hostname, Number(port))), patience);
    for (const { sent, text } of pending) sent.end(text.slice(20));
    const answers = (await Promise.all(pending.map(({ answered }) => answered))) as {
      statusCode: number;
    }[][];
    expect(answers.map(([answer]) => answer?.statusCode)).toEqual([201, 201, 201, 201]);
    expect(await server.ended).toBe(0);
    const database = Number(
      await readFile(join(folder, 'data', 'db', 'mongod.lock'), 'utf8').catch(() => '0'),
    );
    const all = [...allPidsOf(server), ...(database > 0 ? [database] : [])];
    expect(all.length).toBeGreaterThanOrEqual(2);
    await vi.waitUntil(() => !all.some(isAlive), patience);
  },
);

test('workers and their database end when the primary is killed', slow, async (context) => {
  const { folder, server } = await startWorkers(context);
  const database = Number(await readFile(join(folder, 'data', 'db', 'mongod.lock'), 'utf8'));
  const all = [database, ...allPidsOf(server)];
  expect(all.map(isAlive)).toEqual([true, true, true]);
  server.process.kill('SIGKILL');
  await vi.waitUntil(() => !all.some(isAlive), patience);
});

test('workers that cannot start say why in one line and everything ends', slow, async (context) => {
  const { start } = await machine(context);
  const stranger = createServer().listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  context.onTestFinished(() => void stranger.close());
  const { port } = stranger.address() as AddressInfo;
  const server = await start({ ASSAY_WORKERS: '2', LOG_LEVEL: 'silent', PORT: String(port) });
  expect(await server.ended).toBe(1);
  expect(server.output()).toMatch(/^[^\n]*EADDRINUSE[^\n]*; set PORT to another port\n$/);
});
