// The primary's shared limits: what a worker holds is released on its request, and when it is gone.
import { expect, test } from 'vitest';
import { createCoordinator } from '../../src/workers/coordinator.ts';

const coordinator = createCoordinator();
const openSession = () => coordinator.openSession();
const slot = (key: string) => ({ namespace: 'streams', key, limit: 1, waitMs: 0 });
const password = (key: string) => ({ namespace: 'passwords', key, permits: 1, maxWaiting: 2 });

test('a slot is free again once it is released and once its worker is gone', async () => {
  const [one, other] = [openSession(), openSession()];
  const held = (await one.answers.acquireSlot(slot('a'))) as number;
  expect(held).toEqual(expect.any(Number));
  expect(await other.answers.acquireSlot(slot('a'))).toBeNull();
  expect(await other.answers.acquireSlot(slot('b'))).toEqual(expect.any(Number));
  await one.answers.release({ id: held, payload: null });
  expect(await other.answers.acquireSlot(slot('a'))).toEqual(expect.any(Number));
  // What was released once is another's now.
  await one.answers.release({ id: held, payload: null });
  expect(await one.answers.acquireSlot(slot('a'))).toBeNull();
  expect(await one.answers.acquireSlot(slot('b'))).toBeNull();
  other.release();
  expect(await one.answers.acquireSlot(slot('a'))).toEqual(expect.any(Number));
  expect(await one.answers.acquireSlot(slot('b'))).toEqual(expect.any(Number));
  one.release();
});

test('a permit for a worker that is gone passes to the next one', async () => {
  const [first, gone, last] = [openSession(), openSession(), openSession()];
  const held = (await first.answers.acquireSlot(password('a'))) as number;
  const late = gone.answers.acquireSlot(password('b'));
  const next = last.answers.acquireSlot(password('c'));
  gone.release();
  await first.answers.release({ id: held, payload: null });
  expect(await late).toBeNull();
  expect(await next).toEqual(expect.any(Number));
  last.release();
});

test('a lease passes on to a waiting worker with its payload', async () => {
  const [holder, waiting] = [openSession(), openSession()];
  const granted = await holder.answers.acquireLease({ key: 'chain' });
  expect(granted).toEqual({ id: expect.any(Number), payload: null });
  const next = waiting.answers.acquireLease({ key: 'chain' });
  await holder.answers.release({ id: granted.id as number, payload: 'head 7' });
  expect(await next).toEqual({ id: expect.any(Number), payload: 'head 7' });
  // A lease of a worker that is gone passes on without a payload.
  waiting.release();
  expect(await holder.answers.acquireLease({ key: 'chain' })).toMatchObject({ payload: null });
});
