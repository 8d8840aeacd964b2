// The load generator, in its own process: keep-alive connections over plain sockets, closed/open loop, unique bodies.
// Not autocannon: it counts whole milliseconds, and one request at one connection takes little more than one.
import { connect, type Socket } from 'node:net';
import { UNIQUE } from './decisions.ts';
import { createSummary, sendMessage, type LoadOrder, type Target } from './wire.ts';

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
let sent = 0;
let decisions = 0;
/** A prefix that differs between runs, so that bodies do too. */
const run = toLetters(Date.now() % 1e9, 8);
let templates: Buffer[] = [];

/** Writes a number with the letters a to p, padded to the length of `UNIQUE`. */
function toLetters(value: number, length: number): string {
  const digits = value.toString(16).padStart(length, '0');
  return digits.replace(/./g, (digit) => 'abcdefghijklmnop'.charAt(parseInt(digit, 16)));
}

/** Sends one request after another over one connection. */
class Connection {
  readonly #target: Target;
  readonly #requests: readonly Buffer[];
  /** Where each request has what makes its decisions unique. */
  readonly #uniqueAt: readonly (readonly number[])[];
  readonly #keyAt: number;
  #socket: Socket;
  #since = 0;
  #received: Buffer = Buffer.alloc(0);
  #done: (status: number, ms: number) => void = () => undefined;

  constructor(target: Target, templates: readonly Buffer[]) {
    this.#target = target;
    this.#requests =
      target.method === 'GET'
        ? [head(target, 0)]
        : createBodies(target, templates).map((body) =>
            Buffer.concat([head(target, body.length), body]),
          );
    this.#uniqueAt = this.#requests.map(findPlaceholders);
    this.#keyAt = this.#requests[0]?.indexOf(target.keys?.[0] ?? '') ?? 0;
    this.#socket = this.#open();
  }

  /** @param since when the request was due, by `performance.now()` */
  sendNext(since: number, done: (status: number, ms: number) => void): void {
    this.#since = since;
    this.#done = done;
    const which = sent++ % this.#requests.length;
    const request = Buffer.from(this.#requests[which] as Buffer);
    for (const at of this.#uniqueAt[which] ?? [])
      request.write(run + toLetters(decisions++, 8), at, 'latin1');
    const { keys } = this.#target;
    if (keys) request.write(keys[sent % keys.length] ?? '', this.#keyAt, 'latin1');
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #open(): Socket {
    const socket = connect({ host: '127.0.0.1', port: this.#target.port, noDelay: true });
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#received = Buffer.alloc(0);
      this.#socket = this.#open();
      this.#done(0, performance.now() - this.#since);
    });
    return socket;
  }

  #receive(chunk: Buffer): void {
    const received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = received.indexOf(HEAD_END);
    const text = end < 0 ? '' : received.toString('latin1', 0, end);
    if (!isWhole(received, text, end + HEAD_END.length)) {
      this.#received = received;
      return;
    }
    this.#received = Buffer.alloc(0);
    this.#done(Number(text.slice(9, 12)), performance.now() - this.#since);
  }
}

/** The bodies of a target: its own, or decisions, or batches of decisions. */
function createBodies({ batch, content }: Target, texts: readonly Buffer[]): readonly Buffer[] {
  if (content) return content.bodies.map((body) => Buffer.from(body, 'base64'));
  if (batch === undefined) return texts;
  const count = Math.ceil(texts.length / batch);
  return Array.from({ length: count }, (_, nth) => {
    const items = Array.from({ length: batch }, (_one, at) =>
      String(texts[(nth * batch + at) % texts.length]),
    );
    return Buffer.from(`{"decisions":[${items.join()}]}`);
  });
}

function findPlaceholders(request: Buffer): number[] {
  const found: number[] = [];
  for (let at = request.indexOf(UNIQUE); at >= 0; at = request.indexOf(UNIQUE, at + UNIQUE.length))
    found.push(at);
  return found;
}

/** Whether a response is complete. */
function isWhole(received: Buffer, head: string, bodyAt: number): boolean {
  if (/transfer-encoding: chunked/i.test(head)) return received.subarray(-5).equals(LAST_CHUNK);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Infinity);
  return received.length >= bodyAt + length;
}

function head({ method, path, headers, keys, content, port }: Target, length: number): Buffer {
  const lines = Object.entries({
    Host: `127.0.0.1:${port}`,
    ...headers,
    ...(keys && { 'X-API-Key': keys[0] ?? '' }),
    ...(method === 'POST' && {
      'Content-Type': content?.type ?? 'application/json',
      'Content-Length': String(length),
    }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
}

/** Records requests that end while `counts` is true. */
class Recorder {
  latencies: number[] = [];
  statuses: Record<string, number> = {};
  counts = false;

  readonly record = (status: number, ms: number): void => {
    if (!this.counts) return;
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    this.latencies.push(ms);
  };
}

function startClosedLoop(connections: readonly Connection[], recorder: Recorder): () => void {
  let stopped = false;
  for (const connection of connections) {
    const sendAgain = (): void => {
      if (stopped) return connection.close();
      connection.sendNext(performance.now(), (status, ms) => {
        recorder.record(status, ms);
        sendAgain();
      });
    };
    sendAgain();
  }
  return () => void (stopped = true);
}

/** Sends requests at a fixed rate regardless of answers; waiting for a connection counts as latency. */
function startOpenLoop(
  connections: readonly Connection[],
  recorder: Recorder,
  rate: number,
): () => void {
  const free = [...connections];
  const waiting: number[] = [];
  const started = performance.now();
  let due = 0;
  const dispatch = (): void => {
    while (free.length > 0 && waiting.length > 0) {
      const connection = free.shift() as Connection;
      connection.sendNext(waiting.shift() as number, (status, ms) => {
        recorder.record(status, ms);
        free.push(connection);
        dispatch();
      });
    }
  };
  const pace = setInterval(() => {
    const now = performance.now();
    for (const target = ((now - started) / 1000) * rate; due < target; due++) waiting.push(now);
    dispatch();
  }, 1);
  return () => {
    clearInterval(pace);
    waiting.length = 0;
    for (const connection of connections) connection.close();
  };
}

const wait = (seconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function runLoad({ targets, rate, warmUp, seconds }: LoadOrder): Promise<void> {
  const connections = targets.flatMap((target) =>
    Array.from({ length: target.connections }, () => new Connection(target, templates)),
  );
  const recorder = new Recorder();
  const stop =
    rate === undefined
      ? startClosedLoop(connections, recorder)
      : startOpenLoop(connections, recorder, rate);
  await wait(warmUp);
  recorder.counts = true;
  const started = performance.now();
  sendMessage({ kind: 'measuring' });
  await wait(seconds);
  recorder.counts = false;
  sendMessage({
    kind: 'measured',
    measured: createSummary(
      recorder.latencies,
      (performance.now() - started) / 1000,
      recorder.statuses,
    ),
  });
  stop();
}

process.on('message', (order: LoadOrder | { bodies: string[] }) => {
  if ('bodies' in order) templates = order.bodies.map((body) => Buffer.from(body));
  else void runLoad(order);
});
process.on('disconnect', () => process.exit());
sendMessage({ kind: 'ready' });
