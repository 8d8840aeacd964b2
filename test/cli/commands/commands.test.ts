// The commands of `assay` on a real service: what they print, and how they end.
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useGuards } from '../../sdk/typescript/sdk-stage.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { type Cli, createCli, readJson } from '../cli-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { agent, decideNext } = useGuards(harness, ada);
let cli: Cli;
beforeAll(async () => {
  const { url } = harness.app;
  cli = await createCli({ ASSAY_URL: url, ASSAY_KEY: agent.key, ASSAY_TOKEN: ada.token });
});

const refund = JSON.stringify({
  tool: 'issue_refund',
  arguments: { order: 'A-17', note: '\u001b[31mred' },
});

test('doctor says what works', async () => {
  const { ok, checks } = readJson<{ ok: boolean; checks: { name: string; ok: boolean }[] }>(
    await cli.run(['doctor', '--json']),
  );
  const names = checks.map(({ name }) => name);
  expect(names.slice(0, 6)).toEqual(['reach', 'clock', 'key', 'session', 'stream', 'webhooks']);
  expect(checks.slice(0, 6).every((check) => check.ok)).toBe(true);
  expect(typeof ok).toBe('boolean');
});

test('doctor ends with 1 where nothing answers', async () => {
  const { code, out } = await cli.run(['--url', 'http://127.0.0.1:9', 'doctor']);
  expect([code, out]).toEqual([1, expect.stringContaining('NO  reach')]);
});

test('decide: approved 0, blocked 1, held 2, and 0 once a person approves', async () => {
  const look = await cli.run(['decide', '-'], '{"tool":"look_up"}');
  expect([look.code, look.out]).toEqual([0, 'approved\n']);
  const wire = await cli.run(['decide', '-'], '{"tool":"wire"}');
  expect([wire.code, wire.err]).toEqual([1, expect.stringContaining('No wires')]);
  expect((await cli.run(['decide', '-'], refund)).code).toBe(2);
  const waiting = cli.run(['decide', '-', '--wait', '30'], refund);
  await decideNext({ decision: 'approve' });
  await decideNext({ decision: 'approve' });
  expect((await waiting).code).toBe(0);
});

test('review: lists, shows without control characters, and decides what was shown', async () => {
  await cli.run(['decide', '-'], refund);
  const [item] = readJson<{ traceId: string }[]>(await cli.run(['review', '--json']));
  const shown = await cli.run(['review', 'show', item!.traceId]);
  expect(shown.out).toContain('A-17');
  expect(shown.out).not.toContain('\u001b');
  const other = await cli.run(['review', 'approve', item!.traceId, '--digest', '0'.repeat(64)]);
  expect(other.code).toBe(2);
  const done = await cli.run(['review', 'approve', item!.traceId, '--reason', 'checked']);
  expect([done.code, done.out, done.err]).toEqual([0, expect.stringContaining('approved'), '']);
});

test('agents and keys: made, listed, gone', async () => {
  const made = readJson<{ _id: string; apiKey: string }>(
    await cli.run(['agents', 'create', 'till', '--json']),
  );
  expect(made.apiKey).toMatch(/^svc_/);
  expect((await cli.run(['agents'])).out).toContain('till');
  expect((await cli.run(['agents', 'delete', made._id])).code).toBe(0);
  const key = readJson<{ _id: string; key: string }>(
    await cli.run(['keys', 'create', 'ci', '--read-only', '--json']),
  );
  expect((await cli.run(['keys'])).out).toContain('ci');
  expect((await cli.run(['keys', 'revoke', key._id])).code).toBe(0);
});

test('policies: pulled to files, changed, pushed, and unchanged the second time', async () => {
  expect((await cli.run(['policies', 'pull'])).code).toBe(0);
  const folder = join(cli.folder, 'policies');
  const [file] = (await readdir(folder)).filter((name) => name.startsWith('wires'));
  const policy = JSON.parse(await readFile(join(folder, file!), 'utf8')) as object;
  await writeFile(join(folder, file!), JSON.stringify({ ...policy, description: 'from a file' }));
  expect((await cli.run(['policies', 'push'])).out).toMatch(/wires\S+\s+changed/);
  expect((await cli.run(['policies', 'push'])).out).toMatch(/wires\S+\s+unchanged/);
  await writeFile(join(folder, file!), JSON.stringify({ ...policy, observe: true }));
  expect((await cli.run(['policies', 'push'])).out).toMatch(/wires\S+\s+changed/);
  await cli.run(['policies', 'pull']);
  expect(JSON.parse(await readFile(join(folder, file!), 'utf8'))).toMatchObject({ observe: true });
  await writeFile(join(folder, file!), JSON.stringify(policy));
  expect((await cli.run(['policies', 'push'])).out).toMatch(/wires\S+\s+changed/);
  expect((await cli.run(['policies', 'push'])).out).toMatch(/wires\S+\s+unchanged/);
  expect((await cli.run(['policies', 'test'])).code).toBe(0);
  await writeFile(join(folder, 'broken.json'), '{');
  expect(await cli.run(['policies', 'push'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('broken.json'),
  });
});

test('replay says what a policy would have done', async () => {
  const policy = {
    name: 'No looking',
    conditions: [{ field: 'outputDecision.action.tool', operator: 'equals', value: 'look_up' }],
    actions: [{ type: 'block' }],
  };
  const file = join(cli.folder, 'policy.json');
  await writeFile(file, JSON.stringify(policy));
  expect((await cli.run(['replay', file])).out).toMatch(/allowed, would be blocked\s+1/);
  expect((await cli.run(['replay', file, '--fail-on-change'])).code).toBe(1);
});

test('export and verify-bundle: intact 0, tampered 1', async () => {
  const file = join(cli.folder, 'bundle.ndjson');
  const { pin } = readJson<{ pin: string }>(await cli.run(['export', '-o', file, '--json']));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const intact = await cli.fork(['verify-bundle', file, '--pin', pin]).ended;
  expect([intact.code, intact.out, intact.err]).toEqual([0, expect.stringContaining('INTACT'), '']);
  const text = await readFile(file, 'utf8');
  await writeFile(
    file,
    text.replace(
      /"chainHash":"(.)/,
      (_, digit: string) => `"chainHash":"${digit === '0' ? '1' : '0'}`,
    ),
  );
  expect((await cli.fork(['verify-bundle', file]).ended).code).toBe(1);
});

test('tail shows a decision as it comes', async () => {
  const tailing = cli.run(['tail', '--count', '1', '--json']);
  // The stream begins with what comes after it was opened: ask until it has shown one.
  let ended = false;
  void tailing.then(() => (ended = true));
  while (!ended) await cli.run(['decide', '-'], '{"tool":"look_up"}');
  expect(readJson(await tailing)).toMatchObject({ status: 'approved' });
});

test.each([
  ['an unknown command', ['fly'], /unknown command/],
  ['no session', ['review'], /Sign in first/],
  ['no JSON', ['decide', '-'], /no JSON/],
])('%s ends with 2 and says what is wrong', async (_, args, message) => {
  const { ASSAY_TOKEN: __, ...environment } = cli.environment;
  const bare = await createCli(environment as Record<string, string>);
  const { code, err } = await bare.run(args, '{');
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
});
