// The demo as a newcomer runs it: a process of its own that posts, judges, seals, verifies and exports.
// @module-tag long
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDatabaseUri } from '../../setup/databases.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SAMPLE = join(ROOT, 'samples/decisions.ndjson');

/** A process of its own takes its time on a busy machine. */
const slow = { timeout: 180_000 };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(inject('scratch'), 'assay-demo-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  code: unknown;
  output: string;
}

/** Runs the demo in the folder, on a database of its own. */
function runDemoProcess(...args: string[]): Promise<Ended> {
  const env = {
    ...process.env,
    MONGODB_URI: createDatabaseUri(),
    ASSAY_JWT_SECRET: 'a session secret for tests, long enough',
    ASSAY_LEDGER_KEY: 'a ledger key for tests, also long enough',
    ASSAY_ENCRYPTION_KEY: 'an encryption key for tests, long enough',
  };
  const command = ['--import', import.meta.resolve('tsx'), join(ROOT, 'scripts/demo.ts'), ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, output: stdout + stderr }),
    );
  });
}

test(
  'the sample: every verdict, every policy, one repetition, reviews, events, a replay, the report, a whole chain and an intact bundle',
  slow,
  async () => {
    const { code, output } = await runDemoProcess();
    const verdicts =
      /recorded 59: (\d+) approved, (\d+) held for review, (\d+) blocked\n {2}replayed 1: .*\n {2}refused {2}0\n/;
    expect(verdicts.exec(output)?.slice(1).map(Number), output).toEqual([24, 30, 5]);
    expect(output).not.toContain('Without a match');
    expect(output).toContain('decided 24 of the held decisions\n  16 approved, 8 rejected');
    expect(output).toMatch(/of 59 decisions 6 would have been blocked, 52 judged alike; 1 cannot /);
    expect(output).toMatch(/Compliance Performance Index +66\.7\n/);
    expect(output).toContain(
      'got 83 messages, each signature verified: 24 review.decided, 5 trace.blocked, 24 trace.created, 30 trace.hold_for_review',
    );
    expect(output).toContain('0 had a wrong signature');
    expect(output).toContain('manifest signed by the trusted key');
    expect(output).toContain('The chain: whole; 87 entries');
    expect(output).toMatch(
      /INTACT\n.*\n.*87 entries, 1 to 87.*\n.*up to: 87\n.*what was submitted: yes\n/,
    );
    expect(output).toMatch(
      /proposed by workspaceKey, this action\n.*approved by user, this action\n.*claimed by workspaceKey, this action\n.*succeeded by workspaceKey\n/,
    );
    expect(output).toMatch(
      /witnessed by demo at .*\n[^]*the promise was kept\n[^]*promise is broken: demo saw/,
    );
    expect(code, output).toBe(0);
  },
);

test(
  'a file of one’s own, gzipped and cut: agents under their names, a line that is refused',
  slow,
  async () => {
    const [line = ''] = readFileSync(SAMPLE, 'utf8').split('\n');
    const own = line.replace('shop-support', 'airline-support');
    const input = join(folder, 'own.ndjson.gz');
    await writeFile(input, gzipSync([own, 'no JSON', '', own, line].join('\n')));
    const { code, output } = await runDemoProcess('--input', input, '--limit', '3');
    expect(output).toContain('agents of the file (airline-support)');
    expect(output).toMatch(
      /recorded 1: .*\n.*replayed 1: .*\n.*refused {2}1, among them:\n {4}400 SVC_VALIDATION_FAILED/,
    );
    expect(code, output).toBe(0);
  },
);

test('a file that is not there', slow, async () => {
  const { code, output } = await runDemoProcess('nowhere.ndjson');
  expect(output).toContain("ENOENT: no such file or directory, open 'nowhere.ndjson'");
  expect(code, output).toBe(1);
});
