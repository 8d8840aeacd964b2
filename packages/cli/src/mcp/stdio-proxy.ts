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
  const byClient = await Promise.race([
    stopped,
    takeLines(client.says, (line) => bridge.takeFromClient(line), report).then(() => true),
    takeLines(server.says, (line) => bridge.takeFromServer(line), report).then(() => false),
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

/** Takes each line of a stream, until it ends or a line is longer than what is read. */
async function takeLines(
  stream: Readable,
  take: (line: Uint8Array) => Promise<void>,
  report: (text: string) => void,
): Promise<void> {
  let kept: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        kept.push(chunk.subarray(from, end));
        const line = Buffer.concat(kept);
        [kept, size, from] = [[], 0, end + 1];
        if (line.length > 0 && !/^\s*$/.test(line.subarray(0, 2).toString()))
          take(line).catch((error: Error) => report(error.message));
      }
      kept.push(chunk.subarray(from));
      size += chunk.length - from;
      if (size > MESSAGE_BYTES_MAX)
        return report(`a line has more than ${MESSAGE_BYTES_MAX} bytes`);
    }
  } catch (error) {
    report((error as Error).message);
  }
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

const NEWLINE = Buffer.from('\n');
