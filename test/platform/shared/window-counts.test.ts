// Window counters: begin and end of windows, isolation of keys and namespaces, and removal of ended windows.
import { expect, test } from 'vitest';
import { WindowCounts } from '../../../src/platform/shared/window-counts.ts';

const windowMs = 1000;

test('a window begins with its first count and ends on time, regardless of further counts', () => {
  const counts = new WindowCounts();
  const at = (now: number, count = 1): unknown =>
    Object.values(counts.increment({ namespace: 'a', key: 'x', windowMs }, count, now));
  expect(at(5500)).toEqual([1, 1000]);
  expect(at(5900, 3)).toEqual([4, 600]);
  expect(at(6499)).toEqual([5, 1]);
  expect(at(6500)).toEqual([1, 1000]);
  expect(at(99_000)).toEqual([1, 1000]);
});

test('keys and namespaces have separate counts', () => {
  const counts = new WindowCounts();
  const hits = (namespace: string, key: string): number =>
    counts.increment({ namespace, key, windowMs }, 1, 0).hits;
  expect([hits('a', 'x'), hits('a', 'y'), hits('b', 'x'), hits('a', 'x')]).toEqual([1, 1, 1, 2]);
});

test('counts match a plain list of events, for any order of times', () => {
  const counts = new WindowCounts();
  let now = 0;
  let begun = -windowMs;
  let expected = 0;
  for (let step = 0; step < 500; step++) {
    now += (step * 7919) % 613;
    if (now - begun >= windowMs) [begun, expected] = [now, 0];
    expected += 1;
    const { hits, resetMs } = counts.increment({ namespace: 'a', key: 'x', windowMs }, 1, now);
    expect([hits, resetMs]).toEqual([expected, begun + windowMs - now]);
  }
});
