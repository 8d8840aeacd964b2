// The server as a process: embedded database, output of the first start, draining, and no processes left behind.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { has } from '../domain/tools.ts';
import { sendRequest } from '../setup/start-app.ts';
import { accepts, FROM_SOURCES, isAlive, machine, patience, slow } from './server-process.ts';

const account = {
  name: 'Ada',
  email: 'ada@example.com',
  password: 'Correct-Horse-9',
  organizationName: 'Example',
};

const readJson = async (...path: string[]): Promise<unknown> =>
  JSON.parse(await readFile(join(...path), 'utf8'));

test.skipIf(!has('curl'))(
  'the printed commands of the first start work, and give a key that posts a decision',
  slow,
  async (context) => {
    const { start } = await machine(context);
    const { url, output } = await start();
    expect(output()).toContain(`API reference      ${url}/docs\n`);
    const [commands = ''] = /TOKEN=[^]*$/.exec(output()) ?? [];
    const made = JSON.parse(execFileSync('sh', ['-c', commands], { encoding: 'utf8' })) as {
      data: { key: string };
    };
    const body = {
      agentId: 'first',
      inputContext: { prompt: 'Hello' },
      outputDecision: { action: 'greet' },
    };
    const posted = await sendRequest(`${url}/api/v1/traces`, 'POST', { key: made.data.key, body });
    expect(posted.body.data).toMatchObject({ status: 'approved', hashChain: { sequence: 1 } });
    expect((await fetch(`${url}/docs`)).status).toBe(200);
  },
);

test(
  'SIGTERM lets a request under way finish; the next start finds data, secrets and the database port',
  slow,
  async (context) => {
    const { folder, start } = await machine(context);
    const first = await start();
    const kept = await readJson(folder, 'data', 'mongod.json');
    const { hostname, port } = new URL(first.url);
    const text = JSON.stringify(account);
    const headers = { 'content-type': 'application/json', 'content-length': text.length };
    const pending = request({
      hostname,
      port,
      path: '/api/v1/auth/register',
      method: 'POST',
      headers,
    });
    const answered = once(pending, 'response');
    pending.write(text.slice(0, 20));
    // An answered request on another connection shows that the bytes above have arrived.
    expect((await fetch(`${first.url}/health`)).status).toBe(200);
    first.process.kill('SIGTERM');
    await vi.waitUntil(async () => !(await accepts(hostname, Number(port))), patience);
    pending.end(text.slice(20));
    const [{ statusCode }] = (await answered) as [{ statusCode: number }];
    expect(statusCode).toBe(201);
    expect(await first.ended).toBe(0);

    const second = await start();
    expect(await readJson(folder, 'data', 'mongod.json')).toEqual(kept);
    const signedIn = await sendRequest(`${second.url}/api/v1/auth/login`, 'POST', {
      body: account,
    });
    expect(signedIn.status).toBe(200);
    second.process.kill('SIGINT');
    expect(await second.ended).toBe(0);
  },
);

test('kill -9 leaves no database behind', slow, async (context) => {
  const { folder, start } = await machine(context);
  const server = await start();
  const pid = Number(await readFile(join(folder, 'data', 'db', 'mongod.lock'), 'utf8'));
  expect(isAlive(pid)).toBe(true);
  server.process.kill('SIGKILL');
  expect(await server.ended).toBe('SIGKILL');
  await vi.waitUntil(() => !isAlive(pid), patience);
});

test(
  'processes that npm started end with npm, although its shell forwards no signal',
  slow,
  async (context) => {
    const { folder, start } = await machine(context);
    await writeFile(
      join(folder, 'package.json'),
      JSON.stringify({ scripts: { start: `node ${FROM_SOURCES.join(' ')}` } }),
    );
    const npm = await start({}, ['npm', 'start']);
    const pid = Number(await readFile(join(folder, 'data', 'db', 'mongod.lock'), 'utf8'));
    npm.process.kill('SIGTERM');
    await vi.waitUntil(() => !isAlive(pid), patience);
    const { hostname, port } = new URL(npm.url);
    expect(await accepts(hostname, Number(port))).toBe(false);
  },
);

test(
  'processes that npm started end with npm, also when it ends while they start',
  slow,
  async (context) => {
    const { folder, start, started } = await machine(context);
    await writeFile(
      join(folder, 'package.json'),
      JSON.stringify({ scripts: { start: `node ${FROM_SOURCES.join(' ')}` } }),
    );
    const listening = start({}, ['npm', 'start']);
    const readLock = (): Promise<string> =>
      readFile(join(folder, 'data', 'db', 'mongod.lock'), 'utf8').catch(() => '');
    await vi.waitUntil(async () => Number(await readLock()) > 0, patience);
    const pid = Number(await readLock());
    started[0]?.kill('SIGTERM');
    await listening;
    await vi.waitUntil(() => !isAlive(pid), patience);
  },
);

test('a failing start prints its reason in one line and exits', slow, async (context) => {
  const { start } = await machine(context);
  const misspelt = await start({ PORT: 'eighty', LOG_LEVEL: 'loud' });
  expect(misspelt.output()).toMatch(/^Invalid configuration:\n {2}PORT: .*\n {2}LOG_LEVEL: .*\n$/);
  expect(await misspelt.ended).toBe(1);
  const stranger = createServer().listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  context.onTestFinished(() => void stranger.close());
  const { port } = stranger.address() as AddressInfo;
  const late = await start({ PORT: String(port) });
  expect(await late.ended).toBe(1);
  expect(late.output()).toContain(
    `address already in use 127.0.0.1:${port}; set PORT to another port\n`,
  );
});
