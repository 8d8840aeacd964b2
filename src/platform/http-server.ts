// The HTTP server under Express: timeouts, normalised request targets, and preset Express prototypes.
import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express, Request, Response } from 'express';
import { Bursts } from './bursts.ts';
import {
  createHeaderBuffer,
  type BufferedResponse,
  setBufferedHeaders,
} from './keeping-response.ts';

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

/** A response with the arrival time of its request, in milliseconds of `performance.now`. */
export interface TimedResponse {
  arrivedAt: number;
}

export interface HttpServerOptions {
  /** Receives the requests; absent: the app. */
  listener?: (req: Request, res: Response) => void;
  onMalformed: MalformedRequest;
  timeouts?: Timeouts;
  /** Connections beyond this many are closed at once. */
  maxConnections?: number;
}

/**
 * Express calls `Object.setPrototypeOf` on every request and response, which discards the engine's optimisations of
 * their shape. Constructors with Express' prototypes make that call a no-op: 66 microseconds a request instead of 201
 * (`GET /health` without a connection; row ingest/R1).
 */
export function createHttpServer(app: Express, options: HttpServerOptions): Server {
  const { onMalformed, timeouts = TIMEOUTS, maxConnections, listener = app } = options;
  class AssayRequest extends IncomingMessage {}
  class AssayResponse
    extends ServerResponse<AssayRequest>
    implements BufferedResponse, TimedResponse
  {
    readonly arrivedAt = performance.now();
    bufferedHeaders = createHeaderBuffer(this.req);

    /** Node calls this for every response, also for implicit headers. */
    override writeHead(status: number, ...given: unknown[]): this {
      const { bufferedHeaders } = this;
      this.bufferedHeaders = null;
      if (bufferedHeaders && given.length === 0 && this.getHeaderNames().length === 0)
        return super.writeHead(status, bufferedHeaders);
      if (bufferedHeaders) setBufferedHeaders(this, bufferedHeaders);
      return super.writeHead(status, ...(given as []));
    }
  }
  const bursts = new Bursts<[IncomingMessage, ServerResponse]>(([req, res]) => {
    if (countHosts(req.rawHeaders) > 1)
      return onMalformed(createDuplicateHostError(req), req.socket);
    req.url = toOriginForm(req.url ?? '/');
    disconnectStalled(res, timeouts.stall);
    listener(req as Request, res as Response);
  });
  setParentPrototype(AssayRequest.prototype, app.request);
  setParentPrototype(AssayResponse.prototype, app.response);
  app.request = AssayRequest.prototype as unknown as Express['request'];
  app.response = AssayResponse.prototype as unknown as Express['response'];
  const server = createServer(
    {
      IncomingMessage: AssayRequest as typeof IncomingMessage,
      ServerResponse: AssayResponse as typeof ServerResponse,
      requireHostHeader: true,
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.keepAlive,
      connectionsCheckingInterval: timeouts.check,
    },
    (req, res) => bursts.enqueue([req, res]),
  );
  server.maxHeadersCount = 100;
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  server.on('clientError', onMalformed);
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

/** Makes our prototype inherit from Express' one, which inherits from Node's. */
function setParentPrototype(prototype: object, express: object): void {
  Object.setPrototypeOf(prototype, express);
}

const SWEEP_MS = 50;

/** Takes no further connections; resolves when every request under way is answered, closing connections as they fall idle. */
export async function drain(server: Server): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
}
