// The proxy says where values come from: results of its servers, one session a connection, and never a prompt.
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { useGuards } from '../../sdk/typescript/sdk-stage.ts';
import { createCli, findProgram, startMain } from '../cli-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { agent, findHeld, decideNext, read } = useGuards(harness, ada);

/** What a held refund of a connection is held with, after an order was looked up or not. */
async function readHeld(isLookedUp: boolean) {
  const cli = await createCli({ ASSAY_URL: harness.app.url, ASSAY_KEY: agent.key });
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const args = ['mcp-proxy', '--', process.execPath, findProgram('shop')];
  const env = { ...cli.environment, SHOP_LOG: join(cli.folder, 'shop.ndjson') };
  const { ended } = startMain(args, { cwd: cli.folder, env, stdin, stdout });
  const client = new Client({ name: 'tests', version: '1' }, { capabilities: {} });
  await client.connect(new StdioServerTransport(stdout, stdin));
  if (isLookedUp) await client.callTool({ name: 'look_up', arguments: { order: 'A-1789' } });
  const refund = { order: 'A-1789', to: 'jo@example.com', amount: 999.5 };
  const answered = client.callTool({ name: 'issue_refund', arguments: refund });
  const { origins, sessionId } = await read(await findHeld());
  await decideNext({ decision: 'approve' });
  await answered;
  const again = client.callTool({ name: 'issue_refund', arguments: refund });
  const second = await read(await findHeld());
  await decideNext({ decision: 'reject', reason: 'no' });
  await again;
  await client.close();
  stdin.end();
  await ended;
  return { origins, sessionId, second };
}

test('results of servers, and no prompt', async () => {
  const { origins, sessionId, second } = await readHeld(true);
  expect(origins.promptSeen).toBe(false);
  expect(origins.values['/arguments/order']).toEqual([
    expect.stringMatching(/^trc_[0-9a-f]{32}~\/content\/\*\/text$/),
  ]);
  expect(origins.values['/arguments/to']).toEqual([]);
  expect(second.sessionId).toBe(sessionId);
  // What the approved call returned is known as well.
  expect(origins.values['/arguments/amount']).toEqual([]);
  expect(second.origins.values['/arguments/amount']).toHaveLength(1);
  const other = await readHeld(false);
  expect(other.origins.values['/arguments/order']).toEqual([]);
  expect(other.sessionId).not.toBe(sessionId);
});
