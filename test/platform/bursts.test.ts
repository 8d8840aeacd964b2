// Bursts: who came together goes on together, in order, and not more at once than one turn of the event loop has time for.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Bursts } from '../../src/platform/bursts.ts';

/** Requests that note their steps. */
function burstsNoting(notes: string[]): Bursts<number> {
  const steps = async (number: number): Promise<void> => {
    notes.push(`${number} is checked`);
    await Promise.resolve();
    notes.push(`${number} is answered`);
  };
  return new Bursts((number) => void steps(number));
}

function letIn(bursts: Bursts<number>, count: number): void {
  for (let number = 0; number < count; number++) bursts.add(number);
}

test('every request takes a step before one of them takes the next', async () => {
  const notes: string[] = [];
  letIn(burstsNoting(notes), 3);
  await nextTurn();
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
  letIn(burstsNoting(notes), 1);
  await Promise.resolve();
  expect(notes).toEqual([]);
  await nextTurn();
  expect(notes).toHaveLength(2);
});

test('64 go on in one turn, and the others in the next ones', async () => {
  const notes: string[] = [];
  letIn(burstsNoting(notes), 150);
  const seen: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    await nextTurn();
    seen.push(notes.length / 2);
  }
  expect(seen).toEqual([64, 128, 150, 150]);
});

test('a request that comes later is not left behind', async () => {
  const notes: string[] = [];
  const bursts = burstsNoting(notes);
  for (const number of [1, 2]) {
    bursts.add(number);
    await nextTurn();
    expect(notes).toHaveLength(2 * number);
  }
});
