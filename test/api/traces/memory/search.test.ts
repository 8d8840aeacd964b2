// Memory search: finds decisions by meaning, follows corrections, omits erased ones (document 2, section 4.1).
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../../setup/fixtures.ts';
import { toObjectId } from '../../../setup/harness.ts';
import {
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../../setup/personas.ts';
import { type Answer, toOutcome, type TestApp } from '../../../setup/start-app.ts';

const harness = useHarness({ ASSAY_MEMORY_INDEXING: 'on' });
const { app } = harness;
const ada = useOwner(harness);
let key: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const search = (body: object, { token } = ada, on: TestApp = app): Promise<Answer> =>
  on.call('POST', '/api/v1/traces/memory', { token, body });
async function post(prompt: string, action: unknown, by = key, on: TestApp = app): Promise<string> {
  const outputDecision = { action };
  const body = buildDecision('x', { inputContext: { prompt }, outputDecision });
  return assertOk(await on.call('POST', '/api/v1/traces', { key: by, body })).body.data.traceId;
}
interface Found {
  traceId: string;
  verdict: { decision: string } | null;
}

const DECISIONS: readonly [prompt: string, action: string][] = [
  ['My parcel arrived broken', 'refund the customer'],
  ['I want to call off my reservation', 'cancel the booking'],
  ['The machine does not respond', 'restart the server'],
  ['I cannot log in any more', 'reset the password'],
  ['My card charge did not go through', 'ask for another payment method'],
  ['Bags went missing after the flight', 'open a lost luggage report'],
];

describe('by the built-in model', () => {
  const ids: string[] = [];
  beforeAll(async () => {
    for (const [prompt, action] of DECISIONS) ids.push(await post(prompt, action));
    await app.instance.runJobsOnce();
  });

  test.each([
    ['give the buyer their money back', 0],
    ['annul the hotel room', 1],
    ['reboot the computer', 2],
    ['forgotten login credentials', 3],
    ['money could not be debited', 4],
    ['suitcase never appeared at the airport', 5],
  ])('%s', async (query, at) => {
    const { data } = assertOk(await search({ query, topK: 3 })).body;
    expect(data).toMatchObject({ query, topK: 3, minScore: 0, model: 'glove-6b-100d-40k-1' });
    expect(data.results).toHaveLength(3);
    const [first] = data.results;
    expect(first.traceId).toBe(ids[at]);
    expect(DECISIONS[at]).toContain(first.matchedText);
    expect(first.trace).toMatchObject({ _id: first._id, traceId: first.traceId });
    const scores = data.results.map(({ score }: { score: number }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores.every((score: number) => score > 0 && score <= 1)).toBe(true);
  });

  test('the same words score 1; below the minimum score nothing is found, nor for unknown words', async () => {
    const { data } = assertOk(await search({ query: 'Restart the server!', minScore: 0.95 })).body;
    expect(data.results).toHaveLength(1);
    expect(data.results[0]).toMatchObject({ traceId: ids[2], matchedText: 'restart the server' });
    expect(data.results[0].score).toBeCloseTo(1, 2);
    expect(assertOk(await search({ query: 'xqzzt 17 ...' })).body.data.results).toEqual([]);
  });

  test('personal data is scrubbed in what matched', async () => {
    const text = 'write an apology letter to grace.hopper@navy.example.com';
    await post('an apology letter please', text);
    await app.instance.runJobsOnce();
    const { data } = assertOk(await search({ query: 'write an apology letter', topK: 1 })).body;
    expect(data.results[0].matchedText).toBe('write an apology letter to [EMAIL]');
    expect(JSON.stringify(data)).not.toContain('hopper');
  });

  test('finds decisions of the chosen workspace only, and of no other organisation', async () => {
    const eve = await createOwner(app, 'Eve');
    const { data: other } = assertOk(
      await app.call('POST', '/api/v1/workspaces', { token: ada.token, body: { name: 'other' } }),
    ).body;
    const { key: others } = await createWorkspaceKey(app, ada, { workspaceId: other._id });
    const there = await post('The screen stays black', 'restart the laptop', others);
    await app.instance.runJobsOnce();
    const body = { query: 'reboot the computer' };
    expect(assertOk(await search(body, eve)).body.data.results).toEqual([]);
    const headers = { 'x-workspace-id': other._id };
    const call = { token: ada.token, headers, body };
    const { data } = assertOk(await app.call('POST', '/api/v1/traces/memory', call)).body;
    expect(data.results.map(({ traceId }: { traceId: string }) => traceId)).toEqual([there]);
  });

  test('a deleted decision is not found, and its vectors are removed', async () => {
    const gone = await post('The elevator is stuck', 'call a lift technician');
    await app.instance.runJobsOnce();
    const query = 'someone is trapped in a lift';
    const [found] = assertOk(await search({ query, topK: 1 })).body.data.results;
    expect(found.traceId).toBe(gone);
    const body = { ids: [found._id] };
    assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
    const now = assertOk(await search({ query })).body.data.results as { traceId: string }[];
    expect(now.map(({ traceId }) => traceId)).not.toContain(gone);
    await app.instance.runJobsOnce();
    const rows = harness.db.collection('trace_vectors');
    const sequence = found.trace.hashChain.sequence as number;
    const row = await rows.findOne({ organizationId: toObjectId(ada.organizationId), sequence });
    expect(row).toMatchObject({ question: null, answer: null });
  });

  test('judged: what people approved or rejected, with their verdicts, and nothing else', async () => {
    const judge = await createOwner(app, 'Judge');
    const { token } = judge;
    const { key: till } = await createWorkspaceKey(app, judge);
    const policy = {
      name: 'Vouchers',
      conditions: [{ field: 'outputDecision.action', operator: 'contains', value: 'voucher' }],
      actions: [{ type: 'flag_for_review' }],
    };
    assertOk(await app.call('POST', '/api/v1/policies', { token, body: policy }));
    const actions = ['send a voucher', 'send two vouchers', 'mail a voucher', 'send a postcard'];
    const held: string[] = [];
    for (const action of actions) held.push(await post('The toaster is broken', action, till));
    await app.instance.runJobsOnce();
    const verdicts = ['approve', 'reject'] as const;
    for (const [at, decision] of verdicts.entries()) {
      const { data } = assertOk(
        await app.call('GET', `/api/v1/traces/${held[at]}`, { token }),
      ).body;
      const path = `/api/v1/review-queue/${data.review._id}/decision`;
      const body = { decision, reason: 'seen' };
      assertOk(await app.call('POST', path, { token, body }));
    }
    await app.instance.runJobsOnce();
    const query = 'a toaster that broke';
    const all = assertOk(await search({ query }, judge)).body.data;
    expect(all.judged).toBe(false);
    expect(all.results).toHaveLength(4);
    const judged = assertOk(await search({ query, judged: true }, judge)).body.data;
    expect(judged.judged).toBe(true);
    const found = judged.results.map(({ traceId, verdict }: Found) => [traceId, verdict?.decision]);
    expect(new Map(found)).toEqual(new Map(verdicts.map((decision, at) => [held[at], decision])));
    expect(found).toHaveLength(2);
    expect(judged.results[0].verdict.decidedBy).toBe(judge.userId);
    expect(Date.parse(judged.results[0].verdict.decidedAt)).toBeGreaterThan(0);
    const others = all.results.filter(({ verdict }: Found) => verdict === null);
    expect(others.map(({ traceId }: Found) => traceId).toSorted()).toEqual(
      held.slice(2).toSorted(),
    );
    expect(assertOk(await search({ query, judged: true })).body.data.results).toEqual([]);
  });

  test.each([
    {},
    { query: '' },
    { query: '   ' },
    { query: 'x'.repeat(2001) },
    { query: 'x', topK: 0 },
    { query: 'x', topK: 51 },
    { query: 'x', minScore: 1.1 },
    { query: { $ne: 1 } },
    { query: 'x', judged: 'yes' },
  ])('%j is refused', async (body) => {
    expect(toOutcome(await search(body))).toEqual([400, 'VALIDATION_ERROR']);
  });
});

/** Answers as OpenAI does: a vector that tells how often each letter occurs. */
async function startModel() {
  const asked: { authorization: string | undefined; model: string; dimensions: number }[] = [];
  const state = { isDown: false };
  const server: Server = createServer((req, res) => {
    let text = '';
    req.on('data', (piece: Buffer) => (text += piece.toString()));
    req.on('end', () => {
      const { model, dimensions, input } = JSON.parse(text);
      asked.push({ authorization: req.headers.authorization, model, dimensions });
      if (state.isDown) return res.writeHead(500).end('{}');
      const data = (input as string[]).map((one, index) => ({
        index,
        embedding: Array.from(
          { length: dimensions },
          (_, at) => [...one].filter((letter) => letter.charCodeAt(0) % dimensions === at).length,
        ),
      }));
      res.writeHead(200, { 'content-type': 'application/json' });
      return res.end(JSON.stringify({ data: data.reverse() }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { url, asked, state, stop: () => server.close() };
}

describe('by a remote model', () => {
  const remote = useFixture(startModel, ({ stop }) => stop());
  const other = useHarness(() => ({
    ASSAY_MEMORY_INDEXING: 'on',
    ASSAY_EMBEDDING_URL: remote.url,
    ASSAY_EMBEDDING_KEY: 'sk-test',
    ASSAY_EMBEDDING_MODEL: 'letters',
    ASSAY_EMBEDDING_DIMENSIONS: '64',
  }));
  const bob = useOwner(other, 'Bob');
  let bobs: string;
  const ask = (query: string): Promise<Answer> =>
    search({ query, topK: 1 }, bob as Owner, other.app);

  test(
    'the model is called for decisions and queries; its failure is a 503, and decisions are indexed later',
    { tags: ['long'] },
    async () => {
      ({ key: bobs } = await createWorkspaceKey(other.app, bob));
      const first = await post('aaaa', 'bbbb', bobs, other.app);
      await other.app.instance.runJobsOnce();
      const { data } = assertOk(await ask('aaab')).body;
      expect(data.model).toBe('letters/64');
      expect(data.results[0]).toMatchObject({ traceId: first, matchedText: 'aaaa' });
      expect(remote.asked[0]).toEqual({
        authorization: 'Bearer sk-test',
        model: 'letters',
        dimensions: 64,
      });
      remote.state.isDown = true;
      expect(toOutcome(await ask('aaab'))).toEqual([503, 'SERVICE_UNAVAILABLE']);
      const second = await post('zzzz', 'yyyy', bobs, other.app);
      remote.state.isDown = false;
      await other.app.instance.runJobsOnce();
      expect(assertOk(await ask('zzz')).body.data.results[0].traceId).toBe(second);
    },
  );
});
