// A worker: is told by its primary what to do, shares limits and metrics with the others, and ends with the primary.
import cluster from 'node:cluster';
import type { Registry } from 'prom-client';
import type { BatonKeeper } from '../platform/shared/batons.ts';
import { type Shared, spareCores } from '../platform/shared/shared.ts';
import { Channel } from './channel.ts';
import type { AskedOfPrimary, AskedOfWorker, WorkerOrders } from './messages.ts';
import { SharedCounts } from './shared-counts.ts';

export interface Primary {
  orders: WorkerOrders;
  shared: Shared;
  listens(url: string): void;
  /** Resolves when the primary knows why it cannot begin. */
  failed(reason: string): Promise<void>;
  /** From now on `stop` ends this process; before, it ends at once. */
  onStop(stop: () => void): void;
}

type ToPrimary = Channel<AskedOfPrimary, AskedOfWorker>;

/** Null: this process is no worker. A worker ends when the channel to its primary does (`node:cluster` sees to it). */
export async function joinPrimary(): Promise<Primary | null> {
  if (!cluster.worker) return null;
  let stop = (): void => process.exit();
  let own: () => Promise<Registry> = () => Promise.reject(new Error('it has not begun'));
  const channel: ToPrimary = new Channel<AskedOfPrimary, AskedOfWorker>(cluster.worker, {
    metrics: async () => (await own()).getMetricsAsJSON(),
    stop() {
      stop();
      return null;
    },
  });
  const orders = await channel.ask('orders', null);
  return {
    orders,
    shared: sharedOver(channel, orders, (given) => (own = given)),
    listens: (url) => void channel.ask('listens', { url }),
    failed: async (reason) => void (await channel.ask('failed', { reason })),
    onStop: (given) => (stop = given),
  };
}

function sharedOver(
  channel: ToPrimary,
  { workers }: WorkerOrders,
  setOwn: (own: () => Promise<Registry>) => void,
): Shared {
  const counts = new SharedCounts((rows) => channel.ask('counts', rows), workers);
  const leaveOf = (hold: number | null) =>
    hold === null ? null : () => giveBack(channel, hold, null);
  return {
    spareCores: spareCores(workers),
    count: (one) => counts.add(one),
    place: async (wanted) => leaveOf(await channel.ask('place', wanted)),
    turns: { take: async (line) => leaveOf(await channel.ask('turn', { line })) },
    batons: batonsOver(channel),
    metricsOf(own) {
      setOwn(own);
      return () => channel.ask('metrics', null);
    },
  };
}

const batonsOver = (channel: ToPrimary): BatonKeeper => ({
  async take(key) {
    const { hold, note } = await channel.ask('baton', { key });
    return { note, pass: (next) => (hold === null ? undefined : giveBack(channel, hold, next)) };
  },
});

/** A primary that is gone has nothing to be told. */
function giveBack(channel: ToPrimary, hold: number, note: string | null): void {
  void channel.ask('leave', { hold, note }).catch(() => undefined);
}
