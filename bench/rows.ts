// The table of goals: what each row measures, must reach and aims at, and the file that keeps the last figures.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Goal {
  measure: string;
  must: number;
  aim: number;
  /** Whether the figure should be high or low. */
  better: 'high' | 'low';
}

export const rows = {
  'ingest/R1': {
    measure: 'ingestion / Express echo, 64 connections',
    must: 0.6,
    aim: 0.8,
    better: 'high',
  },
  'ingest/R2': {
    measure: 'ingestion / echo and one insertOne, 64 connections',
    must: 2.2,
    aim: 3,
    better: 'high',
  },
  'ingest/R3': {
    measure: 'ingestion / driver insertOne, 64 in flight',
    must: 1.2,
    aim: 1.6,
    better: 'high',
  },
  'ingest/R4': {
    measure: 'ingestion / driver insertMany of 64',
    must: 0.2,
    aim: 0.28,
    better: 'high',
  },
  'batch/R4': {
    measure: 'ingestion in batches of 64, 8 connections / driver insertMany of 64',
    must: 0.2,
    aim: 0.3,
    better: 'high',
  },
  'batch/one': {
    measure: 'ingestion in batches of 64, 8 connections / one by one, 64 connections',
    must: 1.6,
    aim: 2.5,
    better: 'high',
  },
  'otlp/R1': {
    measure: 'spans that become decisions, 64 a request, 8 connections / Express echo',
    must: 0.8,
    aim: 1.5,
    better: 'high',
  },
  guard: {
    measure: 'p50 of a guarded call that is approved / of the bare request',
    must: 1.15,
    aim: 1.05,
    better: 'low',
  },
  'node-cpu': { measure: 'Node CPU per ingestion / per echo', must: 1.4, aim: 1, better: 'low' },
  'one/eight': {
    measure: 'one organisation / eight, 64 connections',
    must: 0.9,
    aim: 1,
    better: 'high',
  },
  '64/1': { measure: '64 connections / 1', must: 6, aim: 9, better: 'high' },
  p50: {
    measure: 'p50 at one connection / R2 (echo and insertOne)',
    must: 1.6,
    aim: 1.2,
    better: 'low',
  },
  p99: { measure: 'p99, open loop at half of own maximum / R2', must: 2, aim: 1.2, better: 'low' },
  'two/one': {
    measure: 'two instances on one organisation / one',
    must: 0.55,
    aim: 0.8,
    better: 'high',
  },
  'two/one-p99': {
    measure: 'p99 of two instances on one organisation / one',
    must: 3,
    aim: 2,
    better: 'low',
  },
  workers: {
    measure: 'two workers on one organisation / one',
    must: 0.55,
    aim: 0.8,
    better: 'high',
  },
  'workers-p99': {
    measure: 'p99 of two workers on one organisation / one',
    must: 3,
    aim: 1.5,
    better: 'low',
  },
  'workers-eight': {
    measure: 'two workers on eight organisations / one',
    must: 0.9,
    aim: 1.2,
    better: 'high',
  },
  'four-workers': {
    measure: 'four workers on one organisation / one',
    must: 0.9,
    aim: 1.2,
    better: 'high',
  },
  'four-workers-eight': {
    measure: 'four workers on eight organisations / one',
    must: 0.9,
    aim: 1.2,
    better: 'high',
  },
  policies: { measure: 'CPU of 1000 policies / interpreted', must: 0.15, aim: 0.1, better: 'low' },
  memory: {
    measure: 'ms of a memory search among 100,000 decisions, in its thread',
    must: 50,
    aim: 20,
    better: 'low',
  },
  walk: {
    measure: 'R5 (hash of 156 bytes) / CPU of walking an entry, its links alone',
    must: 0.05,
    aim: 0.1,
    better: 'high',
  },
  verify: {
    measure: 'R5 (hash of 156 bytes) / CPU of verifying an entry with every value',
    must: 0.012,
    aim: 0.02,
    better: 'high',
  },
  during: {
    measure: 'p99 of ingestion during verify and export / without',
    must: 2,
    aim: 1.3,
    better: 'low',
  },
  'beside-receiver': {
    measure: 'p99 of ingestion beside a dead receiver of every event / without',
    must: 2,
    aim: 1.3,
    better: 'low',
  },
  'beside-mail': {
    measure: 'p99 of ingestion beside a dead mail server and fifty mails / without',
    must: 2,
    aim: 1.3,
    better: 'low',
  },
  'beside-streams': {
    measure: 'p99 of ingestion beside 1,000 open streams / without',
    must: 2,
    aim: 1.3,
    better: 'low',
  },
  'beside-replay': {
    measure: 'p99 of ingestion beside a running replay / without',
    must: 2,
    aim: 1.3,
    better: 'low',
  },
  'streams-rss': {
    measure: 'MB that 1,000 open streams add',
    must: 64,
    aim: 32,
    better: 'low',
  },
  wait: {
    measure: 'share of a core while 2,000 requests of one organisation wait for verdicts',
    must: 0.05,
    aim: 0.02,
    better: 'low',
  },
  'wait-verdict': {
    measure: 'ms from a verdict to the answers of those that wait for it, p99',
    must: 100,
    aim: 50,
    better: 'low',
  },
  start: {
    measure: 's from the start of the process to /ready, database running',
    must: 2,
    aim: 1,
    better: 'low',
  },
  'idle-rss': { measure: 'MB of an idle instance', must: 180, aim: 120, better: 'low' },
  log: {
    measure: 'CPU of an ingestion with the witnessed log, database included / without',
    must: 1.02,
    aim: 1.01,
    better: 'low',
  },
  'log-p99': {
    measure: 'ms that the witnessed log adds to p99 at one connection',
    must: 1,
    aim: 0.3,
    better: 'low',
  },
  session: {
    measure: 'CPU of an ingestion with a list of tools and a rule on sessions / without',
    must: 1.05,
    aim: 1.02,
    better: 'low',
  },
  budget: {
    measure: 'CPU of an ingestion with a limit that counts it / without',
    must: 1.03,
    aim: 1.01,
    better: 'low',
  },
  halt: {
    measure: 'CPU of an ingestion beside 20 standing halts of others / without',
    must: 1.03,
    aim: 1,
    better: 'low',
  },
  deliveries: {
    measure: 'deliveries a second to eight webhooks',
    must: 200,
    aim: 400,
    better: 'high',
  },
  replay: {
    measure: 'CPU of replaying a decision / of judging it once',
    must: 20,
    aim: 10,
    better: 'low',
  },
  export: {
    measure: 'decoding alone / CPU of exporting an entry',
    must: 0.4,
    aim: 0.6,
    better: 'high',
  },
  list: {
    measure: 'CPU of a list of 200 / driver find and stringify',
    must: 1.8,
    aim: 1.3,
    better: 'low',
  },
  health: {
    measure: 'ms that /health waits beside the worst hostile request, p99',
    must: 50,
    aim: 20,
    better: 'low',
  },
  'health-rss': {
    measure: 'MB that the worst hostile request adds',
    must: 64,
    aim: 32,
    better: 'low',
  },
  'verify-rss': {
    measure: 'MB that verifying a long chain adds, its threads with it',
    must: 192,
    aim: 128,
    better: 'low',
  },
  'export-rss': {
    measure: 'MB that exporting a long chain adds, its thread with it',
    must: 192,
    aim: 128,
    better: 'low',
  },
} as const satisfies Record<string, Goal>;
export type RowName = keyof typeof rows;

export interface Result extends Goal {
  /** Median of the ratios of the pairs. */
  figure: number;
  pairs: readonly number[];
  /** Share of the processors that others used just before or after, 0 to 1: above a tenth the figure is doubtful. */
  busyAround: number;
  /** Figures of both sides in the last pair: operations per second, milliseconds, CPU microseconds per operation. */
  sides?: Readonly<Record<'a' | 'b', Readonly<Record<string, number>>>>;
}
export type Results = Partial<Record<RowName, Result>>;

export const RESULTS = fileURLToPath(new URL('./results.json', import.meta.url));

export function readResults(): Results {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8')) as Results;
  } catch {
    return {};
  }
}

export function writeResults(results: Results): void {
  const ordered = Object.keys(rows).flatMap((name) => {
    const result = results[name as RowName];
    return result ? [[name, result]] : [];
  });
  writeFileSync(RESULTS, `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`);
}

export function computeMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** One line per row, with its goal and its figure. */
export function renderTable(results: Results): string {
  const lines = Object.entries(rows).map(([name, { measure, must, aim, better }]) => {
    const result = results[name as RowName];
    const sign = better === 'high' ? '>=' : '<=';
    const met = result === undefined ? '' : describeVerdict(result);
    const figure = result === undefined ? '-' : result.figure.toPrecision(3);
    return [name, measure, `${sign} ${must}`, `${sign} ${aim}`, figure, met];
  });
  const all = [['row', 'measure', 'must', 'aim', 'figure', ''], ...lines];
  const widths =
    all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? [];
  return all
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function describeVerdict({ figure, must, aim, better }: Result): string {
  const isReached = (goal: number): boolean =>
    better === 'high' ? figure >= goal : figure <= goal;
  if (isReached(aim)) return 'aim reached';
  return isReached(must) ? 'must met' : 'MISSED';
}
