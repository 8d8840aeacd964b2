// An environment of Python with packages of others, made once and kept.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const environment = join(import.meta.dirname, '../../node_modules/.cache/assay-evidence');
export const python = join(environment, 'bin/python');

/** Installs packages; false where Python or its package index is missing. */
export function installPackages(packages: readonly string[]): boolean {
  const options = { stdio: 'ignore', timeout: 100_000 } as const;
  if (!existsSync(python)) spawnSync('python3', ['-m', 'venv', environment], options);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
  return spawnSync(python, pip, options).status === 0;
}
