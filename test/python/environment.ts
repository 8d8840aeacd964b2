// A Python environment with the SDK and what its tests need, kept from one run to the next.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const cwd = join(root, 'packages/sdk-python');

export interface PythonEnvironment {
  /** Path of its interpreter. */
  python: string;
  /** Runs a file of tests and returns what pytest prints. */
  runTests(file: string, environment: Record<string, string>): Promise<string>;
}

const findFolder = (name: string): string => join(root, 'node_modules/.cache', name);

/**
 * Installs an environment. Each has one caller: of two at once, pip takes files away from one.
 *
 * @throws when Python or the package index cannot be reached
 */
export async function createEnvironment(
  name: string,
  extras: readonly string[],
): Promise<PythonEnvironment> {
  const environment = openEnvironment(name);
  const { python } = environment;
  if (!existsSync(python)) await execute('python3', ['-m', 'venv', findFolder(name)]);
  const project = `${cwd}[${extras.join(',')}]`;
  const flags = ['--quiet', '--disable-pip-version-check', '--no-compile'];
  await execute(python, ['-m', 'pip', 'install', ...flags, '-e', project]);
  return environment;
}

/** An environment that is installed. */
export function openEnvironment(name: string): PythonEnvironment {
  const python = join(findFolder(name), 'bin/python');
  return {
    python,
    async runTests(file, environment) {
      const { PATH = '' } = process.env;
      const args = ['-m', 'pytest', '-q', `tests/${file}`];
      const pytest = execute(python, args, { cwd, env: { PATH, ...environment } });
      const { stdout, stderr } = await pytest.catch(
        (error: { stdout: string; stderr: string }) => error,
      );
      // What fails before its first test says why on the other stream.
      return stdout || stderr;
    },
  };
}
