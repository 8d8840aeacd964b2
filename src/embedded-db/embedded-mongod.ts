// The embedded database: a real mongod, a replica set of one, with its data and its port kept in the data folder.
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureReplicaSetOfOne, moveReplicaSetOfOne } from './replica-set.ts';
import type { FoundMongod } from './mongod-binary.ts';
import {
  exitCode,
  freePort,
  MongodEnded,
  startMongod,
  type MongodProcess,
} from './mongod-process.ts';

const setName = 'assay';

export interface EmbeddedOptions {
  /** Holds `db/`, `mongod.log` and `mongod.json` (port and format); made when absent. */
  dataDir: string;
  binary: Pick<FoundMongod, 'path' | 'version'>;
  log: (line: string) => void;
  /** WiredTiger cache in GB; the default suits a laptop. */
  cacheGb?: number;
  /** More `--setParameter` of mongod. */
  parameters?: Readonly<Record<string, string | number | boolean>>;
  /** Kill mongod instead of shutting it down, and remove `dataDir` afterwards, however the app ended. */
  ephemeral?: boolean;
  /** Milliseconds that an old mongod may take to leave after its app was killed. */
  leavingMs?: number;
  /** Called with the reason when mongod ends without having been stopped. */
  onLost?: (reason: string) => void;
}

export interface EmbeddedMongod {
  /** Connection string with the replica set's name, loopback only. */
  uri: string;
  port: number;
  stop(): Promise<void>;
}

interface Kept {
  port: number;
  /** featureCompatibilityVersion of the data, like `6.0`; unknown before the first start is through. */
  format?: string;
  /** The stored replica set may name another port than this one. */
  moved?: boolean;
}

/**
 * Starts mongod on the data folder and returns once it takes writes. It ends with `stop()` or with this process.
 * @throws Error with a readable message: folder in use, written by a MongoDB this one cannot read, or mongod's own complaints.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedMongod> {
  const { dataDir, binary, onLost } = options;
  const db = join(dataDir, 'db');
  await mkdir(db, { recursive: true, mode: 0o700 });
  const kept = (await readKept(dataDir)) ?? {
    port: await freePort(),
    moved: (await readdir(db)).length > 0,
  };
  if (isNewer(kept.format, binary.version)) throw unreadable(options, kept);
  const { mongod, port } = await launch(options, kept).catch((error: unknown) => {
    throw readable(error, options, kept);
  });
  try {
    await keep(dataDir, { port, format: await ensureReplicaSetOfOne({ name: setName, port }) });
  } catch (error) {
    await mongod.stop();
    throw error;
  }
  let stopping = false;
  void mongod.ended.then((ended) => !stopping && onLost?.(ended.message));
  return {
    uri: `mongodb://127.0.0.1:${port}/assay?replicaSet=${setName}`,
    port,
    stop() {
      stopping = true;
      return mongod.stop();
    },
  };
}

interface Launched {
  mongod: MongodProcess;
  port: number;
}

/** On the kept port, or on another one when a stranger has it. */
async function launch(options: EmbeddedOptions, kept: Kept): Promise<Launched> {
  const { port } = kept.moved === true ? await move(options, kept) : kept;
  try {
    return {
      mongod: await patiently(
        () => startOn(port, options, ['--replSet', setName]),
        options.leavingMs,
      ),
      port,
    };
  } catch (error) {
    if (!endedWith(error, exitCode.portTaken)) throw error;
    return launch(options, { ...kept, moved: true });
  }
}

/** Right after a `kill -9` of the app the old mongod may still hold the lock and the port for a moment. */
async function patiently<T>(start: () => Promise<T>, leavingMs = 5000): Promise<T> {
  const until = performance.now() + leavingMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const passing =
        endedWith(error, exitCode.portTaken) || endedWith(error, exitCode.folderInUse);
      if (!passing || performance.now() > until) throw error;
      await sleep(100);
    }
  }
}

/** Takes a new port. A mongod without the set does it: it cannot start if another instance lives in the folder. */
async function move(options: EmbeddedOptions, kept: Kept): Promise<Kept> {
  const moved = { ...kept, port: await freePort(), moved: true };
  const alone = await startOn(moved.port, options, [
    '--setParameter',
    'disableLogicalSessionCacheRefresh=true',
  ]);
  try {
    options.log(
      `The embedded database moves to port ${moved.port}: another program listens on ${kept.port}`,
    );
    await keep(options.dataDir, moved);
    await moveReplicaSetOfOne({ name: setName, port: moved.port });
    return moved;
  } finally {
    await alone.stop();
  }
}

async function startOn(
  port: number,
  options: EmbeddedOptions,
  role: string[],
): Promise<MongodProcess> {
  const { dataDir, binary, cacheGb = 0.25, parameters = {}, ephemeral = false } = options;
  const settings = { diagnosticDataCollectionEnabled: false, ...parameters };
  return startMongod({
    binary: binary.path,
    port,
    logFile: join(dataDir, 'mongod.log'),
    removeAfterwards: ephemeral ? dataDir : undefined,
    args: [
      ...['--dbpath', join(dataDir, 'db'), '--quiet', '--wiredTigerCacheSizeGB', String(cacheGb)],
      ...Object.entries(settings).flatMap(([name, value]) => [
        '--setParameter',
        `${name}=${value}`,
      ]),
      ...role,
    ],
  });
}

function readable(error: unknown, options: EmbeddedOptions, kept: Kept): unknown {
  if (endedWith(error, exitCode.folderInUse)) return inUse(options, kept);
  if (endedWith(error, exitCode.formatRefused)) return unreadable(options, kept);
  return error;
}

function endedWith(error: unknown, code: number): boolean {
  return error instanceof MongodEnded && error.code === code;
}

function inUse({ dataDir }: EmbeddedOptions, { port }: Kept): Error {
  return new Error(
    `The data folder ${dataDir} is in use by another instance (its database answers on port ${port}). ` +
      'Stop that one, give this one a folder of its own with ASSAY_DATA_DIR, or share a database with MONGODB_URI.',
  );
}

function unreadable({ dataDir, binary }: EmbeddedOptions, { format }: Kept): Error {
  const writer = format === undefined ? 'another release of MongoDB' : `MongoDB ${format}`;
  return new Error(
    `The data folder ${dataDir} was written by ${writer}, which mongod ${binary.version} (${binary.path}) cannot open. ` +
      'Set MONGOD_BINARY to a mongod of that release or the next one, or ASSAY_DATA_DIR to a new folder.',
  );
}

function isNewer(format: string | undefined, version: string): boolean {
  return (
    format !== undefined &&
    format.localeCompare(version.split('.').slice(0, 2).join('.'), 'en', { numeric: true }) > 0
  );
}

async function readKept(dataDir: string): Promise<Kept | undefined> {
  const text = await readFile(join(dataDir, 'mongod.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Kept);
}

async function keep(dataDir: string, kept: Kept): Promise<void> {
  const file = join(dataDir, 'mongod.json');
  await writeFile(`${file}.new`, `${JSON.stringify(kept)}\n`);
  await rename(`${file}.new`, file);
}
