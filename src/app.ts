// The Express app: global middleware in order, the routes, 404 and the error handler.
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
} from 'express';
import type { Config } from './config.ts';
import { AppError } from './errors.ts';
import { apiReference } from './http/documents/api-reference.ts';
import { sendFailure } from './http/answers/envelope.ts';
import type { RateLimits } from './http/checks/rate-limits.ts';
import type { PipelineDeps } from './http/pipeline.ts';
import { createRouter, failureOf, legacyMounts } from './http/router.ts';
import { crossOrigin, securityHeaders } from './http/answers/security-headers.ts';
import { translateError } from './http/answers/translate-error.ts';
import type { Clock } from './platform/clock.ts';
import type { Logger } from './platform/observability/logger.ts';
import type { Metrics } from './platform/observability/metrics.ts';
import { mounts } from './routes.ts';
import type { Services } from './composition/services.ts';

export interface AppParts {
  config: Config;
  services: Services;
  transaction: PipelineDeps['transaction'];
  /** Brings the gauges of /metrics up to date. */
  observe: () => Promise<void>;
  limits: RateLimits;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  newRequestId: () => string;
}

const REQUEST_ID = /^[\w.-]{8,64}$/;
export const MIGRATION_GUIDE = '/docs#migration';

export function createApp({
  config,
  services,
  transaction,
  observe,
  limits,
  clock,
  logger,
  metrics,
  newRequestId,
}: AppParts): Express {
  const app = express();
  app.set('trust proxy', config.ASSAY_TRUST_PROXY);
  app.set('env', config.NODE_ENV);
  app.set('query parser', 'simple');
  app.set('etag', false);
  app.disable('x-powered-by');
  app.use(identify(newRequestId));
  app.use(logRequests(logger, metrics));
  app.use(securityHeaders());
  app.use(crossOrigin(config.ASSAY_CORS_ORIGINS));
  app.use(legacyMounts(clock, MIGRATION_GUIDE));
  app.use(
    createRouter(mounts, {
      services,
      transaction,
      limits,
      strict: config.NODE_ENV === 'test',
      log: logger,
    }),
  );
  app.use(apiReference(mounts));
  app.get('/metrics', showMetrics(config, metrics, observe));
  app.use((req, res) =>
    failureOf(req.originalUrl)(res, new AppError('NOT_FOUND', 'No such address')),
  );
  app.use(handleError(logger));
  return app;
}

/** Every answer names the request and the version of the interface. */
function identify(newRequestId: () => string): RequestHandler {
  return (req, res, next) => {
    const given = req.headers['x-request-id'];
    const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : newRequestId();
    res.locals.requestId = requestId;
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('X-Service-API-Version', 'v1');
    next();
  };
}

/** One log line and one measurement per answer; addresses are logged without a token in their query or path. */
function logRequests(logger: Logger, metrics: Metrics): RequestHandler {
  return (req, res, next) => {
    const started = performance.now();
    res.on('finish', () => {
      const ms = performance.now() - started;
      const route = (req.route as { path?: string } | undefined)?.path ?? 'none';
      metrics.requests.observe(
        { route: `${req.method} ${route}`, status: res.statusCode },
        ms / 1000,
      );
      const level = res.statusCode >= 500 ? 'warn' : 'debug';
      if (logger.isLevelEnabled(level))
        logger[level](
          {
            requestId: res.locals.requestId as string,
            method: req.method,
            path: req.params.token === undefined ? req.originalUrl.split('?', 1)[0] : route,
            status: res.statusCode,
            ms: Math.round(ms),
          },
          'answered',
        );
    });
    next();
  };
}

function showMetrics(
  config: Config,
  metrics: Metrics,
  observe: AppParts['observe'],
): RequestHandler {
  return async (req, res) => {
    const token = config.ASSAY_METRICS_TOKEN;
    const allowed =
      token === undefined ? isLocal(req) : req.headers.authorization === `Bearer ${token}`;
    if (!allowed) return sendFailure(res, new AppError('NOT_FOUND', 'No such address'));
    // Without the database the rest is told all the same.
    await observe().catch(() => undefined);
    res.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  };
}

/** From this machine, and not passed on by a proxy on it. */
function isLocal({ socket, headers }: Request): boolean {
  const address = socket.remoteAddress ?? '';
  return (
    ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(address) &&
    headers['x-forwarded-for'] === undefined
  );
}

/** What escapes the pipeline: addresses that do not decode, and faults of ours. */
function handleError(logger: Logger): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    const error = translateError(thrown, 'INTERNAL_ERROR');
    if (error.http >= 500) logger.error({ err: error.cause ?? error }, 'unhandled fault');
    if (res.headersSent) return void res.destroy();
    failureOf(req.originalUrl)(res, error);
  };
}
