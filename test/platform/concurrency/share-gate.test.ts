// The gate of shares: what runs at a time, in which order, and that a slow entry holds up nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { Release } from '../../../src/platform/concurrency/permits.ts';
import { ShareGate } from '../../../src/platform/concurrency/share-gate.ts';

const HOUR_MS = 3_600_000;

test('admits the permitted number at once and the others in their order', async () => {
  const gate = new ShareGate({ permits: 2, besideOthers: 2, slowMs: HOUR_MS });
  const [first, second] = [gate.enter('a'), gate.enter('a')] as Release[];
  const admitted: number[] = [];
  const waiting = [3, 4].map(async (number) => {
    const leave = await gate.enter('a');
    admitted.push(number);
    return leave;
  });
  await sleep(1);
  expect(admitted).toEqual([]);
  first?.();
  const third = await waiting[0];
  expect(admitted).toEqual([3]);
  second?.();
  const fourth = await waiting[1];
  expect(admitted).toEqual([3, 4]);
  third?.();
  fourth?.();
  expect(gate.size).toBe(0);
});

test('a share does not wait for another', () => {
  const gate = new ShareGate({ permits: 1, besideOthers: 1, slowMs: HOUR_MS });
  expect(gate.enter('a')).toBeInstanceOf(Function);
  expect(gate.enter('a')).toBeInstanceOf(Promise);
  expect(gate.enter('b')).toBeInstanceOf(Function);
});

test('a share has fewer permits while another enters, and all of them a second later', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const gate = new ShareGate({ permits: 4, besideOthers: 2, slowMs: HOUR_MS });
  const leaving = Array.from({ length: 4 }, () => gate.enter('a')) as Release[];
  (gate.enter('b') as Release)();
  const admitted: Release[] = [];
  const waiting = [5, 6, 7].map(async () => admitted.push(await gate.enter('a')));
  // Those that run are completed first.
  leaving[0]?.();
  leaving[1]?.();
  await sleep(1);
  expect(admitted).toHaveLength(0);
  leaving[2]?.();
  await waiting[0];
  vi.advanceTimersByTime(1000);
  leaving[3]?.();
  await Promise.all(waiting);
  expect(gate.enter('a')).toBeInstanceOf(Function);
  expect(gate.enter('a')).toBeInstanceOf(Promise);
  vi.useRealTimers();
});

test('an entry that is slow no longer counts, and leaving twice admits no second one', async () => {
  const gate = new ShareGate({ permits: 1, besideOthers: 1, slowMs: 5 });
  const slow = gate.enter('a') as Release;
  const second = await gate.enter('a');
  const third = gate.enter('a');
  slow();
  slow();
  let isAdmitted = false;
  void Promise.resolve(third).then(() => (isAdmitted = true));
  second();
  second();
  const leave = await third;
  expect(isAdmitted).toBe(true);
  leave();
  expect(gate.size).toBe(0);
});
