// Admission: what runs at a time, of all keys and of each; who waits, in which order, and who gets nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import {
  Admission,
  type Release,
  requirePermit,
} from '../../../src/platform/concurrency/admission.ts';

const HOUR_MS = 3_600_000;

test('a key has its permits at once, and its further callers in their order', async () => {
  const gate = new Admission({ limit: 2, slowMs: HOUR_MS });
  const [first, second] = [gate.acquire('a'), gate.acquire('a')] as Release[];
  const admitted: number[] = [];
  const waiting = [3, 4].map(async (number) => {
    const leave = await gate.acquire('a');
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

test('a key does not wait for another', () => {
  const gate = new Admission({ limit: 1, slowMs: HOUR_MS });
  expect(gate.acquire('a')).toBeInstanceOf(Function);
  expect(gate.acquire('a')).toBeInstanceOf(Promise);
  expect(gate.acquire('b')).toBeInstanceOf(Function);
});

test('a key has fewer permits while another asks, and all of them a second later', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const gate = new Admission({ limit: 4, besideOthers: 2, slowMs: HOUR_MS });
  const leaving = Array.from({ length: 4 }, () => gate.acquire('a')) as Release[];
  (gate.acquire('b') as Release)();
  const admitted: Release[] = [];
  const waiting = [5, 6, 7].map(async () => admitted.push((await gate.acquire('a')) as Release));
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
  expect(gate.acquire('a')).toBeInstanceOf(Function);
  expect(gate.acquire('a')).toBeInstanceOf(Promise);
  vi.useRealTimers();
});

test('a slow holder of a key no longer counts, and returning twice admits no second one', async () => {
  const gate = new Admission({ limit: 1, slowMs: 5 });
  const slow = gate.acquire('a') as Release;
  const second = (await gate.acquire('a')) as Release;
  const third = gate.acquire('a');
  slow();
  slow();
  let isAdmitted = false;
  void Promise.resolve(third).then(() => (isAdmitted = true));
  second();
  second();
  const leave = (await third) as Release;
  expect(isAdmitted).toBe(true);
  leave();
  expect(gate.size).toBe(0);
});

test('a slow holder no longer counts while others wait, and returns nothing afterwards', async () => {
  const admission = new Admission({ permits: 1, maxWaiting: 3, slowMs: 5 });
  const slow = await admission.acquire('a');
  const [second, third, fourth] = ['a', 'b', 'a'].map((key) => admission.acquire(key));
  const returnSecond = await second;
  slow?.();
  slow?.();
  returnSecond?.();
  returnSecond?.();
  // Its predecessor was returned before it was slow: the next one is watched all the same.
  expect(await third).toBeTypeOf('function');
  expect(await fourth).toBeTypeOf('function');
});

test('all keys together get no more permits than there are, and a refused caller null', async () => {
  const admission = new Admission({ permits: 1, maxWaiting: 2 });
  const first = await admission.acquire('a');
  const [second, third] = [admission.acquire('a'), admission.acquire('a')];
  const other = admission.acquire('b');
  expect(await third).toBeNull();
  first?.();
  (await second)?.();
  expect(await other).toBeTypeOf('function');
});

test('keys that wait for a permit of all are served in rotation', async () => {
  const admission = new Admission({ permits: 1 });
  const first = admission.acquire('a') as Release;
  const order: string[] = [];
  const waiting = ['a1', 'a2', 'b1', 'c1'].map(async (name) => {
    const release = await admission.acquire(name[0] as string);
    order.push(name);
    release?.();
  });
  first();
  await Promise.all(waiting);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2']);
});

test('a caller does not overtake those of its key that wait, when the key has more permits again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const admission = new Admission({ limit: 3, besideOthers: 1 });
  expect(admission.acquire('b')).toBeInstanceOf(Function);
  const holder = admission.acquire('a') as Release;
  const order: string[] = [];
  const note = async (name: string) => {
    await admission.acquire('a');
    order.push(name);
  };
  const waiting = note('first');
  vi.advanceTimersByTime(1000);
  await Promise.all([note('second'), waiting]);
  expect(order).toEqual(['first', 'second']);
  expect(admission.acquire('a')).toBeInstanceOf(Promise);
  holder();
  vi.useRealTimers();
});

test('a caller that has waited its time gets nothing, and takes no permit', async () => {
  const admission = new Admission({ limit: 1, waitMs: 5, maxWaitingOfKey: 1 });
  const holder = admission.acquire('a') as Release;
  const late = admission.acquire('a');
  expect(admission.acquire('a')).toBeNull();
  expect(admission.acquire('a', 0)).toBeNull();
  expect(await late).toBeNull();
  holder();
  expect(admission.size).toBe(0);
  expect(admission.acquire('a')).toBeInstanceOf(Function);
});

test('who gets no permit is refused with the error that its caller creates', async () => {
  const admission = new Admission({ limit: 1, waitMs: 0 });
  const refuse = () => new Error('none left');
  expect(await requirePermit(admission.acquire('a'), refuse)).toBeInstanceOf(Function);
  await expect(requirePermit(admission.acquire('a'), refuse)).rejects.toThrow('none left');
});
