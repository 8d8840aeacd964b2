// What filters read where they meet: segments around the rarer one, however frequent the others are.
import { beforeAll, expect, test } from 'vitest';
import { createWordDigester } from '../../../../src/domain/search/blind-words.ts';
import { listFacetTerms, toDeciderTerm } from '../../../../src/domain/search/decision-facets.ts';
import { createSegments } from '../../../../src/decisions/traces/search/word-segments.ts';
import { createCopier } from '../../../setup/copies.ts';
import { useOwner, useOwnHarness } from '../../../setup/fixtures.ts';
import { assertOk, buildDecision, createWorkspaceKey } from '../../../setup/personas.ts';

const harness = useOwnHarness({ ASSAY_LIMIT_HEAVY: '100' });
const { app } = harness;
const ada = useOwner(harness);
/** Decisions of a segment; indexed ones; one that has all that is rare, and another in a segment far from it. */
const [SEGMENT, COUNT, RARE, OTHER] = [256, 7_680, 4_000, 1_000];
const SEGMENTS = COUNT / SEGMENT;

beforeAll(async () => {
  const { key } = await createWorkspaceKey(app, ada);
  assertOk(await app.call('POST', '/api/v1/traces', { key, body: buildDecision('x') }));
  await app.instance.consumers.runOnce();
  await (
    await createCopier(harness, ada)
  )(RARE, 1);
  const { models, keyStore } = app.instance.platform;
  const { organizationId, workspaceId } = ada;
  const blind = createWordDigester((await keyStore.loadOrganizationKey(organizationId)) as Buffer);
  const names = (n: number): string[] => [n === RARE ? 'drop_table' : 'reply', 'look_up'];
  const tags = (n: number): string[] => (n === OTHER ? ['SEEN', 'FAR'] : ['SEEN']);
  const facets = (n: number): string[] => [
    ...listFacetTerms({ names: names(n), most: 10 }, { workspaceId, tags: tags(n) }),
    toDeciderTerm('policy'),
  ];
  const words = (n: number): string[] => ['long', 'lane', ...(n === RARE ? ['kiwi'] : [])];
  // Words begin a run later than facets, so that no two segments are the same.
  const toChanges = (first: number, list: (n: number) => string[]) =>
    Array.from({ length: COUNT + 2 - first }, (_, at) => ({
      kind: 'trace' as const,
      traceId: `copy-${first + at}`,
      decision: { sequence: first + at, generation: 0, texts: [list(first + at).map(blind)] },
    }));
  await app.instance.platform.connection.getClient().withSession(async (session) => {
    const indexes = [models.facetSegments, models.wordSegments] as const;
    for (const [at, list] of [facets, words].entries()) {
      const changes = toChanges(2 + at * 100, list);
      await createSegments(indexes[at]!, models).store(organizationId, changes, session);
    }
  });
}, 60_000);

/** Documents and keys that a list read of both indexes, and the number of decisions that it found. */
async function measure(query: string) {
  const { db } = harness;
  await db.command({ profile: 2 });
  const { total } = assertOk(
    await app.call('GET', `/api/v1/traces?${query}`, { token: ada.token }),
  ).body;
  await db.command({ profile: 0 });
  const read = await db
    .collection('system.profile')
    .find({
      ns: { $in: [`${db.databaseName}.word_segments`, `${db.databaseName}.facet_segments`] },
    })
    .toArray();
  await db.collection('system.profile').drop();
  const sum = (member: string): number => read.reduce((all, one) => all + Number(one[member]), 0);
  return { total, documents: sum('docsExamined'), keys: sum('keysExamined') };
}

test.each([
  ['a frequent word, a rare tool', 'text=lane&tool=drop_table', 1],
  ['a rare word, a frequent tool', 'text=kiwi&tool=look_up', 1],
  ['a rare word, two frequent ones', 'text=lane%20long%20kiwi', 1],
  ['a rare tool, a frequent tag', 'tag=SEEN&tool=drop_table', 1],
  ['a frequent tool, a rare tag', 'tool=look_up&tag=FAR&text=lane', 0],
  ['a rare word of both searches', 'search=lane&text=kiwi&decidedBy=policy', 1],
  ['a rare word, two facets', 'text=kiwi&tool=look*&minAmount=5', 1],
  ['a rare word and a rare tag that do not meet', 'text=kiwi&tag=FAR', 0],
  ['an absent word, a frequent tool', 'text=pear&tool=look_up', 0],
])('%s', async (_, query, expected) => {
  const { total, documents, keys } = await measure(query);
  expect(total).toBe(expected);
  // One of each index, and a neighbour.
  expect(documents).toBeLessThanOrEqual(3);
  // Each set of words and each index once, without their documents.
  expect(keys).toBeLessThanOrEqual(6 * (SEGMENTS + 2));
});
