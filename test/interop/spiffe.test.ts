// Agents of SPIFFE: both SDKs ask a Workload API, which go-spiffe serves, and exchange the JWT-SVID for a run token.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { spiffe, type SpiffeOptions } from '../../packages/sdk-typescript/src/identity.ts';
import { Assay } from '../../packages/sdk-typescript/src/index.ts';
import { fetchJwtSvid } from '../../packages/sdk-typescript/src/workload-api.ts';
import { ASSAY, useTrustStage } from '../api/agents/trusts/trust-stage.ts';
import { createEnvironment } from '../python/environment.ts';
import { assertOk, createAgent } from '../setup/personas.ts';
import { findGo } from './go.ts';

const go = findGo();
const folder = mkdtempSync(join(tmpdir(), 'assay-spiffe-'));
const path = join(folder, 'api.sock');
const socket = `unix://${path}`;
const DOMAIN = 'spiffe://octo.example';
const ID = `${DOMAIN}/ns/payments/sa/refund-bot`;
const OTHER = `${DOMAIN}/ns/payments/sa/report-bot`;
const { app, ada, createTrust } = useTrustStage();
let api: ChildProcess;
let agent: string;

/** The program prints its keys once the client of go-spiffe has taken it for a Workload API. */
async function startWorkloadApi(): Promise<object> {
  const program = join(folder, 'workload-api');
  const cwd = 'test/interop/workload-api';
  await promisify(execFile)(go ?? '', ['build', '-o', program, '.'], { cwd });
  api = spawn(program, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(api.stdout!), 'line');
  return JSON.parse(line as string) as object;
}

beforeAll(async () => {
  if (go === null) return;
  const jwks = await startWorkloadApi();
  ({ id: agent } = await createAgent(app, ada));
  assertOk(await createTrust(agent, { issuer: DOMAIN, subject: ID, jwks }));
}, 600_000);
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => {
  api?.kill();
  rmSync(folder, { recursive: true });
});

const readOrder = (given?: string, options: SpiffeOptions = {}) =>
  new Assay({
    url: app.url,
    agent,
    identity: spiffe(given, { audience: ASSAY, ...options }),
  }).guard(
    'read_order',
    async ({ order }: { order: string }) => `read ${order}`,
  )({ order: 'A-1' });
const fetchOf = (spiffeId?: string): Promise<string> =>
  fetchJwtSvid(socket, { audience: ASSAY, spiffeId });

describe.skipIf(go === null)('the SDK for TypeScript', () => {
  test('is the agent whose SPIFFE ID is trusted, and nothing else', async () => {
    expect(await readOrder(socket)).toBe('read A-1');
    expect(await readOrder(socket, { spiffeId: ID })).toBe('read A-1');
    vi.stubEnv('SPIFFE_ENDPOINT_SOCKET', `unix:${path}`);
    expect(await readOrder()).toBe('read A-1');
    await expect(readOrder(socket, { spiffeId: OTHER })).rejects.toMatchObject({
      name: 'Unauthorised',
      status: 400,
    });
  });

  test('gets the identity that it asks for, and hears why there is none', async () => {
    const readSubject = (token: string): unknown =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub;
    expect(readSubject(await fetchOf())).toBe(ID);
    expect(readSubject(await fetchOf(OTHER))).toBe(OTHER);
    await expect(fetchOf(`${DOMAIN}/ns/other`)).rejects.toMatchObject({
      name: 'Unauthorised',
      code: 'NO_SVID',
      message: 'no identity issued – ask your operator',
    });
    await expect(fetchOf('x'.repeat(70_000))).rejects.toMatchObject({ name: 'Unauthorised' });
  });

  test('says what is no socket of a Workload API', async () => {
    vi.stubEnv('SPIFFE_ENDPOINT_SOCKET', undefined);
    await expect(readOrder()).rejects.toMatchObject({
      name: 'Invalid',
      message: expect.stringContaining('SPIFFE_ENDPOINT_SOCKET'),
    });
    await expect(readOrder('/run/agent.sock')).rejects.toMatchObject({ name: 'Invalid' });
    await expect(readOrder('unix:///absent.sock')).rejects.toMatchObject({
      name: 'Unavailable',
      code: 'NO_ANSWER',
    });
    const other = createServer((connection) => connection.end('HTTP/1.1 200 OK\r\n\r\n'));
    await new Promise<void>((resolve) => void other.listen(join(folder, 'other.sock'), resolve));
    await expect(readOrder(`unix://${folder}/other.sock`)).rejects.toMatchObject({
      name: 'Unavailable',
    });
    other.close();
  });
});

describe.skipIf(go === null)('the SDK for Python', async () => {
  /** Without the package index there is nothing to test with. */
  const environment = await createEnvironment('assay-python-spiffe', ['test', 'spiffe']).catch(
    (error: Error) => {
      process.stderr.write(`The SDK for Python could not be installed: ${error.message}\n`);
      return null;
    },
  );

  test.skipIf(environment === null)('test_spiffe.py', async () => {
    const output = await environment!.runTests('test_spiffe.py', {
      ASSAY_TEST_URL: app.url,
      ASSAY_TEST_TOKEN: ada.token,
      ASSAY_TEST_KEY: '',
      ASSAY_TEST_AGENT: agent,
      ASSAY_TEST_WORKLOAD_API: socket,
    });
    expect(output).toMatch(/^\d+ passed in/m);
  });
});
