// Messages between the processes of the benchmark.

/** One address under load. */
export interface Target {
  port: number;
  method: 'GET' | 'POST';
  path: string;
  headers: Readonly<Record<string, string>>;
  /** API keys of the same length that take turns; absent: `headers` say it all. */
  keys?: readonly string[];
  /** Decisions of one request; absent: a request is a decision. */
  batch?: number;
  /** Bodies of another type than the decisions, in base64. */
  content?: { type: string; bodies: readonly string[] };
  /** Requests in flight in a closed loop; their maximum in an open loop. */
  connections: number;
}

/** A measurement: some seconds of warming up, then the seconds that count. */
export interface Span {
  warmUp: number;
  seconds: number;
}

export interface LoadOrder extends Span {
  targets: readonly Target[];
  /** Requests per second of all targets together; absent: closed loop. */
  rate?: number;
}

export interface DriverOrder extends Span {
  work: 'insertOne' | 'insertMany' | 'list';
  uri: string;
  /** Organisation whose decisions are listed (`list` only), 24 hex digits. */
  organizationId?: string;
}

/** Event streams to be opened and read. */
export interface ReadOrder {
  port: number;
  path: string;
  streams: number;
}

/** Operations and their time in milliseconds. */
export interface Measured {
  operations: number;
  seconds: number;
  p50: number;
  p99: number;
  /** Answers by status; drivers have none. */
  statuses: Record<string, number>;
}

/** Messages of a child: `measuring` after warm-up, then `measured`; a reader sends `reading`, and `read` on request. */
export type WorkerMessage =
  | { kind: 'ready' }
  | { kind: 'measuring' }
  | { kind: 'measured'; measured: Measured }
  | { kind: 'reading' }
  | { kind: 'read'; bytes: number };

export function sendMessage(message: WorkerMessage): void {
  process.send?.(message);
}

/** The summary of a span's latencies in milliseconds. */
export function createSummary(
  latencies: number[],
  seconds: number,
  statuses: Record<string, number> = {},
): Measured {
  const sorted = Float64Array.from(latencies).sort();
  const getQuantile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  return {
    operations: sorted.length,
    seconds,
    p50: getQuantile(0.5),
    p99: getQuantile(0.99),
    statuses,
  };
}
