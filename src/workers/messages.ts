// The requests between the primary and its workers.
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { SlotRequest } from '../platform/shared/slots.ts';
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

/** Id of a slot or lease that a worker holds; null: it holds none. */
export type HeldId = number | null;

export interface GrantedLease {
  id: HeldId;
  /** The payload that the previous holder left. */
  payload: string | null;
}

export type MetricsOfWorker = MetricObjectWithValues<MetricValue<string>>[];

/** The requests about the limits that workers share. */
export interface LimitRequests {
  /** Reports counts; returns those of all workers, these included. */
  reportCounts: { payload: readonly CountRow[]; result: WindowCount[] };
  acquireSlot: { payload: SlotRequest; result: HeldId };
  acquireLease: { payload: { key: string }; result: GrantedLease };
  /** Releases what the worker holds by this id; a lease passes `payload` on to its next holder. */
  release: { payload: { id: number; payload: string | null }; result: null };
}

/** The requests that a worker sends to the primary. */
export interface PrimaryRequests extends LimitRequests {
  getOrders: { payload: null; result: WorkerOrders };
  noteListening: { payload: { url: string }; result: null };
  /** The worker cannot start. */
  noteFailure: { payload: { reason: string }; result: null };
  /** Returns the metrics of all workers in the text format of Prometheus. */
  readMetrics: { payload: null; result: string };
}

/** The requests that the primary sends to a worker. */
export interface WorkerRequests {
  /** Returns the worker's own metrics. */
  readMetrics: { payload: null; result: MetricsOfWorker };
  stop: { payload: null; result: null };
}
