// One running instance: what is started, in which order, and how it is stopped. `server.ts` runs it; tests start their own.
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { createLimits } from './http/checks/rate-limits.ts';
import { answerMalformed } from './http/answers/malformed.ts';
import { createChangeFeed } from './platform/mongo/change-feed.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { createClockGuard } from './platform/clock-guard.ts';
import { createHttpServer, drain } from './platform/http-server.ts';
import { newId, newRequestId } from './platform/ids.ts';
import { createJobRunner } from './platform/jobs/job-runner.ts';
import { createLeases } from './platform/jobs/leases.ts';
import type { Logger } from './platform/observability/logger.ts';
import { createMetrics } from './platform/observability/metrics.ts';
import { migrate } from './platform/mongo/migrations.ts';
import { clockSkewMs, connectMongo } from './platform/mongo/connection.ts';
import type { Secrets } from './platform/secrets/secrets.ts';
import { createJobs, migrations } from './jobs.ts';
import type { Probe } from './ledger/probe.ts';
import { createModels } from './models.ts';
import { createServices, type Services } from './composition/services.ts';

export interface InstanceParts {
  config: Config;
  secrets: Secrets;
  mongoUri: string;
  logger: Logger;
  clock?: Clock;
  /** How the identity providers of the installation are reached. */
  fetch?: typeof globalThis.fetch;
  probe?: Probe;
}

export interface Instance {
  /** Base address without a slash at the end. */
  url: string;
  services: Services;
  /** Runs everything that runs without a request, to the end. */
  runJobsOnce(): Promise<void>;
  /** Stops taking requests, answers those under way, and resolves when everything accepted is durable. */
  stop(): Promise<void>;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function startInstance({
  config,
  secrets,
  mongoUri,
  logger,
  clock = systemClock,
  fetch = globalThis.fetch,
  probe,
}: InstanceParts): Promise<Instance> {
  const { connection, close } = await connectMongo({
    uri: mongoUri,
    poolSize: config.ASSAY_DB_POOL,
  });
  const models = createModels(connection);
  const leases = createLeases({ connection, clock, holder: newId() });
  await migrate({
    connection,
    models: Object.values(models) as never[],
    migrations,
    leases,
    clock,
    wait,
    log: (line) => logger.debug(line),
  });
  const metrics = createMetrics();
  const guard = createClockGuard({
    measure: () => clockSkewMs(connection),
    onMeasured: (ms) => metrics.clockSkew.set(ms / 1000),
    log: logger,
  });
  await guard.start();
  const feed = createChangeFeed({ connection, log: logger });
  const services = createServices({
    config,
    secrets,
    mongoUri,
    connection,
    models,
    clock,
    feed,
    metrics,
    logger,
    fetch,
    clockAgrees: guard.ready,
    ...(probe && { probe }),
  });
  feed.start();
  const jobs = createJobRunner({
    jobs: createJobs(services),
    leases,
    log: logger,
    onRun: (job, ok) => metrics.jobs.inc({ job, outcome: ok ? 'ok' : 'failed' }),
  });
  jobs.start();
  const limits = createLimits(config);
  const server = createHttpServer(
    createApp({ config, services, limits, clock, logger, metrics, newRequestId }),
    answerMalformed,
  );
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(config.PORT, config.ASSAY_HOST, resolve),
  );
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://${config.ASSAY_HOST.includes(':') ? `[${config.ASSAY_HOST}]` : config.ASSAY_HOST}:${port}`,
    services,
    async runJobsOnce() {
      await services.consumers.runOnce();
      await jobs.runOnce();
    },
    async stop() {
      services.readiness.drain();
      await drain(server);
      limits.close();
      await jobs.stop();
      await services.close();
      guard.stop();
      await feed.stop();
      await close();
    },
  };
}
