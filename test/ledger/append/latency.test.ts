// The percentiles of the newest appends of an organisation.
import { expect, test } from 'vitest';
import { LatencyWindow } from '../../../src/ledger/append/latency.ts';

function percentilesOf(samples: readonly number[]) {
  const latencies = new LatencyWindow();
  for (const ms of samples) latencies.addSample(ms);
  return latencies.computePercentiles();
}

test('percentiles are those of the samples in order of size', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => ((index * 37) % 100) + 1);
  expect(percentilesOf(hundred)).toEqual({ p50: 50, p95: 95, p99: 99 });
  expect(percentilesOf([7])).toEqual({ p50: 7, p95: 7, p99: 7 });
  expect(percentilesOf([9, 1, 5])).toEqual({ p50: 5, p95: 9, p99: 9 });
  expect(percentilesOf([])).toBeNull();
});

test('only the newest 256 samples count, and none is below zero', () => {
  const old = Array<number>(2).fill(1_000);
  const recent = Array<number>(255).fill(2);
  expect(percentilesOf([...old, ...recent])).toEqual({ p50: 2, p95: 2, p99: 2 });
  expect(percentilesOf([...old.slice(1), ...recent])?.p50).toBe(2);
  const most = Array<number>(4).fill(1_000);
  expect(percentilesOf([...most, ...recent.slice(3)])?.p99).toBe(1_000);
  expect(percentilesOf([...most, ...recent])?.p99).toBe(2);
  expect(percentilesOf([-5])).toEqual({ p50: 0, p95: 0, p99: 0 });
});
