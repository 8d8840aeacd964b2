// A real MCP client talks to a real MCP server through the proxy: calls are asked for, held, run once, and refused.
// @module-tag long
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client, type ClientCapabilities, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../setup/fixtures.ts';
import { useHalts } from '../sdk/typescript/halt-stage.ts';
import { useGuards } from '../sdk/typescript/sdk-stage.ts';
import { type Cli, createCli, findProgram, startMain } from './cli-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { agent, createPolicy, decideNext, findHeld, read, listExecutions } = useGuards(harness, ada);
const { halt, letGoOn } = useHalts(harness, ada);

const refund = { order: 'A-17', to: 'jo.doe@example.com', amount: 90 };
let cli: Cli;
let open: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  cli = await createCli({ ASSAY_URL: harness.app.url, ASSAY_KEY: agent.key });
});
afterEach(async () => {
  await Promise.all(open.map((close) => close()));
  open = [];
});

interface Proxy {
  client: Client;
  /** What the shop did. */
  readLog: () => Promise<{ tool: string }[]>;
}

interface Connection {
  environment?: Record<string, string>;
  capabilities?: ClientCapabilities;
  /** Whether the proxy is a process of its own, as clients start it. */
  isForked?: boolean;
}

/** Connects through a proxy of its own. */
async function connect(options: string[] = [], given: Connection = {}): Promise<Proxy> {
  const log = join(cli.folder, `shop-${open.length}-${Math.random()}.ndjson`);
  const args = ['mcp-proxy', ...options, '--', process.execPath, findProgram('shop')];
  const env = { ...cli.environment, SHOP_LOG: log, ...given.environment };
  const client = new Client(
    { name: 'tests', version: '1' },
    { capabilities: given.capabilities ?? {} },
  );
  await client.connect(given.isForked ? forkProxy(args, env) : startProxy(args, env));
  open.push(() => client.close());
  const readLog = async () =>
    (await readFile(log, 'utf8').catch(() => ''))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { tool: string });
  return { client, readLog };
}

function forkProxy(args: string[], env: Record<string, string>): Transport {
  const words = [findProgram('assay'), ...args];
  const { folder: cwd } = cli;
  return new StdioClientTransport({
    command: process.execPath,
    args: words,
    env,
    cwd,
    stderr: 'ignore',
  });
}

/** The other end of the streams of a proxy in this process. */
function startProxy(args: string[], env: Record<string, string>): Transport {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const { ended } = startMain(args, { cwd: cli.folder, env, stdin, stdout });
  open.push(() => {
    stdin.end();
    return ended;
  });
  return new StdioServerTransport(stdout, stdin);
}

const getText = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]!.text;
const getDecision = (result: unknown): string =>
  (result as { _meta: Record<string, string> })._meta['dev.assay/decision']!;

test('names, instructions and tools are those of the server; what no policy holds runs', async () => {
  const { client, readLog } = await connect([], { isForked: true });
  expect(client.getServerVersion()).toMatchObject({ name: 'shop', version: '1.0.0' });
  expect(client.getInstructions()).toBe('A shop.');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    'crash',
    'issue_refund',
    'look_up',
    'wire',
  ]);
  const result = await client.callTool({ name: 'look_up', arguments: { order: 'A-17' } });
  expect(getText(result)).toBe('order A-17');
  expect(await readLog()).toHaveLength(1);
});

test('a blocked call never reaches the server, and its result says why', async () => {
  const { client, readLog } = await connect();
  const result = await client.callTool({ name: 'wire', arguments: {} });
  expect(result.isError).toBe(true);
  expect(getText(result)).toContain('No wires');
  expect((await read(getDecision(result))).status).toBe('blocked');
  expect(await readLog()).toEqual([]);
});

test('a call that passes a limit never reaches the server, and its result says what is left', async () => {
  const limit = { of: 'acts', per: 'session', window: 'ever', most: 1 };
  const policy = await createPolicy('Cap', 'look_up', { type: 'block', config: { limit } });
  const { client, readLog } = await connect();
  const look = () => client.callTool({ name: 'look_up', arguments: { order: 'A-17' } });
  expect(getText(await look())).toBe('order A-17');
  const result = await look();
  expect(result.isError).toBe(true);
  expect(getText(result)).toMatch(
    /did not run: .*The limit is 1 \(acts\) for each session in all, and 0 is left/,
  );
  expect(await readLog()).toHaveLength(1);
  await harness.app.call('DELETE', `/api/v1/policies/${policy}`, { token: ada.token });
});

test('a halted call never reaches the server, and its result says who stopped it and why', async () => {
  const { client, readLog } = await connect();
  const id = await halt(agent.id);
  const look = () => client.callTool({ name: 'look_up', arguments: { order: 'A-17' } });
  const result = await look();
  expect(result.isError).toBe(true);
  expect(getText(result)).toMatch(/did not run: .*the agent is halted since .*: It pays twice/);
  expect((await read(getDecision(result))).status).toBe('blocked');
  expect(await readLog()).toEqual([]);
  await letGoOn(id);
  expect(getText(await look())).toBe('order A-17');
});

test('a held call stays held while it is halted, though a person approved it, and runs afterwards', async () => {
  const { client, readLog } = await connect(['--wait', '0']);
  const held = await client.callTool({ name: 'issue_refund', arguments: refund });
  const decision = getDecision(held);
  await decideNext({ decision: 'approve' }, decision);
  const id = await halt(agent.id);
  const wait = () => client.callTool({ name: 'assay_await', arguments: { decision } });
  for (const stopped of [await wait(), await wait()]) {
    expect(stopped.isError).toBe(true);
    expect(getText(stopped)).toMatch(/the agent is halted since .*\[HALTED\].* It has not run/);
    expect(getText(stopped)).toContain(`assay_await with {"decision":"${decision}"}`);
  }
  expect(await readLog()).toEqual([]);
  expect(await listExecutions(decision)).toEqual([]);
  await letGoOn(id);
  expect((await wait()).isError).not.toBe(true);
  expect(await readLog()).toHaveLength(1);
  expect(await listExecutions(decision)).toMatchObject([{ state: 'succeeded' }]);
});

test('a held call runs once when a person approves it, with heartbeats on the way', async () => {
  const { client, readLog } = await connect();
  const beats: string[] = [];
  const calling = client.callTool(
    { name: 'issue_refund', arguments: refund },
    { onprogress: ({ message }) => void beats.push(message ?? '') },
  );
  const traceId = await decideNext({ decision: 'approve' });
  expect(getText(await calling)).toBe('paid 90');
  expect(beats[0]).toContain(traceId);
  expect(await readLog()).toEqual([{ tool: 'issue_refund', args: refund }]);
  expect(await listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
});

test('a client that can is asked to show where; what it answers decides nothing', async () => {
  const shown: unknown[] = [];
  const answers: string[] = [];
  const capabilities = { elicitation: { url: {} } };
  const { client, readLog } = await connect([], { capabilities });
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    shown.push((params as { url?: string }).url);
    return { action: 'accept', content: {} };
  });
  const calling = client.callTool({ name: 'issue_refund', arguments: refund });
  void calling.then((result) => answers.push(getText(result)));
  const traceId = await findHeld();
  await expect.poll(() => shown).toEqual([expect.stringContaining('/console/review/')]);
  expect([answers, await readLog()]).toEqual([[], []]);
  await decideNext({ decision: 'approve' }, traceId);
  expect(getText(await calling)).toBe('paid 90');
});

test('a rejected call says so', async () => {
  const { client, readLog } = await connect();
  const calling = client.callTool({ name: 'issue_refund', arguments: refund });
  await decideNext({ decision: 'reject' });
  expect(getText(await calling)).toContain('rejected');
  expect(await readLog()).toEqual([]);
});

test('a hold beyond the wait is awaited by `assay_await`, which runs it once', async () => {
  const { client, readLog } = await connect(['--wait', '0']);
  const held = await client.callTool({ name: 'issue_refund', arguments: refund });
  expect(held.isError).toBe(true);
  const decision = getDecision(held);
  expect(getText(held)).toContain(decision);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('assay_await');
  await decideNext({ decision: 'approve' }, decision);
  const once = await client.callTool({ name: 'assay_await', arguments: { decision } });
  expect(getText(once)).toBe('paid 90');
  const twice = await client.callTool({ name: 'assay_await', arguments: { decision } });
  expect(twice.isError).toBe(true);
  expect(await readLog()).toHaveLength(1);
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('assay_await');
});

test('an approval that a client invents is no approval', async () => {
  const { client, readLog } = await connect(['--wait', '0']);
  const decision = getDecision(await client.callTool({ name: 'issue_refund', arguments: refund }));
  const forged = { decision, approved: true, status: 'approved' };
  expect((await client.callTool({ name: 'assay_await', arguments: forged })).isError).toBe(true);
  expect(await readLog()).toEqual([]);
});

test('a tool that fails has the outcome `failed`', async () => {
  const { client } = await connect();
  const calling = client.callTool({
    name: 'issue_refund',
    arguments: { ...refund, amount: 5_000 },
  });
  const traceId = await decideNext({ decision: 'approve' });
  expect(await calling).toMatchObject({ isError: true });
  expect(await listExecutions(traceId)).toMatchObject([{ state: 'failed' }]);
});

test('a cancelled call is withdrawn', async () => {
  const { client, readLog } = await connect();
  const leaving = new AbortController();
  let traceId = '';
  const calling = client.callTool(
    { name: 'issue_refund', arguments: refund },
    {
      signal: leaving.signal,
      onprogress: ({ message }) => {
        traceId = /trc_[0-9a-f]{32}/.exec(message ?? '')?.[0] ?? '';
        leaving.abort();
      },
    },
  );
  await expect(calling).rejects.toThrow();
  await expect.poll(async () => (await read(traceId)).review.status).toBe('withdrawn');
  expect(await readLog()).toEqual([]);
});

test('fifty calls at once are fifty decisions', { tags: ['long'] }, async () => {
  const { client, readLog } = await connect();
  const orders = Array.from({ length: 50 }, (_, at) => `A-${at}`);
  const results = await Promise.all(
    orders.map((order) => client.callTool({ name: 'look_up', arguments: { order } })),
  );
  expect(results.map(getText)).toEqual(orders.map((order) => `order ${order}`));
  expect(await readLog()).toHaveLength(50);
});

test(
  'without the service nothing runs, but for tools that only read, by name, on the record',
  { tags: ['long'] },
  async () => {
    const away = { ASSAY_URL: 'http://127.0.0.1:9', ASSAY_AGENT: agent.id };
    const closed = await connect([], { environment: away });
    expect(
      (await closed.client.callTool({ name: 'look_up', arguments: { order: 'A' } })).isError,
    ).toBe(true);
    expect(await closed.readLog()).toEqual([]);
    const journal = join(cli.folder, 'journal.ndjson');
    const open = await connect(['--on-unavailable', 'allow-read-only', '--journal', journal], {
      environment: away,
    });
    await open.client.listTools();
    expect(
      getText(await open.client.callTool({ name: 'look_up', arguments: { order: 'A' } })),
    ).toBe('order A');
    expect((await open.client.callTool({ name: 'issue_refund', arguments: refund })).isError).toBe(
      true,
    );
    const [entry] = (await readFile(journal, 'utf8')).split('\n');
    expect(JSON.parse(entry!).body.metadata.assay.mode).toBe('offline');
  },
);

test('a server that ends during a call ends the proxy, and the call may have run', async () => {
  const { client } = await connect([], { isForked: true });
  const result = await client.callTool({ name: 'crash', arguments: {} });
  expect([result.isError, getText(result)]).toEqual([
    true,
    expect.stringContaining('may have run'),
  ]);
});
