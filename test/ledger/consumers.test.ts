// Consumers on a real database: every effect exactly once under kills and races; one bad entry stops none for ever.
import { expect, test } from 'vitest';
import { generateId } from '../../src/platform/ids.ts';
import type { Consumer } from '../../src/ledger/follow/consumer.ts';
import type { EntryKind, Stored } from '../../src/ledger/entry.ts';
import { toObjectId } from '../../src/ledger/ledger.model.ts';
import type { Probe } from '../../src/ledger/probe.ts';
import { FollowedChain } from './followed-chain.ts';
import { draft } from './store/real-chain.ts';

const chain = new FollowedChain('consumers');
test(
  'instances that race and die between effect and cursor produce each effect exactly once',
  { tags: ['long'] },
  async () => {
    const organizationId = await chain.appended(100);
    const consumers = [chain.effects('first'), chain.effects('second')];
    let steps = 0;
    const dies: Probe = (step) => {
      if (step === 'effects-written' && steps++ % 3 === 0) throw new Error('killed');
    };
    const runners = Array.from({ length: 3 }, () => chain.follow(consumers, dies));
    await Promise.all(runners.map(({ runner }) => runner.runOnce()));
    await runners[1]?.runner.runOnce();
    expect(runners.flatMap(({ reported }) => reported.deadLetters)).toEqual([]);
    expect(steps).toBeGreaterThan(3);
    for (const { name } of consumers)
      expect(await chain.effectsOf(name, organizationId)).toEqual(
        await chain.traces(organizationId),
      );
  },
);

test('a slow consumer that is far behind alternates with the others', async () => {
  const organizationId = await chain.appended(60);
  const order: string[] = [];
  const noting = (name: string, more: Partial<Consumer>): Consumer =>
    Object.assign(chain.effects(name), more, {
      transactional: false,
      consume(entries: readonly Stored[], context: { organizationId: string }) {
        if (context.organizationId === organizationId)
          for (const { sequence } of entries) order.push(`${name} ${sequence}`);
        return Promise.resolve();
      },
    }) as Consumer;
  const slow = noting('slow', { batch: 5, runsInTurn: 2 });
  const quick = noting('quick', { batch: 60 });
  const { runner } = chain.follow([slow, quick]);
  await runner.sweep();
  await expect.poll(() => order.length).toBe(2 * 48);
  await runner.stop();
  // Ten entries, of which every fifth is no decision, in two runs of five.
  expect(order.slice(0, 8).every((one) => one.startsWith('slow'))).toBe(true);
  expect(order[8]).toMatch(/^quick /);
});

test('a slow consumer that reads contents does not delay the others', async () => {
  const organizationId = generateId();
  let begun = 0;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const slow = Object.assign(chain.effects('slow'), {
    projection: { content: 1 } as object,
    transactional: false,
    consume: () => (begun++, released),
  }) as Consumer;
  const { runner } = chain.follow([slow, chain.effects('quick')]);
  await runner.createCursors(organizationId, 0);
  const { appender } = chain.start({ onSealed: (id, own) => runner.wake(id, own) });
  for (const count of [1, 2, 3]) {
    await appender.append(draft(organizationId));
    await expect.poll(() => chain.effectsOf('quick', organizationId)).toHaveLength(count);
    await expect.poll(() => begun).toBe(1);
  }
  release();
  await runner.stop();
});

test('contents are read only for consumers that ask for them', async () => {
  const organizationId = await chain.appended(5);
  const given = new Map<string, Set<string>>();
  const reading = (name: string, more: Partial<Consumer>): Consumer =>
    Object.assign(chain.effects(name), more, {
      transactional: false,
      consume(entries: readonly Stored[], context: { organizationId: string }) {
        if (context.organizationId === organizationId)
          given.set(name, new Set(entries.flatMap((entry) => Object.keys(entry))));
        return Promise.resolve();
      },
    }) as Consumer;
  const { runner } = chain.follow([
    reading('one', { projection: { traceId: 1 } }),
    reading('other', { projection: { createdAt: 1 } }),
    reading('contents', { projection: { view: 1, content: 1 } as object }),
  ]);
  await runner.sweep();
  await expect.poll(() => given.size).toBe(3);
  await runner.stop();
  const plain = new Set(['sequence', 'kind', 'traceId', 'createdAt']);
  expect(given.get('one')).toEqual(plain);
  expect(given.get('other')).toEqual(plain);
  expect(given.get('contents')).toEqual(new Set(['sequence', 'kind', 'view']));
});

test(
  'an effect outside the transaction comes before the cursor: after a crash it is repeated, never skipped',
  { tags: ['long'] },
  async () => {
    const organizationId = await chain.appended(20);
    const seen: number[] = [];
    const idempotent: Consumer = {
      name: 'idempotent',
      from: 'start',
      batch: 8,
      transactional: false,
      consume: (entries) =>
        Promise.resolve(void seen.push(...entries.map(({ sequence }) => sequence))),
    };
    let isFirst = true;
    const { runner } = chain.follow([idempotent], (step) => {
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
  },
);

test('an entry whose effect always fails becomes a dead letter and later entries have their effects', async () => {
  const organizationId = await chain.appended(30);
  const poisonous = (await chain.traces(organizationId))[9] ?? 0;
  const plain = chain.effects('choosy');
  const choosy: Consumer = {
    ...plain,
    async consume(entries, context) {
      const isBad =
        context.organizationId === organizationId &&
        entries.some(({ sequence }) => sequence === poisonous);
      if (isBad) throw new TypeError('cannot be digested');
      await plain.consume(entries, context);
    },
  };
  const { runner, reported } = chain.follow([choosy, chain.effects('neighbour')]);
  await runner.runOnce();
  expect(reported.deadLetters).toEqual([poisonous]);
  const all = await chain.traces(organizationId);
  expect(await chain.effectsOf('choosy', organizationId)).toEqual(
    all.filter((sequence) => sequence !== poisonous),
  );
  expect(await chain.effectsOf('neighbour', organizationId)).toEqual(all);
  const deadLetters = await chain
    .models()
    .deadLetters.collection.find({ organizationId: toObjectId(organizationId) })
    .toArray();
  expect(deadLetters).toMatchObject([
    { consumer: 'choosy', sequence: poisonous, error: 'TypeError: cannot be digested' },
  ]);
});

test('cursors are created with the organisation or not at all, and start at the given sequence', async () => {
  const organizationId = await chain.appended(10);
  const { runner } = chain.follow([chain.effects('registered')]);
  const { cursors } = chain.models();
  chain.connection.base.set('transactionAsyncLocalStorage', true);
  const registration = chain.connection.transaction(async () => {
    await runner.createCursors(organizationId, 3);
    throw new Error('taken back');
  });
  await expect(registration).rejects.toThrow('taken back');
  expect(await cursors.countDocuments({ organizationId, consumer: 'registered' })).toBe(0);
  await chain.connection.transaction(() => runner.createCursors(organizationId, 3));
  await runner.runOnce();
  const later = (await chain.traces(organizationId)).filter((sequence) => sequence > 3);
  expect(await chain.effectsOf('registered', organizationId)).toEqual(later);
});

test('consumers are woken by the writer and by the sweep, and report their lag', async () => {
  const organizationId = await chain.appended(15);
  let arrived = () => {};
  const plain = chain.effects('woken');
  const woken: Consumer = {
    ...plain,
    async consume(entries, context) {
      await plain.consume(entries, context);
      if (context.organizationId === organizationId) arrived();
    },
  };
  const { runner } = chain.follow([woken]);
  const swept = new Promise<void>((resolve) => (arrived = resolve));
  await runner.sweep();
  expect(runner.getLag().woken).toBeGreaterThanOrEqual(15);
  await swept;
  const again = new Promise<void>((resolve) => (arrived = resolve));
  const { appender } = chain.start({ onSealed: (id) => runner.wake(id) });
  await appender.append(draft(organizationId));
  await again;
  await runner.stop();
  await runner.runOnce();
  await runner.sweep();
  expect(runner.getLag().woken).toBe(0);
  expect(await chain.effectsOf('woken', organizationId)).toEqual(
    await chain.traces(organizationId),
  );
});

test(
  'a new consumer begins where it declares; a lost cursor is reported and not replayed',
  { tags: ['long'] },
  async () => {
    const organizationId = await chain.appended(20);
    const all = await chain.traces(organizationId);
    const before = chain.effects('from-start');
    const later: Consumer = Object.assign(chain.effects('from-head'), { from: 'head' as const });
    const repeated: number[] = [];
    const idempotent: Consumer = {
      name: 'from-start-idempotent',
      from: 'start',
      transactional: false,
      consume: (entries, context) => {
        if (context.organizationId === organizationId) repeated.push(entries.length);
        return Promise.resolve();
      },
    };
    const consumers = [before, later, idempotent];
    await chain.follow(consumers).runner.runOnce();
    expect(await chain.effectsOf('from-start', organizationId)).toEqual(all);
    expect(await chain.effectsOf('from-head', organizationId)).toEqual([]);
    expect(repeated).toEqual([20]);
    const { cursors } = chain.models();
    await cursors.collection.deleteMany({ organizationId: toObjectId(organizationId) });
    const { runner, reported } = chain.follow(consumers);
    await runner.runOnce();
    const lost = { organizationId, kind: 'missing', sequence: null };
    expect(reported.faults).toEqual([
      { ...lost, consumer: 'from-start', goesOnAfter: 20 },
      { ...lost, consumer: 'from-head', goesOnAfter: 20 },
      { ...lost, consumer: 'from-start-idempotent', goesOnAfter: 0 },
    ]);
    expect(await chain.effectsOf('from-start', organizationId)).toEqual(all);
    expect(repeated).toEqual([20, 20]);
    await chain.start().appender.append(draft(organizationId));
    await runner.runOnce();
    expect(await chain.effectsOf('from-start', organizationId)).toEqual([...all, 21]);
    expect(reported.faults).toHaveLength(3);
  },
);

test('a consumer that does not begin yet writes nothing and has no lag; later it begins with all entries', async () => {
  const [paying, other] = [await chain.appended(10), await chain.appended(10)];
  const begun = new Set<string>();
  const asked: string[] = [];
  const choosy: Consumer = Object.assign(chain.effects('begins'), {
    beginsIn: (ids: readonly string[]) => {
      asked.push(...ids);
      return Promise.resolve(new Set(ids.filter((id) => begun.has(id))));
    },
  });
  const { runner } = chain.follow([choosy]);
  await runner.runOnce();
  expect(runner.getLag().begins).toBe(0);
  expect(await chain.effectsOf('begins', paying)).toEqual([]);
  begun.add(paying);
  await runner.runOnce();
  expect(await chain.effectsOf('begins', paying)).toEqual(await chain.traces(paying));
  expect(await chain.effectsOf('begins', other)).toEqual([]);
  begun.delete(paying);
  asked.length = 0;
  await chain.start().appender.append(draft(paying));
  await runner.runOnce();
  expect(await chain.effectsOf('begins', paying)).toEqual(await chain.traces(paying));
  expect(asked).toContain(other);
  expect(asked).not.toContain(paying);
});

test(
  'a cursor beyond the end of its chain moves back to it, and the next entry has its effect',
  { tags: ['long'] },
  async () => {
    const organizationId = await chain.appended(5);
    const { runner, reported } = chain.follow([chain.effects('leapt')]);
    await runner.runOnce();
    const where = { organizationId: toObjectId(organizationId), consumer: 'leapt' };
    await chain.models().cursors.collection.updateOne(where, { $set: { sequence: 90 } });
    await runner.runOnce();
    expect(reported.faults).toEqual([
      { consumer: 'leapt', organizationId, kind: 'ahead', sequence: 90, goesOnAfter: 5 },
    ]);
    await chain.start().appender.append(draft(organizationId));
    await runner.runOnce();
    expect((await chain.effectsOf('leapt', organizationId)).at(-1)).toBe(6);
  },
);

test(
  'a sweep compares changed organisations and a rotating slice of the others, not all',
  { tags: ['long'] },
  async () => {
    const [changed, inTurn, untouched] = [
      await chain.appended(1),
      await chain.appended(2),
      await chain.appended(3),
    ];
    const since: Date[] = [];
    const { runner } = chain.follow([chain.effects('swept')], undefined, {
      listOrganizationsAfter: (after) => Promise.resolve(after === null ? [inTurn] : []),
      findNotedSince: (date) => Promise.resolve(since.push(date) === 1 ? [changed] : []),
    });
    await runner.sweep();
    await runner.stop();
    const { cursors } = chain.models();
    const found = cursors.collection.find({ consumer: 'swept' });
    const compared = (await found.toArray()).map(({ organizationId }) =>
      organizationId.toHexString(),
    );
    expect(compared.sort()).toEqual([changed, inTurn].sort());
    expect(compared).not.toContain(untouched);
    await runner.sweep();
    expect(since[1]?.getTime()).toBeGreaterThan(since[0]?.getTime() ?? Infinity);
  },
);

test(
  'the error of a dead letter is erased with the decision that it is about',
  { tags: ['long'] },
  async () => {
    const organizationId = generateId();
    const { appender } = chain.start();
    const append = (kind: EntryKind, traceId: string, after?: number) =>
      appender.append(draft(organizationId, { kind, traceId, ...(after && { after }) }));
    await append('trace', 'kept');
    await append('trace', 'erased');
    await append('erasure', 'erased', 2);
    const refusing: Consumer = {
      ...chain.effects('refusing'),
      consume: (entries, context) =>
        context.organizationId !== organizationId
          ? Promise.resolve()
          : Promise.reject(
              new TypeError(`cannot digest ${'x'.repeat(2000)} ${entries[0]?.sequence}`),
            ),
    };
    await chain
      .follow([refusing], undefined, {
        listOrganizationsAfter: () => Promise.resolve([]),
      })
      .runner.runOnce();
    const where = { organizationId: toObjectId(organizationId), consumer: 'refusing' };
    const rows = await chain
      .models()
      .deadLetters.collection.find(where)
      .sort({ sequence: 1 })
      .toArray();
    expect(rows.map(({ traceId, error }) => [traceId, (error as string | null)?.length])).toEqual([
      ['kept', 500],
      ['erased', undefined],
    ]);
  },
);
