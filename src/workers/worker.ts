// A worker process: gets its orders from the primary, shares limits and metrics, and ends with the primary.
import cluster from 'node:cluster';
import type { Registry } from 'prom-client';
import { type Shared, countSpareCores } from '../platform/shared/shared.ts';
import { type Answers, Channel } from './channel.ts';
import type { PrimaryRequests, WorkerRequests, WorkerOrders } from './messages.ts';
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

type ToPrimary = Channel<PrimaryRequests, WorkerRequests>;

/** The state from which a worker answers requests of the primary. */
interface WorkerState {
  stop: () => void;
  ownMetrics: () => Promise<Registry>;
  connections: WorkerConnections | null;
  batons: KeptBatons | null;
}

const createAnswers = (state: WorkerState): Answers<WorkerRequests> => ({
  metrics: async () => (await state.ownMetrics()).getMetricsAsJSON(),
  take: (_nothing, handle) => handle !== undefined && state.connections?.take(handle) === true,
  wanted({ hold }) {
    state.batons?.wanted(hold);
    return null;
  },
  stop() {
    state.stop();
    return null;
  },
});

/** Joins the primary of this worker; null: this process is no worker. A worker ends when its channel closes. */
export async function joinPrimary(): Promise<Primary | null> {
  if (!cluster.worker) return null;
  endWithPrimary();
  const state: WorkerState = {
    stop: () => process.exit(),
    ownMetrics: () => Promise.reject(new Error('it has not begun')),
    connections: null,
    batons: null,
  };
  const channel: ToPrimary = new Channel<PrimaryRequests, WorkerRequests>(
    cluster.worker,
    createAnswers(state),
    { speaksFirst: true },
  );
  const orders = await channel.sendRequest('orders', null);
  const connections = (state.connections = createConnections(channel, orders));
  const keyLeases = (state.batons = createBatons(channel));
  const others = createShared(channel, orders, (own) => (state.ownMetrics = own));
  return {
    orders,
    shared: { ...others, connections, keyLeases },
    listens: (url) => void channel.sendRequest('listens', { url }),
    failed: async (reason) => void (await channel.sendRequest('failed', { reason })),
    onStop: (given) => (state.stop = given),
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

function createShared(
  channel: ToPrimary,
  { workers }: WorkerOrders,
  setOwn: (own: () => Promise<Registry>) => void,
): Omit<Shared, 'connections' | 'keyLeases'> {
  const counts = new SharedCounts((rows) => channel.sendRequest('counts', rows), workers);
  const toRelease = (hold: number | null) =>
    hold === null ? null : () => giveBack(channel, hold, null);
  return {
    spareCores: countSpareCores(workers),
    count: (one) => counts.addHit(one),
    acquireSlot: async (wanted) => toRelease(await channel.sendRequest('place', wanted)),
    passwordPermits: {
      acquire: async (line) => toRelease(await channel.sendRequest('turn', { line })),
    },
    createMetricsReader(own) {
      setOwn(own);
      return () => channel.sendRequest('metrics', null);
    },
  };
}

const createConnections = (channel: ToPrimary, { number }: WorkerOrders): WorkerConnections =>
  new WorkerConnections(number, {
    home: (organizationId) => channel.sendRequest('home', { organizationId }),
    move: (to, handle) => channel.sendRequest('move', { to }, handle),
  });

const createBatons = (channel: ToPrimary): KeptBatons =>
  new KeptBatons({
    take: (key) => channel.sendRequest('baton', { key }),
    leave: (hold, note) => giveBack(channel, hold, note),
  });

/** Releases a lease; a failure is ignored, because the primary is gone then. */
function giveBack(channel: ToPrimary, hold: number, note: string | null): void {
  void channel.sendRequest('leave', { hold, note }).catch(() => undefined);
}
