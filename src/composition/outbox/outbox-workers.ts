// Creates the outbox workers, one for each pool of topics, so that slow receivers delay no other topic.
import type { Deliverers } from '../../platform/outbox/deliverers.ts';
import type { Backlog, LateRows } from '../../platform/outbox/backlog.ts';
import { createOutboxWorker, type OutboxWorker } from '../../platform/outbox/outbox-worker.ts';
import { INTERNAL, MAIL, type OutboxPool, RECEIVERS } from '../../platform/outbox/pools.ts';
import type { Platform } from '../platform.ts';
import { poolFor } from './topics.ts';

export interface OutboxWorkers extends Backlog {
  internal: OutboxWorker;
  mail: OutboxWorker;
  receivers: OutboxWorker;
  /** Starts no further deliveries; those under way finish. */
  stop(): void;
  /** Logs the topics with late rows; resolves with their number. */
  reportLate(): Promise<number>;
}

type Deps = Pick<Platform, 'models' | 'clock' | 'chance' | 'logger'>;

export function createOutboxWorkers(deps: Deps, deliverers: Deliverers): OutboxWorkers {
  const { models, clock, chance, logger } = deps;

  function workerFor(pool: OutboxPool): OutboxWorker {
    const own = Object.entries(deliverers).filter(([topic]) => poolFor(topic) === pool);
    const parts = { rows: models.outbox, deliverers: Object.fromEntries(own), clock, chance };
    return createOutboxWorker(Object.assign({ pool, log: logger }, parts));
  }

  const workers = {
    internal: workerFor(INTERNAL),
    mail: workerFor(MAIL),
    receivers: workerFor(RECEIVERS),
  };
  const all = Object.values(workers);
  const late = async (): Promise<LateRows[]> =>
    (await Promise.all(all.map((worker) => worker.late()))).flat();

  return Object.assign(workers, {
    late,
    stop: () => all.forEach((worker) => worker.stop()),
    async backlog() {
      const backlogs = await Promise.all(all.map((worker) => worker.backlog()));
      const sum = (of: 'pending' | 'dead') => backlogs.reduce((total, one) => total + one[of], 0);
      return { pending: sum('pending'), dead: sum('dead') };
    },
    async reportLate() {
      const found = await late();
      for (const one of found) logger.warn(one, 'deliveries wait for longer than a minute');
      return found.length;
    },
  });
}
