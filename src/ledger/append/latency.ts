// Latencies of an organisation's newest appends, and their percentiles.

/** Milliseconds. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

const SAMPLES = 256;

/** A ring buffer of the newest samples, sorted when it is read. */
export class LatencyRing {
  readonly #ring = new Float32Array(SAMPLES);
  #count = 0;

  add(ms: number): void {
    this.#ring[this.#count++ % SAMPLES] = Math.max(0, ms);
  }

  /** Null before the first sample. */
  percentiles(): Percentiles | null {
    const sorted = this.#ring.slice(0, Math.min(this.#count, SAMPLES)).sort();
    if (sorted.length === 0) return null;
    const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  }
}
