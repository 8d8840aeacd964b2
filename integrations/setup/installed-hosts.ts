// Installs the coding agents that no other test needs, a gigabyte of them.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const folder = join(import.meta.dirname, '../hosts');

export async function setup(): Promise<void> {
  if (existsSync(join(folder, 'node_modules'))) return;
  await promisify(execFile)('npm', ['ci', '--silent'], { cwd: folder }).catch((error: Error) =>
    console.log(`No registry has the coding agents, so they are left out: ${error.message}`),
  );
}
