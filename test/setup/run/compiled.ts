// Compiles sources for a run, into a folder below the packages, which compiled files load unchanged.
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache');

/** Compiler options for Node.js modules. */
export const COMPILED: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
};

/** A new folder, to be removed by who asked for it. */
export async function compileFolder(prefix: string): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  return mkdtemp(join(CACHE, prefix));
}
