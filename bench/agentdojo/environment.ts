// The Python environment of the replay: the SDK, AgentDojo without the clients of models, kept from one run to the next.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const here = import.meta.dirname;
const folder = join(here, '../../node_modules/.cache/assay-agentdojo');

/** The folder from which `python -m replay` runs. */
export const REPLAY_FOLDER = here;

/**
 * Installs what the replay needs, and returns the path of its interpreter.
 *
 * @throws when Python or the package index cannot be reached
 */
export async function installReplay(): Promise<string> {
  const python = join(folder, 'bin/python');
  if (!existsSync(python)) await execute('python3', ['-m', 'venv', folder]);
  const flags = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  const sdk = join(here, '../../packages/sdk-python');
  await execute(python, [...flags, '-r', join(here, 'requirements.txt'), '-e', sdk]);
  await execute(python, [...flags, '--no-deps', '-r', join(here, 'packages.txt')]);
  return python;
}
