// The primary process: starts the workers of one port, replaces those that die, and holds their shared state.
import cluster, { type Worker } from 'node:cluster';
import type { Logger } from '../platform/observability/logger.ts';
import type { SharedLimits } from '../platform/shared/shared.ts';
import type { Handle } from '../platform/handed-connections.ts';
import { Channel } from './channel.ts';
import { createDesk } from './desk.ts';
import type { AskedOfPrimary, AskedOfWorker, WorkerOrders } from './messages.ts';
import { Homes } from './homes.ts';
import { createPrimaryMetrics } from './primary-metrics.ts';
import { Restarts } from './restarts.ts';

/** The options of `startWorkers`. */
export interface WorkersOptions {
  orders: Omit<WorkerOrders, 'number'>;
  limits: SharedLimits;
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

interface Running {
  channel: Channel<AskedOfWorker, AskedOfPrimary>;
  listens: boolean;
  ended: Promise<void>;
}

/**
 * The kernel gives a connection to a free worker. A primary that distributed them would keep forever those that it had
 * just sent to a worker that died.
 */
cluster.schedulingPolicy = cluster.SCHED_NONE;

/** Starts the workers; resolves when all listen. @throws Error that says why one cannot */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const crew = createCrew(options);
  const { workers } = options.orders;
  // The first worker migrates the database, for which the others would wait, and reports faults once.
  const url = await crew.start(1);
  await Promise.all(Array.from({ length: workers - 1 }, (_, index) => crew.add(index + 2)));
  return { url, stop: crew.stop };
}

function createCrew({ orders, limits, log, onLost }: WorkersOptions) {
  const desk = createDesk(limits);
  const running = new Map<number, Running>();
  const homes = new Homes();
  const restarts = new Map<number, Restarts>();
  const pauses = new Set<NodeJS.Timeout>();
  /** Callbacks for the first time that a worker listens. */
  const awaited = new Map<number, () => void>();
  let hasServed = false;
  let isStopping = false;
  const metrics = createPrimaryMetrics(() =>
    [...running.values()]
      .filter(({ listens }) => listens)
      .map(
        ({ channel }) =>
          () =>
            channel.ask('metrics', null),
      ),
  );

  const serving = (): number[] =>
    [...running].filter(([, { listens }]) => listens).map(([number]) => number);

  const answersTo = (number: number) => ({
    metrics,
    orders: () => withNumber(orders, number),
    home: ({ organizationId }: AskedOfPrimary['home']['says']) =>
      homes.of(organizationId, number, serving()),
    move: ({ to }: AskedOfPrimary['move']['says'], handle?: Handle) =>
      move(running.get(to), handle),
  });

  /** Starts a worker; resolves with the URL at which it listens. */
  function start(number: number): Promise<string> {
    const worker = cluster.fork();
    return new Promise((resolve, reject) => {
      const visitor = desk.visitor((hold) => {
        void channel.ask('wanted', { hold }).catch(() => undefined);
      });
      const channel = new Channel<AskedOfWorker, AskedOfPrimary>(worker, {
        ...visitor.answers,
        ...answersTo(number),
        listens({ url }) {
          one.listens = true;
          noteServing(number, worker);
          resolve(url);
          return null;
        },
        failed({ reason }) {
          reject(new Error(reason));
          return null;
        },
      });
      const ended = endOf(worker, (how) => {
        running.delete(number);
        visitor.leave();
        channel.close();
        reject(new Error(`worker ${number} ${how}`));
        died(number, how);
      });
      const one: Running = { channel, listens: false, ended };
      running.set(number, one);
    });
  }

  function noteServing(number: number, { process: { pid } }: Worker): void {
    hasServed = true;
    awaited.get(number)?.();
    log.info({ worker: number, pid }, 'a worker listens');
  }

  /** Replaces a worker that died. Before any has listened none is replaced: the start of the first worker rejects. */
  function died(number: number, how: string): void {
    if (isStopping || !hasServed) return;
    const deaths = restarts.get(number) ?? new Restarts();
    restarts.set(number, deaths);
    const pause = deaths.died(performance.now());
    if (pause === null) return onLost(`worker ${number} ${how}, and dies again and again`);
    log.error({ worker: number, pauseMs: pause }, `a worker ${how} and is replaced`);
    const timer = setTimeout(() => {
      pauses.delete(timer);
      begin(number);
    }, pause);
    pauses.add(timer);
  }

  /** Starts a worker beside those that serve; it is replaced if it dies. */
  function begin(number: number): void {
    start(number).catch((error: unknown) => log.error({ err: error }, 'a worker is missing'));
  }

  return {
    start,
    /** Adds a worker; resolves when it or its replacement listens. */
    add: (number: number): Promise<void> =>
      new Promise((resolve) => {
        awaited.set(number, resolve);
        begin(number);
      }),
    async stop(): Promise<void> {
      isStopping = true;
      for (const timer of pauses) clearTimeout(timer);
      const all = [...running.values()];
      for (const { channel } of all) void channel.ask('stop', null).catch(() => undefined);
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}

/**
 * Moves a connection to a worker and closes it here; returns whether the worker has taken it.
 * @throws Error when the worker dies in the meantime or does not answer
 */
async function move(to: Running | undefined, handle: Handle | undefined): Promise<boolean> {
  try {
    return to?.listens === true && handle ? await to.channel.ask('take', null, handle) : false;
  } finally {
    handle?.close();
  }
}

const withNumber = (orders: WorkersOptions['orders'], number: number): WorkerOrders => ({
  ...orders,
  number,
});

/** Resolves when a worker has ended or could not be forked, after `onEnd` was called with the reason. */
function endOf(worker: Worker, onEnd: (how: string) => void): Promise<void> {
  return new Promise((resolve) => {
    const end = (how: string): void => {
      onEnd(how);
      resolve();
    };
    worker.once('exit', (code: number | null, signal: string | null) =>
      end(signal ? `was ended by ${signal}` : `ended with exit code ${code}`),
    );
    // Any other error is a failed send to a worker whose exit is reported above.
    worker.on('error', ({ message }) => {
      if (worker.process.pid === undefined) end(`could not be forked (${message})`);
    });
  });
}
