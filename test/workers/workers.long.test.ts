// Several processes on one port: they serve together, count together, are replaced when they die, and end together.
// @module-tag long
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, get, type IncomingMessage, request } from 'node:http';
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
import { type Answer, sendRequest, type TestApp } from '../setup/start-app.ts';
import { allPidsOf, pidsOf } from './pids.ts';

const ROOMY = {
  ASSAY_WORKERS: '2',
  ASSAY_LIMIT_IP: '1000000',
  ASSAY_LIMIT_USER: '1000000',
  ASSAY_LIMIT_AUTH: '1000000',
  ASSAY_MEMORY_INDEXING: 'off',
};

/** Time to replace a worker: a tenth of a second after its first death, and at least a second until it listens. */
const FORKED_MS = 200;
/** Time-out of a list, which is usually answered much sooner. */
const MOVING_MS = 2_000;

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

test(
  'workers serve one port, share its limits and report their metrics together',
  slow,
  async (context) => {
    const { server, app } = await startWorkers(context, {
      LOG_LEVEL: 'debug',
      ASSAY_LIMIT_ACCOUNT: '7',
      ASSAY_LIMIT_STREAMS_USER: '3',
    });
    const ada = await createOwner(app);
    const eve = await createOwner(app, 'Eve');
    const agents = await several(40, () => app.call('GET', '/api/v1/agents', { token: ada.token }));
    expect(statusesOf(agents)).toEqual({ 200: 40 });
    await vi.waitUntil(() => {
      const served = [...server.output().matchAll(/"worker":(\d).*"path":"\/api\/v1\/agents"/g)];
      return served.length === 40 && new Set(served.map(([, worker]) => worker)).size === 2;
    }, patience);

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
        /^assay_http_request_seconds_count\{route="GET \/api\/v1\/agents\/?",status="200"\} 40$/m,
      );
      expect(text).toMatch(/^assay_quarantined_chains 0$/m);
    }
    server.process.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  },
);

/** Posts decisions over kept connections, each by an id that the log names; answers nothing but 201. */
async function postOver(agent: Agent, url: string, { key, ids }: { key: string; ids: string[] }) {
  for (const id of ids) {
    const headers = { 'x-api-key': key, 'x-request-id': id, 'content-type': 'application/json' };
    const sent = request(`${url}/api/v1/traces`, { agent, method: 'POST', headers });
    sent.end(JSON.stringify(buildDecision(id)));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect([id, answer.statusCode]).toEqual([id, 201]);
    await once(answer.resume(), 'end');
  }
}

/** Posts decisions over eight new connections; returns the ids of the last two of each. */
async function postOverEight(
  { url }: Server,
  key: string,
  { name, each }: { name: string; each: number },
): Promise<string[]> {
  const last = await several(8, async (client) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ids = Array.from({ length: each }, (_, turn) => `${name}-${client}-${turn}-posted`);
    await postOver(agent, url, { key, ids });
    agent.destroy();
    return ids.slice(-2);
  });
  return last.flat();
}

/** Reads from the log which worker answered each decision. */
async function workersOf({ output }: Server, ids: readonly string[]): Promise<number[]> {
  await vi.waitUntil(() => ids.every((id) => output().includes(id)), patience);
  return ids.map((id) => Number(new RegExp(`"worker":(\\d)[^\\n]*${id}`).exec(output())?.[1]));
}

/** An organisation whose home is known to both workers: connections of it have moved. */
async function createHome(server: Server, app: TestApp): Promise<{ key: string; home: number }> {
  const owner = await createOwner(app);
  const { key } = await createWorkspaceKey(app, owner);
  const name = owner.organizationId;
  const [home = 0] = await workersOf(server, await postOverEight(server, key, { name, each: 50 }));
  const first = Array.from({ length: 8 }, (_, client) => `${name}-${client}-0-posted`);
  const hasMoved = (await workersOf(server, first)).some((worker) => worker !== home);
  return hasMoved ? { key, home } : createHome(server, app);
}

/** Lists agents over new connections until one is in transfer to another worker: no answer comes over it. */
async function listUntilOneMoves({ url }: Server, key: string): Promise<void> {
  const list = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let turn = 0; turn < 20; turn++) {
      const sent = get(`${url}/api/v1/agents`, { agent, headers: { 'x-api-key': key } });
      const answer = once(sent, 'response') as Promise<[IncomingMessage]>;
      const [response] = await Promise.race([answer, setTimeout(MOVING_MS, [null])]);
      if (!response) return true;
      await once(response.resume(), 'end');
    }
    agent.destroy();
    return false;
  };
  await vi.waitUntil(list, patience);
}

/** Waits until another process is about to replace a worker; that one does not listen yet. */
async function kill(server: Server, worker: number): Promise<void> {
  process.kill(pidsOf(server).get(worker)?.at(-1) as number, 'SIGKILL');
  await vi.waitUntil(() => server.output().includes('a worker was ended by SIGKILL'), patience);
  await setTimeout(FORKED_MS);
}

test(
  'connections over which an organisation posts a great deal come together at one worker',
  slow,
  async (context) => {
    const { server, app } = await startWorkers(context, { LOG_LEVEL: 'debug' });
    const homes = await Promise.all(
      ['Ada', 'Eve'].map(async (name) => {
        const owner = await createOwner(app, name);
        const { key } = await createWorkspaceKey(app, owner);
        const last = await postOverEight(server, key, { name, each: 150 });
        const workers = await workersOf(server, last);
        const verified = await app.call('POST', '/api/v1/hash-chain/verify', {
          token: owner.token,
        });
        expect(assertOk(verified).body.data).toMatchObject({ verified: true });
        return workers;
      }),
    );
    expect(homes.map((workers) => new Set(workers).size)).toEqual([1, 1]);
    expect(homes[0]?.[0]).not.toBe(homes[1]?.[0]);
  },
);

test('a killed worker is replaced and no acknowledged decision is lost', slow, async (context) => {
  const { server, app } = await startWorkers(context);
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

test('connections stay where they are while their target worker starts', slow, async (context) => {
  const { server, app } = await startWorkers(context, { LOG_LEVEL: 'debug' });
  const { key, home } = await createHome(server, app);
  await kill(server, home);
  do expect(await postOverEight(server, key, { name: 'interim', each: 20 })).toHaveLength(16);
  while (allPidsOf(server).length < 3);
});

test('SIGTERM ends a worker that has not started', slow, async (context) => {
  const { server } = await startWorkers(context);
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

test(
  'workers end with a primary that is killed while a connection moves',
  slow,
  async (context) => {
    const { server, app } = await startWorkers(context, { LOG_LEVEL: 'debug' });
    const { key } = await createHome(server, app);
    server.process.kill('SIGSTOP');
    await listUntilOneMoves(server, key);
    server.process.kill('SIGKILL');
    const all = allPidsOf(server);
    await vi.waitUntil(() => !all.some(isAlive), patience);
  },
);

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
