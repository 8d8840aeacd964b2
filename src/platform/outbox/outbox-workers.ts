// Creates the outbox workers, one for each pool of topics, so that slow receivers delay no other topic.
import { backgroundTimer } from '../concurrency/timer.ts';
import type { Deliverers } from './deliverers.ts';
import type { Backlog, LateRows } from './backlog.ts';
import { createOutboxWorker, type OutboxWorker } from './outbox-worker.ts';
import { INTERNAL, MAIL, type OutboxPool, RECEIVERS } from './pools.ts';
import type { Platform } from '../platform.ts';

export interface OutboxWorkers extends Backlog {
  internal: OutboxWorker;
  mail: OutboxWorker;
  receivers: OutboxWorker;
  /** Starts no further deliveries; those under way finish. */
  stop(): void;
  /** Logs the topics with late rows; resolves with their number. */
  reportLate(): Promise<number>;
}

type Deps = Pick<Platform, 'models' | 'clock' | 'drawFraction' | 'logger'>;

export function createOutboxWorkers(
  { models, clock, drawFraction, logger }: Deps,
  deliverers: Deliverers,
  findPool: (topic: string) => OutboxPool,
): OutboxWorkers {
  function createWorker(pool: OutboxPool): OutboxWorker {
    const own = Object.entries(deliverers).filter(([topic]) => findPool(topic) === pool);
    return createOutboxWorker({
      pool,
      rows: models.outbox,
      deliverers: Object.fromEntries(own),
      clock,
      timer: backgroundTimer,
      elapsed: () => performance.now(),
      drawFraction,
      log: logger,
    });
  }

  const workers = {
    internal: createWorker(INTERNAL),
    mail: createWorker(MAIL),
    receivers: createWorker(RECEIVERS),
  };
  const all = Object.values(workers);
  const findLateRows = async (): Promise<LateRows[]> =>
    (await Promise.all(all.map((worker) => worker.findLateRows()))).flat();

  return Object.assign(workers, {
    findLateRows,
    stop: () => all.forEach((worker) => worker.stopDelivery()),
    async countBacklog() {
      const backlogs = await Promise.all(all.map((worker) => worker.countBacklog()));
      const sumRows = (status: 'pending' | 'dead') =>
        backlogs.reduce((total, one) => total + one[status], 0);
      return { pending: sumRows('pending'), dead: sumRows('dead') };
    },
    async reportLate() {
      const found = await findLateRows();
      for (const one of found) logger.warn(one, 'deliveries wait for longer than a minute');
      return found.length;
    },
  });
}
