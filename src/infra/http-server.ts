// The HTTP server under Express, with request and response made of the right prototypes to begin with.
import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import type { Express } from 'express';

/** Time-outs in milliseconds: slow headers and bodies are cut. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
const KEEP_ALIVE_MS = 65_000;

/**
 * Express gives every request and response its own prototypes with `Object.setPrototypeOf`, which costs 60 microseconds and makes the
 * engine forget what it learnt of their shape. Constructors whose prototypes are Express' own make that call a no-op.
 */
export function createHttpServer(app: Express): Server {
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
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    app,
  );
  server.maxHeadersCount = 100;
  return server;
}

/** Makes our prototype inherit from Express' one, which inherits from Node's. */
function adopt(prototype: object, express: object): void {
  Object.setPrototypeOf(prototype, express);
}
