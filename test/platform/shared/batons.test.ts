// Leases by key: one holder at a time, in order, each with the payload of the previous holder.
import { expect, test } from 'vitest';
import { type Baton, Batons } from '../../../src/platform/shared/batons.ts';

test('a lease goes to the waiters in order, with the payload of the previous holder', async () => {
  const batons = new Batons();
  const seen: string[] = [];
  const passes: (() => void)[] = [];
  const asked = ['first', 'second', 'third'].map(async (name) => {
    const { note, pass } = await batons.take('chain');
    seen.push(`${name} after ${note}`);
    passes.push(() => pass(name));
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
  expect((await batons.take('chain')).note).toBe('third');
});

test('keys do not wait for each other; without a payload the next holder gets none', async () => {
  const batons = new Batons();
  const take = (key: string): Promise<Baton> => batons.take(key);
  const [one, other] = await Promise.all([take('one'), take('other')]);
  one.pass('left');
  other.pass(null);
  expect([(await take('one')).note, (await take('other')).note]).toEqual(['left', null]);
});
