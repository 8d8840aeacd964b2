// What filters by facets cost in a long history: printed, with what they read; `ASSAY_FACETS` is its number of decisions.
// @module-tag long
import { expect, test } from 'vitest';
import { createWordDigester } from '../../../../src/domain/search/blind-words.ts';
import { listFacetTerms, toDeciderTerm } from '../../../../src/domain/search/decision-facets.ts';
import {
  createSegments,
  type WordChange,
} from '../../../../src/decisions/traces/search/word-segments.ts';
import { createCopier } from '../../../setup/copies.ts';
import { useOwnHarness, useOwner } from '../../../setup/fixtures.ts';
import { toObjectId } from '../../../setup/harness.ts';
import { assertOk, buildDecision, createWorkspaceKey } from '../../../setup/personas.ts';

const COUNT = Number(process.env['ASSAY_FACETS'] ?? 100_000);
/** Decisions that are written at a time. */
const LOT = 2_048;
const harness = useOwnHarness({ ASSAY_LIMIT_HEAVY: '100' });
const ada = useOwner(harness);

const TOOLS = ['cancel_reservation', 'issue_refund', 'send_mail', 'get_order_details', 'reply'];
/** Of a thousand decisions one calls it. */
const RARE = 'drop_table';
const nameTool = (n: number): string => (n % 1_000 === 7 ? RARE : (TOOLS[n % 5] as string));
const hasAmount = (n: number): boolean => n % 5 === 1;

async function writeDecisions(): Promise<number> {
  const { app } = harness;
  const { models, keyStore, connection } = app.instance.platform;
  const { organizationId, workspaceId } = ada;
  const key = await keyStore.loadOrganizationKey(organizationId);
  const blind = createWordDigester(key as Buffer);
  const copy = await createCopier(harness, ada);
  const words = createSegments(models.wordSegments, models);
  const facets = createSegments(models.facetSegments, models);
  const toChange = (n: number, texts: number[][]): WordChange => ({
    kind: 'trace',
    traceId: `copy-${n}`,
    decision: { sequence: n, generation: 0, texts },
  });
  const toFacets = (n: number): number[] => {
    const names = [nameTool(n)];
    const most = hasAmount(n) ? ((n * 7_919) % 100_000) / 100 : null;
    const tags = n % 50 === 0 ? ['PII_EMAIL'] : [];
    return [...listFacetTerms({ names, most }, { workspaceId, tags })].map(blind);
  };
  const toWords = (n: number): number[][] => [
    Array.from({ length: 10 }, (_, at) => blind(`word${(n * at) % 3_000}`)),
    [blind('message')],
    [nameTool(n), `so`, String(n), 'long', 'lane'].map(blind),
  ];
  let took = 0;
  for (let from = 2; from <= COUNT; from += LOT) {
    const numbers = Array.from({ length: Math.min(LOT, COUNT + 1 - from) }, (_, at) => from + at);
    await copy(from, numbers.length);
    const began = performance.now();
    // No transaction: a busy machine would not end it in its time.
    await connection.getClient().withSession(async (session) => {
      const by = [blind(toDeciderTerm('policy'))];
      const ofFacets = numbers.map((n) => toChange(n, [toFacets(n), by]));
      await facets.store(organizationId, ofFacets, session);
      took += performance.now() - began;
      const ofWords = numbers.map((n) => toChange(n, toWords(n)));
      await words.store(organizationId, ofWords, session);
    });
  }
  return took / COUNT;
}

async function measureStorage(name: string): Promise<string> {
  const [found] = await harness.db
    .collection(name)
    .aggregate([{ $collStats: { storageStats: {} } }])
    .toArray();
  const { size, storageSize, totalIndexSize, count } = found!['storageStats'];
  const each = [size, storageSize, totalIndexSize].map((bytes) => Math.round(bytes / COUNT));
  return `${name}: ${count} documents; bytes a decision: ${each[0]}, on disk ${each[1]}, indexes ${each[2]}`;
}

test('facets in a long history', { timeout: 1_800_000 }, async () => {
  const { app, db } = harness;
  const { key } = await createWorkspaceKey(app, ada);
  assertOk(await app.call('POST', '/api/v1/traces', { key, body: buildDecision('x') }));
  await app.instance.consumers.runOnce();
  const us = (await writeDecisions()) * 1_000;
  await db
    .collection('cursors')
    .updateMany({ organizationId: toObjectId(ada.organizationId) }, { $set: { sequence: COUNT } });
  const lines = [`${COUNT} decisions; facets written in ${us.toFixed(1)} us each`];
  for (const name of ['word_segments', 'facet_segments']) lines.push(await measureStorage(name));

  const rare = Math.floor((COUNT - 7) / 1_000) + 1;
  const queries: [string, number | null][] = [
    ['tool=issue_refund', null],
    ['tool=cancel_*', null],
    [`tool=${RARE}`, rare],
    ['tool=drop*', rare],
    ['tool=absent', 0],
    ['tag=PII_EMAIL', null],
    ['tag=PII_EMAIL&tool=issue_refund', null],
    ['minAmount=999.9', null],
    ['minAmount=500&maxAmount=500.5', null],
    ['minAmount=1000', 0],
    [`workspaceId=${ada.workspaceId}`, null],
    ['decidedBy=person', 0],
    ['decidedBy=policy', null],
    ['text=%22so%2077777%22', COUNT >= 77_777 ? 1 : 0],
    ['text=%22lane%20so%22', 0],
    [`text=lane&tool=${RARE}`, rare],
    ['tool=issue_refund&status=blocked', 0],
    ['tool=issue_refund&sessionId=absent', 0],
    [`tool=${RARE}&status=approved&minConfidence=0`, rare],
    ['heldSeconds=60', 0],
    ['search=word7', null],
  ];
  for (const [query, expected] of queries) {
    const times: number[] = [];
    let total = 0;
    for (let round = 0; round < 3; round++) {
      const began = performance.now();
      const answer = await app.call('GET', `/api/v1/traces?${query}&limit=25`, {
        token: ada.token,
      });
      times.push(performance.now() - began);
      total = assertOk(answer).body.total;
    }
    if (expected !== null) expect([query, total]).toEqual([query, Math.min(10_000, expected)]);
    times.sort((a, b) => a - b);
    lines.push(`${query}: ${times[1]?.toFixed(0)} ms, finds ${total}`);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
});
