// Large decisions are judged in a thread: they get the answers that small ones get, in the same cases.
import { beforeAll, describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { disconnectAfter } from '../../../setup/leaving.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createOwner,
  createWorkspaceKey,
} from '../../../setup/personas.ts';
import type { Answer } from '../../../setup/start-app.ts';

const LARGE = 150_000;
const PATH = '/api/v1/traces';
let key: string;
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

/** Blanks around a value make a body large and mean nothing. */
const post = (body: string, { size = LARGE, by = key, headers = {} } = {}): Promise<Answer> =>
  app.call('POST', PATH, { key: by, raw: body.padEnd(size), headers });
const toText = (more: object = {}, agent = 'bot'): string =>
  JSON.stringify(buildDecision(agent, more));
const postPolicy = (policy: object): Promise<Answer> =>
  app.call('POST', '/api/v1/policies', { token: ada.token, body: policy });
const whenMarked = (mark: string) => [{ field: 'metadata.mark', operator: 'equals', value: mark }];

describe('the same refusal, large and small', () => {
  test.each<[name: string, body: string, headers?: Record<string, string>]>([
    ['no JSON', '{"agentId":'],
    ['a lone surrogate', '{"agentId":"\\ud800"}'],
    ['a text', '"text"'],
    ['missing members', '{"agentId":"x"}'],
    ['a member of another type', toText({ metadata: 7 })],
    ['an unknown schema version', toText({ schemaVersion: '1999-01-01' })],
    ['two schema versions', toText(), { 'x-service-version': '1999-01-01' }],
    ['a text that is too long', toText({ rationale: 'x'.repeat(50_001) })],
    [
      'too many keys',
      toText({ metadata: Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [i, 1])) }),
    ],
    ['another content type', toText(), { 'content-type': 'text/plain' }],
    ['a long idempotency key', toText(), { 'idempotency-key': 'k'.repeat(257) }],
  ])('%s', async (_name, body, headers = {}) => {
    const [small, large] = [await post(body, { size: 0, headers }), await post(body, { headers })];
    expect(small.status).toBeGreaterThanOrEqual(400);
    const { requestId: _small, ...expected } = small.body;
    const { requestId: _large, ...found } = large.body;
    expect([large.status, found]).toEqual([small.status, expected]);
  });
});

test(
  'an agent waits for a large decision as long as for a small one, and what came too late is not recorded',
  { tags: ['long'] },
  async () => {
    const agent = await createAgent(app, ada);
    const path = `/api/v1/agents/${agent.id}/policies`;
    const patched = await app.call('PATCH', path, { token: ada.token, body: { timeoutMs: 100 } });
    assertOk(patched);
    // They are computed one after the other.
    const sent = Array.from({ length: 8 }, (_, index) =>
      post(toText({ metadata: { late: index } }, agent.id), { size: 2_000_000, by: agent.key }),
    );
    const answers = await Promise.all(sent);
    const late = answers.filter(({ status }) => status === 503);
    expect(late.length).toBeGreaterThan(0);
    expect(late[0]!.body).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      error: 'The decision took longer than 100 ms',
    });
    expect(late[0]!.headers.get('retry-after')).toBe('1');
    // The thread has finished them all when it answers another one.
    assertOk(await post(toText()));
    const recorded = await harness.db.collection('ledger').countDocuments({ agentId: agent.id });
    expect(recorded).toBe(answers.filter(({ status }) => status === 201).length);
  },
);

test(
  'an agent does not wait longer where others are before it: the answer comes when its time is over',
  { tags: ['long'] },
  async () => {
    const agent = await createAgent(app, ada);
    const path = `/api/v1/agents/${agent.id}/policies`;
    // Its inspection takes some time, and refuses it.
    const texts = Array.from({ length: 19_000 }, (_, at) => `text ${at}`);
    const body = toText({ rationale: 'x'.repeat(50_001), metadata: { texts } }, agent.id);
    const postMany = async (timeoutMs: number, by: string) => {
      assertOk(await app.call('PATCH', path, { token: ada.token, body: { timeoutMs } }));
      const start = performance.now();
      const answers = await Promise.all(Array.from({ length: 60 }, () => post(body, { by })));
      const statuses = new Set(answers.map(({ status }) => status));
      return { statuses, took: performance.now() - start };
    };
    const all = await postMany(60_000, agent.key);
    expect(all.statuses).toEqual(new Set([400]));
    for (const by of [agent.key, key]) {
      // The quickest of three: other work on the machine makes a single one slower.
      const tries = [await postMany(100, by), await postMany(100, by), await postMany(100, by)];
      for (const { statuses } of tries) expect(statuses).toContain(503);
      expect(Math.min(...tries.map(({ took }) => took))).toBeLessThan(all.took / 2);
    }
  },
);

test('policies judge it as they are now', async () => {
  const outcomeOf = async (mark: string, size: number) => {
    const { status, body } = await post(toText({ metadata: { mark } }), { size });
    return [status, body.data.status, body.data.matchedPolicy?.reason];
  };
  expect(await outcomeOf('held', LARGE)).toEqual([201, 'approved', undefined]);
  const actions = [{ type: 'flag_for_review', config: { reason: 'Marked' } }];
  const policy = assertOk(
    await postPolicy({ name: 'Held', conditions: whenMarked('held'), actions }),
  ).body.data;
  for (const size of [0, LARGE])
    expect(await outcomeOf('held', size)).toEqual([202, 'flagged', 'Marked']);
  const change = { actions: [{ type: 'block', config: { reason: 'Never' } }] };
  const path = `/api/v1/policies/${policy._id}`;
  assertOk(await app.call('PATCH', path, { token: ada.token, body: change }));
  for (const size of [0, LARGE])
    expect(await outcomeOf('held', size)).toEqual([403, 'blocked', 'Never']);
});

test('a held one waits for its review, and can be verified', async () => {
  const actions = [{ type: 'flag_for_review' }];
  assertOk(await postPolicy({ name: 'Wait', conditions: whenMarked('wait'), actions }));
  const { traceId } = (await post(toText({ metadata: { mark: 'wait' } }))).body.data;
  const { token } = ada;
  const { body } = await app.call('GET', '/api/v1/review-queue', { token });
  expect(body.data.map((item: { traceId: string }) => item.traceId)).toContain(traceId);
  const verified = await app.call('POST', '/api/v1/hash-chain/verify', { token });
  expect(verified.body.data).toMatchObject({ verified: true });
});

test('a repeated one gets the first answer, and another agent gets none', async () => {
  const [first, second] = [toText({}, 'one'), toText({}, 'other')];
  const headers = { 'idempotency-key': 'large' };
  const { body } = await post(first, { headers });
  const repeated = await post(first, { headers });
  expect(repeated.headers.get('idempotency-replayed')).toBe('true');
  expect(repeated.body.data).toEqual(body.data);
  const conflict = await post(second, { headers });
  expect([conflict.status, conflict.body.code]).toEqual([409, 'CONFLICT']);
});

test('an agent key ingests for its own agent only', async () => {
  const agent = await createAgent(app, ada);
  const refused = await post(toText({}, 'another'), { by: agent.key });
  expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
});

test('one whose caller has left is dropped, and the next is served', async () => {
  const body = buildDecision('bot', {
    metadata: { text: 'x'.repeat(99_000) },
    rationale: 'y'.repeat(40_000),
  });
  const leaving = Array.from({ length: 8 }, (_, at) =>
    disconnectAfter(at, app.url + PATH, { method: 'POST', body, headers: { 'x-api-key': key } }),
  );
  await Promise.all(leaving);
  expect((await post(toText())).status).toBe(201);
});

test(
  'organisations take turns: one with many large bodies does not delay the first of another',
  { tags: ['long'] },
  async () => {
    const eve = await createOwner(app, 'Eve');
    const { key: other } = await createWorkspaceKey(app, eve);
    const order: string[] = [];
    const send = async (name: string, by: string): Promise<void> => {
      const { status } = await post(toText(), { by });
      order.push(`${name} ${status}`);
    };
    const many = Array.from({ length: 16 }, () => send('many', key));
    await Promise.all([...many, send('one', other)]);
    expect(order).toHaveLength(17);
    expect(order.indexOf('one 201')).toBeLessThan(16);
    expect(new Set(order)).toEqual(new Set(['many 201', 'one 201']));
  },
);
