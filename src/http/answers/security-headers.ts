// The headers of every answer that depend on nothing in a request: as helmet and cors set them, and kept by no cache.
import cors from 'cors';
import type { RequestHandler } from 'express';
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

/** An answer of the interface loads nothing, is framed by nobody and is stored nowhere; pages set headers of their own. */
export function securityHeaders(): RequestHandler[] {
  return [
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      crossOriginResourcePolicy: { policy: 'same-origin' },
    }),
    (_req, res, next) => {
      res.setHeader('Cache-Control', 'no-store');
      next();
    },
  ];
}

export function crossOrigin(origins: string[]): RequestHandler {
  return cors({
    origin: origins,
    credentials: true,
    exposedHeaders: EXPOSED,
    maxAge: 600,
    // The address answers by itself, with its Allow.
    preflightContinue: true,
  });
}
