// The headers of every response that do not depend on the request: those of helmet and cors, and `no-store`.
import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { repeatHeaders } from '../fast/collected-headers.ts';

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

/**
 * Responses of the API load nothing, may not be framed and are not cached; pages set headers of their own.
 * @param isFast whether the middlewares run once, and their headers are repeated
 */
export function setSecurityHeaders(isFast: boolean): RequestHandler {
  const directives = { defaultSrc: ["'none'"], frameAncestors: ["'none'"] };
  const protect = helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  });
  const setHeaders: RequestHandler = (req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    protect(req, res, next);
  };
  return isFast ? repeatHeaders(setHeaders) : setHeaders;
}

/** @param isFast whether requests without an origin are answered with repeated headers */
export function handleCrossOrigin(origins: string[], isFast: boolean): RequestHandler {
  const answer = cors({
    origin: origins,
    credentials: true,
    exposedHeaders: EXPOSED,
    maxAge: 600,
    // The route answers OPTIONS itself, with its Allow header.
    preflightContinue: true,
  });
  if (!isFast) return answer;
  const repeat = repeatHeaders(answer);
  return (req, res, next) =>
    req.headers.origin !== undefined || req.method === 'OPTIONS'
      ? answer(req, res, next)
      : repeat(req, res, next);
}
