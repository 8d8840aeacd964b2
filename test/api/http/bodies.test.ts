// Request bodies (document 1, section 1): every bad body is answered by an envelope with a 4xx, and nothing is stored.
import { connect } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createAgent, assertOk, createWorkspaceKey } from '../../setup/personas.ts';
import type { Answer, Call } from '../../setup/start-app.ts';

const JSON_TYPE = 'application/json';
let key: string;
let agentId: string;
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  ({ id: agentId } = await createAgent(app, ada));
});

/** The two routes that take free-form and strict bodies. */
const postDecision = (call: Call): Promise<Answer> =>
  app.call('POST', '/api/v1/traces', { key, ...call });
const create = (call: Call): Promise<Answer> =>
  app.call('POST', '/api/v1/workspaces', { token: ada.token, ...call });
const countStored = async (): Promise<number> =>
  assertOk(await app.call('GET', '/api/v1/traces', { token: ada.token })).body.total;
const raw = (metadata: string, action = '"reply"'): string =>
  `{"agentId":"${agentId}","inputContext":{"prompt":"p"},"outputDecision":{"action":${action}},"metadata":${metadata}}`;
function assertRefused(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body.success, answer.body.code]).toEqual([status, false, code]);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('x-service-api-version')).toBe('v1');
}

const unsafe: [string, string][] = [
  ['broken', '{"a":'],
  ['no JSON', 'name=x'],
  ['with a comment', '{/* no */}'],
  ['with a trailing comma', '{"a":1,}'],
  ['NaN', '{"a":NaN}'],
  ['with NUL in a value', '{"a":"\\u0000"}'],
  ['with NUL in a key', '{"a\\u0000b":1}'],
  ['with a bare control character', '{"a":"\u0001"}'],
  ['with a high surrogate alone', '{"a":"\\ud800"}'],
  ['with a low surrogate alone in a key', '{"\\udc00":1}'],
  ['with a number out of range', '{"a":1e400}'],
  ['with a negative number out of range', '{"a":-1e400}'],
  ['with an integer that JSON cannot carry', '{"a":9007199254740993}'],
  ['with __proto__', '{"__proto__":{"isAdmin":true}}'],
  ['with __proto__ in an escape', '{"\\u005f_proto__":{}}'],
  ['with __proto__ inside', '{"a":[{"__proto__":1}]}'],
  ['33 levels deep', `${'['.repeat(33)}${']'.repeat(33)}`],
];

test.each(unsafe)('a body %s is refused as a whole and as a part', async (_, text) => {
  const before = await countStored();
  assertRefused(await postDecision({ raw: text }), 400, 'SVC_VALIDATION_FAILED');
  assertRefused(await postDecision({ raw: raw(text) }), 400, 'SVC_VALIDATION_FAILED');
  assertRefused(await create({ raw: text }), 400, 'VALIDATION_ERROR');
  expect(await countStored()).toBe(before);
});

test('a hundred thousand levels are refused without a fault', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  assertRefused(await postDecision({ raw: deep }), 400, 'SVC_VALIDATION_FAILED');
  assertRefused(
    await postDecision({ raw: '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000) }),
    400,
    'SVC_VALIDATION_FAILED',
  );
  assertRefused(await create({ raw: deep }), 413, 'PAYLOAD_TOO_LARGE');
});

test('a hundred thousand keys within the size are answered, a million are too large', async () => {
  const createKeys = (count: number): string =>
    `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`;
  const answer = await postDecision({ raw: raw(createKeys(100_000)) });
  expect([201, 202, 400]).toContain(answer.status);
  assertRefused(await postDecision({ raw: raw(createKeys(1_000_000)) }), 413, 'PAYLOAD_TOO_LARGE');
});

test(
  'a body is measured after it is unpacked: a bomb is too large, and costs no memory',
  { tags: ['long'] },
  async () => {
    const before = process.memoryUsage().rss;
    const bombs = [
      [gzipSync(Buffer.alloc(200_000_000, 0x20)), 'gzip'],
      [brotliCompressSync(Buffer.alloc(50_000_000, 0x20)), 'br'],
    ] as const;
    for (const [bomb, encoding] of bombs) {
      expect(bomb.length).toBeLessThan(500_000);
      const headers = { 'content-type': JSON_TYPE, 'content-encoding': encoding };
      assertRefused(await postDecision({ raw: bomb, headers }), 413, 'PAYLOAD_TOO_LARGE');
    }
    // The bombs themselves were made in this process.
    expect(process.memoryUsage().rss - before).toBeLessThan(500_000_000);
  },
);

test('a packed body is as good as a plain one; a broken or unknown packing is refused', async () => {
  const body = Buffer.from(JSON.stringify({ name: 'Packed' }));
  const postPacked = (data: Buffer, encoding: string): Promise<Answer> =>
    create({ raw: data, headers: { 'content-encoding': encoding } });
  expect((await postPacked(gzipSync(body), 'gzip')).status).toBe(201);
  assertRefused(await postPacked(body, 'gzip'), 400, 'VALIDATION_ERROR');
  assertRefused(await postPacked(gzipSync(body).subarray(0, 20), 'gzip'), 400, 'VALIDATION_ERROR');
  assertRefused(await postPacked(body, 'rot13'), 415, 'UNSUPPORTED_MEDIA_TYPE');
});

test.each([
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data; boundary=x', 415],
  ['application/jsonp', 415],
  ['application/json; charset=utf-80', 415],
  ['application/json; charset=utf-16', 415],
  ['application/json; charset=latin1', 415],
  ['application/json; charset="utf-7"', 415],
  ['application/json', 201],
  ['application/json; charset=UTF-8', 201],
  ['application/json;charset="utf-8"', 201],
  ['application/vnd.assay+json', 201],
])('the content type %j is answered %i', async (type, status) => {
  const answer = await create({
    raw: JSON.stringify({ name: `T ${type}` }),
    headers: { 'content-type': type },
  });
  expect(answer.status).toBe(status);
  if (status === 415) assertRefused(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
});

test('bytes that are no UTF-8 are refused', async () => {
  const bytes = Buffer.concat([
    Buffer.from('{"name":"'),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('"}'),
  ]);
  assertRefused(await create({ raw: bytes }), 400, 'VALIDATION_ERROR');
});

test('a body past the limit of its route is too large, declared or not', async () => {
  assertRefused(
    await create({ raw: JSON.stringify({ name: 'x'.repeat(100 * 1024) }) }),
    413,
    'PAYLOAD_TOO_LARGE',
  );
  assertRefused(
    await postDecision({ raw: raw(`{"a":"${'x'.repeat(12_000_000)}"}`) }),
    413,
    'PAYLOAD_TOO_LARGE',
  );
  const chunks = new ReadableStream({
    start(controller) {
      for (let i = 0; i < 120; i++) controller.enqueue(Buffer.alloc(100_000, 0x20));
      controller.close();
    },
  });
  const response = await fetch(`${app.url}/api/v1/traces`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': JSON_TYPE },
    body: chunks,
    duplex: 'half',
  } as RequestInit);
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
    413,
    'PAYLOAD_TOO_LARGE',
  ]);
});

test('the last of duplicate keys counts', async () => {
  const { data } = assertOk(await create({ raw: '{"name":"First","name":"Last"}' })).body;
  expect(data.name).toBe('Last');
});

test('nothing in a body changes a prototype', async () => {
  const text = '{"name":"Proto","constructor":{"prototype":{"polluted":true}}}';
  expect([201, 400]).toContain((await create({ raw: text })).status);
  assertOk(
    await postDecision({
      raw: raw('{"constructor":{"prototype":{"polluted":true}},"toString":1}'),
    }),
  );
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('a missing, null or scalar body is refused, not a fault', async () => {
  for (const text of ['', 'null', '7', '"text"', 'true', '[]', '[{"name":"x"}]'])
    assertRefused(await create({ raw: text }), 400, 'VALIDATION_ERROR');
});

test('a truncated body is not recorded', async () => {
  const before = await countStored();
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  const head = `POST /api/v1/traces HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: 5000\r\n\r\n`;
  await new Promise<void>((resolve) => socket.write(head + raw('{}'), () => resolve()));
  socket.destroy();
  expect(await countStored()).toBe(before);
  expect((await app.call('GET', '/health')).status).toBe(200);
});

test('strings that would be operators or markup are data', async () => {
  for (const name of [
    '$where',
    '{"$ne":null}',
    '<script>',
    "'; drop table",
    '../../etc/passwd',
    '%00',
  ]) {
    const { data } = assertOk(await create({ body: { name } })).body;
    expect(data.name).toBe(name);
  }
  // It would turn the order of what follows it.
  expect((await create({ body: { name: '\u202e' } })).status).toBe(400);
});

test('NUL in a query is refused, a repeated or odd member is not a fault', async () => {
  const get = (query: string): Promise<Answer> =>
    app.call('GET', `/api/v1/traces?${query}`, { token: ada.token });
  assertRefused(await get('agentId=a%00b'), 400, 'VALIDATION_ERROR');
  assertRefused(await get('search=%00'), 400, 'VALIDATION_ERROR');
  for (const query of [
    'status=approved&status=flagged',
    'page=0',
    'page=x',
    'limit=-1',
    'page=1e9',
    'dateFrom=soon',
    'status[$ne]=x',
    '__proto__=1&constructor=2',
  ])
    assertRefused(await get(query), 400, 'VALIDATION_ERROR');
  expect((await get('agentId=%zz')).status).toBe(200);
  expect((await get('limit=100000')).body.pagination.limit).toBe(200);
});

test('a body with very many mistakes gets twenty of them, and the number of the others', async () => {
  const refuse = async (conditions: unknown[]) => {
    const body = { name: 'p', conditions, actions: [{ type: 'notify' }] };
    const answer = await app.call('POST', '/api/v1/policies', { token: ada.token, body });
    assertRefused(answer, 400, 'VALIDATION_ERROR');
    return answer.body.data;
  };
  const { issues, furtherIssues } = await refuse(Array.from({ length: 50 }, () => ({})));
  expect(issues).toHaveLength(20);
  expect(furtherIssues).toBeGreaterThanOrEqual(80);
  expect(await refuse(Array.from({ length: 9_000 }, () => ({})))).toEqual({
    issues: [{ path: 'conditions', message: 'must have at most 50 elements' }],
  });
  const { issues: long } = await refuse([{ ['x'.repeat(90_000)]: 1 }]);
  expect(JSON.stringify(long).length).toBeLessThan(5_000);
  for (const before of ['', 'x']) {
    const [issue] = (await refuse([{ [before + '👩‍🌾'.repeat(5_000)]: 1 }])).issues.slice(-1);
    expect(issue.message).toMatch(/👩‍🌾; known are: /u);
  }
});
