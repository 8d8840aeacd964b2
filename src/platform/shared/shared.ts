// What the workers of one port have in common: limits, places, turns and metrics. An instance alone has them to itself.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import type { Registry } from 'prom-client';
import type { Awaitable } from '../../domain/awaitable.ts';
import type { Config } from '../../config.ts';
import type { BatonKeeper } from './batons.ts';
import { type WantedPlace, TakenPlaces } from './places.ts';
import {
  createFairSemaphore,
  type FairSemaphore,
  type Release,
  type SemaphoreLimits,
} from '../concurrency/fair-semaphore.ts';
import { type Counted, type WindowCount, WindowCounts } from './window-counts.ts';

/** Whose connections are those of the agents. */
export interface Connections {
  /** Those that come from other workers are served by this server. */
  servedBy(server: Server): void;
  /** An agent of the organisation has its answer, and nothing else is under way on the connection. */
  answered(connection: Socket, organizationId: string): void;
}

export interface Shared {
  /** Cores for this instance's threads: all but one, dealt among those that share the port; at least one. */
  spareCores: number;
  /** Counts one more. */
  count(one: Counted): Awaitable<WindowCount>;
  /** Null: there is no place left. */
  place(place: WantedPlace): Promise<Release | null>;
  /** For computing passwords. */
  passwordPermits: FairSemaphore;
  /** At writing to the chain of an organisation, and at following it; undefined: nobody else does. */
  batons: BatonKeeper | undefined;
  /** Undefined: there is nobody else to serve them. */
  connections: Connections | undefined;
  /** Given how an instance's own metrics are brought up to date: the metrics of all, as Prometheus reads them. */
  metricsOf(own: () => Promise<Registry>): () => Promise<string>;
}

export interface SharedLimits {
  passwords: SemaphoreLimits;
}

type Configured = Pick<Config, 'ASSAY_PASSWORD_CONCURRENCY' | 'ASSAY_PASSWORD_QUEUE'>;

export const sharedLimitsOf = (config: Configured): SharedLimits => ({
  passwords: {
    permits: config.ASSAY_PASSWORD_CONCURRENCY,
    maxWaiting: config.ASSAY_PASSWORD_QUEUE,
  },
});

export function createOwnShared({ passwords }: SharedLimits): Shared {
  const counts = new WindowCounts();
  const places = new TakenPlaces();
  return {
    spareCores: spareCores(1),
    count: (one) => counts.add(one, 1, performance.now()),
    place: (place) => Promise.resolve(places.take(place)),
    passwordPermits: createFairSemaphore(passwords),
    batons: undefined,
    connections: undefined,
    metricsOf: (own) => async () => (await own()).metrics(),
  };
}

export const spareCores = (instances: number): number =>
  Math.max(1, Math.floor((availableParallelism() - 1) / instances));
