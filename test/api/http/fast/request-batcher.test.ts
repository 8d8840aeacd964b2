// The batcher: requests that arrive together are handled together, in order and in bounded batches.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RequestBatcher } from '../../../../src/http/fast/request-batcher.ts';

/** Requests that record their steps. */
function createNotingBatcher(notes: string[]): RequestBatcher<number> {
  const steps = async (number: number): Promise<void> => {
    notes.push(`${number} is checked`);
    await Promise.resolve();
    notes.push(`${number} is answered`);
  };
  return new RequestBatcher((number) => void steps(number));
}

function enqueueRequests(batcher: RequestBatcher<number>, count: number): void {
  for (let number = 0; number < count; number++) batcher.enqueue(number);
}

test('every request takes its first step before one of them takes a second', async () => {
  const notes: string[] = [];
  enqueueRequests(createNotingBatcher(notes), 3);
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

test('no request is handled in the turn in which it arrives', async () => {
  const notes: string[] = [];
  enqueueRequests(createNotingBatcher(notes), 1);
  await Promise.resolve();
  expect(notes).toEqual([]);
  await nextTurn();
  expect(notes).toHaveLength(2);
});

test('64 requests are handled in one turn, the others in the next ones', async () => {
  const notes: string[] = [];
  enqueueRequests(createNotingBatcher(notes), 150);
  const seen: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    await nextTurn();
    seen.push(notes.length / 2);
  }
  expect(seen).toEqual([64, 128, 150, 150]);
});

test('a later request is handled as well', async () => {
  const notes: string[] = [];
  const batcher = createNotingBatcher(notes);
  for (const number of [1, 2]) {
    batcher.enqueue(number);
    await nextTurn();
    expect(notes).toHaveLength(2 * number);
  }
});
