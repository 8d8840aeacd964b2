// The primary's shared limits: what a worker holds is released on its request, and when it is gone.
import { setImmediate as step } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createCoordinator } from '../../src/workers/desk.ts';

const wanted: number[] = [];
const desk = createCoordinator({ passwords: { permits: 1, maxWaiting: 2 } });
const visit = () => desk.openSession((hold) => wanted.push(hold));
const place = (key: string) => ({ room: 'streams', key, limit: 1 });

test('a slot is free again once it is released and once its worker is gone', async () => {
  const [one, other] = [visit(), visit()];
  const held = (await one.answers.place(place('a'))) as number;
  expect(held).toEqual(expect.any(Number));
  expect(await other.answers.place(place('a'))).toBeNull();
  expect(await other.answers.place(place('b'))).toEqual(expect.any(Number));
  await one.answers.leave({ hold: held, note: null });
  expect(await other.answers.place(place('a'))).toEqual(expect.any(Number));
  expect(await one.answers.place(place('b'))).toBeNull();
  other.release();
  expect(await one.answers.place(place('a'))).toEqual(expect.any(Number));
  expect(await one.answers.place(place('b'))).toEqual(expect.any(Number));
  one.release();
});

test('a permit for a worker that is gone passes to the next one', async () => {
  const [first, gone, last] = [visit(), visit(), visit()];
  const held = (await first.answers.turn({ line: 'a' })) as number;
  const late = gone.answers.turn({ line: 'b' });
  const next = last.answers.turn({ line: 'c' });
  gone.release();
  await first.answers.leave({ hold: held, note: null });
  expect(await late).toBeNull();
  expect(await next).toEqual(expect.any(Number));
  last.release();
});

test('a lease that another worker waits for is requested and passes on with its note', async () => {
  const [holder, waiting] = [visit(), visit()];
  const given = await holder.answers.baton({ key: 'chain' });
  expect(given).toMatchObject({ note: null, isWanted: false });
  const next = waiting.answers.baton({ key: 'chain' });
  await step();
  expect(wanted.splice(0)).toEqual([given.hold]);
  await holder.answers.leave({ hold: given.hold as number, note: 'head 7' });
  expect(await next).toMatchObject({ note: 'head 7' });
  // A lease of a worker that is gone passes on without a note.
  waiting.release();
  expect(await holder.answers.baton({ key: 'chain' })).toMatchObject({ note: null });
});
