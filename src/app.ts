// Creates the Express app: global middleware in order, the routes, 404 and the error handler.
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Config } from './config/config.ts';
import { AppError } from './errors.ts';
import { serveApiReference, getApiDocument } from './http/documents/api-reference.ts';
import { PUBLIC_ORIGIN } from './http/checks/console-cookie.ts';
import { CONSOLE_PATH, serveConsole } from './http/documents/console-pages.ts';
import { serveSignedOnPage } from './http/documents/signed-on-page.ts';
import { sendFailure } from './http/answers/envelope.ts';
import { keepHeader } from './http/fast/kept-headers.ts';
import { createFront, composeHandlers, type FrontListener } from './http/fast/front.ts';
import type { TimedResponse } from './http/fast/express-messages.ts';
import { createRequestGate } from './http/checks/request-gate.ts';
import { mayReadMetrics } from './http/checks/metrics-access.ts';
import type { RateLimits } from './http/checks/rate-limits.ts';
import type { PipelineDeps } from './http/pipeline.ts';
import { createRouting, rewriteLegacyPaths } from './http/router.ts';
import { chooseFailureSender, refuseUnrouted } from './http/unrouted.ts';
import { handleCrossOrigin, setSecurityHeaders } from './http/answers/security-headers.ts';
import { SECURE_COOKIES } from './http/answers/send-reply.ts';
import { translateError } from './http/answers/translate-error.ts';
import type { Logger } from './platform/observability/logger.ts';
import type { Metrics } from './platform/observability/metrics.ts';
import type { Platform } from './platform/platform.ts';
import { mounts } from './routes.ts';

export interface AppDeps {
  authenticateFeed: PipelineDeps['authenticateFeed'];
  limits: RateLimits;
  streams: PipelineDeps['streams'];
  /** Metrics of all workers, in the format of Prometheus. */
  allMetrics: () => Promise<string>;
  /** Folder of the built console. */
  consoleFolder: string;
}

export interface App {
  app: Express;
  /** Answers every request: by a look-up of its endpoint where `http/fast` is on, else by Express alone. */
  listener: FrontListener;
}

const REQUEST_ID = /^[\w.-]{8,64}$/;
export const MIGRATION_GUIDE = '/docs#migration';

export function createApp(platform: Platform, deps: AppDeps): App {
  const { config, publicUrl, transaction, callerContext, shared } = platform;
  const { clock, logger, metrics, generateRequestId, generateToken } = platform;
  const { authenticateFeed, limits, streams, allMetrics, consoleFolder } = deps;
  const hasConsole = config.ASSAY_CONSOLE === 'on';
  const app = express();
  const isFast = config.ASSAY_FAST_HTTP === 'on';
  app.set('trust proxy', config.ASSAY_TRUST_PROXY);
  app.set('env', config.NODE_ENV);
  app.set(SECURE_COOKIES, publicUrl.startsWith('https:'));
  app.set(PUBLIC_ORIGIN, new URL(publicUrl).origin);
  app.set('query parser', 'simple');
  app.set('etag', false);
  app.disable('x-powered-by');
  const frame = composeHandlers([
    identifyRequests(generateRequestId),
    logRequests(logger, metrics),
    setSecurityHeaders(isFast),
    handleCrossOrigin(config.ASSAY_CORS_ORIGINS, isFast),
    rewriteLegacyPaths(clock, MIGRATION_GUIDE),
  ]);
  const served = hasConsole ? mounts : mounts.filter(({ at }) => at !== CONSOLE_PATH);
  const routing = createRouting(served, {
    platform,
    authenticateFeed,
    transaction,
    callerContext,
    streams,
    limits,
    gate: createRequestGate(config.ASSAY_LIMIT_HEAVY, shared),
    strict: config.NODE_ENV === 'test',
    log: logger,
  });
  const onError = handleError(logger);
  app.use(frame);
  app.use(routing.router);
  app.use(serveApiReference(mounts));
  app.use(serveSignedOnPage());
  if (hasConsole) app.use(serveConsole(consoleFolder, generateToken));
  app.get('/metrics', showMetrics(config, metrics, allMetrics));
  app.use(refuseUnrouted(limits, new AppError('NOT_FOUND', 'No such path')));
  app.use(onError);
  return { app, listener: isFast ? createFront({ app, frame, routing, onError }) : app };
}

/** Sets the request id and the API version on every response. */
function identifyRequests(generateRequestId: () => string): RequestHandler {
  return (req, res, next) => {
    const given = req.headers['x-request-id'];
    const requestId =
      typeof given === 'string' && REQUEST_ID.test(given) ? given : generateRequestId();
    res.locals.requestId = requestId;
    keepHeader(res, 'X-Request-Id', requestId);
    keepHeader(res, 'X-Service-API-Version', 'v1');
    next();
  };
}

/** Logs and measures every response. Neither queries nor tokens in paths are logged. */
function logRequests(logger: Logger, metrics: Metrics): RequestHandler {
  return (req, res, next) => {
    const started = (res as Partial<TimedResponse>).arrivedAt ?? performance.now();
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
          'request completed',
        );
    });
    next();
  };
}

function showMetrics(
  config: Config,
  metrics: Metrics,
  allMetrics: AppDeps['allMetrics'],
): RequestHandler {
  return async (req, res) => {
    if (!mayReadMetrics(config, req))
      return sendFailure(res, new AppError('NOT_FOUND', 'No such path'));
    res.type(metrics.registry.contentType).send(await allMetrics());
  };
}

/** Handles errors outside of the pipeline: malformed URLs and faults. */
function handleError(logger: Logger): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    const error = translateError(thrown, 'INTERNAL_ERROR');
    if (error.http >= 500) logger.error({ err: error.cause ?? error }, 'unhandled error');
    if (res.headersSent) return void res.destroy();
    chooseFailureSender(req.originalUrl)(res, error);
  };
}

/** Generates the API document, which takes a third of a second; a server does so before it listens. */
export function prepareReference(): void {
  getApiDocument(mounts);
}
