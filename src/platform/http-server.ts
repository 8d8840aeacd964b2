// The HTTP server under Express, with request and response made of the right prototypes to begin with.
import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';

/** In milliseconds: slow headers and bodies are cut, idle connections closed. */
export interface Timeouts {
  headers: number;
  request: number;
  keepAlive: number;
  /** How often the first two are looked at. */
  check: number;
}
const PATIENCE: Timeouts = { headers: 10_000, request: 30_000, keepAlive: 65_000, check: 5000 };

/** Answers what is no HTTP request, or not in time; Express never sees it. */
export type MalformedRequest = (error: NodeJS.ErrnoException, socket: Duplex) => void;

/**
 * Express gives every request and response its own prototypes with `Object.setPrototypeOf`, which costs 60 microseconds and makes the
 * engine forget what it learnt of their shape. Constructors whose prototypes are Express' own make that call a no-op.
 */
export function createHttpServer(
  app: Express,
  onMalformed: MalformedRequest,
  patience = PATIENCE,
): Server {
  class AssayRequest extends IncomingMessage {}
  class AssayResponse extends ServerResponse<AssayRequest> {}
  adopt(AssayRequest.prototype, app.request);
  adopt(AssayResponse.prototype, app.response);
  app.request = AssayRequest.prototype as unknown as Express['request'];
  app.response = AssayResponse.prototype as unknown as Express['response'];
  const server = createServer(
    {
      IncomingMessage: AssayRequest,
      ServerResponse: AssayResponse,
      requireHostHeader: true,
      headersTimeout: patience.headers,
      requestTimeout: patience.request,
      keepAliveTimeout: patience.keepAlive,
      connectionsCheckingInterval: patience.check,
    },
    app,
  );
  server.maxHeadersCount = 100;
  server.on('clientError', onMalformed);
  return server;
}

/** Makes our prototype inherit from Express' one, which inherits from Node's. */
function adopt(prototype: object, express: object): void {
  Object.setPrototypeOf(prototype, express);
}

const SWEEP_MS = 50;

/** Takes no further connections; resolves when every request under way is answered, closing connections as they fall idle. */
export async function drain(server: Server): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
}
