// What `assay hook` reads from the events of hosts: the action, whatever the host calls it, and what stands beside it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { answerHook, HOSTS } from '../../../packages/cli/src/hooks/answer-hook.ts';
import { HookStore } from '../../../packages/cli/src/hooks/hook-store.ts';
import type { HostCall } from '../../../packages/cli/src/hooks/host-call.ts';
import { useGuards } from '../../sdk/typescript/sdk-stage.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { type Cli, createCli, findProgram } from '../cli-stage.ts';

type Host = 'claude-code' | 'codex' | 'cursor' | 'opencode' | 'copilot';

const harness = useHarness();
const ada = useOwner(harness);
const { agent, createPolicy, decideNext, findHeld, read } = useGuards(harness, ada);
let cli: Cli;
let store: HookStore;
beforeAll(async () => {
  const environment = { ASSAY_URL: harness.app.url, ASSAY_KEY: agent.key, ASSAY_AGENT: agent.id };
  cli = await createCli(environment);
  store = new HookStore(join(cli.folder, 'hooks'));
  await createPolicy('Shell', 'shell', { type: 'flag_for_review' });
});

const answer = (host: Host, event: object | string, wait = 0): Promise<string> => {
  const readProfile = async () => ({ url: harness.app.url, key: agent.key, agent: agent.id });
  const text = typeof event === 'string' ? event : JSON.stringify(event);
  return answerHook(text, { host, readProfile, wait, store });
};

function readCall(host: string, payload: object): HostCall {
  const event = HOSTS[host]!.read(payload as never);
  if (event.kind !== 'before') throw new Error(event.kind);
  return event.call;
}

interface Named {
  from: string;
  server?: string;
  name: string;
  input: unknown;
  cwd?: unknown;
  action: object;
}
const { names } = JSON.parse(
  await readFile(new URL('../../vectors/sdk/names.json', import.meta.url), 'utf8'),
) as { names: Named[] };

/** The event that a host sends for a call. */
function toEvent({ from, name, input, cwd }: Named): object {
  if (from === 'opencode')
    return { event: 'tool.execute.before', tool: name, args: input, directory: cwd };
  if (from === 'cursor' && name.endsWith('ShellExecution'))
    return { hook_event_name: 'beforeShellExecution', ...(input as object), cwd };
  const events: Record<string, string> = { cursor: 'preToolUse', 'gemini-cli': 'BeforeTool' };
  const event = events[from] ?? 'PreToolUse';
  return { hook_event_name: event, tool_name: name, tool_input: input, cwd };
}
const ofHosts = names.filter(({ from }) => from in HOSTS);
test.each(ofHosts.map((named) => [named.from, named.name, named] as const))(
  '%s: %s is named as everywhere',
  (from, _, named) => expect(readCall(from, toEvent(named)).action).toEqual(named.action),
);

const patch = [
  '*** Begin Patch',
  '*** Add File: src/new.ts',
  '+export {};',
  '*** Update File: src/old.ts',
  '*** Move to: src/moved.ts',
  '@@',
  '-a',
  '+b',
  '*** Delete File: secrets/key.pem',
  '*** End Patch',
].join('\n');
const files = ['src/new.ts', 'src/old.ts', 'src/moved.ts', 'secrets/key.pem'];
test.each([
  ['the tool', 'codex', 'apply_patch', { command: patch }, 'apply_patch', files],
  ['a text', 'codex', 'apply_patch', patch, 'apply_patch', files],
  [
    'a list of words',
    'codex',
    'apply_patch',
    { command: ['apply_patch', patch] },
    'apply_patch',
    files,
  ],
  [
    'a shell',
    'codex',
    'Bash',
    { command: `apply_patch <<'EOF'\n${patch}\nEOF\n` },
    'apply_patch',
    files,
  ],
  [
    'a shell in a folder',
    'codex',
    'Bash',
    { command: `cd sub && apply_patch <<"X"\n${patch}\nX` },
    'apply_patch',
    files.map((file) => `sub/${file}`),
  ],
  [
    'a shell that does more',
    'codex',
    'Bash',
    { command: `apply_patch <<'EOF'\n${patch}\nEOF\nrm -rf /` },
    'shell',
    files,
  ],
  [
    'a shell with more before',
    'claude-code',
    'Bash',
    { command: `rm -rf / ; apply_patch <<'EOF'\n${patch}\nEOF` },
    'shell',
    files,
  ],
  ['another host', 'opencode', 'apply_patch', { patchText: patch }, 'apply_patch', files],
] as const)('a patch by %s names its files', (_, host, name, input, tool, expected) => {
  const named = { from: host, name, input, action: {} };
  expect(readCall(host, toEvent(named)).action).toMatchObject({ tool, files: expected });
});

test.each([
  [
    'an edit in the input',
    { tool_input: { file_path: '/a', old_string: 'x', new_string: 'y' } },
    'Edit',
  ],
  [
    'an edit in the event',
    { file_path: '/a', edits: [{ old_string: 'x', new_string: 'y' }] },
    'Edit',
  ],
  ['a whole file', { tool_name: '', tool_input: { path: '/a', contents: 'x' } }, 'Write'],
])('cursor: %s without the name of a tool is recognised', (_, event, tool) => {
  expect(readCall('cursor', { hook_event_name: 'preToolUse', ...event }).action.tool).toBe(tool);
});

test('cursor: a server has the name of the configuration, and no argument is a name', async () => {
  await mkdir(join(cli.folder, '.cursor'), { recursive: true });
  const server = { command: 'npx', args: ['srv', '--api-key', 'secret'] };
  const text = JSON.stringify({ mcpServers: { 'the bank': server } });
  await writeFile(join(cli.folder, '.cursor/mcp.json'), text);
  const event = { hook_event_name: 'beforeMCPExecution', tool_name: 'pay', tool_input: '{}' };
  const command = 'npx srv --api-key secret';
  const known = { ...event, command, workspace_roots: [cli.folder] };
  expect(readCall('cursor', known).action).toMatchObject({ server: 'the_bank', tool: 'pay' });
  expect(JSON.stringify(readCall('cursor', { ...event, command }).action)).not.toContain('secret');
  const remote = { ...event, url: 'https://bank.example.com/mcp?key=secret' };
  expect(readCall('cursor', remote).action.server).toBe('bank_example_com');
});

const ofCursor = {
  conversation_id: 'c-1',
  generation_id: 'g-1',
  cursor_version: '2.1.0',
  cwd: '',
  workspace_roots: ['/srv/shop'],
};
test.each(['preToolUse', 'PreToolUse'])(
  "Cursor runs Claude Code's hook (%s), and both forms of a refusal are there",
  async (name) => {
    const event = { ...ofCursor, hook_event_name: name, tool_name: 'Shell', tool_use_id: name };
    const out = await answer('claude-code', { ...event, tool_input: { command: `ls ${name}` } });
    const given = JSON.parse(out);
    expect(given).toMatchObject({
      permission: 'deny',
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
    const [traceId] = /trc_[0-9a-f]{32}/.exec(given.agent_message)!;
    const { action } = (await read(traceId)).outputDecision;
    expect(action).toEqual({ tool: 'shell', arguments: { command: `ls ${name}` } });
  },
);

const count = async (): Promise<number> =>
  assertOk(await harness.app.call('GET', '/api/v1/traces?limit=1', { token: ada.token })).body
    .pagination.total;

test.each([
  ['VS Code', { hookEventName: 'PreToolUse', sessionId: 's-code', tool_use_id: 'tool-1' }],
  ['the command line', { hook_event_name: 'PreToolUse', session_id: 's-line' }],
])('Copilot of %s runs Claude Code’s hook, and one act has one decision', async (where, event) => {
  const at = { ...event, timestamp: '2026-11-29T14:59:14.031Z', cwd: '/srv/shop' };
  const before = await count();
  const look = { ...at, tool_name: 'look_up', tool_input: { order: where } };
  for (const host of ['copilot', 'claude-code'] as const) expect(await answer(host, look)).toBe('');
  expect(await count()).toBe(before + 1);
  const shell = { ...at, tool_name: 'Bash', tool_input: { command: `ls ${where}` } };
  const refused = await answer('claude-code', shell);
  expect(JSON.parse(refused).hookSpecificOutput.permissionDecision).toBe('deny');
  const [traceId] = /trc_[0-9a-f]{32}/.exec(refused)!;
  expect((await read(traceId)).metadata.assay.host).toBe('copilot');
  // What one of the two asked for is what the other waits for; approved, it is claimed once, and runs.
  expect(await answer('copilot', shell)).toContain(traceId);
  await decideNext({ decision: 'approve' }, traceId);
  expect(await answer('copilot', shell)).toContain('"allow"');
  expect(await answer('claude-code', shell)).toBe('');
  expect(await count()).toBe(before + 2);
});

test('one act has one decision, whatever events its host has about it', async () => {
  const before = await count();
  const write = {
    ...ofCursor,
    tool_name: 'MCP:look_up',
    tool_input: { order: 'A-1' },
    mcp_server_name: 'shop',
  };
  const first = { ...write, hook_event_name: 'preToolUse', tool_use_id: 'once' };
  const second = {
    ...write,
    hook_event_name: 'beforeMCPExecution',
    tool_name: 'look_up',
    tool_input: '{"order":"A-1"}',
  };
  for (const event of [first, second]) expect(await answer('cursor', event)).toContain('allow');
  expect(await count()).toBe(before + 1);
  // The second event of another act is asked for.
  expect(await answer('cursor', second)).toContain('allow');
  expect(await count()).toBe(before + 2);
});

test('a byte order mark before an event is none of it', async () => {
  const event = { hook_event_name: 'PreToolUse', tool_name: 'look_up', tool_input: {} };
  expect(await answer('claude-code', `\ufeff${JSON.stringify(event)}`)).toBe('');
  const child = spawn(process.execPath, [findProgram('assay'), 'hook', 'codex'], {
    env: cli.environment,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.end(Buffer.from(`\ufeff${JSON.stringify(event)}`, 'utf16le'));
  await once(child, 'exit');
  expect(child.exitCode).toBe(0);
});

test('prompt, way of permission and subagent stand beside the action', async () => {
  const session = { session_id: 's-about' };
  const prompt = 'Tidy up the branch';
  await answer('claude-code', { ...session, hook_event_name: 'UserPromptSubmit', prompt });
  const event = {
    ...session,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'git gc' },
    permission_mode: 'bypassPermissions',
    agent_id: 'agent-7',
    agent_type: 'Explore',
  };
  const [traceId] = /trc_[0-9a-f]{32}/.exec(await answer('claude-code', event))!;
  const trace = await read(traceId);
  expect(trace.inputContext.prompt).toBe(prompt);
  expect(trace.metadata.assay).toMatchObject({
    permissionMode: 'bypassPermissions',
    subagentId: 'agent-7',
    subagentType: 'Explore',
  });
});

test('what comes after a call ends with silence, whatever is wrong with it', async () => {
  for (const event of [
    { hook_event_name: 'PostToolUse' },
    { hook_event_name: 'postToolUse', tool_name: 7 },
  ])
    expect(await answer('codex', event)).toBe('');
});

const hold = { hook_event_name: 'PreToolUse', session_id: 's-left', tool_name: 'Bash' };
test.each([
  ['is asked to end', 'SIGTERM', false],
  ['has lost its host', 'SIGKILL', true],
] as const)('a hook that %s withdraws what it asked for', async (name, signal, killsHost) => {
  const words = [findProgram('assay'), 'hook', 'claude-code', '--wait', '40'];
  const event = JSON.stringify({ ...hold, tool_input: { command: `sleep ${name}` } });
  const host = `const { spawn } = require('node:child_process');
    const hook = spawn(process.execPath, ${JSON.stringify(words)}, { stdio: ['pipe', 'ignore', 'ignore'] });
    hook.stdin.end(${JSON.stringify(event)});
    console.log(hook.pid);`;
  const child = spawn(process.execPath, ['-e', host], {
    env: cli.environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [pid] = (await once(child.stdout, 'data')) as [Buffer];
  const traceId = await findHeld();
  if (killsHost) child.kill(signal);
  else process.kill(Number(String(pid)), signal);
  await expect
    .poll(async () => (await read(traceId)).review.status, { timeout: 20_000 })
    .toBe('withdrawn');
  child.kill('SIGKILL');
  await expect(decideNextSoon(traceId)).resolves.toBe('gone');
});

/** A request that was withdrawn is in no queue. */
async function decideNextSoon(traceId: string): Promise<string> {
  const path = '/api/v1/review-queue?status=pending';
  const { data } = assertOk(await harness.app.call('GET', path, { token: ada.token })).body;
  const open = JSON.stringify(data).includes(traceId);
  return open ? decideNext({ decision: 'approve' }, traceId) : 'gone';
}
