// The metrics of all workers in one text: counts are added up, what they all see is told once.
import { AggregatorRegistry } from 'prom-client';
import type { MetricsOfWorker } from './messages.ts';

/** A worker that has not told its metrics by then is left out. */
const PATIENCE_MS = 10_000;

type AskOne = () => Promise<MetricsOfWorker>;

/** Whoever asks while they are gathered is told the same. */
export function createPrimaryMetrics(workers: () => readonly AskOne[]): () => Promise<string> {
  let underWay: Promise<string> | null = null;

  async function gather(): Promise<string> {
    const told = await Promise.all(workers().map((ask) => inTime(ask())));
    const known = told.filter((metrics) => metrics !== null);
    return AggregatorRegistry.aggregate(known).metrics();
  }

  return () => (underWay ??= gather().finally(() => (underWay = null)));
}

async function inTime(metrics: Promise<MetricsOfWorker>): Promise<MetricsOfWorker | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PATIENCE_MS);
  });
  return Promise.race([metrics.catch(() => null), late]).finally(() => clearTimeout(timer));
}
