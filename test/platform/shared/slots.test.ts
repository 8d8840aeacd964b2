// Slots by key: as many as the limit, each free again once it is released.
import { expect, test } from 'vitest';
import { KeySlots } from '../../../src/platform/shared/slots.ts';

test('a slot is taken until it is released', () => {
  const slots = new KeySlots();
  const take = (key: string) => slots.acquire({ namespace: 'a', key, limit: 2 });
  const first = take('x');
  expect([first, take('x'), take('y')].every((release) => release !== null)).toBe(true);
  expect(take('x')).toBeNull();
  first?.();
  expect(take('x')).not.toBeNull();
  expect(take('x')).toBeNull();
});

test('a slot that is released twice frees no other one', () => {
  const slots = new KeySlots();
  const take = () => slots.acquire({ namespace: 'a', key: 'x', limit: 2 });
  const first = take();
  take();
  first?.();
  first?.();
  expect(take()).not.toBeNull();
  expect(take()).toBeNull();
});
