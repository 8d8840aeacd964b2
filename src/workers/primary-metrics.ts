// Aggregates the metrics of all workers into one text: counts are summed, common values appear once.
import { AggregatorRegistry } from 'prom-client';
import type { MetricsOfWorker } from './messages.ts';

/** A worker without an answer after this time is left out. */
const PATIENCE_MS = 10_000;

type AskOne = () => Promise<MetricsOfWorker>;

/** Creates the function that collects the metrics; concurrent callers share one collection. */
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
