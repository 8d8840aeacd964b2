// The folder that holds Assay, seen from the sources and from the build alike: the nearest one above with a `package.json`.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

function findRoot(folder: string): string {
  const above = dirname(folder);
  return above === folder || existsSync(join(folder, 'package.json')) ? folder : findRoot(above);
}

export const PROJECT_ROOT = findRoot(import.meta.dirname);

/** Where a `mongod` that was downloaded is kept: `npm ci` leaves the folder, and version control ignores it. */
export const MONGOD_CACHE = join(PROJECT_ROOT, 'data/mongod');
