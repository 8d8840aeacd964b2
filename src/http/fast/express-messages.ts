// Requests and responses that Express need not convert: 66 us a request instead of 201 (`GET /health`; row ingest/R1).
import { IncomingMessage, ServerResponse, type ServerOptions } from 'node:http';
import type { Express } from 'express';
import { type BufferedResponse, createHeaderBuffer, setBufferedHeaders } from './kept-headers.ts';

/** A response with the arrival time of its request, in milliseconds of `performance.now`. */
export interface TimedResponse {
  arrivedAt: number;
}

type Messages = Pick<
  ServerOptions<typeof IncomingMessage, typeof ServerResponse>,
  'IncomingMessage' | 'ServerResponse'
>;

/**
 * Express calls `Object.setPrototypeOf` on every request and response, which discards the engine's optimisations of
 * their shape. Constructors that have Express' prototypes already make that call a no-op. Empty when Express keeps its
 * prototypes in another way: then it converts Node's messages, as it does by default.
 */
export function createExpressMessages(app: Express): Messages {
  if (!hasKnownPrototypes(app)) return {};
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
  Object.setPrototypeOf(AssayRequest.prototype, app.request);
  Object.setPrototypeOf(AssayResponse.prototype, app.response);
  app.request = AssayRequest.prototype as unknown as Express['request'];
  app.response = AssayResponse.prototype as unknown as Express['response'];
  return {
    IncomingMessage: AssayRequest as typeof IncomingMessage,
    ServerResponse: AssayResponse as typeof ServerResponse,
  };
}

/** Whether the prototypes that Express sets are members of the app, inherit from Node's and name the app. */
export function hasKnownPrototypes(app: Express): boolean {
  const { request, response } = app;
  return (
    request instanceof IncomingMessage &&
    response instanceof ServerResponse &&
    request.app === app &&
    response.app === app
  );
}
