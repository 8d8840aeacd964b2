// Cursors held by the transaction of another, maybe killed, instance: consumers wait and continue soon after it ends.
import { isDeepStrictEqual } from 'node:util';
import mongoose, { type Connection, type mongo } from 'mongoose';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { toObjectId } from '../../src/ledger/ledger.model.ts';
import { FollowedChain } from './followed-chain.ts';
import { VirtualTime } from './virtual-time.ts';

/** Organisations that are followed at the same time. */
const AT_ONCE = 4;
const SECOND = 1000;

const chain = new FollowedChain('held-cursors');
/** The connection of the instance that holds cursors; the commands of the other one are recorded. */
let other: Connection;
const commands: string[] = [];

beforeAll(async () => {
  other = chain.connection;
  const options = { dbName: other.name, monitorCommands: true };
  chain.connection = await mongoose.createConnection(inject('mongoUri'), options).asPromise();
  chain.connection
    .getClient()
    .on('commandStarted', ({ commandName }) => commands.push(commandName));
});
afterAll(() => other.close());

/** An instance in virtual time, whose clock stands still, which must not make a pause longer. */
function follow(names: readonly string[]) {
  const time = new VirtualTime();
  const { runner, reported } = chain.follow(
    names.map((name) => chain.effects(name, {})),
    () => {},
    { timer: time, clock: { now: () => new Date('2026-11-23T12:00:00Z') } },
  );
  return { runner, reported, time };
}

/** Lets virtual time pass until the condition holds or the next event comes after `end`. Commands take no such time. */
async function passTime(
  time: VirtualTime,
  end: number,
  isEnough: () => Promise<boolean>,
): Promise<void> {
  while (!(await time.runUntil(end)) && !(await isEnough()));
}
const never = () => Promise.resolve(false);

/** Moves the cursors of organisations in a transaction that stays open. */
async function held(organizationIds: readonly string[]): Promise<mongo.ClientSession> {
  const session = other.getClient().startSession();
  session.startTransaction();
  const filter = { organizationId: { $in: organizationIds.map(toObjectId) } };
  await other.collection('cursors').updateMany(filter, { $inc: { sequence: 1 } }, { session });
  return session;
}

test.each([
  { one: 'consumers that run together', names: ['fold', 'statistics', 'activity', 'usage'] },
  { one: 'a consumer that runs by itself', names: ['alone'] },
])('$one: few commands while it is held, and all effects soon afterwards', async ({ names }) => {
  const organizationId = await chain.appended(20);
  const { runner, reported, time } = follow(names);
  await runner.createCursors(organizationId, 0);
  const holder = await held([organizationId]);
  commands.length = 0;
  runner.wake(organizationId);
  await passTime(time, SECOND, never);
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.length).toBeLessThanOrEqual(12);
  await holder.abortTransaction();
  const all = await chain.traces(organizationId);
  const expected = names.map(() => all);
  const effects = () => Promise.all(names.map((name) => chain.effectsOf(name, organizationId)));
  await passTime(time, time.now + 3 * SECOND, async () =>
    isDeepStrictEqual(await effects(), expected),
  );
  expect(await effects()).toEqual(expected);
  await runner.stop();
  expect(reported).toEqual({ errors: [], deadLetters: [], faults: [] });
});

test('other organisations are followed while a cursor is held', async () => {
  const { runner, time } = follow(['first', 'second']);
  const stuck = await Promise.all(Array.from({ length: AT_ONCE }, () => chain.appended(5)));
  const free = await chain.appended(5);
  for (const organizationId of [...stuck, free]) await runner.createCursors(organizationId, 0);
  const holder = await held(stuck);
  for (const organizationId of [...stuck, free]) runner.wake(organizationId);
  const all = await chain.traces(free);
  const effects = () => chain.effectsOf('second', free);
  await passTime(time, 2 * SECOND, async () => isDeepStrictEqual(await effects(), all));
  expect(await effects()).toEqual(all);
  await holder.abortTransaction();
  await runner.stop();
});
