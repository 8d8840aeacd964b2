// The proxy over HTTP before a server that answers in every way that HTTP allows: nothing is said to be undone that may be done.
// @module-tag long
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { useHarness, useOwner } from '../setup/fixtures.ts';
import { assertOk } from '../setup/personas.ts';
import { useGuards } from '../sdk/typescript/sdk-stage.ts';
import { createCli, type Running } from './cli-stage.ts';
import { beginEvents, RawServer, sendJson, toAnswer } from './raw-server.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { app } = harness;
const { agent, decideNext, read, listExecutions } = useGuards(harness, ada);

const BIG = 'x'.repeat(3_000_000);
let waiting: { id: number; words: string }[] = [];
const pages: Record<string, object[]> = {
  '': [{ name: 'one', description: 'first', inputSchema: {} }],
  'page 2': [{ name: 'two', description: 'second', inputSchema: {} }],
};
const server = new RawServer({
  big: (res, got) => void beginEvents(res).end(`data: ${toAnswer(got, BIG)}\r\n\r\n`),
  whole: (res, got) => sendJson(res, toAnswer(got, BIG)),
  carriage: (res, got) =>
    void beginEvents(res).end(`event: message\rdata: ${toAnswer(got, 'CR')}\r\r`),
  lines: (res, got) => {
    const [first, ...rest] = JSON.stringify(JSON.parse(toAnswer(got, 'lines')), null, 1).split(
      '\n',
    );
    beginEvents(res).end(
      `: hello\ndata: ${first}\n${rest.map((line) => `data: ${line}\n`).join('')}\n`,
    );
  },
  listed: (res, got) => sendJson(res, `[${toAnswer(got, 'in a list')}]`),
  marked: (res, got) => sendJson(res, `\uFEFF${toAnswer(got, 'marked')}`),
  poll: (res, got) => {
    waiting.push({ id: got.message.id, words: 'polled' });
    beginEvents(res).end('id: first\nretry: 60\ndata:\n\n');
  },
  cut_stream: (res, got) => {
    waiting.push({ id: got.message.id, words: 'came back' });
    beginEvents(res).write('id: first\nretry: 60\ndata:\n\n');
    setTimeout(() => res.destroy(), 50);
  },
  GET: (res, { headers }) => {
    if (headers['last-event-id'] === 'first')
      return void beginEvents(res).end('id: second\ndata:\n\n');
    const next = waiting.shift();
    if (!next) return void res.writeHead(404).end();
    const { id, words } = next;
    beginEvents(res).end(`id: third\ndata: ${toAnswer({ message: { id } } as never, words)}\n\n`);
  },
  forgets: (res) => void beginEvents(res).end('id: gone\nretry: 60\ndata:\n\n'),
  reset: (res) => void res.destroy(),
  half: (res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
    res.write('{"jsonrpc":"2.0"');
    setTimeout(() => res.destroy(), 50);
  },
  no_answer: (res) => void beginEvents(res).end(': nothing\n\n'),
  other_id: (res, got) =>
    sendJson(res, toAnswer({ ...got, message: { ...got.message, id: 4_711 } }, 'x')),
  page: (res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>'),
  accepted: (res) => void res.writeHead(202).end(),
  fails: (res, { message: { id } }) =>
    sendJson(res, `{"jsonrpc":"2.0","id":${id},"result":{"isError":true,"content":[]}}`),
  refuses: (res, { message: { id } }) =>
    sendJson(res, `{"jsonrpc":"2.0","id":${id},"error":{"code":-32602,"message":"no"}}`, 400),
  s401: (res) =>
    void res
      .writeHead(401, {
        'www-authenticate': 'Bearer resource_metadata="https://a/b"',
        'x-own': 'kept',
      })
      .end('sign in'),
  s403: (res) =>
    void res
      .writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope"' })
      .end('scope'),
  s404: (res) =>
    sendJson(
      res,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}',
      404,
    ),
  s429: (res) => void res.writeHead(429, { 'retry-after': '7' }).end('slow'),
  s500: (res) => void res.writeHead(500).end('oh'),
  s307: (res) => void res.writeHead(307, { location: 'https://elsewhere.example/' }).end(),
  exact: (res, { message: { id } }) =>
    sendJson(
      res,
      `{ "jsonrpc":"2.0", "id":${id}, "result":{"structuredContent":${EXACT},"content":[]}}`,
    ),
  issue_refund: (res, got) => sendJson(res, toAnswer(got, 'paid')),
  'tools/list': (res, { message: { id, params } }) => {
    const cursor = params.cursor ?? '';
    const next = cursor === '' ? { nextCursor: 'page 2' } : {};
    sendJson(
      res,
      JSON.stringify({ jsonrpc: '2.0', id, result: { tools: pages[cursor], ...next } }),
    );
  },
});
const EXACT = '{"b":1234567890123456789,"a":1.0,"c":1e400,"d":-0,"s":"\\u00e9\\ud83d"}';

let proxy: Running;
let address: string;
beforeAll(async () => {
  const conditions = [
    { field: 'outputDecision.action.server', operator: 'equals', value: 'Raw_Bank' },
  ];
  const body = {
    name: 'Once',
    conditions,
    actions: [{ type: 'approve', config: { singleUse: true } }],
  };
  assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body }));
  const cli = await createCli({ ASSAY_URL: app.url, ASSAY_KEY: agent.key, ASSAY_AGENT: agent.id });
  proxy = cli.start(['mcp-proxy', '--listen', '0', '--upstream', await server.listen()]);
  [address] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(await proxy.waitForError(/:\d+\/mcp\n/))!;
});
beforeEach(() => {
  server.calls.splice(0);
  server.resumed.splice(0);
  waiting = [];
});
afterAll(async () => {
  proxy.stop();
  await proxy.ended;
  server.close();
});

const sendRaw = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(address, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  });
let id = 0;
const callTool = (name: string, args = '{}'): Promise<Response> =>
  sendRaw(
    `{"jsonrpc":"2.0","id":${++id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`,
  );

/** The newest decision about a tool, and what became of it. */
async function findOutcome(tool: string): Promise<string> {
  const { data } = assertOk(
    await app.call('GET', '/api/v1/traces?limit=20', { token: ada.token }),
  ).body;
  const rows = (data.traces ?? data.items ?? data) as {
    traceId: string;
    outputDecision: { action: { tool: string } };
  }[];
  const found = rows.find(({ outputDecision }) => outputDecision.action.tool === tool)!;
  return (await listExecutions(found.traceId))[0].state;
}

test.each([
  ['an event of three megabytes, with CRLF', 'big', BIG],
  ['a body of three megabytes', 'whole', BIG],
  ['lines that end with CR', 'carriage', 'CR'],
  ['an event of many lines', 'lines', 'lines'],
  ['a list of messages', 'listed', 'in a list'],
  ['a body after a byte order mark', 'marked', 'marked'],
])('%s is the answer', async (_, tool, words) => {
  const text = await (await callTool(tool)).text();
  expect(text.includes(words)).toBe(true);
  expect(text).not.toContain('did not run');
  expect(await findOutcome(tool)).toBe('succeeded');
});

test.each([
  ['polled for', 'poll', 'polled'],
  ['cut', 'cut_stream', 'came back'],
])('a stream that is %s goes on after its last event', async (_, tool, words) => {
  const text = await (await callTool(tool)).text();
  expect(text).toContain(words);
  expect(text).toContain('id: first\nretry: 60\n');
  expect(text).toContain('id: third\n');
  expect(server.resumed).toEqual(['first', 'second']);
  expect(server.calls).toHaveLength(1);
  expect(await findOutcome(tool)).toBe('succeeded');
});

test.each(['reset', 'half', 'forgets', 'no_answer'])(
  'a call whose answer is lost (%s) may have run',
  async (tool) => {
    const text = await (await callTool(tool)).text();
    expect(text).toContain('may have run');
    expect(text).not.toContain('did not run');
    expect(server.calls).toHaveLength(1);
    expect(await findOutcome(tool)).toBe('unknown');
  },
);

test.each([
  ['other_id', 200, '4711'],
  ['page', 200, 'Sign in'],
  ['accepted', 202, ''],
  ['s307', 307, ''],
  ['s403', 403, 'scope'],
  ['s429', 429, 'slow'],
  ['s500', 500, 'oh'],
])(
  'an answer that says nothing about the tool (%s) passes as it is, and is unknown',
  async (tool, status, words) => {
    const answer = await callTool(tool);
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(words)]);
    expect(await findOutcome(tool)).toBe('unknown');
  },
);

test.each([
  ['s401', 401, 'sign in'],
  ['s404', 404, 'Session not found'],
  ['fails', 200, 'isError'],
  ['refuses', 400, '-32602'],
])(
  'an answer that refuses the call (%s) passes as it is, and is failed',
  async (tool, status, words) => {
    const answer = await callTool(tool);
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(words)]);
    expect(await findOutcome(tool)).toBe('failed');
  },
);

test('the headers of a refusal pass', async () => {
  const { headers } = await callTool('s401');
  expect(headers.get('www-authenticate')).toContain('resource_metadata');
  expect(headers.get('x-own')).toBe('kept');
  expect((await callTool('s429')).headers.get('retry-after')).toBe('7');
});

test('what a call and its answer say goes on byte by byte; the action has large numbers as text', async () => {
  const answer = await callTool('exact', EXACT.replace('\\ud83d', ''));
  expect(await answer.text()).toContain(EXACT);
  expect(server.calls[0]!.body).toContain(EXACT.replace('\\ud83d', ''));
  const { data } = assertOk(
    await app.call('GET', '/api/v1/traces?limit=1', { token: ada.token }),
  ).body;
  const [{ traceId }] = data.traces ?? data.items ?? data;
  const { action } = (await read(traceId)).outputDecision;
  expect(action).toEqual({
    server: 'Raw_Bank',
    tool: 'exact',
    arguments: { a: 1, b: '1234567890123456789', c: '1e400', d: 0, s: 'é' },
  });
});

const large = '{"order":1234567890123456789,"amount":900,"rate":1.10}';
test.each([
  ['another member', { amount: 50 }, '{"order":1234567890123456789,"amount":50,"rate":1.10}'],
  ['the number itself', { order: '99' }, '{"order":99,"amount":900,"rate":1.10}'],
])('a reviewer changes %s of a call with a large number', async (_, changed, sent) => {
  const calling = callTool('issue_refund', large);
  await decideNext({ decision: 'approve', edits: { arguments: changed } });
  expect(await (await calling).text()).toContain('paid');
  expect(server.calls[0]!.body).toContain(sent);
});

test('a text in the place of a large number runs nothing, and says so', async () => {
  const calling = callTool('issue_refund', large);
  const traceId = await decideNext({ decision: 'approve', edits: { arguments: { order: 'all' } } });
  expect(await (await calling).text()).toContain('1234567890123456789');
  expect([server.calls, await listExecutions(traceId)]).toEqual([[], []]);
});

test('five calls of one id are five decisions', async () => {
  const count = async (): Promise<number> =>
    assertOk(await app.call('GET', '/api/v1/traces?limit=1', { token: ada.token })).body.pagination
      .total;
  const before = await count();
  const body =
    '{"jsonrpc":"2.0","id":"call_0","method":"tools/call","params":{"name":"carriage","arguments":{}}}';
  const session = { 'mcp-session-id': 'one' };
  await Promise.all(Array.from({ length: 5 }, async () => (await sendRaw(body, session)).text()));
  expect([server.calls.length, await count()]).toEqual([5, before + 5]);
});

test.each([
  [
    'a member twice',
    '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"whole"}}',
  ],
  [
    'a member twice, once escaped',
    '{"jsonrpc":"2.0","id":1,"\\u006dethod":"tools/call","method":"ping"}',
  ],
  [
    'arguments twice',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whole","arguments":{"a":1,"a":2}}}',
  ],
  [
    'another spelling',
    '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"whole"}}',
  ],
  [
    'half a character',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whole","arguments":{"a":"\\ud83d"}}}',
  ],
  [
    'a list of arguments',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whole","arguments":[1]}}',
  ],
  [
    'a number for a name',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":12345678901234567890}}',
  ],
])('%s reaches no server', async (_, body) => {
  const answer = await sendRaw(body);
  await answer.text();
  expect(answer.status).toBeLessThan(500);
  expect(server.calls).toEqual([]);
});

test('a list on two pages is one list, and half of it is not adopted', async () => {
  const list = async (cursor?: string) => {
    const params = cursor === undefined ? {} : { cursor };
    return (
      await sendRaw(JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/list', params }))
    ).text();
  };
  const changes = async (): Promise<unknown[]> => {
    const { data } = assertOk(
      await app.call('GET', '/api/v1/traces?limit=100', { token: ada.token }),
    ).body;
    const rows = (data.traces ?? data.items ?? data) as {
      outputDecision: { action: { tool: string; arguments: unknown } };
    }[];
    return rows
      .map(({ outputDecision: { action } }) => action)
      .filter(({ tool }) => tool === 'mcp.tools_changed')
      .map((action) => action.arguments);
  };
  await list();
  expect(await list('page 2')).toContain('two');
  await list();
  await list('page 2');
  expect(await changes()).toEqual([]);
  pages['page 2'] = [{ name: 'two', description: 'changed', inputSchema: {} }];
  await list();
  expect(await changes()).toEqual([]);
  await list('page 2');
  expect(await changes()).toMatchObject([{ added: [], changed: ['two'], removed: [] }]);
});
