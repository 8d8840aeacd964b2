// A worker process: gets its orders from the primary, shares limits and metrics, and ends with the primary.
import cluster from 'node:cluster';
import type { Registry } from 'prom-client';
import { type Shared, spareCores } from '../platform/shared/shared.ts';
import { type Answers, Channel } from './channel.ts';
import type { AskedOfPrimary, AskedOfWorker, WorkerOrders } from './messages.ts';
import { WorkerConnections } from './connections.ts';
import { KeptBatons } from './kept-batons.ts';
import { SharedCounts } from './shared-counts.ts';

const PRIMARY_CHECK_MS = 500;

/** The primary, as a worker uses it. */
export interface Primary {
  orders: WorkerOrders;
  shared: Shared;
  listens(url: string): void;
  /** Reports why the worker cannot start; resolves when the primary knows. */
  failed(reason: string): Promise<void>;
  /** Sets how this process stops; until then a stop ends it at once. */
  onStop(stop: () => void): void;
}

type ToPrimary = Channel<AskedOfPrimary, AskedOfWorker>;

/** The state from which a worker answers requests of the primary. */
interface Asked {
  stop: () => void;
  ownMetrics: () => Promise<Registry>;
  connections: WorkerConnections | null;
  batons: KeptBatons | null;
}

const answersBy = (asked: Asked): Answers<AskedOfWorker> => ({
  metrics: async () => (await asked.ownMetrics()).getMetricsAsJSON(),
  take: (_nothing, handle) => handle !== undefined && asked.connections?.take(handle) === true,
  wanted({ hold }) {
    asked.batons?.wanted(hold);
    return null;
  },
  stop() {
    asked.stop();
    return null;
  },
});

/** Joins the primary of this worker; null: this process is no worker. A worker ends when its channel closes. */
export async function joinPrimary(): Promise<Primary | null> {
  if (!cluster.worker) return null;
  endWithPrimary();
  const asked: Asked = {
    stop: () => process.exit(),
    ownMetrics: () => Promise.reject(new Error('it has not begun')),
    connections: null,
    batons: null,
  };
  const channel: ToPrimary = new Channel<AskedOfPrimary, AskedOfWorker>(
    cluster.worker,
    answersBy(asked),
    { speaksFirst: true },
  );
  const orders = await channel.ask('orders', null);
  const connections = (asked.connections = connectionsOver(channel, orders));
  const batons = (asked.batons = batonsOver(channel));
  const others = sharedOver(channel, orders, (own) => (asked.ownMetrics = own));
  return {
    orders,
    shared: { ...others, connections, batons },
    listens: (url) => void channel.ask('listens', { url }),
    failed: async (reason) => void (await channel.ask('failed', { reason })),
    onStop: (given) => (asked.stop = given),
  };
}

/**
 * Ends this process with the primary. `node:cluster` relies on the event `disconnect`, which Node does not emit while a
 * connection is in the channel: it waits for a receipt that never comes.
 */
export function endWithPrimary(): void {
  setInterval(() => {
    if (!process.connected) process.exit();
  }, PRIMARY_CHECK_MS).unref();
}

function sharedOver(
  channel: ToPrimary,
  { workers }: WorkerOrders,
  setOwn: (own: () => Promise<Registry>) => void,
): Omit<Shared, 'connections' | 'batons'> {
  const counts = new SharedCounts((rows) => channel.ask('counts', rows), workers);
  const leaveOf = (hold: number | null) =>
    hold === null ? null : () => giveBack(channel, hold, null);
  return {
    spareCores: spareCores(workers),
    count: (one) => counts.add(one),
    place: async (wanted) => leaveOf(await channel.ask('place', wanted)),
    passwordPermits: { acquire: async (line) => leaveOf(await channel.ask('turn', { line })) },
    metricsOf(own) {
      setOwn(own);
      return () => channel.ask('metrics', null);
    },
  };
}

const connectionsOver = (channel: ToPrimary, { number }: WorkerOrders): WorkerConnections =>
  new WorkerConnections(number, {
    home: (organizationId) => channel.ask('home', { organizationId }),
    move: (to, handle) => channel.ask('move', { to }, handle),
  });

const batonsOver = (channel: ToPrimary): KeptBatons =>
  new KeptBatons({
    take: (key) => channel.ask('baton', { key }),
    leave: (hold, note) => giveBack(channel, hold, note),
  });

/** Releases a lease; a failure is ignored, because the primary is gone then. */
function giveBack(channel: ToPrimary, hold: number, note: string | null): void {
  void channel.ask('leave', { hold, note }).catch(() => undefined);
}
