// A worker process: gets its orders from the primary, and shares limits and metrics with the other workers.
import cluster from 'node:cluster';
import type { Registry } from 'prom-client';
import { type Shared, countSpareCores } from '../platform/shared/shared.ts';
import { type Answers, Channel } from './channel.ts';
import type { HeldId, PrimaryRequests, WorkerRequests, WorkerOrders } from './messages.ts';
import { SharedCounts } from './shared-counts.ts';

/** The primary, as a worker uses it. */
export interface Primary {
  orders: WorkerOrders;
  shared: Shared;
  noteListening(url: string): void;
  /** Reports why the worker cannot start; resolves when the primary knows. */
  noteFailure(reason: string): Promise<void>;
  /** Sets how this process stops; until then a stop ends it at once. */
  onStop(stop: () => void): void;
}

type ToPrimary = Channel<PrimaryRequests, WorkerRequests>;

/** The state from which a worker answers requests of the primary. */
interface WorkerState {
  stop: () => void;
  readMetrics: () => Promise<Registry>;
}

const createAnswers = (state: WorkerState): Answers<WorkerRequests> => ({
  readMetrics: async () => (await state.readMetrics()).getMetricsAsJSON(),
  stop() {
    state.stop();
    return null;
  },
});

/** Joins the primary of this worker; null: this process is no worker. `node:cluster` ends a worker with its primary. */
export async function joinPrimary(): Promise<Primary | null> {
  if (!cluster.worker) return null;
  const state: WorkerState = {
    stop: () => process.exit(),
    readMetrics: () => Promise.reject(new Error('the worker has not started')),
  };
  const channel: ToPrimary = new Channel<PrimaryRequests, WorkerRequests>(
    cluster.worker,
    createAnswers(state),
    { speaksFirst: true },
  );
  const orders = await channel.sendRequest('getOrders', null);
  return {
    orders,
    shared: createShared(channel, orders, state),
    noteListening: (url) => void channel.sendRequest('noteListening', { url }),
    noteFailure: async (reason) => void (await channel.sendRequest('noteFailure', { reason })),
    onStop: (stop) => (state.stop = stop),
  };
}

function createShared(channel: ToPrimary, { workers }: WorkerOrders, state: WorkerState): Shared {
  const counts = new SharedCounts((rows) => channel.sendRequest('reportCounts', rows), workers);
  /** Releases what this worker holds; a failure is ignored, because the primary is gone then. */
  const release = (id: HeldId, payload: string | null): void => {
    if (id !== null) channel.sendRequest('release', { id, payload }).catch(() => undefined);
  };
  const toRelease = (id: HeldId) => (id === null ? null : () => release(id, null));
  return {
    spareCores: countSpareCores(workers),
    count: (request) => counts.addHits(request),
    acquireSlot: async (request) => toRelease(await channel.sendRequest('acquireSlot', request)),
    keyLeases: {
      async acquire(key) {
        const { id, payload } = await channel.sendRequest('acquireLease', { key });
        return { payload, release: (next) => release(id, next) };
      },
    },
    createMetricsReader(own) {
      state.readMetrics = own;
      return () => channel.sendRequest('readMetrics', null);
    },
  };
}
