// `assay login`, `logout` and `init`: a session by the device flow, and a project that asks before it acts.
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signIn } from '../../packages/cli/src/login/device-flow.ts';
import { useHarness, useOwner } from '../setup/fixtures.ts';
import { assertOk } from '../setup/personas.ts';
import { type Cli, createCli, readJson } from './cli-stage.ts';

/** Stands, so that no pause of a busy machine counts. */
const clock = { ms: Date.now(), now: () => new Date(clock.ms) };
const harness = useHarness({}, { clock });
const { app } = harness;
const ada = useOwner(harness);

const settle = async (userCode: string, decision: string): Promise<void> => {
  const body = { userCode, decision };
  assertOk(await app.call('POST', '/api/v1/auth/device/approve', { token: ada.token, body }));
};

/** Signs in while the service's clock stands, apart from `moves`: what each pause takes there, in seconds. */
async function signInWith(decision: string, moves: readonly number[]) {
  const pauses: number[] = [];
  let userCode = '';
  const ended = signIn({
    url: app.url,
    show: (code) => void ({ userCode } = code),
    pause: async (seconds) => {
      clock.ms += (moves[pauses.length] ?? seconds) * 1000;
      if (pauses.push(seconds) === moves.length) await settle(userCode, decision);
    },
  });
  return { ended, pauses };
}

test('a sign-in waits as the service asks, slower after `slow_down`, and gets a session', async () => {
  const { ended, pauses } = await signInWith('approve', [5, 1, 10]);
  const { token, expiresAt } = await ended;
  expect(pauses).toEqual([5, 5, 10]);
  expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
  assertOk(await app.call('GET', '/api/v1/auth/me', { token }));
});

test('a sign-in that is denied ends with 1, and one that no one settles ends with the code', async () => {
  const denied = await signInWith('deny', [5]);
  await expect(denied.ended).rejects.toMatchObject({ exitCode: 1, message: /denied/ });
  const forgotten = await signInWith('approve', [600, 10, 10]);
  await expect(forgotten.ended).rejects.toMatchObject({ exitCode: 2, message: /expired/ });
});

const long = { tags: ['long'] };
test(
  'login keeps the session for its owner alone; logout ends it there and here',
  long,
  async () => {
    const cli = await createCli();
    const file = join(cli.folder, 'config/assay/config.json');
    const running = cli.start(['--url', app.url, 'login', '--json']);
    const [, userCode] = /type in +(\S+)/.exec(await running.waitForError(/type in +\S+/))!;
    await settle(userCode!, 'approve');
    expect(readJson(await running.ended)).toMatchObject({ url: app.url, profile: 'default' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { token } = JSON.parse(await readFile(file, 'utf8')).profiles.default;
    expect((await cli.run(['review'])).code).toBe(0);
    expect(await cli.run(['logout'])).toMatchObject({ code: 0, out: 'Signed out.\n' });
    expect((await app.call('GET', '/api/v1/auth/me', { token })).status).toBe(401);
    expect(await readFile(file, 'utf8')).not.toContain(token);
    expect((await cli.run(['review'])).err).toContain('assay login');
    expect((await cli.run(['logout'])).out).toContain('No one is signed in');
  },
);

test('login says what is wrong where no service is', async () => {
  const cli = await createCli();
  const away = await cli.run(['--url', 'http://127.0.0.1:9', 'login']);
  expect(away).toMatchObject({ code: 2, err: expect.stringContaining('does not answer') });
  const strange = await cli.run(['--url', 'nowhere', 'login']);
  expect(strange).toMatchObject({ code: 2, err: expect.stringContaining('--url is an address') });
});

const servers = {
  mcpServers: {
    shop: { command: 'node', args: ['shop.js'], env: { A: '1' } },
    docs: { type: 'http', url: 'https://docs.example.com/mcp' },
  },
};

async function createProject(): Promise<Cli> {
  const cli = await createCli({ ASSAY_URL: app.url, ASSAY_KEY: 'svc_live_x', ASSAY_AGENT: 'till' });
  const write = (name: string, text: string) => writeFile(join(cli.folder, name), text);
  await mkdir(join(cli.folder, '.git'));
  await mkdir(join(cli.folder, '.claude'));
  await write('package.json', JSON.stringify({ dependencies: { ai: '6.0.0' } }));
  await write('pyproject.toml', '[project]\ndependencies = ["langgraph>=1", "openai_agents"]\n');
  await write('.mcp.json', JSON.stringify(servers));
  await write('.gitignore', 'node_modules');
  await mkdir(join(cli.folder, '.gemini'));
  await write('.gemini/settings.json', JSON.stringify({ ui: { theme: 'Default' } }));
  const kept = { permissions: { allow: ['Read'] }, hooks: { PreToolUse: [{ hooks: [] }] } };
  await write('.claude/settings.local.json', JSON.stringify(kept));
  return cli;
}

test('init writes nothing unasked, then variables, the proxy and hooks beside what stands there, once', async () => {
  const cli = await createProject();
  const read = (name: string) => readFile(join(cli.folder, name), 'utf8');
  const hosts = ['claude-code', 'codex', 'cursor', 'opencode', 'gemini-cli', 'copilot'];
  const shown = await cli.run(['init', '--hook', ...hosts]);
  expect([shown.code, shown.err]).toEqual([2, expect.stringContaining('Nothing was written')]);
  expect(await read('.mcp.json')).toBe(JSON.stringify(servers));
  expect(shown.out).toMatch(/typescript, python, Vercel AI SDK, LangGraph, OpenAI Agents/);
  const args = ['init', '--yes', '--hook', ...hosts, '--json'];
  const { written, notes } = readJson<{ written: string[]; notes: string[] }>(await cli.run(args));
  expect(written.sort()).toEqual([
    '.claude/settings.local.json',
    '.codex/hooks.json',
    '.cursor/hooks.json',
    '.env.assay',
    '.gemini/settings.json',
    '.github/hooks/assay.json',
    '.gitignore',
    '.mcp.json',
    '.opencode/plugins/assay.js',
  ]);
  expect(notes.join()).toMatch(/docs is reached by HTTP.*\/hooks in Codex/);
  expect((await stat(join(cli.folder, '.env.assay'))).mode & 0o777).toBe(0o600);
  expect(await read('.gitignore')).toBe('node_modules\n.env.assay\n');
  const { mcpServers } = JSON.parse(await read('.mcp.json'));
  expect(mcpServers.docs).toEqual(servers.mcpServers.docs);
  const proxied = ['mcp-proxy', '--server', 'shop', '--', 'node', 'shop.js'];
  expect(mcpServers.shop.args.slice(-6)).toEqual(proxied);
  expect(mcpServers.shop.env).toEqual({ A: '1' });
  const claude = JSON.parse(await read('.claude/settings.local.json'));
  expect(claude.permissions).toEqual({ allow: ['Read'] });
  expect(claude.hooks.PreToolUse).toHaveLength(2);
  expect(claude.hooks.PreToolUse[1].hooks[0]).toMatchObject({ timeout: 60, onFailure: 'block' });
  expect(claude.hooks.SessionEnd[0].hooks[0].command).toMatch(/ hook claude-code$/);
  expect(JSON.parse(await read('.cursor/hooks.json'))).toMatchObject({
    version: 1,
    hooks: {
      beforeShellExecution: [{ failClosed: true, timeout: 60 }],
      sessionEnd: [{ command: expect.stringMatching(/ hook cursor$/) }],
    },
  });
  const gemini = JSON.parse(await read('.gemini/settings.json'));
  expect(gemini.hooks.SessionEnd[0].hooks[0].command).toMatch(/ hook gemini-cli$/);
  expect(gemini.ui).toEqual({ theme: 'Default' });
  // It counts in milliseconds.
  expect(gemini.hooks.BeforeTool[0].hooks[0]).toMatchObject({ type: 'command', timeout: 60_000 });
  const copilot = JSON.parse(await read('.github/hooks/assay.json'));
  expect(copilot).toMatchObject({ version: 1, hooks: { PreToolUse: [{ timeout: 60 }] } });
  // A hook that cannot start is a refusal.
  for (const { command } of [gemini.hooks.BeforeTool[0].hooks[0], copilot.hooks.PreToolUse[0]])
    expect(command).toMatch(/ hook (gemini-cli|copilot) \|\| \{ .* exit 2; \}$/);
  expect(readJson<{ written: string[] }>(await cli.run(args)).written).toEqual([]);
  await cli.run(['--profile', 'other', 'init', '--yes', '--hook', 'claude-code']);
  const { hooks } = JSON.parse(await read('.claude/settings.local.json'));
  expect(hooks.PreToolUse).toHaveLength(2);
  expect(hooks.PreToolUse[1].hooks[0].command).toContain('--profile other hook claude-code');
});

test('init leaves alone what it cannot read', async () => {
  const cli = await createProject();
  await writeFile(join(cli.folder, '.mcp.json'), '{ // of mine\n }');
  await writeFile(join(cli.folder, '.claude/settings.local.json'), '[');
  const { out } = await cli.run(['init', '--yes', '--hook', 'claude-code']);
  expect(out).toContain('.mcp.json is no plain JSON');
  expect(out).toContain('Add by hand');
  expect(await readFile(join(cli.folder, '.claude/settings.local.json'), 'utf8')).toBe('[');
  const unknown = await cli.run(['init', '--hook', 'vi']);
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('claude-code')]);
});
