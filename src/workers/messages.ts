// What the primary and its workers ask each other.
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { WantedPlace } from '../platform/shared/places.ts';
import type { CountedKey, WindowCount } from '../platform/shared/window-counts.ts';

/** What a worker is to do. Secrets go this way, since others may read a command line. */
export interface WorkerOrders {
  /** Which of the workers it is, from 1. */
  number: number;
  /** How many there are. */
  workers: number;
  mongoUri: string;
  secrets: Secrets;
  port: number;
}

/** What a worker has counted of one key since it last told. */
export type CountRow = CountedKey & { count: number };

/** By which something taken is given back. */
type Hold = number;

/** A baton that the primary has given. */
export interface Given {
  /** By which it is given back; null: there is nothing to give back. */
  hold: Hold | null;
  note: string | null;
  /** Somebody else wants it already. */
  isWanted: boolean;
}

export type MetricsOfWorker = MetricObjectWithValues<MetricValue<string>>[];

export interface AskedOfPrimary {
  orders: { says: null; gets: WorkerOrders };
  /** It listens. */
  listens: { says: { url: string }; gets: null };
  /** It cannot begin. */
  failed: { says: { reason: string }; gets: null };
  counts: { says: readonly CountRow[]; gets: WindowCount[] };
  place: { says: WantedPlace; gets: Hold | null };
  turn: { says: { line: string }; gets: Hold | null };
  baton: { says: { key: string }; gets: Given };
  /** The number of the worker that writes the organisation's chain. */
  home: { says: { organizationId: string }; gets: number };
  /** A connection, for another worker; false: that one does not take it. */
  move: { says: { to: number }; gets: boolean };
  /** `note`: for the next holder of a baton. */
  leave: { says: { hold: Hold; note: string | null }; gets: null };
  /** Those of all workers, as Prometheus reads them. */
  metrics: { says: null; gets: string };
}

export interface AskedOfWorker {
  /** Its own. */
  metrics: { says: null; gets: MetricsOfWorker };
  /** Somebody else waits for a baton that it has. */
  wanted: { says: { hold: Hold }; gets: null };
  /** A connection from another worker; false: it does not take it. */
  take: { says: null; gets: boolean };
  stop: { says: null; gets: null };
}
