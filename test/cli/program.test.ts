// The program `assay` as a process: its arguments, streams, exit statuses and signals. What commands do is tried in this process.
import { beforeAll, expect, test } from 'vitest';
import { useGuards } from '../sdk/typescript/sdk-stage.ts';
import { useHarness, useOwner } from '../setup/fixtures.ts';
import { type Cli, createCli } from './cli-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { agent } = useGuards(harness, ada);
let cli: Cli;
beforeAll(async () => {
  cli = await createCli({ ASSAY_URL: harness.app.url, ASSAY_KEY: agent.key });
});

const hold = '{"hook_event_name":"PreToolUse","tool_name":"wire","tool_input":{}}';
test.each([
  ['help', ['--help'], '', [0, /^Usage: assay .*doctor/s, /^$/]],
  [
    'an approval',
    ['decide', '-'],
    '{"tool":"look_up"}',
    [0, /^approved\n$/, /^trc_\S+: approved\n$/],
  ],
  ['a refusal', ['decide', '-'], '{"tool":"wire"}', [1, /^$/, /No wires/]],
  ['wrong usage', ['fly'], '', [2, /^$/, /unknown command/]],
  ['a hook', ['hook', 'codex'], hold, [0, /No wires/, /^$/]],
] as const)('%s: status and both outputs', async (_, args, input, [status, written, said]) => {
  const { code, out, err } = await cli.fork(args, input).ended;
  expect([code, out, err]).toEqual([
    status,
    expect.stringMatching(written),
    expect.stringMatching(said),
  ]);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends a proxy well',
  { tags: ['long'] },
  async (signal) => {
    const proxy = cli.fork(['mcp-proxy', '--listen', '0', '--upstream', 'http://127.0.0.1:9/mcp']);
    await proxy.waitForError(/:\d+\/mcp\n/);
    proxy.kill(signal);
    expect((await proxy.ended).code).toBe(0);
  },
);
