// Runs a mongod on the loopback that ends with the app, and reports why it ended.
// mongodb-memory-server's own runner polls for its parent every few seconds, keeps no port, and hides exit codes.
import { fork, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const watchdog = fileURLToPath(new URL('./mongod-watchdog.mjs', import.meta.url));

/** Exit codes of mongod that a start distinguishes (src/mongo/util/exit_code.h). */
export const exitCode = { portTaken: 48, formatRefused: 62, folderInUse: 100 } as const;

export interface MongodSettings {
  /** Path of the program. */
  binary: string;
  port: number;
  /** Further arguments: `--dbpath`, `--replSet` ... */
  args: readonly string[];
  /** Appended to; renamed to `<logFile>.1` at a start when it is larger than 8 MB. */
  logFile: string;
  /** A folder to remove when mongod has ended, also after the app has died. */
  removeAfterwards?: string | undefined;
}

export interface MongodProcess {
  pid: number;
  /** Resolves when mongod has ended, for whatever reason. */
  ended: Promise<MongodEnded>;
  /** Asks mongod to shut down and waits until it has (SIGKILL after 10 s). */
  stop(): Promise<void>;
}

/** Exit code or signal (neither when it never started), and the last errors in its log. */
interface ExitReport {
  code?: number | null;
  signal?: string | null;
  errors: readonly string[];
}

/** Why a mongod ended. */
export class MongodEnded extends Error {
  readonly code: number | undefined;
  constructor({ code, signal, errors }: ExitReport) {
    const how =
      code == null
        ? `was ended by ${signal ?? 'an unknown cause'}`
        : `ended with exit code ${code}`;
    super([`mongod ${how}`, ...errors].join('\n'));
    this.code = code ?? undefined;
  }
}

interface WatchdogMessage {
  listening?: number;
  ended?: ExitReport;
}

/**
 * Starts mongod under a watchdog process and waits until it listens.
 * The watchdog has a channel to this process; when it closes, also by `kill -9`, the watchdog stops mongod.
 * @throws MongodEnded when mongod ends before it listens
 */
export async function startMongod(settings: MongodSettings): Promise<MongodProcess> {
  const child = forkWatchdog(settings);
  const ended = awaitEnd(child);
  const pid = await new Promise<number>((resolve, reject) => {
    child.on('message', ({ listening }: WatchdogMessage) => {
      if (listening !== undefined) resolve(listening);
    });
    void ended.then(reject);
  });
  child.once('exit', (_code, signal) => signal !== null && terminateProcess(pid));
  child.unref();
  child.channel?.unref();
  return { pid, ended, stop: () => stop(child) };
}

/** Detached: a Ctrl-C at the terminal reaches the app alone, which drains first. */
function forkWatchdog({
  binary,
  port,
  args,
  logFile,
  removeAfterwards,
}: MongodSettings): ChildProcess {
  const job = {
    binary,
    args: ['--bind_ip', '127.0.0.1', '--port', String(port), ...args],
    logFile,
    removeAfterwards,
  };
  return fork(watchdog, [JSON.stringify(job)], { detached: true, execArgv: [], stdio: 'ignore' });
}

/** Resolves with how mongod ended, or with the watchdog's own end when it could not report. */
function awaitEnd(child: ChildProcess): Promise<MongodEnded> {
  return new Promise((resolve) => {
    child.on('message', ({ ended }: WatchdogMessage) => {
      if (ended) resolve(new MongodEnded(ended));
    });
    const resolveUnreported = (): void =>
      resolve(new MongodEnded({ errors: ['its watchdog process has ended'] }));
    // Its report may still be in the channel, which is read to its end before it closes.
    child.once('exit', () => {
      if (child.connected) child.once('disconnect', resolveUnreported);
      else resolveUnreported();
    });
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const gone = new Promise((resolve) => child.once('exit', resolve));
  if (child.connected) child.disconnect();
  await gone;
}

/** The watchdog exits after mongod. If it was killed itself, nothing else would stop mongod. */
function terminateProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** A free port of the loopback. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(0, '127.0.0.1', resolve),
  );
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
