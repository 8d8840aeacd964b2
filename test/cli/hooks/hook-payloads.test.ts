// Events as hosts send them, of several versions and malformed: which call each is, and which are refused unread.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { answerHook, HOSTS } from '../../../packages/cli/src/hooks/answer-hook.ts';
import { HookStore } from '../../../packages/cli/src/hooks/hook-store.ts';
import type { HookEvent, HostCall } from '../../../packages/cli/src/hooks/host-call.ts';

let folder: string;
let store: HookStore;
beforeAll(async () => {
  folder = await mkdtemp(join(inject('scratch'), 'payloads-'));
  store = new HookStore(join(folder, 'hooks'));
  const write = (name: string, member: string, servers: object) =>
    writeFile(join(folder, name), JSON.stringify({ [member]: servers }));
  await mkdir(join(folder, '.vscode'));
  await write('.vscode/mcp.json', 'servers', { 'Company Shop & Bank': {}, shop: {} });
  await write('.mcp.json', 'mcpServers', { a: {}, 'a-b': {}, 'my shop.V1': {} });
});

const read = (host: string, payload: object): HookEvent => HOSTS[host]!.read(payload as never);

function readCall(host: string, payload: object): HostCall {
  const event = read(host, payload);
  if (event.kind !== 'before' && event.kind !== 'after') throw new Error(event.kind);
  return event.call;
}

test.each([
  ['no JSON', 'claude-code', '{'],
  ['an event without a name', 'claude-code', '{}'],
  ['an event without a name', 'codex', '{"tool":"Bash"}'],
  ['an event without a name', 'cursor', '{"command":"ls"}'],
  ['an event without a name', 'opencode', '{}'],
  ['a later event before a call', 'cursor', '{"hook_event_name":"beforeDelete","path":"/a"}'],
  [
    'a call without an input',
    'claude-code',
    '{"hook_event_name":"PreToolUse","tool_name":"Write"}',
  ],
  [
    'a call without an input',
    'codex',
    '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":null}',
  ],
  ['a call without an input', 'cursor', '{"hook_event_name":"preToolUse","tool_name":"Write"}'],
  ['a call without an input', 'opencode', '{"event":"tool.execute.before","tool":"read"}'],
  [
    'a shell without a command',
    'claude-code',
    '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}',
  ],
  [
    'a shell without a command',
    'cursor',
    '{"hook_event_name":"preToolUse","tool_name":"Shell","tool_input":{"command":7}}',
  ],
  ['a read without a file', 'cursor', '{"hook_event_name":"beforeReadFile"}'],
  [
    'a patch without a file',
    'codex',
    '{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch"}}',
  ],
  ['no object', 'codex', '[]'],
  ['a call without a tool', 'cursor', '{"hook_event_name":"beforeMCPExecution"}'],
  ['a later event', 'claude-code', '{"hook_event_name":"PreTool","tool_name":"Bash"}'],
  ['an event without a name', 'gemini-cli', '{"tool_name":"run_shell_command"}'],
  [
    'a call without an input',
    'gemini-cli',
    '{"hook_event_name":"BeforeTool","tool_name":"write_file"}',
  ],
  [
    'a shell without a command',
    'gemini-cli',
    '{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"cmd":"ls"}}',
  ],
  [
    'a shell whose input is a text',
    'gemini-cli',
    '{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":"ls"}',
  ],
  [
    'a tool of an unnamed server',
    'gemini-cli',
    '{"hook_event_name":"BeforeTool","tool_name":"mcp_shop_pay","tool_input":{}}',
  ],
  [
    'a server without a name',
    'gemini-cli',
    '{"hook_event_name":"BeforeTool","tool_name":"mcp_shop_pay","tool_input":{},"mcp_context":{"tool_name":"pay"}}',
  ],
  ['a later event before a call', 'gemini-cli', '{"hook_event_name":"BeforeShell"}'],
  ['a later event of a tool', 'gemini-cli', '{"hook_event_name":"ToolChosen","tool_name":"glob"}'],
  [
    'an event of the older form, which has no name',
    'copilot',
    '{"sessionId":"s","timestamp":1795964320414,"toolName":"bash","toolArgs":{"command":"ls"}}',
  ],
  [
    'a call without an input',
    'copilot',
    '{"hookEventName":"PreToolUse","tool_name":"run_in_terminal","tool_input":null}',
  ],
  [
    'a shell without a command',
    'copilot',
    '{"hookEventName":"PreToolUse","tool_name":"run_in_terminal","tool_input":{"explanation":"x"}}',
  ],
  [
    'a shell whose input is a text',
    'copilot',
    '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":"ls"}',
  ],
  ['a later event before a call', 'copilot', '{"hookEventName":"PreCommit"}'],
  ['a question about a permission', 'copilot', '{"hook_event_name":"PermissionRequest"}'],
  ['an unknown host', 'vi', '{}'],
])('%s cannot be understood', async (_, host, input) => {
  const readProfile = () => Promise.reject(new Error('not read'));
  await expect(answerHook(input, { host, readProfile, wait: 0, store })).rejects.toThrow();
});

describe('gemini-cli', () => {
  const before = { hook_event_name: 'BeforeTool', session_id: 's', cwd: '/srv/shop' };

  test.each([
    [{ command: 'ls', description: 'Lists' }, '/srv/shop', { command: 'ls' }],
    [{ command: 'ls', dir_path: 'web' }, '/srv/shop/web', { command: 'ls' }],
    [{ command: 'ls', dir_path: '/tmp' }, '/tmp', { command: 'ls' }],
    [{ command: 'ls', is_background: true }, '/srv/shop', { command: 'ls', is_background: true }],
  ])('a shell with %j', (input, cwd, args) => {
    const { action } = readCall('gemini-cli', {
      ...before,
      tool_name: 'run_shell_command',
      tool_input: input,
    });
    expect(action).toEqual({ tool: 'shell', cwd, arguments: args });
  });

  test('what a reviewer changes of a shell goes back with its folder and its words', () => {
    const input = { command: 'ls', dir_path: 'web', description: 'Lists' };
    const call = readCall('gemini-cli', {
      ...before,
      tool_name: 'run_shell_command',
      tool_input: input,
    });
    expect(call.toInput?.({ command: 'ls -l' })).toEqual({ ...input, command: 'ls -l' });
    // Gemini keeps a member that is taken away, and runs its own input in the place of what is no object.
    expect(call.toInput?.({})).toBeUndefined();
    expect(call.toInput?.(['ls'])).toBeUndefined();
  });

  test('a tool of a server has the name of both, and is no shell', () => {
    const server = { server_name: 'my shop', tool_name: 'run_shell_command', command: 'node' };
    const { action } = readCall('gemini-cli', {
      ...before,
      tool_name: 'mcp_my shop_run_shell_command',
      tool_input: { command: 'ls' },
      mcp_context: server,
    });
    const args = { command: 'ls' };
    expect(action).toEqual({ server: 'my_shop', tool: 'run_shell_command', arguments: args });
  });

  const ended = (response: unknown, tool = 'run_shell_command'): unknown => {
    const event = read('gemini-cli', {
      ...before,
      hook_event_name: 'AfterTool',
      tool_name: tool,
      tool_input: { command: 'ls' },
      tool_response: response,
    });
    return event.kind === 'after' ? event.outcome : event.kind;
  };
  const shell = (text: string) => ({
    llmContent: `<untrusted_context>\n${text}\n</untrusted_context>`,
  });
  test.each([
    ['succeeded', shell('Output: a\nProcess Group PGID: 7')],
    ['failed', shell('Output: (empty)\nExit Code: 3\nProcess Group PGID: 7')],
    ['failed', shell('Output: a\nError: x\nExit Code: 137\nSignal: 9')],
    ['succeeded', shell('Output: Exit Code: 3\nmore\nProcess Group PGID: 7')],
    ['unknown', { llmContent: 'Command moved to background (PID: 7). Output hidden.' }],
    ['unknown', { llmContent: 'Command was cancelled by user before it could complete.' }],
    ['failed', { llmContent: 'x', error: { message: 'x', type: 'shell_execute_error' } }],
    ['unknown', undefined],
    ['unknown', 'Output: a'],
  ])('a shell that ended: %s', (outcome, response) => expect(ended(response)).toBe(outcome));

  test('another tool that ended without an error has succeeded', () => {
    expect(ended({ llmContent: 'x' }, 'write_file')).toBe('succeeded');
    expect(ended({ llmContent: 'x', error: { message: 'x' } }, 'write_file')).toBe('failed');
  });

  test.each(['BeforeModel', 'BeforeToolSelection', 'PreCompress', 'AfterModel', 'SessionStart'])(
    '%s is about no call',
    (name) => expect(read('gemini-cli', { ...before, hook_event_name: name }).kind).toBe('other'),
  );
});

describe('copilot', () => {
  const time = { timestamp: '2026-11-29T14:59:14.031Z' };
  /** VS Code: 1.110 names its members so. */
  const ofCode = { ...time, hookEventName: 'PreToolUse', sessionId: 's', tool_use_id: 'tool-123' };
  const ofCommandLine = { ...time, hook_event_name: 'PreToolUse', session_id: 's' };

  test.each([
    [
      'VS Code',
      ofCode,
      'run_in_terminal',
      { command: 'ls', explanation: 'Lists', goal: 'See', isBackground: false, timeout: 0 },
      { command: 'ls', isBackground: false, timeout: 0 },
    ],
    [
      'VS Code, later',
      { ...ofCommandLine, tool_use_id: 'tool-123' },
      'run_in_terminal',
      { command: 'ls', explanation: 'Lists' },
      { command: 'ls' },
    ],
    [
      'the command line',
      ofCommandLine,
      'Bash',
      { command: 'ls', description: 'Lists' },
      { command: 'ls' },
    ],
  ])('a shell in %s', (_, event, tool, input, args) => {
    const call = readCall('copilot', { ...event, tool_name: tool, tool_input: input, cwd: '/srv' });
    expect(call.action).toEqual({ tool: 'shell', cwd: '/srv', arguments: args });
    expect([call.session, call.rationale, call.toInput]).toEqual(['s', 'Lists', undefined]);
    expect(call.callId).toBe('tool_use_id' in event ? 'tool-123' : undefined);
  });

  test.each([
    ['shop-issue_refund', { server: 'shop', tool: 'issue_refund' }],
    ['a-b-pay', { server: 'a-b', tool: 'pay' }],
    ['a-c-pay', { server: 'a', tool: 'c-pay' }],
    ['my-shop-V1-pay', { server: 'my_shop_V1', tool: 'pay' }],
    ['mcp_shop_issue_refund', { server: 'shop', tool: 'issue_refund' }],
    ['mcp_company_shop__pay_out', { server: 'Company_Shop___Bank', tool: 'pay_out' }],
    ['mcp__bank__pay', { server: 'bank', tool: 'pay' }],
    ['mcp_elsewhere_pay', { tool: 'mcp_elsewhere_pay' }],
    ['github-mcp-server-list_issues', { tool: 'github-mcp-server-list_issues' }],
    ['shop-', { tool: 'shop-' }],
    ['create_file', { tool: 'create_file' }],
  ])('the tool %s', (name, named) => {
    const event = { ...ofCommandLine, tool_name: name, tool_input: {}, cwd: folder };
    expect(readCall('copilot', event).action).toEqual({ ...named, arguments: {} });
  });

  test('a patch that the command line calls an edit is a patch', () => {
    const input = { input: '*** Begin Patch\n*** Delete File: secrets/key.pem\n*** End Patch' };
    const event = { ...ofCommandLine, tool_name: 'Edit', tool_input: input };
    const { action } = readCall('copilot', event);
    expect(action).toMatchObject({ tool: 'apply_patch', files: ['secrets/key.pem'] });
    const edit = { path: '/a', old_str: 'a', new_str: 'b' };
    const other = readCall('copilot', { ...event, tool_input: edit });
    expect(other.action).toEqual({ tool: 'Edit', arguments: edit });
  });

  test.each([
    [
      'succeeded',
      'Bash',
      { tool_result: { text_result_for_llm: 'a\n<shellId: 0 completed with exit code 0>' } },
    ],
    [
      'failed',
      'Bash',
      { tool_result: { text_result_for_llm: '\n<shellId: 1 completed with exit code 3>' } },
    ],
    [
      'unknown',
      'Bash',
      { tool_result: { text_result_for_llm: '<shellId: 0 completed with exit code 0> a' } },
    ],
    ['unknown', 'run_in_terminal', { tool_response: 'a' }],
    ['succeeded', 'Write', { tool_result: { text_result_for_llm: 'Created' } }],
    ['succeeded', 'create_file', { tool_response: 'File created' }],
  ])('what ended: %s', (outcome, tool, result) => {
    const named = { tool_name: tool, tool_input: { command: 'ls' }, ...result };
    const event = read('copilot', { ...ofCommandLine, hook_event_name: 'PostToolUse', ...named });
    expect(event).toMatchObject({ kind: 'after', outcome });
  });
});
