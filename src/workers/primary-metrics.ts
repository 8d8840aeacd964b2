// Aggregates the metrics of all workers into one text: counts are summed, common values appear once.
import { AggregatorRegistry } from 'prom-client';
import type { MetricsOfWorker } from './messages.ts';

/** A worker without an answer after this time is left out. */
const PATIENCE_MS = 10_000;

/** Creates the function that collects the metrics; concurrent callers share one collection. */
export function createPrimaryMetrics(
  readEach: () => readonly Promise<MetricsOfWorker>[],
): () => Promise<string> {
  let pending: Promise<string> | null = null;

  async function collectMetrics(): Promise<string> {
    const answers = await Promise.all(readEach().map(waitInTime));
    const received = answers.filter((metrics) => metrics !== null);
    return AggregatorRegistry.aggregate(received).metrics();
  }

  return () => (pending ??= collectMetrics().finally(() => (pending = null)));
}

async function waitInTime(metrics: Promise<MetricsOfWorker>): Promise<MetricsOfWorker | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PATIENCE_MS);
  });
  return Promise.race([metrics.catch(() => null), late]).finally(() => clearTimeout(timer));
}
