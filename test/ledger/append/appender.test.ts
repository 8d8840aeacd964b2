// The appender on a real database: concurrent instances, idempotency keys, limits, bad documents, truncated chains.
import { expect, test } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { generateId } from '../../../src/platform/ids.ts';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import type { Outcome, Stored } from '../../../src/ledger/entry.ts';
import { releaseExpiredIdempotencyKeys } from '../../../src/ledger/entry-updates.ts';
import type { HeadRow } from '../../../src/ledger/heads/heads.ts';
import { DEFAULT_LIMITS } from '../../../src/ledger/append/appender.ts';
import { createMongoStore } from '../../../src/ledger/append/mongo-store.ts';
import type { LedgerStore } from '../../../src/ledger/append/store.ts';
import { createLostHeads } from '../../../src/ledger/heads/lost-heads.ts';
import { thinHeads } from '../../../src/ledger/heads/thin-heads.ts';
import { toObjectId } from '../../../src/ledger/ledger.model.ts';
import { systemTimer } from '../../../src/platform/concurrency/timer.ts';
import { checkChain } from '../invariants.ts';
import { draft, RealChain } from '../store/real-chain.ts';

const chain = new RealChain('appender');
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const key = (number: number) => Buffer.alloc(16, number);

function sealed(outcome: Outcome) {
  if (!('entry' in outcome)) throw new Error(outcome.kind);
  return outcome.entry;
}

test('two instances append to one chain without gap or fork, and its hashes replay', async () => {
  const organizationId = generateId();
  const instances = [chain.start(), chain.start()];
  const answers = await Promise.all(
    numbers(600).map(async (number) =>
      instances[number % 2]?.appender.append(draft(organizationId)),
    ),
  );
  const entries = await chain.entries(organizationId);
  expect(entries).toHaveLength(600);
  checkChain(entries);
  const stored = new Map(entries.map((entry) => [entry._id.toHexString(), entry.chainHash]));
  for (const answer of answers) {
    const entry = sealed(answer as Outcome);
    expect(stored.get(entry._id.toHexString())).toBe(entry.chainHash);
  }
  await Promise.all(instances.map(({ appender }) => appender.close()));
});

test('twenty keys posted twenty times each on two instances give twenty entries and equal answers', async () => {
  const organizationId = generateId();
  const instances = [chain.start(), chain.start()];
  const posts = numbers(400).map(async (number) => {
    const idempotencyKey = key(number % 20);
    const outcome = await instances[number % 3 === 0 ? 0 : 1]?.appender.append(
      draft(organizationId, { idempotencyKey }),
    );
    return { key: number % 20, outcome: outcome as Outcome };
  });
  const answers = await Promise.all(posts);
  const entries = await chain.entries(organizationId);
  expect(entries).toHaveLength(20);
  checkChain(entries);
  for (const number of numbers(20)) {
    const same = answers.filter((answer) => answer.key === number).map(({ outcome }) => outcome);
    expect(new Set(same.map((outcome) => sealed(outcome).chainHash)).size).toBe(1);
    expect(same.filter(({ kind }) => kind === 'sealed')).toHaveLength(1);
  }
});

test('an idempotency key is found for a day and may be used again afterwards', async () => {
  const organizationId = generateId();
  const idempotencyKey = key(1);
  const start = Date.now();
  let now = start;
  const clock = { now: () => new Date(now) };
  const first = sealed(
    await chain.start({ clock }).appender.append(draft(organizationId, { idempotencyKey })),
  );
  now = start + 23 * 60 * 60 * 1000;
  const { appender } = chain.start({ clock });
  expect(await appender.findReplayed(organizationId, idempotencyKey)).toMatchObject({
    chainHash: first.chainHash,
  });
  expect(await appender.append(draft(organizationId, { idempotencyKey }))).toMatchObject({
    kind: 'repeated',
    entry: { _id: first._id },
  });
  now = start + 24 * 60 * 60 * 1000 + 1;
  expect(await appender.findReplayed(organizationId, idempotencyKey)).toBeNull();
  expect(await appender.append(draft(organizationId, { idempotencyKey }))).toMatchObject({
    kind: 'sealed',
  });
  const entries = await chain.entries(organizationId);
  expect(entries.map((entry) => 'idempotencyKey' in entry)).toEqual([false, true]);
  checkChain(entries);
  expect(
    await releaseExpiredIdempotencyKeys(chain.db, DECISIONS, {
      from: new Date(0),
      before: new Date(now + 1),
    }),
  ).toBeGreaterThan(0);
  expect((await chain.entries(organizationId)).some((entry) => 'idempotencyKey' in entry)).toBe(
    false,
  );
});

test('the monthly limit is exact across instances, and replays are answered beyond it', async () => {
  const organizationId = generateId();
  const instances = [chain.start(), chain.start()];
  const results = await Promise.allSettled(
    numbers(60).map(async (number) => {
      const idempotencyKey = key(number);
      return instances[number % 2]?.appender.append(
        draft(organizationId, { idempotencyKey, monthlyLimit: 10 }),
      );
    }),
  );
  const isSealed = results.map(({ status }) => status === 'fulfilled');
  expect(isSealed.filter(Boolean)).toHaveLength(10);
  for (const result of results) {
    if (result.status === 'rejected')
      expect(result.reason).toMatchObject({ code: 'USAGE_LIMIT_EXCEEDED' });
  }
  checkChain(await chain.entries(organizationId), 10);
  const { appender } = chain.start();
  const idempotencyKey = key(isSealed.indexOf(true));
  expect(
    await appender.append(draft(organizationId, { idempotencyKey, monthlyLimit: 10 })),
  ).toMatchObject({
    kind: 'repeated',
  });
  const correction = draft(organizationId, { kind: 'status', after: 1, traceId: 'trace-of-limit' });
  expect(sealed(await appender.append(correction)).usage.count).toBe(10);
});

test.each([
  ['is larger than the database takes', { payload: 'x'.repeat(17 * 1024 * 1024) }],
  ['is nested deeper than the database takes', { payload: nesting(200) }],
  ['cannot be encoded', { payload: { 'a\0b': 1 } }],
  ['cannot be indexed', { idempotencyKey: ['a', 'b'], organizationId: ['a', 'b'] }],
])('a document that %s is refused alone', async (_what, fields) => {
  const organizationId = generateId();
  const { appender } = chain.start();
  const results = await Promise.allSettled(
    numbers(5).map((number) =>
      appender.append(draft(organizationId, number === 2 ? { fields } : {})),
    ),
  );
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(results[2]).toMatchObject({ reason: { code: 'VALIDATION_ERROR' } });
  const entries = await chain.entries(organizationId);
  expect(entries).toHaveLength(4);
  checkChain(entries);
});

function nesting(depth: number): unknown {
  return depth === 0 ? 'deep' : [nesting(depth - 1)];
}

test('one of two amendments that follow the same entry wins, on any instance', async () => {
  const organizationId = generateId();
  const instances = [chain.start(), chain.start()];
  await instances[0]?.appender.append(draft(organizationId, { traceId: 'contested' }));
  const amendment = () => draft(organizationId, { kind: 'status', traceId: 'contested', after: 1 });
  const answers = await Promise.all(
    numbers(10).map(async (number) => instances[number % 2]?.appender.append(amendment())),
  );
  expect(answers.filter((answer) => answer?.kind === 'sealed')).toHaveLength(1);
  expect(answers.filter((answer) => answer?.kind === 'superseded')).toHaveLength(9);
  const clause = () =>
    draft(organizationId, { kind: 'compliance', traceId: 'compliance:f:1', after: null });
  expect((await instances[0]?.appender.append(clause()))?.kind).toBe('sealed');
  expect((await instances[1]?.appender.append(clause()))?.kind).toBe('superseded');
});

test('a full queue answers 503 at once, a late outcome answers 503 in time, and accepted appends go on', async () => {
  const organizationId = generateId();
  const { appender } = chain.start();
  const accepted = numbers(1_024).map(() => appender.append(draft(organizationId)));
  await expect(appender.append(draft(organizationId))).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    headers: { 'Retry-After': '1' },
  });
  const late = chain.start().appender.append(draft(organizationId, { payload: 'late' }), 0);
  await expect(late).rejects.toBeInstanceOf(AppError);
  await Promise.all(accepted);
  await appender.close();
  await expect(appender.append(draft(organizationId))).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  expect(appender.getLatency(organizationId)?.p99).toBeGreaterThanOrEqual(
    appender.getLatency(organizationId)?.p50 ?? Infinity,
  );
});

test('waiting appends are bounded in bytes per organisation and in all, and make room when answered', async () => {
  const [one, two] = [generateId(), generateId()];
  const limits = Object.assign({}, DEFAULT_LIMITS, {
    bufferedBytes: { perOrganization: 5_000, inAll: 8_000 },
  });
  const { appender } = chain.start({ limits });
  const payload = 'x'.repeat(2_000);
  const post = (organizationId: string) =>
    appender.append(draft(organizationId, { payload, traceId: generateId() }));
  const answers = await Promise.allSettled([one, one, one, two, two].map(post));
  expect(answers.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
  ]);
  expect(answers[2]).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE' } });
  await Promise.all([one, two].map(post));
  const huge = draft(one, { payload: 'x'.repeat(20_000) });
  expect(await appender.append(huge)).toMatchObject({ kind: 'sealed' });
});

test('an unexplained server error is a 503: the entry may be stored, and a retry gets the answer', async () => {
  const store = createMongoStore({ db: chain.db, chain: DECISIONS, timer: systemTimer });
  const cause = { code: 8000, errmsg: 'something of the provider' };
  let isOdd = true;
  const odd: LedgerStore = Object.assign({}, store, {
    insertOrdered: async (documents: readonly Stored[]) => {
      const outcome = await store.insertOrdered(documents);
      return isOdd ? { kind: 'rejected', at: 0, documentAtFault: false, cause } : outcome;
    },
  });
  const organizationId = generateId();
  const request = draft(organizationId, { idempotencyKey: key(7) });
  const { appender } = chain.start({ store: odd });
  await expect(appender.append(request)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    headers: { 'Retry-After': '1' },
  });
  isOdd = false;
  expect(await appender.append(request)).toMatchObject({ kind: 'repeated' });
  expect(await chain.entries(organizationId)).toHaveLength(1);
});

test('an instance whose clock is off seals nothing', async () => {
  const organizationId = generateId();
  let isRight = false;
  const { appender } = chain.start({ ready: () => isRight });
  await expect(appender.append(draft(organizationId))).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  expect(await chain.entries(organizationId)).toEqual([]);
  isRight = true;
  expect(await appender.append(draft(organizationId))).toMatchObject({
    kind: 'sealed',
    entry: { sequence: 1 },
  });
});

test('a truncated chain is found before an append builds on it', async () => {
  const organizationId = generateId();
  const filter = { organizationId: toObjectId(organizationId) };
  const before = chain.start();
  for (const _ of numbers(5)) await before.appender.append(draft(organizationId));
  const head = await before.appender.readHead(organizationId);
  await before.appender.close();
  const intact = chain.start();
  await intact.appender.append(draft(organizationId));
  expect(intact.heads.listQuarantined()).toEqual([]);
  await intact.appender.close();
  await chain.db.collection('ledger').deleteMany({ ...filter, sequence: { $gte: 4 } });
  const after = chain.start();
  for (const _ of numbers(2)) {
    await expect(after.appender.append(draft(organizationId))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  }
  expect(after.heads.listQuarantined()).toEqual([organizationId]);
  expect(after.quarantined).toMatchObject([{ sequence: 6 }]);
  expect(head).toMatchObject({ sequence: 5 });
  expect(await chain.entries(organizationId)).toHaveLength(3);
});

test('a chain that is cut under an instance is found after an idle minute and continues once released', async () => {
  const organizationId = generateId();
  let now = Date.now();
  const running = chain.start({ clock: { now: () => new Date(now) } });
  for (const _ of numbers(5)) await running.appender.append(draft(organizationId));
  await running.heads.flush();
  const filter = { organizationId: toObjectId(organizationId) };
  await chain.db.collection('ledger').deleteMany({ ...filter, sequence: { $gte: 4 } });
  now += 61_000;
  for (const _ of numbers(2))
    await expect(running.appender.append(draft(organizationId))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  expect(running.quarantined).toMatchObject([{ sequence: 5 }]);
  const lost = createLostHeads({ db: chain.db, chain: DECISIONS });
  expect(await lost.findLostEntries(organizationId)).toMatchObject({
    from: 4,
    newest: { sequence: 5 },
    goesOnAfter: { sequence: 3 },
  });
  await lost.setAside(organizationId);
  expect(await lost.findLostEntries(organizationId)).toBeNull();
  expect(sealed(await running.appender.append(draft(organizationId)))).toMatchObject({
    sequence: 4,
  });
  expect(running.heads.listQuarantined()).toEqual([]);
  checkChain(await chain.entries(organizationId));
  expect(await chain.db.collection('heads_ledger_lost').countDocuments(filter)).toBeGreaterThan(0);
});

test('a missing head without a note is noted with the quarantine', async () => {
  const organizationId = generateId();
  const known = { sequence: 3, chainHash: 'e'.repeat(64) };
  const { heads } = chain.start();
  await expect(heads.confirm(organizationId, known)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  const later = chain.start();
  await expect(later.appender.append(draft(organizationId))).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  expect(later.quarantined).toEqual([known]);
});

test('heads thinned hour by hour equal those thinned at once', { tags: ['long'] }, async () => {
  const rows = chain.db.collection<HeadRow>('heads_hourly');
  const begin = Date.UTC(2026, 2, 1, 5, 17);
  const at = (index: number) => new Date(begin + index * 13 * 60_000);
  const row = (organizationId: string, index: number) => ({
    organizationId: toObjectId(organizationId),
    sequence: index,
    chainHash: '',
    at: at(index),
  });
  const [slowly, once] = [generateId(), generateId()];
  await rows.insertMany(numbers(400).map((index) => row(slowly, index)) as never[]);
  const end = Date.UTC(2026, 2, 6);
  const keptOf = async (id: string) =>
    (
      await rows
        .find({ organizationId: toObjectId(id) })
        .sort({ sequence: 1 })
        .toArray()
    ).map(({ sequence }) => sequence);
  let from = new Date(0);
  for (let now = begin; now < end; now += 3_540_000) {
    await thinHeads(rows, { from, now: new Date(now) });
    from = new Date(now);
  }
  await thinHeads(rows, { from, now: new Date(end) });
  const hourly = await keptOf(slowly);
  await rows.deleteMany({});
  await rows.insertMany(numbers(400).map((index) => row(once, index)) as never[]);
  await thinHeads(rows, { from: new Date(0), now: new Date(end) });
  expect(hourly).toEqual(await keptOf(once));
  expect(hourly.length).toBeLessThan(60);
});

test('old head rows are thinned to the newest of each hour and day', async () => {
  const organizationId = toObjectId(generateId());
  const rows = chain.db.collection<HeadRow>('heads');
  const now = new Date('2026-03-10T12:30:00.000Z');
  const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 60 * 60 * 1000);
  const ages = [49, 48.9, 30, 29, 5.2, 5.1, 0.5, 0.4];
  await rows.insertMany(
    ages.map(
      (age, index) =>
        ({ organizationId, sequence: index + 1, chainHash: '', at: hoursAgo(age) }) as never,
    ),
  );
  await thinHeads(rows, { from: new Date(0), now });
  const kept = await rows.find({ organizationId }).sort({ sequence: 1 }).toArray();
  expect(kept.map(({ sequence }) => sequence)).toEqual([2, 4, 6, 7, 8]);
});
