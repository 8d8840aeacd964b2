// Leases by key: one holder at a time, in order, each with the payload of the previous holder.
import { expect, test } from 'vitest';
import { type KeyLease, KeyLeases } from '../../../src/platform/shared/key-leases.ts';

test('a lease goes to the waiters in order, with the payload of the previous holder', async () => {
  const leases = new KeyLeases();
  const seen: string[] = [];
  const passes: (() => void)[] = [];
  const asked = ['first', 'second', 'third'].map(async (name) => {
    const { payload, release } = await leases.acquire('chain');
    seen.push(`${name} after ${payload}`);
    passes.push(() => release(name));
  });
  await asked[0];
  expect(seen).toEqual(['first after null']);
  passes[0]?.();
  await asked[1];
  // A second release has no effect.
  passes[0]?.();
  expect(seen).toHaveLength(2);
  passes[1]?.();
  await asked[2];
  passes[2]?.();
  expect(seen).toEqual(['first after null', 'second after first', 'third after second']);
  expect((await leases.acquire('chain')).payload).toBe('third');
});

test('keys do not wait for each other; without a payload the next holder gets none', async () => {
  const leases = new KeyLeases();
  const take = (key: string): Promise<KeyLease> => leases.acquire(key);
  const [one, other] = await Promise.all([take('one'), take('other')]);
  one.release('left');
  other.release(null);
  expect([(await take('one')).payload, (await take('other')).payload]).toEqual(['left', null]);
});
