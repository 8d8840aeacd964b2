// Cursors are closed however a loop over them ends, and let other work run between the documents of a batch.
import { expect, test } from 'vitest';
import { readCursor } from '../../src/platform/mongo/queries.ts';

/** A cursor whose documents have all come in one batch. */
function openCursor(documents: number) {
  const cursor = {
    closed: 0,
    close: () => Promise.resolve((cursor.closed += 1)),
    async *[Symbol.asyncIterator]() {
      for (let n = 0; n < documents; n++) yield await Promise.resolve(n);
    },
  };
  return cursor;
}

test('other work runs while a batch is converted', async () => {
  let turns = 0;
  let isReading = true;
  const countTurn = (): void => {
    turns += 1;
    if (isReading) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  const read: number[] = [];
  for await (const document of readCursor(openCursor(100))) read.push(document);
  isReading = false;
  expect(read).toEqual(Array.from({ length: 100 }, (_document, n) => n));
  expect(turns).toBeGreaterThanOrEqual(5);
});

test('a loop that ends early, and one whose reader has left, close the cursor', async () => {
  const [early, abandoned] = [openCursor(100), openCursor(100)];
  for await (const document of readCursor(early)) if (document === 3) break;
  const leaving = new AbortController();
  const reading = (async () => {
    for await (const document of readCursor(abandoned, leaving.signal))
      if (document === 3) leaving.abort(new Error('left'));
  })();
  await expect(reading).rejects.toThrow('left');
  expect([early.closed, abandoned.closed]).toEqual([1, 1]);
});
