// One instance as a process, or as several workers, which kills itself at a given step.
import cluster from 'node:cluster';
import { loadConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { startInstance, type Instance, type InstanceDeps } from '../../src/instance.ts';
import type { Step } from '../../src/ledger/probe.ts';
import type { EpochStep } from '../../src/platform/key-store/epochs/epochs.ts';
import { startWorkers } from '../../src/workers/primary.ts';
import { joinPrimary } from '../../src/workers/worker.ts';

/** The options from the parent process, as one argument. */
export interface Orders {
  mongoUri: string;
  /** Processes that serve its port together. */
  workers: number;
  /** Several may serve; any of them will do. */
  port: number;
  /** Dies by SIGKILL at the nth time this step is reached. */
  dieAt?: { step: Step | EpochStep; nth: number };
  /** Each worker dies by SIGKILL at one of these steps once it listens, the next worker at the next step. */
  dieInTurn?: readonly Step[];
  /** Configuration besides the roomy limits. */
  environment?: Record<string, string>;
  /** Added to the clock that seals. */
  clockOffsetMs?: number;
}

/** Messages of the parent to a process without workers. */
export interface Asked {
  /** It is stopped by SIGSTOP when this step is reached next; null: nowhere. */
  stopAt?: Step | EpochStep | null;
  /** It runs every job once, whatever leases others hold. */
  runJobs?: true;
}

/** Messages of the process to its parent. */
export interface Said {
  url?: string;
  /** Every job has run. */
  ranJobs?: true;
  /** A worker has ended. */
  died?: true;
  /** The step at which the worker that has ended was killed; absent: none, or it ended otherwise. */
  killedAt?: Step;
  /** A worker listens again. */
  replaced?: true;
}

const orders = JSON.parse(process.argv[2] ?? '{}') as Orders;
const SECRETS = {
  jwt: 'a session secret for tests, long enough',
  formerJwt: [],
  ledgerKey: 'a ledger key for tests, also long enough',
  encryptionKey: 'an encryption key for tests, long enough',
  formerEncryption: [],
};
const roomy = {
  PORT: String(orders.port),
  LOG_LEVEL: 'error',
  ASSAY_LIMIT_IP: '100000000',
  ASSAY_LIMIT_USER: '100000000',
  ASSAY_LIMIT_AUTH: '100000000',
};
const config = loadConfig({ ...roomy, ...orders.environment });
const logger = createLogger('error', { write: (line) => process.stderr.write(line) });
/** Every third worker dies only when it has passed its step before: not all places of a step come right after a start. */
const LATER = 3;
/** Where this process dies; null: nowhere, or not yet. */
let end = orders.dieAt ?? null;
let reached = 0;
/** Where this process is stopped; null: nowhere. */
let stopAt: Asked['stopAt'] = null;

/** Returns where a worker dies whose turn it is; Node.js numbers the workers of a primary from 1. */
function findEnd(id: number, steps: readonly Step[]): { step: Step; nth: number } {
  const round = Math.floor((id - 1) / steps.length);
  const step = steps[(id - 1) % steps.length] as Step;
  return { step, nth: round % LATER === LATER - 1 ? 2 : 1 };
}

/** A stopped process goes on from here once it is woken. */
function endOrStop(step: Step | EpochStep): void {
  if (step === stopAt) {
    stopAt = null;
    process.kill(process.pid, 'SIGSTOP');
  }
  if (step === end?.step && ++reached === end.nth) process.kill(process.pid, 'SIGKILL');
}

function serve(more: Pick<InstanceDeps, 'shared'> = {}): Promise<Instance> {
  return startInstance({
    ...more,
    config,
    secrets: SECRETS,
    mongoUri: orders.mongoUri,
    logger,
    clock: { now: () => new Date(systemClock.now().getTime() + (orders.clockOffsetMs ?? 0)) },
    subscribesToEvents: () => Promise.resolve(true),
    probe: endOrStop,
    epochProbe: endOrStop,
  });
}

const say = (said: Said): unknown => process.send?.(said);

/** Starts the workers; one of them ends by SIGKILL whenever the parent requests it. */
async function serveByWorkers(): Promise<Pick<Instance, 'url' | 'stop'>> {
  const { mongoUri, workers, port } = orders;
  const service = await startWorkers({
    orders: { mongoUri, workers, port, secrets: SECRETS },
    log: logger,
    onLost: () => process.exit(1),
  });
  cluster.on('exit', ({ id }, _code, signal) => {
    const steps = signal === 'SIGKILL' ? orders.dieInTurn : undefined;
    say({ died: true, ...(steps && { killedAt: findEnd(id, steps).step }) });
  });
  cluster.on('listening', () => say({ replaced: true }));
  process.on('message', ({ killOne }: { killOne: number }) => {
    // Node keeps a dead worker in this list until its channel has closed too.
    const running = Object.values(cluster.workers ?? {}).filter((worker) => !worker?.isDead());
    running[killOne % running.length]?.process.kill('SIGKILL');
  });
  return service;
}

/** Serves alone, and does what the parent asks. */
async function serveAlone(): Promise<Instance> {
  const instance = await serve();
  process.on('message', (asked: Asked) => {
    if (asked.stopAt !== undefined) stopAt = asked.stopAt;
    if (asked.runJobs) void instance.runJobsOnce().finally(() => say({ ranJobs: true }));
  });
  return instance;
}

const primary = await joinPrimary();
if (primary) {
  const instance = await serve({ shared: primary.shared });
  primary.onStop(() => void instance.stop().then(() => process.exit(0)));
  primary.noteListening(instance.url);
  if (orders.dieInTurn) end = findEnd(cluster.worker?.id ?? 1, orders.dieInTurn);
} else {
  const service = await (orders.workers > 1 ? serveByWorkers() : serveAlone());
  say({ url: service.url });
  process.on('SIGTERM', () => void service.stop().then(() => process.exit(0)));
  process.on('disconnect', () => process.exit(1));
}
