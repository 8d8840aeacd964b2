// Starts and stops one instance, its parts in order. `server.ts` runs it; tests start their own.
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import { createApp, prepareReference } from './app.ts';
import { followLedger } from './composition/consumers.ts';
import { createPlatform, type PlatformDeps } from './composition/platform.ts';
import { provideUpwards } from './composition/provisions.ts';
import { createOutbox } from './composition/outbox.ts';
import type { Config } from './config/config.ts';
import { createEventStreams } from './http/answers/event-streams.ts';
import { answerMalformed } from './http/answers/malformed.ts';
import { limitConnections, computeConnectionShare } from './http/checks/connection-limits.ts';
import { createLimits } from './http/checks/rate-limits.ts';
import { createLedgerConsumers, createJobs, migrations } from './composition/jobs.ts';
import type { Consumers } from './ledger/follow/consumers.ts';
import { createModels } from './models.ts';
import { createClockGuard } from './platform/clock-guard.ts';
import { type Clock, machineClocks, type MachineClocks, systemClock } from './platform/clock.ts';
import {
  backgroundTimer,
  repeatEvery,
  systemTimer,
  type Timer,
} from './platform/concurrency/timer.ts';
import { createHttpServer, drain } from './http/server.ts';
import { generateId } from './platform/ids.ts';
import { createInstances, type Instances } from './platform/jobs/instances.ts';
import { createJobCalls } from './platform/jobs/job-calls.ts';
import { createJobRunner } from './platform/jobs/job-runner.ts';
import { createLeases } from './platform/jobs/leases.ts';
import { createCustodian } from './platform/custodian/configured-custodian.ts';
import type { Custodian } from './platform/custodian/custodian.ts';
import { createEpochFollower } from './platform/key-store/epochs/epoch-follower.ts';
import type { Epochs } from './platform/key-store/epochs/epochs.ts';
import { toKeyStoreAccess, openKeyStore } from './platform/key-store/open-key-store.ts';
import { createChangeFeed } from './platform/mongo/change-feed.ts';
import { connectMongo, readDatabaseTime, isOnThisMachine } from './platform/mongo/connection.ts';
import { migrate } from './platform/mongo/migrations.ts';
import { createMetrics } from './platform/observability/metrics.ts';
import { openStates } from './platform/per-instance.ts';
import type { Platform } from './platform/platform.ts';
import { PROJECT_ROOT } from './config/project-root.ts';
import { createOwnShared } from './platform/shared/shared.ts';
import { createThreads } from './platform/threads/threads.ts';
import type { OutboxWorkers } from './platform/outbox/outbox-workers.ts';
import { authenticateFeed } from './governance/incidents/calendar/calendar-feeds.service.ts';
import { endWaits } from './decisions/traces/review/callers/review-waiting.service.ts';
import { drainInstance } from './governance/health/readiness.service.ts';
import { countAuditBacklog } from './identity/audit/audit.service.ts';
import { settleSignInFailures } from './identity/auth/accounts/sign-in-failures.service.ts';
import { repeatErasures } from './identity/organization/deletion/organization-deletion.service.ts';
import { warnOfLostCookies } from './identity/organization/sso-settings/sso-warnings.service.ts';
import { stopSigning } from './evidence/log/signing/tree-head-signing.service.ts';
import { stopChecks } from './evidence/hash-chain/chain-checks.service.ts';
import { stopRolling } from './evidence/erasure/destruction/epoch-roll.service.ts';

export { prepareReference };

/** Dependencies besides the configuration, such as clock and network, which tests replace. */
export type InstanceDeps = Pick<PlatformDeps, 'config' | 'secrets' | 'logger'> &
  Partial<
    Pick<
      PlatformDeps,
      'clock' | 'fetch' | 'passwordCost' | 'probe' | 'subscribesToEvents' | 'cpiIndexOf' | 'shared'
    >
  > & {
    /** Connection string of the database. */
    mongoUri: string;
    /** Folder with the compiled worker threads, as a URL; default: as `createThreads` finds them. */
    threadScripts?: string;
    /** Keeps the keys of epochs; default: the one that is configured. */
    custodian?: Custodian | null;
    /** Called before every step of a roll of epochs. */
    epochProbe?: Epochs['probe'];
    /** Folder of the built console; default: beside the built server. */
    consoleFolder?: string;
    /** Begins the runs of jobs. */
    jobTimer?: Timer;
    /** Clocks by which the clock guard detects that the time was set. */
    machineClocks?: MachineClocks;
  };

export interface Instance {
  /** Base address without a trailing slash. */
  url: string;
  platform: Platform;
  outboxWorkers: OutboxWorkers;
  consumers: Consumers;
  /** Runs all consumers and jobs once. */
  runJobsOnce(): Promise<void>;
  /** Stops taking requests, answers those under way, and resolves when everything accepted is durable. */
  stop(): Promise<void>;
}

/** Where `npm run build` puts the console. */
export const CONSOLE_FOLDER = join(PROJECT_ROOT, 'dist/console');

/** Interval in which instances read which epochs there are. */
const EPOCHS_MS = 5000;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Express's compiled `trust proxy` setting: whether a hop is a trusted proxy. */
type TrustsProxy = (address: string, hop: number) => boolean;

/** Connects to the database, migrates it, and measures the clock. */
async function openStorage(deps: InstanceDeps) {
  const { config, secrets, mongoUri, logger, clock = systemClock } = deps;
  const { connection, close } = await connectMongo({
    uri: mongoUri,
    poolSize: config.ASSAY_DB_POOL,
  });
  const models = createModels(connection);
  const { instances, leases, keyStore, closeKeys, ...keyParts } = await openBeside(
    deps,
    connection,
  ).catch((error: unknown) => endAfter(error, close));
  await migrate({
    connection,
    keyStore,
    models: Object.values(models) as never[],
    migrations,
    leases,
    clock,
    wait,
    log: (line) => logger.debug(line),
  });
  // After a rotation of the encryption key the stored keys are sealed with the new one.
  if (secrets.formerEncryption.length > 0) await keyStore.renew();
  const { metrics, guard } = await watchClock(deps, connection);
  const feed = createChangeFeed({ connection, log: logger });
  async function closeStorage(): Promise<void> {
    await instances.stopHeartbeat();
    await closeKeys();
    await close();
  }
  return {
    connection,
    close: closeStorage,
    keyStore,
    ...keyParts,
    models,
    leases,
    instances,
    metrics,
    guard,
    feed,
    clock,
  };
}

/** Registers this instance, so that others see it and it can hold leases. */
async function registerInstance(connection: PlatformDeps['connection'], clock: Clock) {
  const instances = createInstances({
    connection,
    clock,
    timer: backgroundTimer,
    id: generateId(),
  });
  await instances.startHeartbeat();
  return { instances, leases: createLeases({ connection, clock, timer: systemTimer, instances }) };
}

async function watchClock(deps: InstanceDeps, connection: PlatformDeps['connection']) {
  const metrics = createMetrics();
  const guard = createClockGuard({
    clocks: deps.machineClocks ?? machineClocks,
    databaseNow: () => readDatabaseTime(connection),
    sharesClock: isOnThisMachine(connection),
    onMeasured: (ms) => metrics.clockSkew.set(ms / 1000),
    log: deps.logger,
  });
  await guard.start();
  return { metrics, guard };
}

/** Opens the store of the keys of all contents. An instance is known before, so that no epoch changes without it. */
async function openBeside(deps: InstanceDeps, connection: PlatformDeps['connection']) {
  const { instances, leases } = await registerInstance(connection, deps.clock ?? systemClock);
  const opened = await openKeys(deps, connection, instances).catch((error: unknown) =>
    endAfter(error, () => instances.stopHeartbeat()),
  );
  return { instances, leases, ...opened };
}

/** Closes what is open, and throws. */
async function endAfter(error: unknown, close: () => Promise<void>): Promise<never> {
  await close();
  throw error;
}

/** Opens the key store with the keys of its epochs. */
async function openKeys(
  deps: InstanceDeps,
  connection: PlatformDeps['connection'],
  instances: Instances,
) {
  const { config, secrets, custodian = createCustodian(config) } = deps;
  const keyAccess = toKeyStoreAccess(config.KEY_STORE_URI, secrets);
  const beside = { connection, database: connection.name };
  const { keyStore, epochKeys, epochStore: store, close } = await openKeyStore(keyAccess, beside);
  const announce = (epoch: number) => instances.announceEpoch(epoch);
  const follower = createEpochFollower({ epochStore: store, epochKeys, custodian, announce });
  await follower.followEpochs().catch((error: unknown) => endAfter(error, close));
  const epochs: Epochs = { store, follower, custodian, probe: deps.epochProbe };
  return { keyAccess, keyStore, epochs, closeKeys: close };
}

/** Every instance loads the keys of new epochs, and forgets those of destroyed ones; the returned function ends it. */
function followEpochs({ epochs, logger }: Platform): () => void {
  if (!epochs.custodian) return () => undefined;
  return repeatEvery(backgroundTimer, EPOCHS_MS, () => {
    epochs.follower
      .followEpochs()
      .catch((error: unknown) =>
        logger.error({ err: error }, 'the keys of epochs are not current'),
      );
  });
}

export async function startInstance(deps: InstanceDeps): Promise<Instance> {
  const { config, secrets, mongoUri, logger, fetch = globalThis.fetch } = deps;
  const storage = await openStorage(deps);
  const { connection, models, keyStore, keyAccess, instances, leases, clock } = storage;
  const { epochs, feed, guard, metrics } = storage;
  const calls = createJobCalls();
  const shared = deps.shared ?? createOwnShared();
  const platform = createPlatform({
    config,
    secrets,
    databaseAccess: { uri: mongoUri, database: connection.name, keyStore: keyAccess },
    connection,
    models,
    keyStore,
    epochs,
    instances,
    clock,
    clockAgrees: guard.isReady,
    feed,
    metrics,
    logger,
    shared,
    fetch,
    wakeJob: calls.wakeJob,
    passwordCost: deps.passwordCost,
    threads: createThreads(deps.threadScripts),
    probe: deps.probe,
    subscribesToEvents: deps.subscribesToEvents,
    cpiIndexOf: deps.cpiIndexOf,
  });
  const consumers = followLedger(platform, createLedgerConsumers(platform));
  provideUpwards(platform, consumers);
  const outboxWorkers = createOutbox(platform);
  openStates(platform);
  platform.instances.onReturn((since) => repeatErasures(platform, since));
  feed.start();
  await warnOfLostCookies(platform);
  const jobs = createJobRunner({
    jobs: createJobs(platform, outboxWorkers, consumers),
    leases,
    timer: deps.jobTimer ?? backgroundTimer,
    ready: guard.isReady,
    log: logger,
    onRun: (job, ok) => metrics.jobs.inc({ job, outcome: ok ? 'ok' : 'failed' }),
  });
  calls.setRunner(jobs);
  jobs.start();
  const endFollowing = followEpochs(platform);
  const limits = createLimits(config, shared);
  const allMetrics = shared.createMetricsReader(() =>
    collectMetrics({ platform, consumers, outboxWorkers }),
  );
  const streams = createEventStreams();
  const { app, listener } = createApp(platform, {
    authenticateFeed: (token) => authenticateFeed(platform, token),
    limits,
    streams,
    allMetrics,
    consoleFolder: deps.consoleFolder ?? CONSOLE_FOLDER,
  });
  const server = createHttpServer(app, {
    listener,
    isFast: config.ASSAY_FAST_HTTP === 'on',
    onMalformed: answerMalformed,
    maxConnections: config.ASSAY_MAX_CONNECTIONS,
  });
  limitConnections(server, {
    perAddress:
      config.ASSAY_MAX_CONNECTIONS_PER_ADDRESS ??
      computeConnectionShare(config.ASSAY_MAX_CONNECTIONS),
    isTrustedProxy: (address) => (app.get('trust proxy fn') as TrustsProxy)(address, 0),
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(config.PORT, config.ASSAY_HOST, resolve),
  );

  return {
    url: formatUrl(config, server.address() as AddressInfo),
    platform,
    outboxWorkers,
    consumers,
    async runJobsOnce() {
      await consumers.runOnce();
      await jobs.runOnce();
    },
    async stop() {
      drainInstance(platform);
      streams.close();
      endWaits(platform);
      await drain(server);
      outboxWorkers.stop();
      stopChecks(platform);
      stopSigning(platform);
      stopRolling(platform);
      endFollowing();
      await jobs.stop();
      await closeAll({ platform, consumers, outboxWorkers });
      guard.stop();
      await feed.stop();
      await storage.close();
    },
  };
}

function formatUrl({ ASSAY_HOST: host }: Config, { port }: AddressInfo): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

type Running = Pick<Instance, 'platform' | 'consumers' | 'outboxWorkers'>;

/** Returns the metrics; gauges are updated first, unless the database fails. */
async function collectMetrics(running: Running): Promise<Registry> {
  await updateGauges(running).catch(() => undefined);
  return running.platform.metrics.registry;
}

async function updateGauges({ platform, consumers, outboxWorkers }: Running): Promise<void> {
  const { metrics } = platform;
  metrics.quarantined.set(platform.quarantined().length);
  metrics.datedAhead.set(platform.datedAhead().length);
  for (const [consumer, lag] of Object.entries(consumers.getLag()))
    metrics.consumerLag.set({ consumer }, lag);
  const { waiting, setAside } = await countAuditBacklog(platform);
  metrics.auditRows.set({ state: 'waiting' }, waiting);
  metrics.auditRows.set({ state: 'set_aside' }, setAside);
  const backlog = await outboxWorkers.countBacklog();
  for (const [status, rows] of Object.entries(backlog)) metrics.outbox.set({ status }, rows);
  metrics.outboxLate.reset();
  for (const { topic, rows } of await outboxWorkers.findLateRows())
    metrics.outboxLate.set({ topic }, rows);
}

/** Refuses further appends and resolves when everything accepted is durable. */
async function closeAll({ platform, consumers }: Running): Promise<void> {
  await settleSignInFailures(platform);
  platform.mailer.close();
  await platform.http.close();
  await platform.paymentHttp.close();
  await platform.receivers.close();
  await platform.ledger.appender.close();
  await consumers.stop();
  await platform.auditChain.appender.close();
  await platform.threads.close();
}
