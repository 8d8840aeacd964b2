// The proxy between a client on standard input and output and a server that it starts.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Io } from '../io.ts';
import { MESSAGE_BYTES_MAX } from './messages.ts';
import { StdioBridge } from './stdio-bridge.ts';
import type { ToolGate } from './tool-gate.ts';

interface Upstream {
  command: string;
  args: string[];
}

/** What a server gets to end by itself, and then once more. */
const GRACE_MS = 2_000;

/** What one side says, and what it hears. */
interface Side {
  says: Readable;
  hears: Writable;
}

interface Joined {
  client: Side;
  server: Side;
  /** Resolves when neither is to be waited for, with whether that is the client's doing. */
  stopped: Promise<boolean>;
  report: (text: string) => void;
}

/** Runs until the client or the server ends; resolves with whether the client ended it. */
export async function runStdioProxy(upstream: Upstream, gate: ToolGate, io: Io): Promise<boolean> {
  const server = start(upstream, io);
  const report = (text: string): void => void io.stderr.write(`assay: ${text}\n`);
  const stopped = new Promise<boolean>((resolve) => {
    io.onStop(() => resolve(true));
    io.stdout.once('error', () => resolve(true));
    server.once('error', (error) => {
      report(`the server did not start: ${error.message}`);
      resolve(false);
    });
  });
  const byClient = await joinSides(gate, {
    client: { says: io.stdin, hears: io.stdout },
    server: { says: server.stdout!, hears: server.stdin! },
    stopped,
    report,
  });
  await stop(server);
  return byClient;
}

/** Passes lines until one side ends, or is stopped; resolves as that does. */
export async function joinSides(
  gate: ToolGate,
  { client, server, stopped, report }: Joined,
): Promise<boolean> {
  const bridge = new StdioBridge(gate, {
    toClient: (line) => writeLine(client.hears, line),
    toServer: (line) => writeLine(server.hears, line),
  });
  const tooLong = `a line has more than ${MESSAGE_BYTES_MAX} bytes`;
  const takeClient = takeLines(client.says, server.hears, {
    take: (line) => bridge.takeFromClient(line),
    skip: () => bridge.refuseFromClient(tooLong),
    report,
  });
  const takeServer = takeLines(server.says, client.hears, {
    take: (line) => bridge.takeFromServer(line),
    skip: () => bridge.loseFromServer(tooLong),
    report,
  });
  const byClient = await Promise.race([
    stopped,
    takeClient.then(() => true),
    // A server may end without the end of its last line.
    takeServer.then(async (rest) => {
      if (rest.length > 0) await bridge.takeFromServer(rest).catch(() => undefined);
      return false;
    }),
  ]);
  await bridge.end();
  return byClient;
}

function start({ command, args }: Upstream, io: Io): ChildProcess {
  const { ASSAY_KEY: _, ASSAY_TOKEN: __, ...env } = io.env;
  // On Windows most commands are scripts, which a shell has to start.
  const isWindows = process.platform === 'win32';
  const words = isWindows ? args.map((word) => `"${word.replaceAll('"', '""')}"`) : args;
  const options = { cwd: io.cwd, env, shell: isWindows, windowsHide: true };
  const server = spawn(command, words, { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
  server.stdin.on('error', () => undefined);
  return server;
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.stdin?.end();
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })]);
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill(signal);
  }
}

/** What becomes of the lines of a stream. */
interface Taking {
  take: (line: Uint8Array) => Promise<void>;
  /** Gets no line, as it is longer than what is read. */
  skip: () => Promise<void>;
  report: (text: string) => void;
}

/** Takes each line of a stream at the pace of the other side, `hears`; resolves with what stands after the last. */
async function takeLines(
  says: Readable,
  hears: Writable,
  { take, skip, report }: Taking,
): Promise<Buffer> {
  let kept: Buffer[] = [];
  let size = 0;
  let isSkipped = false;
  const fail = (error: Error): void => report(error.message);
  const add = (bytes: Buffer): void => {
    size += bytes.length;
    if (size <= MESSAGE_BYTES_MAX) kept.push(bytes);
    else if (!isSkipped) {
      [kept, isSkipped] = [[], true];
      skip().catch(fail);
    }
  };
  try {
    for await (const chunk of says as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        add(chunk.subarray(from, end));
        const line = Buffer.concat(kept);
        [kept, size, isSkipped, from] = [[], 0, false, end + 1];
        if (line.some((byte) => byte > SPACE)) take(line).catch(fail);
      }
      add(chunk.subarray(from));
      if (hears.writableNeedDrain) await waitForDrain(hears);
    }
  } catch (error) {
    fail(error as Error);
  }
  return Buffer.concat(kept);
}

/** Waits until a stream takes more, or is closed. */
async function waitForDrain(stream: Writable): Promise<void> {
  const waited = new AbortController();
  const { signal } = waited;
  const ends = ['drain', 'close', 'error'].map((name) => once(stream, name, { signal }));
  await Promise.race(ends).catch(() => undefined);
  waited.abort();
  await Promise.allSettled(ends);
}

/** Writes a line at the reader's pace. */
function writeLine(stream: Writable, line: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(Buffer.concat([Buffer.from(line), NEWLINE]), (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

const SPACE = 32;
const NEWLINE = Buffer.from('\n');
