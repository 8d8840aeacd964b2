// Slots by key: as many as the limit, each free again once it is released; those who wait get them in turn.
import { expect, test } from 'vitest';
import { KeySlots } from '../../../src/platform/shared/slots.ts';

test('a slot is taken until it is released', async () => {
  const slots = new KeySlots();
  const take = (key: string) => slots.acquire({ namespace: 'a', key, limit: 2, waitMs: 0 });
  const first = await take('x');
  expect([first, await take('x'), await take('y')].every((release) => release !== null)).toBe(true);
  expect(await take('x')).toBeNull();
  first?.();
  expect(await take('x')).not.toBeNull();
  expect(await take('x')).toBeNull();
});

test('a slot that is released twice frees no other one', async () => {
  const slots = new KeySlots();
  const take = () => slots.acquire({ namespace: 'a', key: 'x', limit: 2, waitMs: 0 });
  const first = await take();
  await take();
  first?.();
  first?.();
  expect(await take()).not.toBeNull();
  expect(await take()).toBeNull();
});

test('those who wait get slots in their order, and none after their time', async () => {
  const slots = new KeySlots();
  const take = (waitMs: number) => slots.acquire({ namespace: 'a', key: 'x', limit: 1, waitMs });
  const holder = await take(0);
  const order: string[] = [];
  const note = async (name: string, waitMs: number) => {
    const slot = await take(waitMs);
    order.push(slot ? name : `${name} got none`);
    return slot;
  };
  const impatient = note('impatient', 5);
  const [second, third] = [note('second', 60_000), note('third', 60_000)];
  expect(await impatient).toBeNull();
  holder?.();
  (await second)?.();
  await third;
  expect(order).toEqual(['impatient got none', 'second', 'third']);
  expect(await take(0)).toBeNull();
  (await third)?.();
  expect(await take(0)).not.toBeNull();
});

test('no more than 64 wait for one key', async () => {
  const slots = new KeySlots();
  const take = (key: string, waitMs: number) =>
    slots.acquire({ namespace: 'a', key, limit: 1, waitMs });
  const holder = await take('x', 0);
  const waiting = Array.from({ length: 64 }, () => take('x', 60_000));
  expect(await take('x', 60_000)).toBeNull();
  expect(await take('y', 60_000)).not.toBeNull();
  holder?.();
  for (const slot of waiting) (await slot)?.();
  expect(await take('x', 0)).not.toBeNull();
});
