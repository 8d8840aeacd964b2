// One mongod as a child that listens on the loopback, ends with the app, and says why it ended.
// Not mongodb-memory-server's runner: that polls for its parent every few seconds, keeps no port, and hides exit codes.
import { fork, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const watchdog = fileURLToPath(new URL('./mongod-watchdog.mjs', import.meta.url));

/** Exit codes of mongod that a start has to tell apart (src/mongo/util/exit_code.h). */
export const exitCode = { portTaken: 48, formatRefused: 62, folderInUse: 100 } as const;

export interface MongodSettings {
  /** Path of the program. */
  binary: string;
  port: number;
  /** More arguments: `--dbpath`, `--replSet` ... */
  args: readonly string[];
  /** Appended to; set aside as `<logFile>.1` at a start that finds it longer than 8 MB. */
  logFile: string;
  /** A folder to remove once mongod has ended, also when the app has died. */
  removeAfterwards?: string | undefined;
}

export interface MongodProcess {
  pid: number;
  /** Settles when mongod has ended, whoever ended it. */
  ended: Promise<MongodEnded>;
  /** Asks mongod to shut down and waits until it has (SIGKILL after 10 s). */
  stop(): Promise<void>;
}

/** How a mongod ended: exit code or signal (neither: it was never started), and its last complaints as it logged them. */
interface Ending {
  code?: number | null;
  signal?: string | null;
  complaints: readonly string[];
}

/** Says why a mongod ended. */
export class MongodEnded extends Error {
  readonly code: number | undefined;
  constructor({ code, signal, complaints }: Ending) {
    const how =
      code == null
        ? `was ended by ${signal ?? 'its surroundings'}`
        : `ended with exit code ${code}`;
    super([`mongod ${how}`, ...complaints].join('\n'));
    this.code = code ?? undefined;
  }
}

interface WatchdogMessage {
  listening?: number;
  ended?: Ending;
}

/**
 * Starts mongod under a watchdog process and waits until it listens.
 * The watchdog holds a channel to this process; when the channel closes (also on `kill -9`) it stops mongod.
 * @throws MongodEnded when mongod ends before it listens.
 */
export async function startMongod(settings: MongodSettings): Promise<MongodProcess> {
  const child = forkWatchdog(settings);
  const ended = endOf(child);
  const pid = await new Promise<number>((resolve, reject) => {
    child.on('message', ({ listening }: WatchdogMessage) => {
      if (listening !== undefined) resolve(listening);
    });
    void ended.then(reject);
  });
  child.once('exit', (_code, signal) => signal !== null && killIfAlive(pid));
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
  const order = {
    binary,
    args: ['--bind_ip', '127.0.0.1', '--port', String(port), ...args],
    logFile,
    removeAfterwards,
  };
  return fork(watchdog, [JSON.stringify(order)], { detached: true, execArgv: [], stdio: 'ignore' });
}

/** Resolves with how mongod ended, or with the watchdog's own end when it could not report. */
function endOf(child: ChildProcess): Promise<MongodEnded> {
  return new Promise((resolve) => {
    child.on('message', ({ ended }: WatchdogMessage) => {
      if (ended) resolve(new MongodEnded(ended));
    });
    child.once('exit', () =>
      resolve(new MongodEnded({ complaints: ['its watchdog process has ended'] })),
    );
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const gone = new Promise((resolve) => child.once('exit', resolve));
  if (child.connected) child.disconnect();
  await gone;
}

/** The watchdog leaves after mongod; when it was killed itself, mongod is still there and nobody else would stop it. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone, as it should be.
  }
}

/** A port of the loopback that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(0, '127.0.0.1', resolve),
  );
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
