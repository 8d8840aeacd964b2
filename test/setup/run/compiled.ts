// A folder for what a run compiles, below the packages, which compiled files load unchanged.
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache');

/** A new folder, to be removed by who asked for it. */
export async function compileFolder(prefix: string): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  return mkdtemp(join(CACHE, prefix));
}
