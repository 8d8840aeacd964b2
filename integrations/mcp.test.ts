// An MCP client and server, each of the released SDK, connected in memory.
import { Held } from '@assay/sdk';
import { type AdapterOptions, guardClient } from '@assay/sdk/mcp';
import { Client as Client2, InMemoryTransport as Memory2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as Memory1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServer2 } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, test } from 'vitest';
import { testGuarding } from './setup/behaviour.ts';
import { useStage } from './setup/stage.ts';
import { planRefund, recordCall, refund, SCHEMAS, TOOL_NAMES } from './setup/tools.ts';

const stage = useStage();
const { connect, decideNext, done, listExecutions, read } = stage;
const clients: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

interface Shop {
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<object>;
  listTools(): Promise<{ tools: { name: string }[] }>;
}

const fail = async () => ({
  isError: true,
  content: [{ type: 'text' as const, text: 'out of stock' }],
});
const runAnything = (name: string) => async (args: object) => ({
  content: [{ type: 'text' as const, text: recordCall(done, name, args) }],
});

/** Clients of both generations, each connected to a server of its own. */
const GENERATIONS = {
  async v2(): Promise<Shop> {
    const server = new McpServer2({ name: 'shop', version: '1.0.0' });
    for (const name of TOOL_NAMES)
      server.registerTool(name, { inputSchema: SCHEMAS[name] }, runAnything(name));
    server.registerTool('fail', {}, fail);
    const client = new Client2({ name: 'agent', version: '1.0.0' });
    const [near, far] = Memory2.createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near)]);
    clients.push(client);
    return client;
  },
  async v1(): Promise<Shop> {
    const server = new McpServer1({ name: 'shop', version: '1.0.0' });
    for (const name of TOOL_NAMES)
      server.registerTool(name, { inputSchema: SCHEMAS[name].shape }, runAnything(name));
    server.registerTool('fail', {}, fail);
    const client = new Client1({ name: 'agent', version: '1.0.0' });
    const [near, far] = Memory1.createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near)]);
    clients.push(client);
    return client;
  },
};

const readText = ({ content }: { content: unknown }): string =>
  (content as { text: string }[]).map(({ text }) => text).join();

describe.each(['v2', 'v1'] as const)('a client of generation %s', (generation) => {
  testGuarding(async (plan, options) => {
    const { assay = connect() } = options;
    const client = guardClient(await GENERATIONS[generation](), options);
    const told: string[] = [];
    for (const turn of plan)
      await assay.run({ prompt: 'Refund order A-17' }, async () => {
        const calls = turn.map(({ tool, args }) =>
          client.callTool({ name: tool, arguments: { ...args } }),
        );
        told.push(...(await Promise.all(calls)).map(readText));
      });
    return told;
  }, stage);

  test('other methods pass through, and a refusal names the decision', async () => {
    const client = guardClient(await GENERATIONS[generation](), { assay: connect() });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('issue_refund');
    const running = client.callTool({ name: 'issue_refund', arguments: { ...refund } });
    const traceId = await decideNext({ decision: 'reject' });
    expect(await running).toMatchObject({
      isError: true,
      _meta: { 'dev.assay/decision': traceId },
    });
    expect((await read(traceId)).outputDecision.action.server).toBe('shop');
  });

  test('a tool that fails is an outcome of its own', async () => {
    await stage.createPolicy('Failing', 'fail', {
      type: 'flag_for_review',
      config: { reason: 'x' },
    });
    const client = guardClient(await GENERATIONS[generation](), { assay: connect() });
    const running = client.callTool({ name: 'fail', arguments: {} });
    const traceId = await decideNext({ decision: 'approve' });
    expect(await running).toMatchObject({ isError: true, content: [{ text: 'out of stock' }] });
    expect(await listExecutions(traceId)).toMatchObject([{ state: 'failed' }]);
  });

  test('a suspended call throws what any process can resume', async () => {
    const assay = connect();
    const plain = await GENERATIONS[generation]();
    const client = guardClient(plain, { assay, onHold: 'suspend' });
    const { tool, args } = planRefund();
    const failure = await client
      .callTool({ name: tool, arguments: { ...args } })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Held);
    const { held } = failure as Held;
    await decideNext({ decision: 'approve' }, held.traceId);
    const kept = JSON.parse(JSON.stringify(held)) as typeof held;
    const result = await connect().resume(kept, (given: Record<string, unknown>) =>
      plain.callTool({ name: tool, arguments: given }),
    );
    expect(readText(result)).toContain('done: issue_refund');
    expect(done).toHaveLength(1);
  });
});
