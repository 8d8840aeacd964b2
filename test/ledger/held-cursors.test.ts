// Cursors held by the transaction of another, maybe killed, instance: consumers wait and continue soon after it ends.
import mongoose, { type Connection, type mongo } from 'mongoose';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { toObjectId } from '../../src/ledger/ledger.model.ts';
import { systemTimer } from '../../src/platform/concurrency/timer.ts';
import { FollowedChain } from './followed-chain.ts';

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

/** An instance whose clock stands still, which must not make a pause longer. */
const follow = (names: readonly string[]) =>
  chain.follow(
    names.map((name) => chain.effects(name, {})),
    () => {},
    { timer: systemTimer, clock: { now: () => new Date('2026-11-23T12:00:00Z') } },
  );

/** Moves the cursors of organisations in a transaction that stays open. */
async function held(organizationIds: readonly string[]): Promise<mongo.ClientSession> {
  const session = other.getClient().startSession();
  session.startTransaction();
  const filter = { organizationId: { $in: organizationIds.map(toObjectId) } };
  await other.collection('cursors').updateMany(filter, { $inc: { sequence: 1 } }, { session });
  return session;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test.each([
  { one: 'consumers that run together', names: ['fold', 'statistics', 'activity', 'usage'] },
  { one: 'a consumer that runs by itself', names: ['alone'] },
])('$one: few commands while it is held, and all effects soon afterwards', async ({ names }) => {
  const organizationId = await chain.appended(20);
  const { runner, reported } = follow(names);
  await runner.createCursors(organizationId, 0);
  const holder = await held([organizationId]);
  commands.length = 0;
  runner.wake(organizationId);
  await expect.poll(() => commands.length).toBeGreaterThan(0);
  await pause(SECOND);
  expect(commands.length).toBeLessThanOrEqual(12);
  await holder.abortTransaction();
  const all = await chain.traces(organizationId);
  const effects = () => Promise.all(names.map((name) => chain.effectsOf(name, organizationId)));
  await expect.poll(effects, { timeout: 3 * SECOND }).toEqual(names.map(() => all));
  await runner.stop();
  expect(reported).toEqual({ errors: [], deadLetters: [], faults: [] });
});

test('other organisations are followed while a cursor is held', async () => {
  const names = ['first', 'second'];
  const { runner } = follow(names);
  const stuck = await Promise.all(Array.from({ length: AT_ONCE }, () => chain.appended(5)));
  const free = await chain.appended(5);
  for (const organizationId of [...stuck, free]) await runner.createCursors(organizationId, 0);
  const holder = await held(stuck);
  for (const organizationId of [...stuck, free]) runner.wake(organizationId);
  const all = await chain.traces(free);
  await expect.poll(() => chain.effectsOf('second', free), { timeout: 2 * SECOND }).toEqual(all);
  await holder.abortTransaction();
  await runner.stop();
});
