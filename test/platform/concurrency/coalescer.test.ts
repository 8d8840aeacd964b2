// The coalescer: one run at a time, and one more for whatever is asked for during it.
import { setImmediate as step } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Coalescer } from '../../../src/platform/concurrency/coalescer.ts';

test('calls during a run share one more run, which settles them all', async () => {
  let [begun, underWay, most] = [0, 0, 0];
  const coalescer = new Coalescer(async () => {
    begun += 1;
    most = Math.max(most, (underWay += 1));
    await step();
    underWay -= 1;
  });
  const first = coalescer.run();
  expect(begun).toBe(1);
  await Promise.all([first, coalescer.run(), coalescer.run()]);
  expect([begun, most, underWay]).toEqual([2, 1, 0]);
  await coalescer.run();
  expect(begun).toBe(3);
});

test('a failed run rejects its calls, and the next call runs again', async () => {
  let begun = 0;
  const coalescer = new Coalescer(async () => {
    begun += 1;
    await step();
    if (begun === 1) throw new Error('no answer');
  });
  await expect(Promise.all([coalescer.run(), coalescer.run()])).rejects.toThrow('no answer');
  await coalescer.run();
  expect(begun).toBe(2);
});

test('no call is lost, whenever it comes', async () => {
  let [asked, seen] = [0, 0];
  const coalescer = new Coalescer(async () => {
    const now = asked;
    await Promise.resolve();
    seen = now;
  });
  for (let late = 0; late < 20; late += 1) {
    asked += 1;
    const first = coalescer.run();
    for (let left = late; left > 0; left -= 1) await Promise.resolve();
    asked += 1;
    await coalescer.run();
    await first;
    expect(seen).toBe(asked);
  }
});
