// The Python SDK against the real service: its own tests, run by pytest in an environment of their own.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { useGuards } from '../sdk/typescript/sdk-stage.ts';
import { useHarness, useOwner } from '../setup/fixtures.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const environment = join(root, 'node_modules/.cache/assay-python');
const python = join(environment, 'bin/python');

const harness = useHarness();
const ada = useOwner(harness);
const { agent, createPolicy } = useGuards(harness, ada);

beforeAll(async () => {
  await createPolicy('Once', 'ship', { type: 'approve', config: { singleUse: true } });
  if (!existsSync(python)) await run('python3', ['-m', 'venv', environment]);
  const project = `${join(root, 'packages/sdk-python')}[test]`;
  await run(python, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '-e',
    project,
  ]);
}, 180_000);

test.each(['test_guard.py', 'test_vectors.py'])('%s', async (file) => {
  const { PATH = '' } = process.env;
  const env = {
    PATH,
    ASSAY_TEST_URL: harness.app.url,
    ASSAY_TEST_TOKEN: ada.token,
    ASSAY_TEST_KEY: agent.key,
    ASSAY_TEST_AGENT: agent.id,
  };
  const cwd = join(root, 'packages/sdk-python');
  const pytest = run(python, ['-m', 'pytest', '-q', `tests/${file}`], { cwd, env });
  const { stdout } = await pytest.catch((error: { stdout: string }) => error);
  expect(stdout).toMatch(/^\d+ passed in/m);
});
