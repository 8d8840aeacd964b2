// What the primary does for its workers: what one holds is given back when it says so, and when it is gone.
import { setImmediate as step } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDesk } from '../../src/workers/desk.ts';

const wanted: number[] = [];
const desk = createDesk({ passwords: { permits: 1, maxWaiting: 2 } });
const visit = () => desk.visitor((hold) => wanted.push(hold));
const place = (key: string) => ({ room: 'streams', key, limit: 1 });

test('a place is free again once it is given back, and once its worker is gone', async () => {
  const [one, other] = [visit(), visit()];
  const held = (await one.answers.place(place('a'))) as number;
  expect(held).toEqual(expect.any(Number));
  expect(await other.answers.place(place('a'))).toBeNull();
  expect(await other.answers.place(place('b'))).toEqual(expect.any(Number));
  await one.answers.leave({ hold: held, note: null });
  expect(await other.answers.place(place('a'))).toEqual(expect.any(Number));
  expect(await one.answers.place(place('b'))).toBeNull();
  other.leave();
  expect(await one.answers.place(place('a'))).toEqual(expect.any(Number));
  expect(await one.answers.place(place('b'))).toEqual(expect.any(Number));
  one.leave();
});

test('what comes for a worker that is gone goes on to the next', async () => {
  const [first, gone, last] = [visit(), visit(), visit()];
  const held = (await first.answers.turn({ line: 'a' })) as number;
  const late = gone.answers.turn({ line: 'b' });
  const next = last.answers.turn({ line: 'c' });
  gone.leave();
  await first.answers.leave({ hold: held, note: null });
  expect(await late).toBeNull();
  expect(await next).toEqual(expect.any(Number));
  last.leave();
});

test('a baton that another waits for is asked for, and goes on with its note', async () => {
  const [holder, waiting] = [visit(), visit()];
  const given = await holder.answers.baton({ key: 'chain' });
  expect(given).toMatchObject({ note: null, isWanted: false });
  const next = waiting.answers.baton({ key: 'chain' });
  await step();
  expect(wanted.splice(0)).toEqual([given.hold]);
  await holder.answers.leave({ hold: given.hold as number, note: 'head 7' });
  expect(await next).toMatchObject({ note: 'head 7' });
  // One that was held by a worker that is gone tells nothing.
  waiting.leave();
  expect(await holder.answers.baton({ key: 'chain' })).toMatchObject({ note: null });
});
