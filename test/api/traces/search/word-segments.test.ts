// Word segments: after any additions, corrections and erasures they hold the words of the remaining decisions only.
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import {
  type SearchedDecision,
  unpackDecisions,
} from '../../../../src/domain/search/word-segment.ts';
import {
  createSegments,
  toWordSegment,
  type WordChange,
} from '../../../../src/decisions/traces/search/word-segments.ts';
import type { WordSegmentDocument } from '../../../../src/decisions/traces/search/word-segments.model.ts';
import { generateId } from '../../../../src/platform/ids.ts';
import { useOwnHarness } from '../../../setup/fixtures.ts';
import { toObjectId } from '../../../setup/harness.ts';
import {
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
} from '../../../setup/personas.ts';
import { startApp } from '../../../setup/start-app.ts';

const harness = useOwnHarness();
const { app } = harness;

// These entries belong to no chain, so no consumer may follow them.
afterEach(() => harness.db.collection('ledger').deleteMany({ traceId: /^decision-/ }));

const nameOf = (sequence: number): string => `decision-${sequence}`;
const text = fc.array(fc.nat({ max: 40 }), { maxLength: 6 });

/** Changes of decisions: each adds a decision, or corrects or erases an earlier one. */
const happening = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('trace'), texts: fc.tuple(text, text) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('correction'),
      texts: fc.tuple(fc.option(text), fc.option(text)),
      about: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('erasure'),
      about: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
);
type Happening = {
  kind: string;
  texts?: (number[] | null)[];
  about?: number;
};

/** The changes, and the decisions that remain after them. */
function played(happenings: readonly Happening[]) {
  const left = new Map<number, SearchedDecision>();
  const changes: WordChange[] = [];
  let newest = 0;
  happenings.forEach(({ kind, texts = [], about = 0 }, at) => {
    const sequence = kind === 'trace' ? at + 1 : 1 + Math.floor(about * newest);
    const traceId = nameOf(sequence);
    if (kind === 'trace') {
      newest = sequence;
      const decision = { sequence, generation: 0, texts: texts.map((given) => given ?? []) };
      left.set(sequence, decision);
      changes.push({ kind, traceId, decision });
    } else if (kind === 'correction') {
      const known = left.get(sequence);
      if (known)
        left.set(sequence, {
          ...known,
          texts: known.texts.map((before, which) => texts[which] ?? before),
        });
      changes.push({ kind, traceId, texts });
    } else {
      left.delete(sequence);
      changes.push({ kind: 'erasure', traceId });
    }
  });
  return { changes, left: [...left.values()] };
}

/** Stores the changes in lots, each in a transaction of its own. */
async function store(
  organizationId: string,
  changes: readonly WordChange[],
  sizes: readonly number[],
): Promise<void> {
  const { models } = app.instance.platform;
  const segments = createSegments(models.wordSegments, models);
  for (let at = 0, lot = 0; at < changes.length; lot++) {
    const some = changes.slice(at, (at += sizes[lot % sizes.length] ?? 1));
    const rows = some.flatMap((change) =>
      change.kind === 'trace'
        ? [{ traceId: change.traceId, sequence: change.decision.sequence }]
        : [],
    );
    if (rows.length > 0)
      await harness.db.collection('ledger').insertMany(
        rows.map((row) => ({
          ...row,
          organizationId: toObjectId(organizationId),
          kind: 'trace',
        })),
      );
    await app.instance.platform.connection
      .getClient()
      .withSession((session) =>
        session.withTransaction(() => segments.store(organizationId, some, session)),
      );
  }
}

const stored = (organizationId: string): Promise<WordSegmentDocument[]> =>
  app.instance.platform.models.wordSegments
    .find({ organizationId })
    .sort({ from: 1 })
    .lean<WordSegmentDocument[]>();

test('segments hold exactly the words of the remaining decisions, each segment its own', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { minLength: 300, maxLength: 700, size: 'max' }),
      fc.array(fc.integer({ min: 1, max: 512 }), { minLength: 1, maxLength: 4 }),
      async (happenings, sizes) => {
        const organizationId = generateId();
        const { changes, left } = played(happenings as Happening[]);
        await store(
          organizationId,
          changes,
          sizes.map((size) => Math.max(size, 40)),
        );
        const segments = await stored(organizationId);
        expect(segments.flatMap((segment) => [...unpackDecisions(toWordSegment(segment))])).toEqual(
          left,
        );
        for (const segment of segments) {
          const decisions = [...unpackDecisions(toWordSegment(segment))];
          expect(decisions.length).toBeLessThanOrEqual(256);
          const words = new Set(decisions.flatMap(({ texts }) => texts.flat()));
          expect(new Set(segment.words)).toEqual(words);
          expect(segment.words).toHaveLength(words.size);
        }
      },
    ),
    { numRuns: 8 },
  );
});

test('a segment of long texts ends at the limit of words', async () => {
  const organizationId = generateId();
  const long = Array.from({ length: 10_000 }, (_, at) => at);
  const happenings = Array.from({ length: 9 }, () => ({ kind: 'trace', texts: [long, []] }));
  await store(organizationId, played(happenings).changes, [9]);
  const sizes = (await stored(organizationId)).map(
    (segment) => [...unpackDecisions(toWordSegment(segment))].length,
  );
  expect(sizes).toEqual([4, 4, 1]);
});

test('the search uses the index of words, newest first', async () => {
  const organizationId = generateId();
  const happenings = Array.from({ length: 600 }, () => ({ kind: 'trace', texts: [[1, 2], [3]] }));
  await store(organizationId, played(happenings).changes, [256]);
  for (const words of [{ $in: [1, 3] }, { $all: [1, 2] }, { $in: [2] }]) {
    const plan = JSON.stringify(
      await app.instance.platform.models.wordSegments
        .find({ organizationId, words })
        .sort({ from: -1 })
        .hint('words')
        .explain('queryPlanner'),
    );
    const winning = plan.slice(plan.indexOf('"winningPlan"'), plan.indexOf('"rejectedPlans"'));
    expect(winning).toContain('"stage":"IXSCAN"');
    expect(winning).not.toContain('"stage":"SORT"');
  }
});

test(
  'the index of an earlier version is dropped, and its decisions are found again',
  { tags: ['long'] },
  async () => {
    const owner = await createOwner(app);
    const { key } = await createWorkspaceKey(app, owner);
    const body = { ...buildDecision('x'), rationale: 'older than the segments' };
    const { traceId } = assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body.data;
    await app.instance.runJobsOnce();
    const { db } = harness;
    const organizationId = toObjectId(owner.organizationId);
    await db.collection('decision_searches').insertOne({ organizationId, traceId });
    await db
      .collection('cursors')
      .updateOne(
        { organizationId, consumer: 'decision-words' },
        { $set: { consumer: 'decision-search' } },
      );
    await db.collection('word_segments').deleteMany({ organizationId });
    await db.collection<{ _id: string }>('consumers').deleteOne({ _id: 'decision-words' });
    await db
      .collection<{ _id: string }>('migrations')
      .deleteOne({ _id: 'decision-searches-dropped' });
    const second = await startApp({}, { mongoUri: harness.mongoUri });
    await second.instance.runJobsOnce();
    const { token } = owner;
    const found = await second.call('GET', '/api/v1/traces?search=segments', { token });
    expect(assertOk(found).body.data).toMatchObject([{ traceId }]);
    expect(await db.listCollections({ name: 'decision_searches' }).toArray()).toEqual([]);
    expect(await db.collection('cursors').countDocuments({ consumer: 'decision-search' })).toBe(0);
    await second.stop();
  },
);
