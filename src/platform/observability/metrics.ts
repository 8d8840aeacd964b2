// The Prometheus metrics of an instance.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Each instance has its own registry, since a process may run several. Gauges report the worst of all workers. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: 'assay_http_request_seconds',
      help: 'Requests by route and status',
      labelNames: ['route', 'status'],
      buckets: SECONDS,
      registers,
    }),
    decisions: new Counter({
      name: 'assay_decisions_total',
      help: 'Ingested decisions by verdict',
      labelNames: ['status'],
      registers,
    }),
    frozenLogs: new Counter({
      name: 'assay_logs_frozen_total',
      help: 'Logs that were frozen because their chain is not what was signed',
      registers,
    }),
    otlpSpans: new Counter({
      name: 'assay_otlp_spans_total',
      help: 'Received spans, by their dialect and what became of them',
      labelNames: ['dialect', 'result'],
      registers,
    }),
    stampFailures: new Counter({
      name: 'assay_log_stamp_failures_total',
      help: 'Attempts in which no time-stamping authority gave a stamp',
      registers,
    }),
    cosigned: new Counter({
      name: 'assay_witness_requests_total',
      help: 'Requests of known logs to sign a checkpoint, by status',
      labelNames: ['status'],
      registers,
    }),
    unwitnessedSeconds: new Gauge({
      aggregator: 'max',
      name: 'assay_log_unwitnessed_seconds',
      help: 'Age of the newest head of the heads log while too few witnesses have signed it',
      registers,
    }),
    jobs: new Counter({
      name: 'assay_job_runs_total',
      help: 'Job runs by outcome',
      labelNames: ['job', 'outcome'],
      registers,
    }),
    consumerLag: new Gauge({
      aggregator: 'max',
      name: 'assay_consumer_lag_entries',
      help: 'Entries that a consumer is behind the newest head',
      labelNames: ['consumer'],
      registers,
    }),
    cursorFaults: new Counter({
      name: 'assay_consumer_cursor_faults_total',
      help: 'Cursors of consumers that were lost, or beyond the end of their chain',
      labelNames: ['consumer', 'kind'],
      registers,
    }),
    auditRows: new Gauge({
      aggregator: 'max',
      name: 'assay_audit_rows',
      help: 'Audit rows that are not sealed, by state: waiting, set_aside',
      labelNames: ['state'],
      registers,
    }),
    outbox: new Gauge({
      aggregator: 'max',
      name: 'assay_outbox_rows',
      help: 'Outbox rows by status',
      labelNames: ['status'],
      registers,
    }),
    outboxLate: new Gauge({
      aggregator: 'max',
      name: 'assay_outbox_late_rows',
      help: 'Outbox rows that wait for longer than a minute, by topic',
      labelNames: ['topic'],
      registers,
    }),
    quarantined: new Gauge({
      aggregator: 'max',
      name: 'assay_quarantined_chains',
      help: 'Chains that do not reach a head they once had',
      registers,
    }),
    datedAhead: new Gauge({
      aggregator: 'max',
      name: 'assay_chains_dated_ahead',
      help: 'Chains whose newest entry is dated ahead of this clock',
      registers,
    }),
    witnessed: new Counter({
      name: 'assay_witnessed_heads_total',
      help: 'Chain heads that witnesses reported, by whether the chain agrees: true, false, unknown',
      labelNames: ['agrees'],
      registers,
    }),
    chainChecks: new Counter({
      name: 'assay_chain_checks_total',
      help: 'Daily verifications of an organisation, by outcome: intact, broken, failed',
      labelNames: ['outcome'],
      registers,
    }),
    clockSkew: new Gauge({
      aggregator: 'max',
      name: 'assay_clock_skew_seconds',
      help: 'By how much this clock differs from the database, or was set',
      registers,
    }),
  };
}
export type Metrics = ReturnType<typeof createMetrics>;
