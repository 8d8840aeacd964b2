// Batons: one holder at a time, in order, each told what the one before left.
import { expect, test } from 'vitest';
import { type Baton, Batons } from '../../../src/platform/shared/batons.ts';

test('go from one to the next in the order of asking, with the note of the one before', async () => {
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
  // Passed twice, it goes on once.
  passes[0]?.();
  expect(seen).toHaveLength(2);
  passes[1]?.();
  await asked[2];
  passes[2]?.();
  expect(seen).toEqual(['first after null', 'second after first', 'third after second']);
  expect((await batons.take('chain')).note).toBe('third');
});

test('of one key wait for no other; where nothing was left, nothing is told', async () => {
  const batons = new Batons();
  const take = (key: string): Promise<Baton> => batons.take(key);
  const [one, other] = await Promise.all([take('one'), take('other')]);
  one.pass('left');
  other.pass(null);
  expect([(await take('one')).note, (await take('other')).note]).toEqual(['left', null]);
});
