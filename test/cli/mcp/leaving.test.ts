// The proxy on stdio, as a process whose client leaves while a person has to decide: what is held is withdrawn.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { beforeAll, expect, test } from 'vitest';
import { useGuards } from '../../sdk/typescript/sdk-stage.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { type Cli, createCli, findProgram } from '../cli-stage.ts';
import { LineClient } from './raw-clients.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { agent, read } = useGuards(harness, ada);

type Proxy = ChildProcessByStdio<Writable, Readable, null>;
let cli: Cli;
beforeAll(async () => {
  cli = await createCli({ ASSAY_URL: harness.app.url, ASSAY_KEY: agent.key });
});

/** The decisions about an order. */
async function listHeld(order: string): Promise<string[]> {
  const { body } = await harness.app.call('GET', '/api/v1/review-queue', { token: ada.token });
  const items = body.data as { traceId: string }[];
  const found = await Promise.all(items.map(async ({ traceId }) => read(traceId)));
  return found
    .filter(({ outputDecision: { action } }) => action.arguments.order === order)
    .map(({ traceId }) => traceId);
}

test.each<[name: string, leave: (proxy: Proxy) => void]>([
  ['its standard input is closed', (proxy) => void proxy.stdin.end()],
  ['it gets SIGTERM', (proxy) => void proxy.kill('SIGTERM')],
])(
  '%s: two holds are withdrawn before the proxy ends well, and nothing runs',
  async (name, leave) => {
    const log = join(cli.folder, `${name}.ndjson`);
    const words = [findProgram('assay'), 'mcp-proxy', '--', process.execPath, findProgram('shop')];
    const env = { ...cli.environment, SHOP_LOG: log };
    const proxy = spawn(process.execPath, words, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const ended = once(proxy, 'close');
    const client = new LineClient(
      proxy.stdin,
      proxy.stdout,
      ended.then(() => true),
    );
    const clientInfo = { name: 'tests', version: '1' };
    const about = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    await client.ask('initialize', about);
    client.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    for (let call = 0; call < 2; call++)
      void client.call('issue_refund', { order: name, to: 'jo.doe@example.com', amount: 90 });
    await expect.poll(() => listHeld(name), { timeout: 10_000 }).toHaveLength(2);
    const held = await listHeld(name);
    leave(proxy);
    expect(await ended).toEqual([0, null]);
    // It has not ended before.
    const reviews = await Promise.all(held.map(async (traceId) => (await read(traceId)).review));
    expect(reviews.map(({ status }) => status)).toEqual(['withdrawn', 'withdrawn']);
    expect(await readFile(log, 'utf8').catch(() => '')).toBe('');
  },
);
