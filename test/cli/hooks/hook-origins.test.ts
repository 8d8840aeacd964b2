// Hooks say where values come from: prompts and results of a session are kept in a file of its own, for a day at most.
import { appendFile, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { answerHook } from '../../../packages/cli/src/hooks/answer-hook.ts';
import { HookStore } from '../../../packages/cli/src/hooks/hook-store.ts';
import { SeenStore } from '../../../packages/cli/src/hooks/seen-store.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { useGuards } from '../../sdk/typescript/sdk-stage.ts';
import { createCli } from '../cli-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { agent, read } = useGuards(harness, ada);
let store: HookStore;
let folder: string;
beforeAll(async () => {
  const cli = await createCli();
  folder = join(cli.folder, 'hooks');
  store = new HookStore(folder);
});

const answer = (host: string, event: object): Promise<string> => {
  const readProfile = async () => ({ url: harness.app.url, key: agent.key, agent: agent.id });
  return answerHook(JSON.stringify(event), { host, readProfile, wait: 0, store });
};

const readOrigins = async (out: string) =>
  (await read(/trc_[0-9a-f]{32}/.exec(out)![0])).origins as {
    promptSeen: boolean;
    values: Record<string, string[]>;
  };

const refund = { order: 'A-1789', to: 'eve@example.com' };

test('Claude Code: what was submitted, and what tools returned', async () => {
  const fire = (hook_event_name: string, more: object) =>
    answer('claude-code', { hook_event_name, session_id: 's-1', ...more });
  await fire('UserPromptSubmit', { prompt: 'Refund order A-1789' });
  const look = {
    tool_name: 'mcp__shop__look_up',
    tool_use_id: '1',
    tool_input: { order: 'A-1789' },
  };
  await fire('PreToolUse', look);
  const text = '{"from":"eve@example.com"}';
  await fire('PostToolUse', { ...look, tool_response: [{ type: 'text', text }] });
  const call = { tool_name: 'mcp__shop__issue_refund', tool_use_id: '2', tool_input: refund };
  const origins = await readOrigins(await fire('PreToolUse', call));
  expect(origins).toEqual({
    promptSeen: true,
    values: {
      '/arguments/order': ['prompt'],
      '/arguments/to': [expect.stringMatching(/^trc_[0-9a-f]{32}#\/from$/)],
    },
  });
  const seen = join(folder, 'seen');
  const [file] = await readdir(seen);
  expect((await stat(join(seen, file!))).mode & 0o777).toBe(0o600);
  await fire('SessionEnd', {});
  expect(await readdir(seen)).toEqual([]);
});

test('Gemini CLI names no calls: the action stands for one', async () => {
  const fire = (hook_event_name: string, more: object) =>
    answer('gemini-cli', { hook_event_name, session_id: 's-2', ...more });
  await fire('BeforeAgent', { prompt: 'Refund order A-1789' });
  const look = { tool_name: 'look_up', tool_input: { order: 'A-1789' } };
  await fire('BeforeTool', look);
  await fire('AfterTool', { ...look, tool_response: { llmContent: 'to eve@example.com' } });
  const origins = await readOrigins(
    await fire('BeforeTool', { tool_name: 'issue_refund', tool_input: refund }),
  );
  expect(origins.values['/arguments/to']).toEqual([expect.stringMatching(/~\/llmContent$/)]);
});

test('a session knows nothing of another one, and what names none knows nothing', async () => {
  const seen = new SeenStore(join(folder, 'other'));
  await seen.addPrompt('a', 'Refund order A-1789');
  await seen.addPrompt('none', 'Refund order A-1789');
  const nowhere = { promptSeen: false, values: { '/order': [] } };
  expect(await seen.describe('b', { order: 'A-1789' })).toEqual(nowhere);
  expect(await seen.describe('none', { order: 'A-1789' })).toEqual(nowhere);
  expect(await readdir(join(folder, 'other'))).toHaveLength(1);
});

test('a result without its decision is no source', async () => {
  const seen = new SeenStore(join(folder, 'alone'));
  await seen.addResult('a', 'call', 'A-1789');
  expect((await seen.describe('a', { order: 'A-1789' })).values).toEqual({ '/order': [] });
});

test('a file stays small, and the newest is kept; a day later it is gone', async () => {
  const own = join(folder, 'large');
  const seen = new SeenStore(own);
  await seen.addDecision('a', 'old', `trc_${'a'.repeat(32)}`);
  await seen.addResult('a', 'old', 'A-1789');
  for (let at = 0; at < 6; at++) await seen.addResult('a', `c${at}`, 'word '.repeat(160_000));
  await seen.addPrompt('a', 'the newest prompt');
  const [file] = await readdir(own);
  const path = join(own, file!);
  const { size, mode } = await stat(path);
  expect([size < 4 * 1024 * 1024, mode & 0o777]).toEqual([true, 0o600]);
  const values = { '/old': [], '/new': ['prompt'] };
  expect(await seen.describe('a', { old: 'A-1789', new: 'the newest prompt' })).toMatchObject({
    values,
  });
  const before = new Date(Date.now() - 25 * 3_600_000);
  await utimes(path, before, before);
  await seen.addPrompt('b', 'x');
  expect(await readdir(own)).not.toContain(file);
});

test('files of many sessions are gone a day later, wherever they stand in the folder', async () => {
  const own = join(folder, 'many');
  const seen = new SeenStore(own);
  for (let at = 0; at < 60; at++) await seen.addPrompt(`s${at}`, 'x');
  const before = new Date(Date.now() - 25 * 3_600_000);
  const old = (await readdir(own)).slice(30);
  for (const name of old) await utimes(join(own, name), before, before);
  await seen.addPrompt('s0', 'y');
  const left = await readdir(own);
  expect(old.filter((name) => left.includes(name)).length).toBeLessThanOrEqual(1);
});

test('a file that cannot be read, or written, changes no verdict', async () => {
  const seen = join(folder, 'seen');
  const fire = (session_id: string) =>
    answer('claude-code', {
      hook_event_name: 'PreToolUse',
      session_id,
      tool_name: 'issue_refund',
      tool_use_id: session_id,
      tool_input: refund,
    });
  await store.seen.addPrompt('s-3', 'Refund order A-1789');
  const [file] = await readdir(seen);
  await appendFile(
    join(seen, file!),
    '{"prompt":\n\u0000[1]\n{"call":7,"result":null}\n{"prompt":7}\n',
  );
  expect(await fire('s-3')).toContain('a person has to decide');
  store = new HookStore(join(folder, 'blocked'));
  await writeFile(join(folder, 'blocked'), '').catch(() => undefined);
  expect(await fire('s-4')).toContain('Assay: ');
});
