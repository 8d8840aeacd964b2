// The embedded database: a mongod as a replica set of one member, with data and port in the data folder.
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseUser, loadDatabaseUser, ensureUser } from './database-user.ts';
import { ensureReplicaSetOfOne, readFormat, moveReplicaSetOfOne } from './replica-set.ts';
import { createFolderInUseError } from './folder-in-use.ts';
import { readState, type StoredState, writeState } from './stored-state.ts';
import type { FoundMongod } from './mongod-binary.ts';
import {
  exitCode,
  findFreePort,
  MongodEnded,
  startMongod,
  type MongodProcess,
} from './mongod-process.ts';

const SET_NAME = 'assay';

export interface EmbeddedOptions {
  /** Contains `db/`, `mongod.key`, `mongod.log` and `mongod.json` (port and format); created when absent. */
  dataDir: string;
  binary: Pick<FoundMongod, 'path' | 'version'>;
  log: (line: string) => void;
  /** Size of the WiredTiger cache; default 0.25. */
  cacheGb?: number;
  /** Further `--setParameter` options of mongod. */
  parameters?: Readonly<Record<string, string | number | boolean>>;
  /** Test mode: no password; mongod is killed, and `dataDir` is removed afterwards, also after a crash of the app. */
  ephemeral?: boolean;
  /** Whether a new database acknowledges a majority write only when it is in the journal; default: it does. */
  waitsForJournal?: boolean;
  /** How long a mongod whose app was killed may take to exit; default 5 s. */
  exitTimeoutMs?: number;
  /** Called with the reason when mongod ends unexpectedly. */
  onLost?: (reason: string) => void;
}

export interface EmbeddedMongod {
  /** Connection string on the loopback, with the name of the replica set and the user's password. */
  uri: string;
  port: number;
  stop(): Promise<void>;
}

/**
 * Starts mongod on the data folder and resolves when it accepts writes. It ends with `stop()` or with this process.
 * @throws Error with a readable message: folder in use, written by an incompatible MongoDB, or mongod's own errors
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedMongod> {
  const { dataDir, binary, onLost } = options;
  const db = join(dataDir, 'db');
  await mkdir(db, { recursive: true, mode: 0o700 });
  const state = (await readState(dataDir)) ?? {
    port: await findFreePort(),
    moved: (await readdir(db)).length > 0,
  };
  if (isNewer(state.format, binary.version)) throw createUnreadableError(options, state);
  const user = options.ephemeral === true ? undefined : await loadDatabaseUser(dataDir);
  const launchOptions = { ...options, user };
  const { mongod, port } = await startMember(launchOptions, state).catch((error: unknown) => {
    throw explain(error, options, state);
  });
  await prepareMember({ mongod, port }, launchOptions);
  let stopping = false;
  void mongod.ended.then((ended) => !stopping && onLost?.(ended.message));
  return {
    uri: buildUri(port, user),
    port,
    stop() {
      stopping = true;
      return mongod.stop();
    },
  };
}

function buildUri(port: number, user: DatabaseUser | undefined): string {
  const host = `127.0.0.1:${port}/assay?replicaSet=${SET_NAME}`;
  return user
    ? `mongodb://${user.name}:${user.password}@${host}&authSource=admin`
    : `mongodb://${host}`;
}

/** `user`: undefined without authentication. */
interface LaunchOptions extends EmbeddedOptions {
  user: DatabaseUser | undefined;
}

/** Initiates the replica set, creates the user, and stores port and format; stops mongod when that fails. */
async function prepareMember(
  { mongod, port }: Launched,
  { dataDir, user, waitsForJournal }: LaunchOptions,
): Promise<void> {
  try {
    await ensureReplicaSetOfOne({ name: SET_NAME, port, waitsForJournal });
    if (user) await ensureUser(port, user);
    await writeState(dataDir, { port, format: await readFormat(port, user) });
  } catch (error) {
    await mongod.stop();
    throw error;
  }
}

interface Launched {
  mongod: MongodProcess;
  port: number;
}

/** Starts on the stored port, or on another one when a foreign process listens there. */
async function startMember(options: LaunchOptions, state: StoredState): Promise<Launched> {
  const { port } = state.moved === true ? await movePort(options, state) : state;
  try {
    return {
      mongod: await retryWhileBusy(
        () => startProcess(port, options, buildMemberArgs(options)),
        options.exitTimeoutMs,
      ),
      port,
    };
  } catch (error) {
    if (!hasExitCode(error, exitCode.portTaken)) throw error;
    return startMember(options, { ...state, moved: true });
  }
}

function buildMemberArgs({ user }: LaunchOptions): string[] {
  return ['--replSet', SET_NAME, ...(user ? ['--keyFile', user.keyFile] : [])];
}

/** Right after a `kill -9` of the app the previous mongod may still hold the lock and the port. */
async function retryWhileBusy<T>(start: () => Promise<T>, exitTimeoutMs = 5000): Promise<T> {
  const until = performance.now() + exitTimeoutMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const isBusy =
        hasExitCode(error, exitCode.portTaken) || hasExitCode(error, exitCode.folderInUse);
      if (!isBusy || performance.now() > until) throw error;
      await sleep(100);
    }
  }
}

/** Changes the port with a mongod outside of the set, which does not start while another instance uses the folder. */
async function movePort(options: EmbeddedOptions, state: StoredState): Promise<StoredState> {
  const moved = { ...state, port: await findFreePort(), moved: true };
  const alone = await startProcess(moved.port, options, [
    '--setParameter',
    'disableLogicalSessionCacheRefresh=true',
  ]);
  try {
    options.log(
      `The embedded database moves to port ${moved.port}: another program listens on ${state.port}`,
    );
    await writeState(options.dataDir, moved);
    await moveReplicaSetOfOne({ name: SET_NAME, port: moved.port });
    return moved;
  } finally {
    await alone.stop();
  }
}

async function startProcess(
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

function explain(error: unknown, options: EmbeddedOptions, state: StoredState): unknown {
  if (hasExitCode(error, exitCode.folderInUse))
    return createFolderInUseError(options.dataDir, state.port);
  if (hasExitCode(error, exitCode.formatRefused)) return createUnreadableError(options, state);
  return error;
}

function hasExitCode(error: unknown, code: number): boolean {
  return error instanceof MongodEnded && error.code === code;
}

function createUnreadableError(
  { dataDir, binary }: EmbeddedOptions,
  { format }: StoredState,
): Error {
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
