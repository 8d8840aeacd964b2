// The adapters fit the types of their frameworks, without a cast in the application.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the programs and the applications of the guides compile', async () => {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const compiling = promisify(execFile)(process.execPath, [compiler, '-p', import.meta.dirname]);
  expect(await compiling.catch((error: { stdout: string }) => error)).toMatchObject({ stdout: '' });
});
