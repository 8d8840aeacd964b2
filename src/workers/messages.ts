// The requests between the primary and its workers.
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { WantedPlace } from '../platform/shared/places.ts';
import type { CountedKey, WindowCount } from '../platform/shared/window-counts.ts';

/** The start parameters of a worker. Secrets are sent this way, since other users may read a command line. */
export interface WorkerOrders {
  /** Number of the worker, from 1. */
  number: number;
  /** Number of workers. */
  workers: number;
  mongoUri: string;
  secrets: Secrets;
  port: number;
}

/** The count of one key in a worker since its last report. */
export type CountRow = CountedKey & { count: number };

/** Id of a lease this worker holds. */
type Hold = number;

/** A lease that the primary has granted. */
export interface Given {
  /** Id to release it by; null: there is nothing to release. */
  hold: Hold | null;
  note: string | null;
  /** Whether another worker waits for it already. */
  isWanted: boolean;
}

export type MetricsOfWorker = MetricObjectWithValues<MetricValue<string>>[];

/** The requests that a worker sends to the primary. */
export interface AskedOfPrimary {
  orders: { says: null; gets: WorkerOrders };
  /** The worker listens. */
  listens: { says: { url: string }; gets: null };
  /** The worker cannot start. */
  failed: { says: { reason: string }; gets: null };
  counts: { says: readonly CountRow[]; gets: WindowCount[] };
  place: { says: WantedPlace; gets: Hold | null };
  turn: { says: { line: string }; gets: Hold | null };
  baton: { says: { key: string }; gets: Given };
  /** Returns the number of the worker that writes the organisation's chain. */
  home: { says: { organizationId: string }; gets: number };
  /** Moves a connection to another worker; false: that worker does not take it. */
  move: { says: { to: number }; gets: boolean };
  /** Releases a lease; `note` is for its next holder. */
  leave: { says: { hold: Hold; note: string | null }; gets: null };
  /** Returns the metrics of all workers in the text format of Prometheus. */
  metrics: { says: null; gets: string };
}

/** The requests that the primary sends to a worker. */
export interface AskedOfWorker {
  /** Returns the worker's own metrics. */
  metrics: { says: null; gets: MetricsOfWorker };
  /** Another worker waits for a lease that this one holds. */
  wanted: { says: { hold: Hold }; gets: null };
  /** Hands over a connection of another worker; false: this one does not take it. */
  take: { says: null; gets: boolean };
  stop: { says: null; gets: null };
}
