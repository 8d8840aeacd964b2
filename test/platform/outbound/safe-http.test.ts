// Requests to user-named URLs against a real server: refused ones never connect, responses are bounded.
import type { LookupAddress } from 'node:dns';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { CustomFetch } from 'openid-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createSafeHttp,
  type SafeHttp,
  type SafeHttpOptions,
} from '../../../src/platform/outbound/safe-http.ts';
import { collectGarbage } from '../../setup/runtime.ts';
import { startNameServer, type NameServer } from '../../setup/providers/name-server.ts';

const MAX_BYTES = 10_000;
const PUBLIC = '203.0.112.7';

let server: Server;
let port: number;
/** Connections that reached the server, and requests on them. */
let connections = 0;
const requests: {
  method: string;
  url: string;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}[] = [];
let answer: RequestListener = (_req, res) => void res.end('ok');
beforeAll(async () => {
  server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => {
      requests.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers, body });
      answer(req, res);
    });
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const open: SafeHttp[] = [];
beforeEach(() => {
  connections = 0;
  requests.length = 0;
  answer = (_req, res) => void res.end('ok');
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((http) => http.close()));
});

function http(parts: Partial<SafeHttpOptions> = {}): SafeHttp {
  const made = createSafeHttp({ allow: [], timeoutMs: 20_000, maxBytes: MAX_BYTES, ...parts });
  open.push(made);
  return made;
}
/** A client that may reach the server. */
const allowing = (parts: Partial<SafeHttpOptions> = {}): SafeHttp =>
  http({ allow: [`127.0.0.1:${port}`], ...parts });
const here = (path = '/'): string => `http://127.0.0.1:${port}${path}`;
/** Resolves by name; a list of lists is returned one after the other. */
function names(answers: Record<string, string[][]>): Required<SafeHttpOptions>['resolve'] {
  return (hostname) => {
    const list = answers[hostname];
    const addresses = list && (list.length > 1 ? list.shift() : list[0]);
    if (!addresses) return Promise.reject(new Error(`no such name: ${hostname}`));
    return Promise.resolve(
      addresses.map((address): LookupAddress => ({
        address,
        family: address.includes(':') ? 6 : 4,
      })),
    );
  };
}
const BLOCKED = { code: 'SSRF_BLOCKED' };

describe('a permitted destination', () => {
  test('gets the request unchanged, and its response is returned unchanged', async () => {
    answer = (_req, res) =>
      void res.writeHead(201, 'Made', { 'x-a': 'b', 'content-type': 'text/plain' }).end('made');
    const options = {
      method: 'POST',
      body: new URLSearchParams({ a: '1' }),
      headers: { 'x-mark': 'm' },
    };
    const response = await allowing().fetch(here('/token?x=1'), options);
    expect([response.status, response.statusText, response.headers.get('x-a')]).toEqual([
      201,
      'Made',
      'b',
    ]);
    expect(await response.text()).toBe('made');
    expect(requests).toEqual([
      {
        method: 'POST',
        url: '/token?x=1',
        headers: expect.objectContaining({ 'x-mark': 'm' }),
        body: 'a=1',
      },
    ]);
  });

  test.each([204, 304])('may answer %d without a body', async (status) => {
    answer = (_req, res) => void res.writeHead(status).end();
    expect((await allowing().fetch(here())).status).toBe(status);
  });

  test('works with openid-client', () => {
    const customFetch: CustomFetch = allowing().fetch;
    expect(customFetch).toBeTypeOf('function');
  });

  test('is a host that the allow-list names with this port, whatever its address', async () => {
    const parts = { allow: [`idp.test:${port}`], resolve: names({ 'idp.test': [['127.0.0.1']] }) };
    expect((await http(parts).fetch(`http://idp.test:${port}/`)).status).toBe(200);
    await expect(http(parts).fetch(`https://idp.test:${port + 1}/`)).rejects.toMatchObject(BLOCKED);
    expect(requests.map(({ headers }) => headers.host)).toEqual([`idp.test:${port}`]);
  });

  test('is a host in an allowed subnet, over TLS only', async () => {
    const parts = { allow: ['127.0.0.0/8'], resolve: names({ 'idp.test': [['127.0.0.1']] }) };
    await expect(http(parts).fetch(`http://idp.test:${port}/`)).rejects.toMatchObject(BLOCKED);
    expect(connections).toBe(0);
    // The server speaks no TLS; the test only checks that it is reached.
    await expect(http(parts).fetch(`https://idp.test:${port}/`)).rejects.not.toMatchObject(BLOCKED);
    expect(connections).toBe(1);
  });

  test('is reached directly, without the proxy of the environment', async () => {
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'])
      vi.stubEnv(name, 'http://127.0.0.1:1');
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    expect((await allowing().fetch(here())).status).toBe(200);
    vi.unstubAllEnvs();
  });
});

describe('no connection is made to a forbidden destination', () => {
  test.each([
    '127.0.0.1',
    'localhost',
    'x.localhost.',
    '2130706433',
    '0x7f.1',
    '[::ffff:127.0.0.1]',
    '[::1]',
    'u:p@127.0.0.1',
  ])('%s', async (host) => {
    for (const url of [`https://${host}:${port}/`, `http://${host}:${port}/`]) {
      await expect(http().fetch(url)).rejects.toMatchObject(BLOCKED);
      await expect(http().check(url)).rejects.toMatchObject(BLOCKED);
      expect(() => http().inspect(url)).toThrow();
    }
    expect(connections).toBe(0);
  });

  test.each([
    ['a private one', ['127.0.0.1']],
    ['a private one behind a public one', [PUBLIC, '127.0.0.1']],
    ['a private one before a public one', ['127.0.0.1', PUBLIC]],
    ['a private one of version 6', [PUBLIC, '::1']],
    ['a mapped one', ['::ffff:127.0.0.1']],
    ['what is no address', ['localhost']],
  ])('a name with %s among its addresses', async (_what, addresses) => {
    const client = http({ resolve: names({ 'idp.test': [addresses] }) });
    await expect(client.fetch(`https://idp.test:${port}/`)).rejects.toMatchObject(BLOCKED);
    await expect(client.check(`https://idp.test:${port}/`)).rejects.toMatchObject(BLOCKED);
    expect(connections).toBe(0);
  });

  test('a host that is public when checked and private when called', async () => {
    const client = http({ resolve: names({ 'idp.test': [[PUBLIC], ['127.0.0.1']] }) });
    await client.check(`https://idp.test:${port}/`);
    await expect(client.fetch(`https://idp.test:${port}/`)).rejects.toMatchObject(BLOCKED);
    expect(connections).toBe(0);
  });

  test.each([301, 302, 303, 307, 308])('the target of a redirect with %d', async (status) => {
    const location = `http://127.0.0.1:${port}/secret`;
    answer = (_req, res) => void res.writeHead(status, { location }).end();
    const response = await allowing().fetch(here('/start'), { redirect: 'follow' });
    expect([response.status, response.headers.get('location')]).toEqual([status, location]);
    expect(requests.map(({ url }) => url)).toEqual(['/start']);
  });
});

describe('a check', () => {
  test('accepts a host that does not resolve, or not in time', async () => {
    const silent = { resolve: () => new Promise<LookupAddress[]>(() => undefined), timeoutMs: 20 };
    await expect(http({ resolve: names({}) }).check('https://idp.test/')).resolves.toBeUndefined();
    await expect(http(silent).check('https://idp.test/')).resolves.toBeUndefined();
    await expect(
      http({ resolve: names({ 'idp.test': [[PUBLIC]] }) }).check('https://idp.test/'),
    ).resolves.toBeUndefined();
  });

  test('does not resolve hosts of the allow-list', async () => {
    const resolve = vi.fn(names({}));
    await http({ allow: ['idp.test'], resolve }).check('http://idp.test/');
    http({ resolve }).inspect('https://idp.test/');
    expect(resolve).not.toHaveBeenCalled();
  });

  test('is not needed: a call fails for a host that does not resolve', async () => {
    await expect(http({ resolve: names({}) }).fetch('https://idp.test/')).rejects.toMatchObject({
      cause: { message: 'no such name: idp.test' },
    });
    await expect(
      http({ resolve: names({ 'idp.test': [[]] }) }).fetch('https://idp.test/'),
    ).rejects.toThrow();
  });
});

describe('names', () => {
  let server: NameServer;
  beforeAll(async () => {
    server = await startNameServer();
  });
  afterAll(() => server.stop());

  test('are resolved by the name servers, and those of the allow-list by the system', async () => {
    server.addresses.set('idp.example.com', ['127.0.0.1']);
    const parts = { allow: [`localhost:${port}`], dnsServers: [server.address] };
    await expect(http(parts).fetch('https://idp.example.com/')).rejects.toMatchObject(BLOCKED);
    await expect(http(parts).check('https://idp.example.com/')).rejects.toMatchObject(BLOCKED);
    expect((await http(parts).fetch(`http://localhost:${port}/`)).status).toBe(200);
    expect(new Set(server.asked)).toEqual(new Set(['idp.example.com']));
  });

  test('without an answer occupy no thread that files need', async () => {
    server.mood = 'silent';
    const client = http({ dnsServers: [server.address], timeoutMs: 60_000 });
    let failed = 0;
    const calls = Array.from({ length: 20 }, (_call, n) =>
      client.fetch(`https://n${n}.example.com/`).catch(() => (failed += 1)),
    );
    await expect.poll(() => server.asked.includes('n19.example.com')).toBe(true);
    await readFile(import.meta.filename);
    expect(failed).toBe(0);
    server.mood = 'well';
    await Promise.all(calls);
    expect(failed).toBe(20);
  });
});

describe('a response', () => {
  test('has at most `maxBytes`', async () => {
    answer = (_req, res) => void res.end('x'.repeat(MAX_BYTES));
    expect((await (await allowing().fetch(here())).text()).length).toBe(MAX_BYTES);
    answer = (_req, res) => void res.end('x'.repeat(MAX_BYTES + 1));
    await expect(allowing().fetch(here())).rejects.toThrow('larger than 10000 bytes');
  });

  const limit = 1_000;
  test.each(
    (['refuse', 'cut'] as const).flatMap((longBody) =>
      [
        ['in one chunk', [limit], [limit + 1]],
        ['in many', [limit - 10, 9, 1], [limit - 10, 9, 2]],
        ['byte by byte at the end', [limit - 3, 1, 1, 1], [limit - 3, 1, 1, 1, 1]],
        ['in one after nothing', [0, limit], [0, limit + 1]],
        ['of which the first is too long', [limit], [limit + 1, 5]],
      ].map((chunks) => [longBody, ...chunks] as [typeof longBody, string, number[], number[]]),
    ),
  )('%s: its limit is exact %s', async (longBody, _how, fitting, long) => {
    const client = allowing({ longBody, maxBytes: limit });
    const fetched = async (chunks: readonly number[]): Promise<number> => {
      answer = (_req, res) => void sendInChunks(res, chunks);
      return (await (await client.fetch(here())).text()).length;
    };
    expect(await fetched(fitting)).toBe(limit);
    expect(await fetched(fitting.slice(1))).toBe(limit - fitting[0]!);
    if (longBody === 'cut') expect(await fetched(long)).toBe(limit);
    else await expect(fetched(long)).rejects.toThrow(`larger than ${limit} bytes`);
  });

  test('is not read beyond the wanted start', async () => {
    let isClosed = false;
    answer = (_req, res) => {
      res.on('close', () => (isClosed = true));
      res.write('x'.repeat(limit));
    };
    const client = allowing({ longBody: 'cut', maxBytes: limit, timeoutMs: 600_000 });
    expect((await (await client.fetch(here())).text()).length).toBe(limit);
    await expect.poll(() => isClosed).toBe(true);
  });

  test.each([
    ['refuse', false],
    ['cut', true],
  ] as const)('that breaks off, with %s: is truncated %s', async (longBody, isStart) => {
    answer = (_req, res) => {
      res.writeHead(202, { 'content-length': '500' });
      res.write('x'.repeat(100), () => setImmediate(() => res.destroy()));
    };
    const fetched = allowing({ longBody, maxBytes: limit }).fetch(here());
    if (!isStart) return void (await expect(fetched).rejects.toThrow());
    const response = await fetched;
    expect([response.status, (await response.text()).length]).toEqual([202, 100]);
  });

  test('without an end is truncated', async () => {
    let isCut = false;
    answer = (_req, res) => {
      const more = (): void => {
        if (!isCut) res.write('x'.repeat(1000), () => setImmediate(more));
      };
      res.on('close', () => (isCut = true));
      more();
    };
    await expect(allowing().fetch(here())).rejects.toThrow('larger than');
    await expect.poll(() => isCut).toBe(true);
  });

  test('counts with its decompressed size', async () => {
    answer = (_req, res) =>
      void res
        .writeHead(200, { 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(50_000_000)));
    await expect(allowing().fetch(here())).rejects.toThrow('larger than');
    answer = (_req, res) =>
      void res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"a":1}'));
    const response = await allowing().fetch(here());
    expect([response.headers.get('content-encoding'), await response.json()]).toEqual([
      null,
      { a: 1 },
    ]);
  });

  test('must be complete within the timeout', async () => {
    answer = () => undefined;
    await expect(allowing({ timeoutMs: 100 }).fetch(here())).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    answer = (_req, res) => void res.write('the first half');
    await expect(allowing({ timeoutMs: 100 }).fetch(here())).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    const silent = { resolve: () => new Promise<LookupAddress[]>(() => undefined), timeoutMs: 100 };
    await expect(http(silent).fetch('https://idp.test/')).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  // On Node.js 20 a time-out that only `AbortSignal.any` holds is collected as garbage.
  test('must be complete within the timeout, also when garbage is collected in between', async () => {
    answer = () => undefined;
    const going = new AbortController();
    const asked = allowing({ timeoutMs: 500 }).fetch(here(), { signal: going.signal });
    const ended = asked.catch((error: Error) => error.name);
    for (let at = 0; at < 2; at++) {
      await sleep(50);
      collectGarbage();
    }
    expect(await Promise.race([ended, sleep(2_000, 'never')])).toBe('TimeoutError');
  });

  test('is abandoned when the caller aborts', async () => {
    const going = new AbortController();
    answer = () => going.abort(new Error('gone'));
    await expect(allowing().fetch(here(), { signal: going.signal })).rejects.toThrow('gone');
  });
});

/** Sends each chunk in a separate write. */
async function sendInChunks(res: ServerResponse, chunks: readonly number[]): Promise<void> {
  for (const bytes of chunks) {
    if (bytes > 0) await new Promise((done) => res.write('x'.repeat(bytes), done));
    await new Promise((done) => setImmediate(done));
  }
  res.end();
}
