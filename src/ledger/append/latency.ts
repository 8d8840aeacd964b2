// Latency percentiles over the newest appends of an organisation.

/** Milliseconds. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

const SAMPLES = 256;

/** The newest samples, sorted when they are read. */
export class LatencyWindow {
  readonly #samples: number[] = [];

  addSample(ms: number): void {
    this.#samples.push(Math.max(0, ms));
    if (this.#samples.length > SAMPLES) this.#samples.shift();
  }

  /** Computes the percentiles, in milliseconds; null before the first sample. */
  computePercentiles(): Percentiles | null {
    const sorted = this.#samples.toSorted((a, b) => a - b);
    if (sorted.length === 0) return null;
    const pickPercentile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
    return { p50: pickPercentile(0.5), p95: pickPercentile(0.95), p99: pickPercentile(0.99) };
  }
}
