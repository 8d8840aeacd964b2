// State that the workers of one port share: rate limits, slots, leases and metrics. A single instance keeps its own.
import { availableParallelism } from 'node:os';
import type { Registry } from 'prom-client';
import type { KeyLeaseProvider } from './key-leases.ts';
import { type AcquireSlot, KeySlots } from './slots.ts';
import { type CountRequest, type WindowCount, WindowCounts } from './window-counts.ts';

export interface Shared {
  /** Cores for this instance's threads: all but one, divided among the workers of the port; at least one. */
  spareCores: number;
  /** Adds to the count of a key in its window, and returns the count. */
  count(request: CountRequest): Promise<WindowCount>;
  acquireSlot: AcquireSlot;
  /** Leases for appending to an organisation's chain and for following it; undefined: there is no other worker. */
  keyLeases: KeyLeaseProvider | undefined;
  /** `own` refreshes this instance's metrics; the result reads those of all workers in Prometheus' text format. */
  createMetricsReader(own: () => Promise<Registry>): () => Promise<string>;
}

export function createOwnShared(): Shared {
  const counts = new WindowCounts();
  const slots = new KeySlots();
  return {
    spareCores: countSpareCores(1),
    count: (request) =>
      Promise.resolve(counts.increment(request, request.hits ?? 1, performance.now())),
    acquireSlot: (request) => slots.acquire(request),
    keyLeases: undefined,
    createMetricsReader: (own) => async () => (await own()).metrics(),
  };
}

export const countSpareCores = (instances: number): number =>
  Math.max(1, Math.floor((availableParallelism() - 1) / instances));
