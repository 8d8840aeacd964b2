// The search by a prefix of a chain hash: in segments and unsegmented entries, by pages, in the own chain only.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countPrefixes } from '../../../src/domain/search/hash-prefixes.ts';
import { toCiphertext } from '../../../src/ledger/contents/contents.ts';
import type { Sealed } from '../../../src/ledger/entry.ts';
import { generateId } from '../../../src/platform/ids.ts';
import { createChainHashesConsumer } from '../../../src/evidence/hash-chain/search/chain-hashes.consumer.ts';
import { dropHashIndex } from '../../../src/ledger/maintenance.ts';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { assertOk } from '../../setup/personas.ts';

const harness = useOwnHarness();
const { app } = harness;
const owner = useOwner(harness);

type Row = Pick<Sealed, 'sequence' | 'chainHash'>;

/** Hashes like any others, the same in each run. */
function rowsFrom(first: number, count: number): Row[] {
  return Array.from({ length: count }, (_, at) => {
    const sequence = first + at;
    const digits = (Math.imul(sequence, 2_654_435_761) >>> 0).toString(16).padStart(8, '0');
    return { sequence, chainHash: digits.repeat(8) };
  });
}

async function follow(organizationId: string, rows: readonly Row[]): Promise<void> {
  const { models, connection } = app.instance.platform;
  const { consume } = createChainHashesConsumer(models);
  await connection
    .getClient()
    .withSession((session) =>
      session.withTransaction(() => consume(rows as Sealed[], { session, organizationId })),
    );
}

/** The first and the last sequence of each segment. */
async function runsOf(organizationId: string): Promise<[number, number][]> {
  const { hashSegments } = app.instance.platform.models;
  const segments = await hashSegments.find({ organizationId }).sort({ from: 1 }).lean();
  return segments.map(({ from, prefixes }) => [
    from,
    from + countPrefixes(toCiphertext(prefixes) as Uint8Array) - 1,
  ]);
}

const LENGTH = 1_300;
const chain = rowsFrom(1, LENGTH);
beforeAll(async () => {
  const entries = chain.map(({ sequence, chainHash }) => ({
    organizationId: toObjectId(owner.organizationId),
    kind: 'trace',
    traceId: `trc_${sequence}`,
    createdAt: new Date(),
    payloadDigest: chainHash,
    prevHash: chainHash,
    sequence,
    chainHash,
  }));
  await harness.db.collection('ledger').insertMany(entries);
});
// These entries belong to no chain, so no consumer may follow them.
afterAll(() => harness.db.collection('ledger').deleteMany({ traceId: /^trc_[^0]/ }));

async function found(search: string, { beforeSeq = '', limit = 500 } = {}): Promise<number[]> {
  const before = beforeSeq && `&beforeSeq=${beforeSeq}`;
  const path = `/api/v1/hash-chain/entries?search=${search}&limit=${limit}${before}`;
  const { data } = assertOk(await app.call('GET', path, { token: owner.token })).body;
  return data.entries.map(({ sequence }: { sequence: number }) => sequence);
}

const beginningSo = (search: string, below = Infinity): number[] =>
  chain
    .filter(({ sequence, chainHash }) => sequence < below && chainHash.startsWith(search))
    .map(({ sequence }) => sequence)
    .toReversed();

/** Prefixes of one entry each, and of several; in upper case it is no hash. */
const SEARCHES = [1, 511, 512, 513, 1_024, LENGTH].flatMap((sequence) =>
  [3, 8, 9, 64].map((digits) => chain[sequence - 1]!.chainHash.slice(0, digits)),
);

test(
  'finds the same entries while none, some or all of them are in segments',
  { tags: ['long'] },
  async () => {
    let followed = 0;
    for (const to of [0, 700, LENGTH]) {
      await follow(owner.organizationId, chain.slice(followed, to));
      followed = to;
      for (const search of SEARCHES)
        expect(await found(search), search).toEqual(beginningSo(search));
      expect(await found('fffffffffff')).toEqual([]);
    }
    expect(await runsOf(owner.organizationId)).toEqual([
      [1, 512],
      [513, 1_024],
      [1_025, LENGTH],
    ]);
  },
);

test('pages of a few entries show all of them, newest first', async () => {
  const search = chain[0]!.chainHash.slice(0, 3);
  const many = Array.from(
    { length: 16 },
    (_, digit) => `${search.slice(0, 2)}${digit.toString(16)}`,
  );
  for (const beginning of [search, ...many]) {
    const all: number[] = [];
    for (let before = LENGTH + 1; ;) {
      const page = await found(beginning, { beforeSeq: String(before), limit: 2 });
      all.push(...page);
      if (page.length === 0) break;
      before = page.at(-1) as number;
    }
    expect(all).toEqual(beginningSo(beginning));
  }
});

test('segments hold each entry once and in its place, and a gap ends a segment', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      async (sizes, isSkipped) => {
        const organizationId = generateId();
        let next = 1;
        for (const size of sizes) {
          await follow(organizationId, rowsFrom(next, size));
          next += size;
        }
        const runs = await runsOf(organizationId);
        expect(runs.flatMap(([from, to]) => rowsFrom(from, to - from + 1))).toEqual(
          rowsFrom(1, next - 1),
        );
        expect(runs.every(([from, to]) => to - from < 512)).toBe(true);
        if (isSkipped) {
          await follow(organizationId, rowsFrom(next + 1, 2));
          expect((await runsOf(organizationId)).at(-1)).toEqual([next + 1, next + 2]);
        }
      },
    ),
    { numRuns: 12 },
  );
});

test('an old decision is found by its trace id without reading what came after it', async () => {
  await harness.db.command({ profile: 2 });
  const id = 'trc_of-a-decision';
  await harness.db.collection('ledger').updateOne({ sequence: 2 }, { $set: { traceId: id } });
  expect(await found(id.slice(0, 12))).toEqual([2]);
  await harness.db.command({ profile: 0 });
  const read = await harness.db
    .collection('system.profile')
    .find({ 'command.find': 'ledger', 'command.hint': { $exists: true } })
    .toArray();
  expect(read.map(({ docsExamined }) => Number(docsExamined))).toEqual([1]);
});

test('the former index is dropped, also if it is missing already', async () => {
  const ledger = harness.db.collection('ledger');
  await ledger.createIndex({ organizationId: 1, chainHash: 1 }, { name: 'hash' });
  for (let times = 0; times < 2; times++) {
    await dropHashIndex(app.instance.platform.connection);
    expect((await ledger.indexes()).map(({ name }) => name)).not.toContain('hash');
  }
});
