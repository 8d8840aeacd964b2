// The HTTP server under Express: timeouts, limits and normalised request targets.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express, Request, Response } from 'express';
import { createExpressMessages } from './fast/express-messages.ts';
import { RequestBatcher } from './fast/request-batcher.ts';

/** Timeouts in milliseconds: slow senders and readers are disconnected, idle connections closed. */
export interface Timeouts {
  headers: number;
  request: number;
  keepAlive: number;
  /** How long a client may read nothing of a response that waits for it. */
  stall: number;
  /** How often the first two timeouts are checked. */
  check: number;
}
const TIMEOUTS: Timeouts = {
  headers: 10_000,
  request: 30_000,
  keepAlive: 65_000,
  stall: 30_000,
  check: 5000,
};

/** `rawPacket`: the bytes that could not be parsed. */
export interface MalformedError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
}
/** Answers a malformed or late request, which never reaches Express. */
export type MalformedRequest = (error: MalformedError, socket: Duplex) => void;

export interface HttpServerOptions {
  /** Receives the requests; absent: the app. */
  listener?: (req: Request, res: Response) => void;
  onMalformed: MalformedRequest;
  /** Whether requests are handled in batches, with messages that Express need not convert (`http/fast`). */
  isFast: boolean;
  timeouts?: Timeouts;
  /** Connections beyond this many are closed at once. */
  maxConnections?: number;
}

/** Creates the server of an app. Both forms give the same answers. */
export function createHttpServer(app: Express, options: HttpServerOptions): Server {
  const { onMalformed, timeouts = TIMEOUTS, maxConnections, listener = app, isFast } = options;
  const handle = ([req, res]: [IncomingMessage, ServerResponse]): void => {
    if (countHosts(req.rawHeaders) > 1)
      return onMalformed(createDuplicateHostError(req), req.socket);
    req.url = toOriginForm(req.url ?? '/');
    disconnectStalled(res, timeouts.stall);
    listener(req as Request, res as Response);
  };
  const batcher = new RequestBatcher(handle);
  const server = createServer(
    {
      ...(isFast ? createExpressMessages(app) : {}),
      requireHostHeader: true,
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.keepAlive,
      connectionsCheckingInterval: timeouts.check,
    },
    (req, res) => (isFast ? batcher.enqueue([req, res]) : handle([req, res])),
  );
  server.maxHeadersCount = 100;
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  server.on('clientError', onMalformed);
  connectionsOf.set(server, trackConnections(server));
  return server;
}

/** Reduces a request target in absolute form (RFC 9112, 3.2.2) to its path, the form that limits and routes read. */
function toOriginForm(target: string): string {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
}

function createDuplicateHostError({ method = '', url = '' }: IncomingMessage): MalformedError {
  return Object.assign(new Error('two hosts'), { rawPacket: Buffer.from(`${method} ${url} `) });
}

/** Counts the `Host` headers; names and values alternate. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts += 1;
  return hosts;
}

/** Disconnects a client that reads nothing for `stallMs` while bytes wait for it; a slow handler is not affected. */
function disconnectStalled(res: ServerResponse, stallMs: number): void {
  res.setTimeout(stallMs, () => {
    if (res.writableLength > 0) res.destroy();
  });
}

const SWEEP_MS = 50;
/** How long a stopping server waits for the rest of a head. */
const HEAD_MS = 1000;

/** The open connections of each server, with the last response that each has begun; null: none. */
const connectionsOf = new WeakMap<Server, ReadonlyMap<Socket, ServerResponse | null>>();

function trackConnections(server: Server): ReadonlyMap<Socket, ServerResponse | null> {
  const open = new Map<Socket, ServerResponse | null>();
  server.on('connection', (socket) => {
    open.set(socket, null);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }, res) => {
    if (open.has(socket)) open.set(socket, res);
  });
  return open;
}

/**
 * Takes no further connections; resolves when every request under way is answered, closing connections as they fall idle.
 * One that has sent nothing, or half a head, is no idle one for Node.js, and a closing server checks no time-outs: it goes
 * at once, or after a second.
 */
export async function drain(server: Server): Promise<void> {
  const end = performance.now() + HEAD_MS;
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    const isLate = performance.now() >= end;
    for (const [socket, last] of connectionsOf.get(server) ?? [])
      if (socket.bytesRead === 0 || (isLate && (last?.closed ?? true))) socket.destroy();
  }, SWEEP_MS);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
}
