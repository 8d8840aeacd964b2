// Consumers on a real database: every effect exactly once whatever is killed or races, and one bad entry stops nothing for ever.
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import { DECISIONS } from '../../src/ledger/chains.ts';
import type { Consumer, TransactionalConsumer } from '../../src/ledger/follow/consumer.ts';
import { createConsumers } from '../../src/ledger/follow/consumers.ts';
import { objectId } from '../../src/ledger/ledger.model.ts';
import type { Probe } from '../../src/ledger/probe.ts';
import { draft, hastyTimer, RealChain } from './store/real-chain.ts';

const chain = new RealChain('consumers');
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

function effects(name: string): TransactionalConsumer {
  return {
    name,
    kinds: ['trace'],
    batch: 7,
    projection: { traceId: 1 },
    async run(entries, { session, organizationId }) {
      const rows = entries.map(({ sequence }) => ({ name, organizationId, sequence }));
      await chain.db.collection('effects').insertMany(rows as never[], { session });
    },
  };
}

async function effectsOf(name: string, organizationId: string): Promise<number[]> {
  const rows = chain.db.collection('effects').find({ name, organizationId }).sort({ sequence: 1 });
  return (await rows.toArray()).map(({ sequence }) => sequence as number);
}

interface Reported {
  errors: unknown[];
  deadLetters: number[];
}

function start(consumers: readonly Consumer[], probe: Probe = () => {}) {
  const reported: Reported = { errors: [], deadLetters: [] };
  const runner = createConsumers({
    connection: chain.connection,
    chain: DECISIONS,
    ...chain.models(),
    consumers,
    probe,
    clock: systemClock,
    timer: hastyTimer,
    onError: (_consumer, _organizationId, error) => reported.errors.push(error),
    onDeadLetter: (_consumer, _organizationId, sequence) => reported.deadLetters.push(sequence),
  });
  return { runner, reported };
}

async function appended(count: number): Promise<string> {
  const organizationId = newId();
  const { appender } = chain.start();
  await Promise.all(
    numbers(count).map((number) => {
      const isAmendment = number % 5 === 4;
      return appender.append(
        draft(organizationId, isAmendment ? { kind: 'compliance', after: number } : {}),
      );
    }),
  );
  return organizationId;
}

async function traces(organizationId: string): Promise<number[]> {
  return (await chain.entries(organizationId))
    .filter(({ kind }) => kind === 'trace')
    .map(({ sequence }) => sequence);
}

test('instances that race and die between effect and cursor: each effect exactly once', async () => {
  const organizationId = await appended(100);
  const consumers = [effects('first'), effects('second')];
  let steps = 0;
  const dies: Probe = (step) => {
    if (step === 'effects-written' && steps++ % 3 === 0) throw new Error('killed');
  };
  const runners = [start(consumers, dies), start(consumers), start(consumers, dies)];
  await Promise.all(runners.map(({ runner }) => runner.runOnce()));
  await runners[1]?.runner.runOnce();
  expect(runners.flatMap(({ reported }) => reported.deadLetters)).toEqual([]);
  expect(steps).toBeGreaterThan(3);
  for (const { name } of consumers)
    expect(await effectsOf(name, organizationId)).toEqual(await traces(organizationId));
});

test('an effect outside the transaction comes before the cursor: after a crash it is repeated, never left out', async () => {
  const organizationId = await appended(20);
  const seen: number[] = [];
  const idempotent: Consumer = {
    name: 'idempotent',
    batch: 8,
    transactional: false,
    run: (entries) => Promise.resolve(void seen.push(...entries.map(({ sequence }) => sequence))),
  };
  let isFirst = true;
  const { runner } = start([idempotent], (step) => {
    const isKilled = isFirst && step === 'effects-written';
    isFirst = false;
    if (isKilled) throw new Error('killed');
  });
  await runner.runOnce();
  const all = (await chain.entries(organizationId)).map(({ sequence }) => sequence);
  expect([...new Set(seen)].filter((sequence) => all.includes(sequence))).toEqual(
    expect.arrayContaining(all),
  );
  expect(seen.length).toBeGreaterThan(all.length);
});

test('an entry whose effect always fails becomes a dead letter, and those after it get theirs', async () => {
  const organizationId = await appended(30);
  const poisonous = (await traces(organizationId))[9] ?? 0;
  const plain = effects('choosy');
  const choosy: Consumer = {
    ...plain,
    async run(entries, context) {
      const isBad =
        context.organizationId === organizationId &&
        entries.some(({ sequence }) => sequence === poisonous);
      if (isBad) throw new TypeError('cannot be digested');
      await plain.run(entries, context);
    },
  };
  const { runner, reported } = start([choosy, effects('neighbour')]);
  await runner.runOnce();
  expect(reported.deadLetters).toEqual([poisonous]);
  const all = await traces(organizationId);
  expect(await effectsOf('choosy', organizationId)).toEqual(
    all.filter((sequence) => sequence !== poisonous),
  );
  expect(await effectsOf('neighbour', organizationId)).toEqual(all);
  const deadLetters = await chain
    .models()
    .deadLetters.collection.find({ organizationId: objectId(organizationId) })
    .toArray();
  expect(deadLetters).toMatchObject([
    { consumer: 'choosy', sequence: poisonous, error: 'TypeError: cannot be digested' },
  ]);
});

test('cursors are made with the organisation or not at all, and start where they are told', async () => {
  const organizationId = await appended(10);
  const { runner } = start([effects('registered')]);
  const { cursors } = chain.models();
  chain.connection.base.set('transactionAsyncLocalStorage', true);
  const registration = chain.connection.transaction(async () => {
    await runner.cursorsFor(organizationId, 3);
    throw new Error('taken back');
  });
  await expect(registration).rejects.toThrow('taken back');
  expect(await cursors.countDocuments({ organizationId, consumer: 'registered' })).toBe(0);
  await chain.connection.transaction(() => runner.cursorsFor(organizationId, 3));
  await runner.runOnce();
  const later = (await traces(organizationId)).filter((sequence) => sequence > 3);
  expect(await effectsOf('registered', organizationId)).toEqual(later);
});

test('woken by the writer and by the sweep, and the lag is reported', async () => {
  const organizationId = await appended(15);
  let arrived = () => {};
  const plain = effects('woken');
  const woken: Consumer = {
    ...plain,
    async run(entries, context) {
      await plain.run(entries, context);
      if (context.organizationId === organizationId) arrived();
    },
  };
  const { runner } = start([woken]);
  const swept = new Promise<void>((resolve) => (arrived = resolve));
  await runner.sweep();
  expect(runner.lag().woken).toBeGreaterThanOrEqual(15);
  await swept;
  const again = new Promise<void>((resolve) => (arrived = resolve));
  const { appender } = chain.start({ onSealed: (id) => runner.wake(id) });
  await appender.append(draft(organizationId));
  await again;
  await runner.stop();
  await runner.runOnce();
  await runner.sweep();
  expect(runner.lag().woken).toBe(0);
  expect(await effectsOf('woken', organizationId)).toEqual(await traces(organizationId));
});
