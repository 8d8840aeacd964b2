// State that the workers of one port share: rate limits, slots, leases and metrics. A single instance keeps its own.
import { availableParallelism } from 'node:os';
import type { Registry } from 'prom-client';
import type { Config } from '../../config/config.ts';
import type { KeyLeaseProvider } from './key-leases.ts';
import { type SlotRequest, KeySlots } from './slots.ts';
import {
  createFairSemaphore,
  type FairSemaphore,
  type SemaphoreLimits,
} from '../concurrency/fair-semaphore.ts';
import type { Release } from '../concurrency/permits.ts';
import { type CountRequest, type WindowCount, WindowCounts } from './window-counts.ts';

export interface Shared {
  /** Cores for this instance's threads: all but one, divided among the workers of the port; at least one. */
  spareCores: number;
  /** Adds to the count of a key in its window, and returns the count. */
  count(request: CountRequest): Promise<WindowCount>;
  /** Takes a slot; null when none is left, or becomes free while the request waits. */
  acquireSlot(request: SlotRequest): Promise<Release | null>;
  /** Limits concurrent password hashes. */
  passwordPermits: FairSemaphore;
  /** Leases for appending to an organisation's chain and for following it; undefined: there is no other worker. */
  keyLeases: KeyLeaseProvider | undefined;
  /** `own` refreshes this instance's metrics; the result reads those of all workers in Prometheus' text format. */
  createMetricsReader(own: () => Promise<Registry>): () => Promise<string>;
}

export interface SharedLimits {
  passwords: SemaphoreLimits;
}

type Configured = Pick<Config, 'ASSAY_PASSWORD_CONCURRENCY' | 'ASSAY_PASSWORD_QUEUE'>;

export const toSharedLimits = (config: Configured): SharedLimits => ({
  passwords: {
    permits: config.ASSAY_PASSWORD_CONCURRENCY,
    maxWaiting: config.ASSAY_PASSWORD_QUEUE,
  },
});

export function createOwnShared({ passwords }: SharedLimits): Shared {
  const counts = new WindowCounts();
  const slots = new KeySlots();
  return {
    spareCores: countSpareCores(1),
    count: (request) =>
      Promise.resolve(counts.increment(request, request.hits ?? 1, performance.now())),
    acquireSlot: (request) => slots.acquire(request),
    passwordPermits: createFairSemaphore(passwords),
    keyLeases: undefined,
    createMetricsReader: (own) => async () => (await own()).metrics(),
  };
}

export const countSpareCores = (instances: number): number =>
  Math.max(1, Math.floor((availableParallelism() - 1) / instances));
