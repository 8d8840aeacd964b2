// Bursts: who came together goes on together, in order, and not more at once than one turn of the event loop has time for.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Bursts } from '../../../src/http/bursts.ts';

/** Lets so many requests in at once; each notes its steps. */
async function steps(count: number, notes: string[]): Promise<void> {
  const bursts = new Bursts();
  const request = async (number: number): Promise<void> => {
    await bursts.joined();
    notes.push(`${number} is checked`);
    await Promise.resolve();
    notes.push(`${number} is answered`);
  };
  await Promise.all(Array.from({ length: count }, (_, number) => request(number)));
}

test('every request takes a step before one of them takes the next', async () => {
  const notes: string[] = [];
  await steps(3, notes);
  expect(notes).toEqual([
    '0 is checked',
    '1 is checked',
    '2 is checked',
    '0 is answered',
    '1 is answered',
    '2 is answered',
  ]);
});

test('nobody goes on in the turn in which they came', async () => {
  const notes: string[] = [];
  const done = steps(1, notes);
  await Promise.resolve();
  expect(notes).toEqual([]);
  await done;
  expect(notes).toHaveLength(2);
});

test('64 go on in one turn, and the others in the next ones', async () => {
  const notes: string[] = [];
  const done = steps(150, notes);
  const seen: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    await nextTurn();
    seen.push(notes.length / 2);
  }
  await done;
  expect(seen).toEqual([64, 128, 150, 150]);
});

test('a request that comes later is not left behind', async () => {
  const bursts = new Bursts();
  await bursts.joined();
  await nextTurn();
  await expect(bursts.joined()).resolves.toBeUndefined();
});
