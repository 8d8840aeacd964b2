// Receives requests: calls the endpoint that a look-up finds, or else Express, which searches (row ingest/R1).
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express';
import type { Routing } from './router.ts';

export type FrontListener = (req: Request, res: Response) => void;

export interface FrontDeps {
  /** Has the same frame, router and error handler. */
  app: Express;
  /** The middleware that every request passes before routing. */
  frame: RequestHandler;
  routing: Routing;
  onError: ErrorRequestHandler;
}

/** Composes handlers into one: each answers or calls the next. */
export function asOne(handlers: readonly RequestHandler[]): RequestHandler {
  const end: RequestHandler = (_req, _res, next) => next();
  return handlers.reduceRight<RequestHandler>(
    (rest, handler) => (req, res, next) =>
      handler(req, res, (error?: unknown) =>
        error === undefined ? rest(req, res, next) : next(error),
      ),
    end,
  );
}

/** Creates a listener that answers like Express with the same frame and routes. */
export function createFront({ app, frame, routing, onError }: FrontDeps): FrontListener {
  return (req, res) => {
    const endpoint = routing.endpointAt(req.method, req.url);
    if (!endpoint) return app(req, res);
    const next = (error?: unknown): void => {
      if (error !== undefined) onError(error, req, res, next);
    };
    const route = (error?: unknown): unknown =>
      error === undefined ? Promise.resolve(endpoint(req, res, next)).catch(next) : next(error);
    prepare(req, res);
    try {
      frame(req, res, route);
    } catch (error) {
      next(error);
    }
  };
}

/** Sets what Express and its route would set on the request and response. */
function prepare(req: Request, res: Response): void {
  req.res = res;
  req.originalUrl = req.url;
  req.params = {};
  req.route = { path: req.url };
  res.locals = Object.create(null) as Response['locals'];
}
