// Throttled work in virtual time: fast on an idle thread, barely noticeable on a busy one, and never stopped.
import { expect, test } from 'vitest';
import {
  createThrottle,
  type ThrottlePolicy,
  LOW_LATENCY,
} from '../../../src/platform/concurrency/adaptive-throttle.ts';

/** A thread that other work keeps busy for a share of every pause. */
function thread(manner?: ThrottlePolicy) {
  const state = { now: 0, others: 0, active: 0, idle: 0 };
  const pass = (ms: number, active: number): void => {
    state.now += ms;
    state.active += active;
    state.idle += ms - active;
  };
  const pace = createThrottle(manner, {
    now: () => state.now,
    wait: (ms) => Promise.resolve(pass(ms, ms * state.others)),
    utilization: () => ({ active: state.active, idle: state.idle, utilization: 0 }),
  });
  /** Works in pieces for a time; returns the share of working time, and the longest stretch without a pause. */
  async function work(ms: number, pieceMs = 0.5): Promise<{ share: number; longest: number }> {
    const until = state.now + ms;
    let [worked, since, longest] = [0, 0, 0];
    while (state.now < until) {
      pass(pieceMs, pieceMs);
      worked += pieceMs;
      since += pieceMs;
      longest = Math.max(longest, since);
      const before = state.now;
      await pace.pauseWhenDue();
      if (state.now > before) since = 0;
    }
    return { share: worked / (worked + state.now - until + ms - worked), longest };
  }
  return { state, pace, work };
}

test('takes nearly all of the time of an idle thread, in slices of a few milliseconds', async () => {
  const { work } = thread();
  const { share, longest } = await work(1000);
  expect(share).toBeGreaterThan(0.75);
  expect(longest).toBeLessThanOrEqual(4);
});

test.each([0.25, 0.7, 1])(
  'takes a small share beside a load of %d, but more than none',
  async (others) => {
    const { state, work } = thread();
    state.others = others;
    await work(200);
    const { share } = await work(10_000);
    expect(share).toBeLessThan(0.05);
    expect(share).toBeGreaterThan(0.03);
  },
);

test('low-latency work takes a fifth beside any load, in slices of a millisecond', async () => {
  const { state, work } = thread(LOW_LATENCY);
  state.others = 1;
  await work(200, 0.4);
  const { share, longest } = await work(10_000, 0.4);
  expect(share).toBeGreaterThan(0.18);
  expect(share).toBeLessThan(0.22);
  expect(longest).toBeLessThan(1.5);
});

test('slows down within a tenth of a second, and recovers as fast', async () => {
  const { state, work } = thread();
  await work(1000);
  state.others = 0.7;
  expect((await work(100)).share).toBeLessThan(0.5);
  expect((await work(1000)).share).toBeLessThan(0.06);
  state.others = 0;
  await work(200);
  expect((await work(1000)).share).toBeGreaterThan(0.75);
});

test('the next piece starts within a quarter of a second, however long a piece takes', async () => {
  const { state, work } = thread();
  state.others = 1;
  await work(500, 60);
  const before = state.now;
  await work(1, 60);
  expect(state.now - before).toBeLessThanOrEqual(60 + 250);
});

test('time between two works does not count as work', async () => {
  const { state, pace } = thread();
  state.others = 0.7;
  state.now += 10_000;
  pace.begin();
  const before = state.now;
  await pace.pauseWhenDue();
  expect(state.now).toBe(before);
});
