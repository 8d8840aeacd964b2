// Where the console's sources are, and whether what is built of them is older.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
export const CONSOLE_SOURCES = join(ROOT, 'console');
/** Where a build leaves the licences of the packages that it compiles in. */
export const LICENCES = '.vite/licences.json';

/** Time of the last change of a file, or of the newest file in a folder. */
function readChangeTime(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (newest, entry) => Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs),
      0,
    );
}

/** Whether the console is not built, or its sources or packages have changed since. */
export function isConsoleStale(): boolean {
  const builtAt = readChangeTime(join(ROOT, 'dist/console/index.html'));
  const read = [
    'src',
    'verifier',
    'index.html',
    'verify.html',
    'head.html',
    'package.json',
    'vite.config.ts',
  ];
  const paths = [
    ...read.map((name) => join(CONSOLE_SOURCES, name)),
    join(ROOT, 'packages/verifier/src'),
    join(ROOT, 'packages/policy/src'),
    join(ROOT, 'package-lock.json'),
  ];
  return paths.some((path) => readChangeTime(path) > builtAt);
}
