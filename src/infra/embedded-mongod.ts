// The embedded database: a real mongod, a replica set of one, with its data and its port kept in the data folder.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureReplicaSetOfOne } from './mongo-replica-set.ts';
import type { FoundMongod } from './mongod-binary.ts';
import { exitCode, freePort, MongodEnded, startMongod, type MongodProcess } from './mongod-process.ts';

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
  /** featureCompatibilityVersion of the data, like `6.0`. */
  format: string;
}

/**
 * Starts mongod on the data folder and returns once it takes writes. It ends with `stop()` or with this process.
 * @throws Error with a readable message: folder in use, written by a MongoDB this one cannot read, or mongod's own complaints.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedMongod> {
  const { dataDir, binary, onLost } = options;
  await mkdir(join(dataDir, 'db'), { recursive: true, mode: 0o700 });
  const kept = await readKept(dataDir);
  if (kept !== undefined && isNewer(kept.format, binary.version)) throw unreadable(options, kept);
  const { mongod, port } = await launch(options, kept);
  const format = await ensureReplicaSetOfOne({ name: setName, port });
  await keep(dataDir, { port, format });

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

/** The kept port first; another one when a stranger has it. That no other instance has it is known by the folder's lock. */
async function launch(options: EmbeddedOptions, kept: Kept | undefined): Promise<Launched> {
  try {
    if (kept === undefined) return await startOn(await freePort(), options);
    try {
      return await patiently(() => startOn(kept.port, options), options.leavingMs ?? 5000);
    } catch (error) {
      if (!endedWith(error, exitCode.portTaken)) throw error;
      const moved = await startOn(await freePort(), options);
      options.log(`Port ${kept.port} is taken by another program: the embedded database has moved to ${moved.port}`);
      return moved;
    }
  } catch (error) {
    if (endedWith(error, exitCode.folderInUse)) throw inUse(options, kept);
    if (endedWith(error, exitCode.formatRefused)) throw unreadable(options, kept);
    throw error;
  }
}

/** Right after a `kill -9` of the app the old mongod may still hold the lock and the port for a moment. */
async function patiently<T>(start: () => Promise<T>, leavingMs: number): Promise<T> {
  const until = performance.now() + leavingMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const passing = endedWith(error, exitCode.portTaken) || endedWith(error, exitCode.folderInUse);
      if (!passing || performance.now() > until) throw error;
      await sleep(100);
    }
  }
}

async function startOn(port: number, options: EmbeddedOptions): Promise<Launched> {
  const { dataDir, binary, cacheGb = 0.25, parameters = {}, ephemeral = false } = options;
  const settings = { diagnosticDataCollectionEnabled: false, ...parameters };
  const mongod = await startMongod({
    binary: binary.path,
    port,
    logFile: join(dataDir, 'mongod.log'),
    removeAfterwards: ephemeral ? dataDir : undefined,
    args: [
      ...['--dbpath', join(dataDir, 'db'), '--replSet', setName, '--quiet'],
      ...['--wiredTigerCacheSizeGB', String(cacheGb)],
      ...Object.entries(settings).flatMap(([name, value]) => ['--setParameter', `${name}=${value}`]),
    ],
  });
  return { mongod, port };
}

function endedWith(error: unknown, code: number): boolean {
  return error instanceof MongodEnded && error.code === code;
}

function inUse({ dataDir }: EmbeddedOptions, kept: Kept | undefined): Error {
  const where = kept === undefined ? '' : ` (its database answers on port ${kept.port})`;
  return new Error(
    `The data folder ${dataDir} is in use by another instance${where}. ` +
      'Stop that one, give this one a folder of its own with ASSAY_DATA_DIR, or share a database with MONGODB_URI.',
  );
}

function unreadable({ dataDir, binary }: EmbeddedOptions, kept: Kept | undefined): Error {
  const writer = kept === undefined ? 'another release of MongoDB' : `MongoDB ${kept.format}`;
  return new Error(
    `The data folder ${dataDir} was written by ${writer}, which mongod ${binary.version} (${binary.path}) cannot open. ` +
      'Set MONGOD_BINARY to a mongod of that release or the next one, or ASSAY_DATA_DIR to a new folder.',
  );
}

function isNewer(format: string, version: string): boolean {
  return format.localeCompare(version.split('.').slice(0, 2).join('.'), 'en', { numeric: true }) > 0;
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
