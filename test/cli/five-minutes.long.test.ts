// The walk of a newcomer, from nothing to a held act that is proved, in the time that it promises.
// @module-tag long
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, '../../scripts/five-minutes.ts');

test('a held act is approved through the proxy and proved', async () => {
  const env = { ...process.env, MONGOD_BINARY: inject('mongod').path };
  const args = ['--import', import.meta.resolve('tsx'), PROGRAM];
  const { stdout } = await run(process.execPath, args, { env });
  const steps = ['assay dev', 'is held', 'review approve', 'paid 90', 'INTACT', 'Done'];
  for (const step of steps) expect(stdout).toContain(step);
});
