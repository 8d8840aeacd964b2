// Consumers at one place run in one transaction: exactly-once effects, no mutual delay, and own appends not read back.
import { expect, test } from 'vitest';
import type { Stored } from '../../src/ledger/entry.ts';
import type { TransactionalConsumer } from '../../src/ledger/follow/consumer.ts';
import { toObjectId } from '../../src/ledger/ledger.model.ts';
import type { Probe, Step } from '../../src/ledger/probe.ts';
import { generateId } from '../../src/platform/ids.ts';
import { FollowedChain } from './followed-chain.ts';
import { draft } from './store/real-chain.ts';

const chain = new FollowedChain('joint-runs');
const NAMES = ['first', 'second', 'third'] as const;
const joining = (name: string): TransactionalConsumer => chain.effects(name, {});

test('one transaction moves the cursors of all joined consumers', async () => {
  const organizationId = await chain.appended(20);
  const steps: Step[] = [];
  const { runner } = chain.follow(NAMES.map(joining), (step, of) => {
    if (of === organizationId) steps.push(step);
  });
  await runner.runOnce();
  expect(steps).toEqual(['effects-written', 'cursor-moved']);
  const all = await chain.traces(organizationId);
  for (const name of NAMES) expect(await chain.effectsOf(name, organizationId)).toEqual(all);
});

test.each([
  { batch: 512, transactions: 2, runs: { many: 2, few: 2 }, what: 'runs along' },
  { batch: 511, transactions: 3, runs: { many: 1, few: 2 }, what: 'runs by itself' },
])(
  'a consumer that takes $batch entries $what',
  { tags: ['long'] },
  async ({ batch, transactions, runs }) => {
    const organizationId = await chain.appended(520);
    const ran = { many: 0, few: 0 };
    const counted = (name: keyof typeof ran, limits: object): TransactionalConsumer => {
      const consumer = chain.effects(`${name}-of-${batch}`, limits);
      const { consume } = consumer;
      consumer.consume = async (entries, context) => {
        if (context.organizationId === organizationId) ran[name] += 1;
        await consume(entries, context);
      };
      return consumer;
    };
    const consumers = [counted('many', {}), joining(`all-of-${batch}`), counted('few', { batch })];
    let moved = 0;
    const { runner } = chain.follow(consumers, (step, of) => {
      if (of === organizationId && step === 'cursor-moved') moved += 1;
    });
    await runner.runOnce();
    const all = await chain.traces(organizationId);
    for (const { name } of consumers)
      expect(await chain.effectsOf(name, organizationId)).toEqual(all);
    expect({ moved, ran }).toEqual({ moved: transactions, ran: runs });
  },
);

test('instances that race and die produce each effect exactly once', async () => {
  const organizationId = await chain.appended(60);
  let steps = 0;
  const dies: Probe = (step) => {
    if (step === 'effects-written' && steps++ % 3 === 0) throw new Error('killed');
  };
  const names = NAMES.map((name) => `${name}-raced`);
  const consumers = names.map(joining);
  const runners = [dies, undefined, dies].map((probe) => chain.follow(consumers, probe).runner);
  await Promise.all(runners.map((runner) => runner.runOnce()));
  const all = await chain.traces(organizationId);
  for (const name of names) expect(await chain.effectsOf(name, organizationId)).toEqual(all);
});

test('a failing consumer does not delay the others and is retried by itself', async () => {
  const organizationId = await chain.appended(10);
  const failing = joining('failing');
  const { consume } = failing;
  const seen: number[] = [];
  failing.consume = async (entries, context) => {
    const isOurs = context.organizationId === organizationId;
    if (isOurs) seen.push(entries.length);
    if (isOurs && seen.length < 5) throw new TypeError('not now');
    await consume(entries, context);
  };
  const { runner, reported } = chain.follow([joining('healthy'), failing, joining('sound')]);
  await runner.runOnce();
  const all = await chain.traces(organizationId);
  for (const name of ['healthy', 'failing', 'sound'])
    expect(await chain.effectsOf(name, organizationId)).toEqual(all);
  expect(seen.slice(0, 3)).toEqual([all.length, all.length, 1]);
  expect(reported.deadLetters).toEqual([]);
});

test('a lagging consumer catches up by itself', async () => {
  const organizationId = await chain.appended(30);
  const { runner } = chain.follow(['ahead', 'abreast', 'behind'].map(joining));
  await runner.createCursors(organizationId, 20);
  const filter = { organizationId: toObjectId(organizationId), consumer: 'behind' };
  await chain.models().cursors.collection.updateOne(filter, { $set: { sequence: 4 } });
  await runner.runOnce();
  const all = await chain.traces(organizationId);
  const after = (from: number): number[] => all.filter((sequence) => sequence > from);
  expect(await chain.effectsOf('ahead', organizationId)).toEqual(after(20));
  expect(await chain.effectsOf('abreast', organizationId)).toEqual(after(20));
  expect(await chain.effectsOf('behind', organizationId)).toEqual(after(4));
});

/** Creates a chain with consumers that are woken after each append. */
async function followChain(consumers: readonly TransactionalConsumer[]) {
  const organizationId = generateId();
  const { connection, reads } = chain.watched();
  const { runner } = chain.follow(consumers, undefined, { connection });
  await runner.createCursors(organizationId, 0);
  const { appender } = chain.start({ onSealed: (id, entries) => runner.wake(id, entries) });
  const append = async (count: number): Promise<void> => {
    await Promise.all(Array.from({ length: count }, () => appender.append(draft(organizationId))));
  };
  const effects = (): Promise<number[][]> =>
    Promise.all(consumers.map(({ name }) => chain.effectsOf(name, organizationId)));
  return { organizationId, runner, reads, append, effects };
}

test('an instance reads entries of other instances but not its own', async () => {
  const { organizationId, runner, reads, append, effects } = await followChain(
    ['landing', 'landed'].map(joining),
  );
  await append(3);
  await expect.poll(effects).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  await append(3);
  await expect.poll(async () => (await effects())[1]).toHaveLength(6);
  expect(reads).toEqual([]);
  await chain.start().appender.append(draft(organizationId));
  runner.wake(organizationId);
  await expect.poll(async () => (await effects())[1]).toHaveLength(7);
  expect(reads).toEqual(['ledger']);
  await runner.stop();
});

test('own entries are not read back when a consumer needs several rounds', async () => {
  const slow = chain.effects('slow', { batch: 2, runsInTurn: 1 });
  const { runner, reads, append, effects } = await followChain([joining('quick'), slow]);
  await append(7);
  await expect.poll(async () => (await effects())[1]).toHaveLength(7);
  await append(5);
  await expect.poll(async () => (await effects())[1]).toHaveLength(12);
  expect(reads).toEqual([]);
  await runner.stop();
});

test('entries are read when own appends leave a gap', async () => {
  const organizationId = await chain.appended(4);
  const { runner } = chain.follow(['gap', 'other-gap'].map(joining));
  await runner.createCursors(organizationId, 0);
  const [first, , third, fourth] = await chain.entries(organizationId);
  runner.wake(organizationId, [first, third, fourth] as Stored[]);
  const all = await chain.traces(organizationId);
  await expect.poll(() => chain.effectsOf('gap', organizationId)).toEqual(all);
  expect(await chain.effectsOf('other-gap', organizationId)).toEqual(all);
  await runner.stop();
});
