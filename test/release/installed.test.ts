// The packages, installed in an empty folder: a service, a guarded call that is held and approved, and its proof.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import {
  countShare,
  createMachine,
  endGroup,
  findPort,
  type Machine,
  waitForOutput,
} from './machine.ts';

const { first, version, seconds: packing } = inject('packed');
/** From packing to the proof. */
const SECONDS_MAX = 90;
/** Of processor time, for a hook that asks the service, where Node.js itself takes `NODE_MS`; a slow machine has more. */
const HOOK_MS_MAX = 250;
/** For an event that nothing is asked for. */
const SILENT_HOOK_MS_MAX = 150;
const NODE_MS = 60;

let machine: Machine;
let service: ChildProcess;
const began = performance.now();
const assay = (...args: string[]): Promise<string> =>
  machine.run(join(machine.folder, 'node_modules/.bin/assay'), ...args);
const python = (): string => join(machine.folder, 'venv/bin/python');

beforeAll(async () => {
  machine = await createMachine('installed');
  await machine.write('package.json', '{ "private": true }');
  const packages = ['assay', 'assay-sdk'].map((name) => join(first, `${name}-${version}.tgz`));
  await machine.run('npm', 'install', '--silent', '--prefer-offline', '--no-audit', ...packages);
  // As a person types it.
  service = machine.start('npx', '--no-install', 'assay', 'dev', '--port', await findPort());
  await waitForOutput(service, /Decide: +npx assay review/);
});
afterAll(() => endGroup(service));

interface Waiting {
  traceId: string;
}

/** Returns the one decision that waits for a person, as soon as there is one. */
async function findHeld(): Promise<string> {
  let held: Waiting[] = [];
  await expect
    .poll(async () => (held = JSON.parse(await assay('review', '--json')) as Waiting[]), {
      timeout: 30_000,
    })
    .toHaveLength(1);
  return held[0]!.traceId;
}

/** Runs a program whose one call is held, approves the call, and returns what the program prints. */
async function approveCallOf(program: string, ...args: string[]): Promise<string> {
  const child = machine.start(program, ...args);
  const printed = Promise.all([text(child.stdout!), text(child.stderr!)]);
  const held = await findHeld();
  expect(child.exitCode).toBeNull();
  await assay('review', 'approve', held, '--reason', 'Photo of the damage seen');
  if (child.exitCode === null) await once(child, 'exit');
  const [out, problem] = await printed;
  expect([child.exitCode, problem]).toEqual([0, '']);
  return out;
}

async function exportBundle(file: string): Promise<string> {
  const { pin } = JSON.parse(await assay('export', '-o', file, '--json')) as { pin: string };
  return pin;
}

test('TypeScript: guarded, held, approved, run once, and proved, in 90 s from the packing on', async () => {
  await machine.write(
    'guard.mjs',
    `import { Assay } from '@assay/sdk';
const issueRefund = new Assay().guard('issue_refund', async ({ amount }) => ({ paid: amount }));
console.log(JSON.stringify(await issueRefund({ order: 'A-17', to: 'jo.doe@example.com', amount: 90 })));
`,
  );
  const out = await approveCallOf(process.execPath, '--env-file=.env.assay', 'guard.mjs');
  expect(out).toBe('{"paid":90}\n');
  const pin = await exportBundle('bundle.ndjson');
  expect(await assay('verify-bundle', 'bundle.ndjson', '--pin', pin)).toMatch(/^INTACT\n/);
  const seconds = packing + (performance.now() - began) / 1000;
  // A busy machine takes longer, and nothing is wrong with it.
  expect(seconds).toBeLessThan(SECONDS_MAX * countShare());
});

test('the verifier alone says the same, and finds a change', async () => {
  const pin = await exportBundle('alone.ndjson');
  await mkdir(join(machine.folder, 'alone'));
  const file = join(machine.folder, 'alone/verify-bundle.mjs');
  await copyFile(join(first, 'verify-bundle.mjs'), file);
  expect(await machine.run(process.execPath, file, 'alone.ndjson', '--pin', pin)).toMatch(
    /^INTACT\n/,
  );
  await machine.run('sed', '-i', 's/"approved"/"rejected"/', 'alone.ndjson');
  const changed = machine.run(process.execPath, file, 'alone.ndjson', '--pin', pin);
  await expect(changed).rejects.toMatchObject({ code: 1 });
});

test('the wheel: guarded, held, approved, run once', async () => {
  await machine.run('python3', '-m', 'venv', 'venv');
  const wheel = join(first, `assay-${version}-py3-none-any.whl`);
  await machine.run(python(), '-m', 'pip', 'install', '-q', '--disable-pip-version-check', wheel);
  await machine.write(
    'guard.py',
    `import os
for line in open(".env.assay"):
    name, _, value = line.strip().partition("=")
    os.environ[name] = value
from assay import Assay

@Assay().guard
def issue_refund(order: str, to: str, amount: float) -> dict[str, float]:
    return {"paid": amount}

print(issue_refund("A-18", "jo.doe@example.com", 80))
`,
  );
  expect(await approveCallOf(python(), 'guard.py')).toBe("{'paid': 80}\n");
  const pin = await exportBundle('python.ndjson');
  expect(await assay('verify-bundle', 'python.ndjson', '--pin', pin)).toMatch(/^INTACT\n/);
}, 120_000);

const MEASURE = `set -a; . ../.env.assay; CLAUDE_PROJECT_DIR=$(dirname "$PWD"); TIMEFORMAT='%U %S'
for run in 1 2 3 4 5; do time eval "$1" < ../event.json; done`;

/** Runs a hook's command in a folder of the project, five times; returns the answers, and the middle of its processor times in ms. */
async function measureHook(event: object, command: string) {
  await machine.write('event.json', JSON.stringify(event));
  const child = machine.start('bash', '-c', `cd inner && ${MEASURE}`, 'bash', command);
  const [answers, written] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  const times = written.match(/^[\d.]+ [\d.]+$/gm) ?? [];
  expect(times, written).toHaveLength(5);
  const sums = times.map((line) => line.split(' ').reduce((sum, part) => sum + Number(part), 0));
  return { answers, ms: sums.sort((a, b) => a - b)[2]! * 1000 };
}

/** Returns the command that `assay init` writes for a host, for what comes before a call. */
async function readCommand(host: 'claude-code' | 'codex'): Promise<string> {
  const file = { 'claude-code': '.claude/settings.json', codex: '.codex/hooks.json' }[host];
  const settings = JSON.parse(await readFile(join(machine.folder, file), 'utf8')) as {
    hooks: { PreToolUse: [{ hooks: [{ command: string }] }] };
  };
  return settings.hooks.PreToolUse[0].hooks[0].command;
}

/** Without an id each is a call of its own. */
const asked = {
  session_id: 's1',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
};
const prompt = { session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt: 'List the files' };

async function expectCheap(command: string): Promise<void> {
  const node = await measureHook(asked, 'node -e 0');
  const decided = await measureHook(asked, command);
  const silent = await measureHook(prompt, command);
  const slowness = Math.max(1, node.ms / NODE_MS);
  console.log(
    `${command}: ${decided.ms.toFixed(0)} ms, without a request ${silent.ms.toFixed(0)} ms`,
  );
  expect([decided.answers, silent.answers]).toEqual(['', '']);
  expect(decided.ms).toBeLessThan(HOOK_MS_MAX * slowness);
  expect(silent.ms).toBeLessThan(SILENT_HOOK_MS_MAX * slowness);
}

test('the hooks that `assay init` writes answer within their processor time', async () => {
  await machine.run('git', 'init', '--quiet');
  await mkdir(join(machine.folder, 'inner'));
  await assay('init', '--yes', '--hook', 'claude-code', 'codex');
  for (const host of ['claude-code', 'codex'] as const) await expectCheap(await readCommand(host));
});

test('so does the one file', () =>
  expectCheap('node ../node_modules/assay/dist/hook.mjs hook claude-code'));

test('a hook that has to refuse says so', async () => {
  const destructive = { ...asked, tool_input: { command: 'rm -rf /srv' } };
  await machine.write('event.json', JSON.stringify(destructive));
  const hook = join(machine.folder, 'node_modules/assay/dist/hook.mjs');
  const script = 'set -a; . ./.env.assay; exec "$@" hook claude-code --wait 0 < event.json';
  const out = await machine.run('bash', '-c', script, 'bash', process.execPath, hook);
  expect(JSON.parse(out)).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'deny' },
  });
});
