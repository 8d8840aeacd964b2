// Every outcome of an insert on a real database: the conflicting index, its place, and what counts as unknown.
import { expect, test } from 'vitest';
import type { mongo } from 'mongoose';
import { generateId } from '../../../src/platform/ids.ts';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import type { Draft, Stored } from '../../../src/ledger/entry.ts';
import { toObjectId } from '../../../src/ledger/ledger.model.ts';
import { createMongoStore } from '../../../src/ledger/append/mongo-store.ts';
import { createGenesisHead, toHead, Refusal, sealDraft } from '../../../src/ledger/append/seal.ts';
import type { Head } from '../../../src/ledger/append/store.ts';
import { systemTimer } from '../../../src/platform/concurrency/timer.ts';
import { draft, hastyTimer, RealChain } from './real-chain.ts';

const chain = new RealChain('mongo-store');
const key = (number: number) => Buffer.alloc(16, number);

/** Drafts sealed one after the other. */
function sealAll(
  organizationId: string,
  drafts: readonly Draft[],
  head: Head = createGenesisHead(DECISIONS),
): Stored[] {
  const sealed: Stored[] = [];
  for (const one of drafts) {
    const ids = { _id: toObjectId(generateId()), organizationId: toObjectId(organizationId) };
    const entry = sealDraft(one, ids, {
      head: sealed.at(-1) ?? head,
      now: new Date(),
      chain: DECISIONS,
    });
    if (!(entry instanceof Refusal)) sealed.push(entry);
  }
  return sealed;
}

function storeOver(
  command: (command: mongo.Document) => Promise<mongo.Document>,
  timer = systemTimer,
) {
  const { db } = chain;
  const wrapped = { collection: db.collection.bind(db), command } as unknown as mongo.Db;
  return createMongoStore({ db: wrapped, chain: DECISIONS, timer });
}

const store = () => storeOver((command) => chain.db.command(command, { ignoreUndefined: true }));

test.each([
  ['_id', (entry: Stored, [first]: Stored[]) => ({ ...entry, _id: (first as Stored)._id })],
  ['chain', (entry: Stored) => ({ ...entry, sequence: 1 })],
  ['idempotency', (entry: Stored) => ({ ...entry, idempotencyKey: key(1) })],
  ['following', (entry: Stored) => ({ ...entry, traceId: 't', after: 1 })],
] as const)('reports a conflict on %s, and what came before is in', async (index, change) => {
  const organizationId = generateId();
  const amendment = { kind: 'status', traceId: 't', after: 1 } as const;
  const present = sealAll(organizationId, [
    draft(organizationId, { traceId: 't', idempotencyKey: key(1) }),
    draft(organizationId, amendment),
  ]);
  expect(await store().insertOrdered(present)).toEqual({ kind: 'ok' });
  const head = toHead(present[1] as Stored);
  const [good, bad, never] = sealAll(
    organizationId,
    [0, 1, 2].map(() => draft(organizationId)),
    head,
  ) as [Stored, Stored, Stored];
  const outcome = await store().insertOrdered([good, change(bad, present), never]);
  expect(outcome).toEqual({ kind: 'conflict', at: 1, index });
  expect(await store().findByIds(good.organizationId, [good._id, never._id])).toMatchObject([
    { _id: good._id },
  ]);
  expect(await store().readNewest(good.organizationId)).toMatchObject({
    sequence: 3,
    chainHash: good.chainHash,
    usage: good.usage,
  });
  expect(await store().findAtSequence(good.organizationId, 4)).toBeNull();
  expect(await store().findByIdempotencyKey(good.organizationId, [key(1), key(2)])).toMatchObject([
    { sequence: 1, traceId: 't' },
  ]);
});

test('reads the entries of one organisation only', async () => {
  const organizations = [generateId(), generateId()] as const;
  const chains = organizations.map((organizationId, index) =>
    sealAll(
      organizationId,
      [1, 2].map((number) => draft(organizationId, { idempotencyKey: key(number + index) })),
    ),
  );
  for (const entries of chains)
    expect(await store().insertOrdered(entries)).toEqual({ kind: 'ok' });
  for (const [own, other] of [chains, chains.toReversed()] as [Stored[], Stored[]][]) {
    const { organizationId } = own[0]!;
    for (const { sequence, chainHash } of own)
      expect(await store().findAtSequence(organizationId, sequence)).toMatchObject({ chainHash });
    expect(await store().findAtSequence(organizationId, 3)).toBeNull();
    expect(await store().readNewest(organizationId)).toMatchObject({
      chainHash: own[1]!.chainHash,
    });
    const ids = [...own, ...other].map(({ _id }) => _id);
    const sequencesOf = (entries: Stored[]) =>
      entries.map((entry) => [String(entry.organizationId), entry.sequence]);
    const all = [1, 2].map((sequence) => [String(organizationId), sequence]);
    expect(sequencesOf(await store().findByIds(organizationId, ids))).toEqual(all);
    const keys = [1, 2, 3].map(key);
    expect(
      (await store().findByIdempotencyKey(organizationId, keys)).map(({ _id }) => _id),
    ).toEqual(own.map(({ _id }) => _id));
  }
});

test('a write-concern error counts as unknown, whatever else the reply contains', async () => {
  const organizationId = generateId();
  const [first] = sealAll(organizationId, [draft(organizationId)]) as [Stored];
  const impatient = storeOver((command) =>
    chain.db.command({ ...command, writeConcern: { w: 3, wtimeout: 20 } }),
  );
  expect(await impatient.insertOrdered([first])).toMatchObject({
    kind: 'unknown',
    cause: { name: 'MongoWriteConcernError' },
  });
  expect(await impatient.insertOrdered([first])).toMatchObject({ kind: 'unknown' });
  expect(await chain.entries(organizationId)).toHaveLength(1);
});

test('a time-out and a server without a primary count as unknown', async () => {
  const [entry] = sealAll(generateId(), [draft(generateId())]) as [Stored];
  const silent = storeOver(() => new Promise(() => {}), hastyTimer);
  expect(await silent.insertOrdered([entry])).toMatchObject({ kind: 'unknown' });
  const { MongoServerError, MongoNetworkError } = chain.connection.base.mongo;
  for (const error of [
    new MongoNetworkError('reset'),
    new MongoServerError({ message: 'not primary', code: 10107 }),
  ]) {
    const failing = storeOver(() => Promise.reject(error));
    expect(await failing.insertOrdered([entry])).toEqual({ kind: 'unknown', cause: error });
  }
  const interrupted = {
    ok: 1,
    n: 0,
    writeErrors: [{ index: 0, code: 11602, errmsg: 'interrupted by a state change' }],
  };
  expect(await storeOver(() => Promise.resolve(interrupted)).insertOrdered([entry])).toMatchObject({
    kind: 'unknown',
  });
});

test('a document that breaks the whole command is found and the others are stored', async () => {
  const organizationId = generateId();
  const [good, bad, never] = sealAll(organizationId, [
    draft(organizationId),
    draft(organizationId, { fields: { payload: 'x'.repeat(17 * 1024 * 1024) } }),
    draft(organizationId),
  ]) as [Stored, Stored, Stored];
  const outcome = await store().insertOrdered([good, bad, never]);
  expect(outcome).toMatchObject({ kind: 'rejected', at: 1, documentAtFault: true });
  expect((await chain.entries(organizationId)).map(({ sequence }) => sequence)).toEqual([1]);
});
