// An MCP client and server, each of the released SDK, connected in memory.
import { Held } from '@assay/sdk';
import { type AdapterOptions, guardClient } from '@assay/sdk/mcp';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, expect, test } from 'vitest';
import { testGuarding } from './setup/behaviour.ts';
import { useStage } from './setup/stage.ts';
import { recordCall, planRefund, refund, SCHEMAS, TOOL_NAMES } from './setup/tools.ts';

const stage = useStage();
const { connect, decideNext, done, listExecutions, read } = stage;
const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function connectClient(options: AdapterOptions): Promise<Client> {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  for (const name of TOOL_NAMES)
    server.registerTool(name, { inputSchema: SCHEMAS[name] }, async (args: object) => ({
      content: [{ type: 'text' as const, text: recordCall(done, name, args) }],
    }));
  server.registerTool('fail', {}, async () => ({
    isError: true,
    content: [{ type: 'text' as const, text: 'out of stock' }],
  }));
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  clients.push(client);
  return guardClient(client, options);
}

const readText = ({ content }: { content: unknown }): string =>
  (content as { text: string }[]).map(({ text }) => text).join();

testGuarding(async (plan, options) => {
  const { assay = connect() } = options;
  const client = await connectClient(options);
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
  const client = await connectClient({ assay: connect() });
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('issue_refund');
  const running = client.callTool({ name: 'issue_refund', arguments: { ...refund } });
  const traceId = await decideNext({ decision: 'reject' });
  expect(await running).toMatchObject({ isError: true, _meta: { 'dev.assay/decision': traceId } });
  expect((await read(traceId)).outputDecision.action.server).toBe('shop');
});

test('a tool that fails is an outcome of its own', async () => {
  await stage.createPolicy('Failing', 'fail', { type: 'flag_for_review', config: { reason: 'x' } });
  const client = await connectClient({ assay: connect() });
  const running = client.callTool({ name: 'fail', arguments: {} });
  const traceId = await decideNext({ decision: 'approve' });
  expect(await running).toMatchObject({ isError: true, content: [{ text: 'out of stock' }] });
  expect(await listExecutions(traceId)).toMatchObject([{ state: 'failed' }]);
});

test('a suspended call throws what any process can resume', async () => {
  const assay = connect();
  const client = await connectClient({ assay, onHold: 'suspend' });
  const { tool, args } = planRefund();
  const failure = await client
    .callTool({ name: tool, arguments: { ...args } })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Held);
  const { held } = failure as Held;
  await decideNext({ decision: 'approve' }, held.traceId);
  const kept = JSON.parse(JSON.stringify(held)) as typeof held;
  const plain = clients[0]!;
  const result = await connect().resume(kept, (given: Record<string, unknown>) =>
    plain.callTool({ name: tool, arguments: given }),
  );
  expect(readText(result)).toContain('done: issue_refund');
  expect(done).toHaveLength(1);
});
