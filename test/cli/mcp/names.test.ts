// The same call posts the same action through both proxies, however its server names itself; no argument of a command is sealed.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { useGuards } from '../../sdk/typescript/sdk-stage.ts';
import { type ProxyOptions, useProxies, WAYS, type Way } from './proxy-stage.ts';
import { readText, toText } from './raw-clients.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { app } = harness;
const { agent } = useGuards(harness, ada);
const { connect } = useProxies();

interface Named {
  from: string;
  server?: string;
  name: string;
  input: object;
  action: object;
}
const { names } = JSON.parse(readFileSync('test/vectors/sdk/names.json', 'utf8')) as {
  names: Named[];
};
const ofServers = names.filter(({ from, server }) => from === 'mcp' && server);

interface Posted {
  action: { server?: string; tool: string; arguments: unknown };
  /** All that is on record about the decision. */
  record: string;
}

/** Calls a tool once, through a proxy before a server with that information about itself; returns what was posted. */
async function post(
  way: Way,
  call: { name: string; input?: object; serverInfo?: unknown },
  options: Partial<ProxyOptions> = {},
): Promise<Posted> {
  const given = { url: app.url, key: agent.key, agent: agent.id, ...options };
  const client = await connect(way, given, ({ method }) =>
    method === 'tools/call' ? toText('done') : { result: { serverInfo: call.serverInfo } },
  );
  expect(readText(await client.call(call.name, call.input))).toBe('done');
  await client.close();
  return readNewest();
}

async function readNewest(): Promise<Posted> {
  const { token } = ada;
  const { data } = assertOk(await app.call('GET', '/api/v1/traces?limit=1', { token })).body;
  const [{ traceId }] = data.traces ?? data.items ?? data;
  const { body } = assertOk(await app.call('GET', `/api/v1/traces/${traceId}`, { token }));
  return { action: body.data.outputDecision.action, record: JSON.stringify(body) };
}

describe.each(WAYS)('over %s', (way) => {
  test.each(ofServers)('$name of $server, as it names itself', async (named) => {
    const { action } = await post(way, { ...named, serverInfo: { name: named.server } });
    expect(action).toEqual(named.action);
  });

  test.each(ofServers)('$name of $server, as it is configured', async ({ server, ...named }) => {
    const { action } = await post(
      way,
      { ...named, serverInfo: { name: 'other' } },
      { server: server! },
    );
    expect(action).toEqual(named.action);
  });

  test.each([
    ['none', undefined],
    ['null', null],
    ['a text', 'bank'],
    ['without a name', { version: '1' }],
    ['an empty name', { name: '' }],
    ['a name that is a number', { name: 7 }],
  ])(
    'a server that says of itself %s has the name of its command or host',
    async (_, serverInfo) => {
      const { action } = await post(way, { name: 'pay', serverInfo });
      expect(action.server).toMatch(way === 'stdio' ? /^srv$/ : /^127_0_0_1_\d+$/);
    },
  );

  test.each([
    ['__', '__'],
    [' ', '_'],
    ['bank\u0000\u202e', 'bank__'],
    ['x'.repeat(20_000), 'x'.repeat(128)],
  ])('the name %.20j', async (name, expected) => {
    const { action } = await post(way, { name: 'pay', serverInfo: { name } });
    expect(action.server).toBe(expected);
  });

  test('a server that calls itself something else later keeps its first name', async () => {
    let name = 'bank';
    const given = { url: app.url, key: agent.key, agent: agent.id };
    const client = await connect(way, given, ({ method }) =>
      method === 'tools/call' ? toText('done') : { result: { serverInfo: { name } } },
    );
    name = 'toys';
    await client.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
    await client.call('pay');
    expect((await readNewest()).action.server).toBe('bank');
  });
});

test('no argument of a command is sealed', async () => {
  const words = ['/opt/bin/npx', '-y', 'srv', 'stdio', '--api-key', 'sk-very-secret'];
  for (const serverInfo of [undefined, { name: 'bank' }]) {
    const { action, record } = await post('stdio', { name: 'pay', serverInfo }, { words });
    expect(action.server).toBe(serverInfo?.name ?? 'npx');
    expect(record).not.toMatch(/secret|api-key|opt/);
  }
});
