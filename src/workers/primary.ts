// The primary process: starts the workers of one port, replaces those that die, and holds their shared state.
import cluster, { type Worker } from 'node:cluster';
import type { Logger } from '../platform/observability/logger.ts';
import { Channel } from './channel.ts';
import { createCoordinator } from './coordinator.ts';
import type { PrimaryRequests, WorkerRequests, WorkerOrders } from './messages.ts';
import { createPrimaryMetrics } from './primary-metrics.ts';
import { Restarts } from './restarts.ts';

/** The options of `startWorkers`. */
export interface WorkersOptions {
  orders: Omit<WorkerOrders, 'number'>;
  log: Logger;
  /** Called when a worker keeps dying: the service should end. */
  onLost: (reason: string) => void;
}

/** The running workers of one port. */
export interface Workers {
  /** The URL at which all workers listen. */
  url: string;
  /** Stops the workers; resolves when each has answered its requests and ended. */
  stop(): Promise<void>;
}

interface RunningWorker {
  channel: Channel<WorkerRequests, PrimaryRequests>;
  isListening: boolean;
  ended: Promise<void>;
}

/**
 * The kernel gives a connection to a free worker. A primary that distributed them would keep forever those that it had
 * just sent to a worker that died.
 */
cluster.schedulingPolicy = cluster.SCHED_NONE;

/** Starts the workers; resolves when all listen. @throws Error that says why one cannot */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const pool = createWorkerPool(options);
  const { workers } = options.orders;
  // The first worker migrates the database, for which the others would wait, and reports faults once.
  const url = await pool.startWorker(1);
  await Promise.all(Array.from({ length: workers - 1 }, (_, index) => pool.addWorker(index + 2)));
  return { url, stop: pool.stop };
}

function createWorkerPool({ orders, log, onLost }: WorkersOptions) {
  const coordinator = createCoordinator();
  const running = new Map<number, RunningWorker>();
  const restarts = new Map<number, Restarts>();
  const pauses = new Set<NodeJS.Timeout>();
  /** Callbacks for the first time that a worker listens. */
  const listeningCallbacks = new Map<number, () => void>();
  let hasServed = false;
  let isStopping = false;
  const readMetrics = createPrimaryMetrics(() =>
    [...running.values()]
      .filter(({ isListening }) => isListening)
      .map(({ channel }) => channel.sendRequest('readMetrics', null)),
  );

  /** Starts a worker; resolves with the URL at which it listens. */
  function startWorker(number: number): Promise<string> {
    const worker = cluster.fork();
    return new Promise((resolve, reject) => {
      const session = coordinator.openSession();
      const channel = new Channel<WorkerRequests, PrimaryRequests>(worker, {
        ...session.answers,
        readMetrics,
        getOrders: () => withNumber(orders, number),
        noteListening({ url }) {
          started.isListening = true;
          noteServing(number, worker);
          resolve(url);
          return null;
        },
        noteFailure({ reason }) {
          reject(new Error(reason));
          return null;
        },
      });
      const ended = watchExit(worker, (how) => {
        running.delete(number);
        session.release();
        channel.close();
        reject(new Error(`worker ${number} ${how}`));
        handleDeath(number, how);
      });
      const started: RunningWorker = { channel, isListening: false, ended };
      running.set(number, started);
    });
  }

  function noteServing(number: number, { process: { pid } }: Worker): void {
    hasServed = true;
    listeningCallbacks.get(number)?.();
    log.info({ worker: number, pid }, 'a worker listens');
  }

  /** Replaces a worker that died. Before any has listened none is replaced: the start of the first worker rejects. */
  function handleDeath(number: number, how: string): void {
    if (isStopping || !hasServed) return;
    const deaths = restarts.get(number) ?? new Restarts();
    restarts.set(number, deaths);
    const pause = deaths.recordDeath(performance.now());
    if (pause === null) return onLost(`worker ${number} ${how}, and dies again and again`);
    log.error({ worker: number, pauseMs: pause }, `a worker ${how} and is replaced`);
    const timer = setTimeout(() => {
      pauses.delete(timer);
      startReplacement(number);
    }, pause);
    pauses.add(timer);
  }

  /** Starts a worker beside those that serve; it is replaced if it dies. */
  function startReplacement(number: number): void {
    startWorker(number).catch((error: unknown) => log.error({ err: error }, 'a worker is missing'));
  }

  return {
    startWorker,
    /** Adds a worker; resolves when it or its replacement listens. */
    addWorker: (number: number): Promise<void> =>
      new Promise((resolve) => {
        listeningCallbacks.set(number, resolve);
        startReplacement(number);
      }),
    async stop(): Promise<void> {
      isStopping = true;
      for (const timer of pauses) clearTimeout(timer);
      const all = [...running.values()];
      for (const { channel } of all) void channel.sendRequest('stop', null).catch(() => undefined);
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}

const withNumber = (orders: WorkersOptions['orders'], number: number): WorkerOrders => ({
  ...orders,
  number,
});

/** Resolves when a worker has ended or could not be forked, after `onEnd` was called with the reason. */
function watchExit(worker: Worker, onEnd: (how: string) => void): Promise<void> {
  return new Promise((resolve) => {
    const finish = (how: string): void => {
      onEnd(how);
      resolve();
    };
    worker.once('exit', (code: number | null, signal: string | null) =>
      finish(signal ? `was ended by ${signal}` : `ended with exit code ${code}`),
    );
    // Any other error is a failed send to a worker whose exit is reported above.
    worker.on('error', ({ message }) => {
      if (worker.process.pid === undefined) finish(`could not be forked (${message})`);
    });
  });
}
