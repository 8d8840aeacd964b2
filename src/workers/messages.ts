// The requests between the primary and its workers.
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { SlotRequest } from '../platform/shared/places.ts';
import type { CountKey, WindowCount } from '../platform/shared/window-counts.ts';

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
export type CountRow = CountKey & { count: number };

/** Id of a lease this worker holds. */
type LeaseId = number;

/** A lease that the primary has granted. */
export interface GrantedBaton {
  /** Id to release it by; null: there is nothing to release. */
  hold: LeaseId | null;
  note: string | null;
  /** Whether another worker waits for it already. */
  isWanted: boolean;
}

export type MetricsOfWorker = MetricObjectWithValues<MetricValue<string>>[];

/** The requests that a worker sends to the primary. */
export interface PrimaryRequests {
  orders: { payload: null; result: WorkerOrders };
  /** The worker listens. */
  listens: { payload: { url: string }; result: null };
  /** The worker cannot start. */
  failed: { payload: { reason: string }; result: null };
  counts: { payload: readonly CountRow[]; result: WindowCount[] };
  place: { payload: SlotRequest; result: LeaseId | null };
  turn: { payload: { line: string }; result: LeaseId | null };
  baton: { payload: { key: string }; result: GrantedBaton };
  /** Returns the number of the worker that writes the organisation's chain. */
  home: { payload: { organizationId: string }; result: number };
  /** Moves a connection to another worker; false: that worker does not take it. */
  move: { payload: { to: number }; result: boolean };
  /** Releases a lease; `note` is for its next holder. */
  leave: { payload: { hold: LeaseId; note: string | null }; result: null };
  /** Returns the metrics of all workers in the text format of Prometheus. */
  metrics: { payload: null; result: string };
}

/** The requests that the primary sends to a worker. */
export interface WorkerRequests {
  /** Returns the worker's own metrics. */
  metrics: { payload: null; result: MetricsOfWorker };
  /** Another worker waits for a lease that this one holds. */
  wanted: { payload: { hold: LeaseId }; result: null };
  /** Hands over a connection of another worker; false: this one does not take it. */
  take: { payload: null; result: boolean };
  stop: { payload: null; result: null };
}
