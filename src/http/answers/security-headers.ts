// The headers of every response that do not depend on the request: those of helmet and cors, and `no-store`.
import cors from 'cors';
import type { Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import { type AnswerHeaders, keepHeaders } from './kept-headers.ts';

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
 * Collects the headers that a middleware sets for a same-origin request. It runs once: two loops take 7 us a request,
 * the dozen middlewares took 12 (row ingest/R1).
 */
function collectHeaders(middleware: RequestHandler): AnswerHeaders {
  const set = new Map<string, string>();
  const res = {
    getHeader: (name: string) => set.get(name),
    setHeader: (name: string, value: string) => set.set(name, value),
    removeHeader: (name: string) => set.delete(name),
  };
  middleware({ method: 'GET', headers: {} } as Request, res as unknown as Response, () => {});
  return [...set];
}

/** Responses of the API load nothing, may not be framed and are not cached; pages set headers of their own. */
export function setSecurityHeaders(): RequestHandler {
  const directives = { defaultSrc: ["'none'"], frameAncestors: ["'none'"] };
  const headers = collectHeaders(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives },
      crossOriginResourcePolicy: { policy: 'same-origin' },
    }),
  );
  const all: AnswerHeaders = [...headers, ['Cache-Control', 'no-store']];
  return (_req, res, next) => {
    keepHeaders(res, all);
    next();
  };
}

export function handleCrossOrigin(origins: string[]): RequestHandler {
  const answer = cors({
    origin: origins,
    credentials: true,
    exposedHeaders: EXPOSED,
    maxAge: 600,
    // The route answers OPTIONS itself, with its Allow header.
    preflightContinue: true,
  });
  const headers = collectHeaders(answer);
  return (req, res, next) => {
    if (req.headers.origin !== undefined || req.method === 'OPTIONS') return answer(req, res, next);
    keepHeaders(res, headers);
    next();
  };
}
