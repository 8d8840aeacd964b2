// The headers of every answer that depend on nothing in a request, as helmet and cors set them: asked once.
import cors from 'cors';
import type { Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';

/** Response headers that scripts of an allowed origin may read. */
const EXPOSED = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Deprecation',
  'Sunset',
  'Link',
  'X-Request-Id',
  'X-Service-API-Version',
  'Idempotency-Replayed',
];

export function securityHeaders(): RequestHandler {
  const headers = headersOf(
    helmet({
      contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
      crossOriginResourcePolicy: { policy: 'same-origin' },
    }),
  );
  return (_req, res, next) => {
    setAll(res, headers);
    next();
  };
}

/** Origins are looked at only where a request names one. */
export function crossOrigin(origins: string[]): RequestHandler {
  const middleware = cors({
    origin: origins,
    credentials: true,
    exposedHeaders: EXPOSED,
    maxAge: 600,
    // The address answers by itself, with its Allow.
    preflightContinue: true,
  });
  const headers = headersOf(middleware);
  return (req, res, next) => {
    if (req.headers.origin !== undefined || req.method === 'OPTIONS')
      return middleware(req, res, next);
    setAll(res, headers);
    next();
  };
}

type Headers = readonly (readonly [string, string])[];

/** What a middleware sets on the answer to a plain request. */
function headersOf(middleware: (req: Request, res: Response, next: () => void) => void): Headers {
  const headers = new Map<string, string>();
  const recorder = {
    getHeader: (name: string) => headers.get(name),
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: () => {},
  };
  middleware({ method: 'GET', headers: {} } as Request, recorder as unknown as Response, () => {});
  return [...headers];
}

function setAll(res: Response, headers: Headers): void {
  for (const [name, value] of headers) res.setHeader(name, value);
}
