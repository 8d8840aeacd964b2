// A batch of decisions: each is judged, sealed and answered as it would be alone.
import { beforeAll, describe, expect, test } from 'vitest';
import { canonicalize, type Json } from '@assay/json';
import { computeChainHash, sha256Hex } from '../../../src/domain/record/chain.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { disconnectAfter, LEAVING_DELAYS } from '../../setup/leaving.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createOwner,
  createWorkspaceKey,
} from '../../setup/personas.ts';
import type { Answer, Call } from '../../setup/start-app.ts';

const PATH = '/api/v1/traces/batch';
let key: string;
const harness = useHarness();
const limited = useHarness({ DEFAULT_PLAN: 'sandbox', ASSAY_LIMIT_SANDBOX: '10' });
const { app } = harness;
const ada = useOwner(harness);
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  for (const [value, type] of [
    ['refund', 'flag_for_review'],
    ['wire', 'block'],
  ]) {
    const conditions = [{ field: 'outputDecision.action', operator: 'equals', value }];
    const actions = [{ type, config: { reason: `No ${value}` } }];
    assertOk(
      await app.call('POST', '/api/v1/policies', {
        token: ada.token,
        body: { name: value, conditions, actions },
      }),
    );
  }
});

interface Entry {
  status: number;
  success: boolean;
  code?: string;
  error?: string;
  replayed?: boolean;
  retryAfter?: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  data?: any;
}
const send = (decisions: unknown, call: Call = {}): Promise<Answer> =>
  app.call('POST', PATH, { key, body: { decisions }, ...call });
const record = async (decisions: unknown[], call?: Call): Promise<Entry[]> =>
  assertOk(await send(decisions, call)).body.data.results;
const act = (action: string, more: object = {}) =>
  buildDecision('bot', { outputDecision: { action }, ...more });
const statuses = (entries: readonly Entry[]) => entries.map(({ status }) => status);
const repeat = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const countEntries = ({ organizationId } = ada) =>
  harness.db.collection('ledger').countDocuments({ organizationId: toObjectId(organizationId) });
/** Blanks make a body large and mean nothing. */
const LARGE = 150_000;
const sendLarge = (decisions: unknown, call: Call = {}): Promise<Answer> =>
  app.call('POST', PATH, { key, raw: JSON.stringify({ decisions }).padEnd(LARGE), ...call });

const WRONG: readonly [name: string, item: unknown][] = [
  ['no object', 7],
  ['null', null],
  ['a list', []],
  ['a text', 'decision'],
  ['missing members', { agentId: 'bot' }],
  ['a blank agent', { ...act('reply'), agentId: ' ' }],
  ['a text that is too long', act('reply', { rationale: 'x'.repeat(50_001) })],
  ['an unknown schema version', act('reply', { schemaVersion: '1999-01-01' })],
  ['a member of another type', act('reply', { metadata: 7 })],
  ['a key that is no text', act('reply', { idempotencyKey: 7 })],
];

describe.each([
  ['small', send],
  ['large', sendLarge],
])('a %s batch', (_size, post) => {
  const results = async (decisions: unknown[], call?: Call): Promise<Entry[]> =>
    assertOk(await post(decisions, call)).body.data.results;

  test('of a hundred with ten refused records ninety, in order, on one chain', async () => {
    const before = await countEntries();
    const bodies = repeat(100, (index) =>
      index % 10 === 3 ? WRONG[(index - 3) / 10]?.[1] : act('reply', { metadata: { index } }),
    );
    const answers = await results(bodies);
    expect(statuses(answers)).toEqual(repeat(100, (index) => (index % 10 === 3 ? 400 : 201)));
    const sequences = answers.flatMap(({ data }) => data?.hashChain?.sequence ?? []);
    expect(sequences).toEqual(repeat(90, (index) => sequences[0] + index));
    expect(await countEntries()).toBe(before + 90);
    const at = 57;
    const { traceId } = answers[at]?.data ?? {};
    const { data } = assertOk(await app.call('GET', `/api/v1/traces/${traceId}`, { key })).body;
    expect(data.metadata).toEqual({ index: at });
    const verified = await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token });
    expect(verified.body.data).toMatchObject({ verified: true });
  });

  test.each(WRONG)('refuses %s as it is refused alone', async (_name, item) => {
    const [entry, other] = await results([item, act('reply')]);
    const alone = await app.call('POST', '/api/v1/traces', {
      key,
      ...((item as { idempotencyKey?: unknown } | null)?.idempotencyKey === undefined
        ? { raw: JSON.stringify(item) }
        : { body: act('reply'), headers: { 'idempotency-key': 'k'.repeat(257) } }),
    });
    const { code, status, success } = entry as Entry;
    expect({ code, status, success }).toEqual({
      code: alone.body.code,
      status: alone.status,
      success: false,
    });
    if (alone.body.data) expect(entry?.data).toEqual(alone.body.data);
    if (alone.body.data) expect(entry?.error).toBe(alone.body.error);
    expect(other?.status).toBe(201);
  });

  test('refuses what is no safe JSON in one decision alone', async () => {
    const unsafe = [
      '{"agentId":"\\ud800"}',
      '{"__proto__":{}}',
      '{"agentId":1e400}',
      `${'['.repeat(40)}${']'.repeat(40)}`,
      '{"agentId":"\\u0000"}',
    ];
    const good = JSON.stringify(act('reply'));
    const raw = `{"decisions":[${unsafe.join()},${good}]}`.padEnd(post === send ? 0 : LARGE);
    const answers = assertOk(await app.call('POST', PATH, { key, raw })).body.data.results;
    expect(statuses(answers)).toEqual([400, 400, 400, 400, 400, 201]);
    expect(answers[0]).toMatchObject({
      code: 'SVC_VALIDATION_FAILED',
      error: '/agentId: a lone surrogate',
    });
  });

  test('mixes approved, held and blocked ones, which are what they are alone', async () => {
    const answers = await results([act('reply'), act('refund'), act('wire'), act('refund')]);
    expect(answers).toMatchObject([
      { status: 201, success: true, data: { status: 'approved', matchedPolicy: null } },
      { status: 202, success: true, data: { status: 'flagged' } },
      {
        status: 403,
        success: false,
        code: 'SVC_BLOCKED_BY_POLICY',
        error: 'No wire',
        data: { status: 'blocked', matchedPolicy: { name: 'wire' } },
      },
      { status: 202, success: true },
    ]);
    const queue = await app.call('GET', '/api/v1/review-queue', { token: ada.token });
    const waiting = queue.body.data.map(({ traceId }: { traceId: string }) => traceId);
    expect(waiting).toEqual(
      expect.arrayContaining([answers[1]?.data.traceId, answers[3]?.data.traceId]),
    );
  });

  test('that is sent again gets the same answers and records nothing', async () => {
    const bodies = [act('reply'), act('refund'), act('wire'), 7];
    const first = await results(bodies);
    const before = await countEntries();
    const second = await results(bodies);
    expect(second).toEqual(
      first.map((entry, index) => (index === 3 ? entry : { ...entry, replayed: true })),
    );
    expect(await countEntries()).toBe(before);
  });

  test('answers duplicates in it from the first of them', async () => {
    const body = act('refund');
    const reordered = Object.fromEntries(Object.entries(body).toReversed());
    const before = await countEntries();
    const answers = await results([body, body, reordered, act('reply')]);
    expect(answers.map(({ replayed = false }) => replayed)).toEqual([false, true, true, false]);
    expect(new Set(answers.map(({ data }) => data.traceId)).size).toBe(2);
    expect(await countEntries()).toBe(before + 2);
  });

  test('shares keys with single decisions', async () => {
    const body = act('reply');
    const named = `one-${post.name}`;
    const single = await app.call('POST', '/api/v1/traces', {
      key,
      body,
      headers: { 'idempotency-key': named.toUpperCase() },
    });
    const [keyed, conflict, invalid] = await results([
      { ...act('wire'), idempotencyKey: named },
      { ...act('wire'), agentId: 'another', idempotencyKey: named },
      { agentId: 'bot', idempotencyKey: named },
    ]);
    expect(keyed).toEqual({ status: 201, success: true, replayed: true, data: single.body.data });
    expect(conflict).toMatchObject({ status: 409, code: 'CONFLICT' });
    expect(invalid).toEqual(keyed);
    const [derived] = await results([body]);
    const alone = await app.call('POST', '/api/v1/traces', {
      key,
      raw: canonicalize(body as Json),
    });
    expect(alone.headers.get('idempotency-replayed')).toBe('true');
    expect(alone.body.data).toEqual(derived?.data);
  });

  test('commits to the canonical text of each decision, without its key', async () => {
    const body = act('reply');
    const [entry] = await results([{ ...body, idempotencyKey: `salted-${post.name}` }]);
    const { sequence, salt, chainHash } = entry?.data.hashChain ?? {};
    const stored = await harness.db
      .collection('ledger')
      .findOne({ organizationId: toObjectId(ada.organizationId), sequence });
    const { commitments } = JSON.parse(stored?.view);
    const digest = sha256Hex(canonicalize(body as Json));
    expect(commitments.submitted).toBe(sha256Hex(`["${salt}","submitted","${digest}"]`));
    expect(
      computeChainHash({
        prevHash: stored?.prevHash,
        payloadDigest: sha256Hex(stored?.view),
        sequence,
        createdAt: stored?.createdAt.toISOString(),
      }),
    ).toBe(chainHash);
  });

  test('belongs to the organisation of the key, whatever it names', async () => {
    const eve = await createOwner(app, 'Eve');
    const { key: other } = await createWorkspaceKey(app, eve);
    const agent = await createAgent(app, ada);
    const body = { ...act('wire'), agentId: agent.id, idempotencyKey: `theirs-${post.name}` };
    const [own] = await results([body]);
    const [theirs] = await results([body], { key: other });
    expect([own?.status, theirs?.status, theirs?.replayed]).toEqual([403, 201, undefined]);
    expect(theirs?.data.traceId).not.toBe(own?.data.traceId);
    const found = await app.call('GET', `/api/v1/traces/${theirs?.data.traceId}`, { key });
    expect(found.status).toBe(404);
  });

  test("of an agent key holds that agent's decisions only", async () => {
    const [agent, other] = [await createAgent(app, ada), await createAgent(app, ada)];
    const bodies = [agent.id, other.id, agent.name, 'free text'].map((agentId) => ({
      ...act('reply'),
      agentId,
    }));
    const answers = await results(bodies, { key: agent.key });
    expect(statuses(answers)).toEqual([201, 403, 201, 403]);
    expect(answers[1]).toMatchObject({ code: 'FORBIDDEN', success: false });
  });

  test('is refused as a whole for what concerns all of it', async () => {
    const one = act('reply');
    const before = await countEntries();
    const all = await Promise.all([
      post([]),
      post(repeat(101, () => one)),
      post({ 0: one }),
      post(undefined),
      post([one], { headers: { 'idempotency-key': 'k' } }),
      post([one], { key: 'svc_live_' + '0'.repeat(64) }),
      post([one], { token: ada.token, key: '' }),
      post([one], { headers: { 'content-type': 'text/plain' } }),
    ]);
    expect(all.map(({ status, body }) => [status, body.code])).toEqual([
      [400, 'SVC_VALIDATION_FAILED'],
      [400, 'SVC_VALIDATION_FAILED'],
      [400, 'SVC_VALIDATION_FAILED'],
      [400, 'SVC_VALIDATION_FAILED'],
      [400, 'SVC_VALIDATION_FAILED'],
      [401, 'INVALID_API_KEY'],
      [401, 'INVALID_API_KEY_FORMAT'],
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
    ]);
    expect(all[1]?.body.error).toBe('decisions: must have at most 100 elements');
    expect(await countEntries()).toBe(before);
  });
});

test('two MiB are taken, and more are refused', async () => {
  const limit = 2 * 1024 * 1024;
  const text = JSON.stringify({ decisions: [act('reply')] });
  const [fitting, excessive] = await Promise.all([
    app.call('POST', PATH, { key, raw: text.padEnd(limit) }),
    app.call('POST', PATH, { key, raw: text.padEnd(limit + 1) }),
  ]);
  expect([fitting.status, excessive.status, excessive.body.code]).toEqual([
    200,
    413,
    'PAYLOAD_TOO_LARGE',
  ]);
});

test('a batch that many send at once is recorded once', async () => {
  const bodies = repeat(20, () => act('refund'));
  const before = await countEntries();
  const all = await Promise.all(repeat(5, () => record(bodies)));
  const ids = all.map((entries) => entries.map(({ data }) => data.traceId));
  for (const other of ids) expect(other).toEqual(ids[0]);
  expect(all.flat().filter(({ replayed }) => !replayed)).toHaveLength(20);
  expect(await countEntries()).toBe(before + 20);
});

test('the limit of an agent counts each decision', async () => {
  const agent = await createAgent(app, ada);
  assertOk(
    await app.call('PATCH', `/api/v1/agents/${agent.id}/policies`, {
      token: ada.token,
      body: { maxRequestsPerMinute: 5 },
    }),
  );
  const bodies = (count: number) => repeat(count, () => ({ ...act('reply'), agentId: agent.id }));
  const first = await send(bodies(3), { key: agent.key });
  expect(first.headers.get('ratelimit-remaining')).toBe('2');
  const second: Entry[] = (await send(bodies(4), { key: agent.key })).body.data.results;
  expect(statuses(second)).toEqual([201, 201, 429, 429]);
  expect(second[3]).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', success: false });
  expect(second[3]?.retryAfter).toBeGreaterThan(0);
  const third = await send(bodies(1), { key: agent.key });
  expect([third.status, third.body.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
});

test('the limit of the plan is reached in the middle, and replays are still answered', async () => {
  const owner = await createOwner(limited.app, 'Bob');
  const { key: own } = await createWorkspaceKey(limited.app, owner);
  const recordLimited = async (decisions: unknown[]): Promise<Entry[]> =>
    assertOk(await limited.app.call('POST', PATH, { key: own, body: { decisions } })).body.data
      .results;
  const [first, second] = [repeat(4, () => act('reply')), repeat(10, () => act('reply'))];
  expect(statuses(await recordLimited(first))).toEqual([201, 201, 201, 201]);
  const mixed = await recordLimited([7, ...second]);
  expect(statuses(mixed)).toEqual([400, ...repeat(6, () => 201), ...repeat(4, () => 429)]);
  expect(mixed.at(-1)).toMatchObject({ code: 'USAGE_LIMIT_EXCEEDED', success: false });
  const again = await recordLimited([...first, ...second]);
  expect(statuses(again)).toEqual([...repeat(10, () => 201), ...repeat(4, () => 429)]);
  expect(again.filter(({ replayed }) => replayed)).toHaveLength(10);
});

test('an abandoned batch is recorded whole or not at all', { tags: ['long'] }, async () => {
  const batches = LEAVING_DELAYS.map((delay) => ({
    delay,
    decisions: repeat(40, () =>
      act('reply', { rationale: 'y'.repeat(delay % 2 === 0 ? 9_000 : 9) }),
    ),
  }));
  await Promise.all(
    batches.map(({ delay, decisions }) =>
      disconnectAfter(delay, app.url + PATH, {
        method: 'POST',
        body: { decisions },
        headers: { 'x-api-key': key },
      }),
    ),
  );
  for (const { decisions } of batches) {
    const answers = await record(decisions);
    expect(statuses(answers)).toEqual(repeat(40, () => 201));
    expect(new Set(answers.map(({ replayed = false }) => replayed)).size).toBe(1);
  }
});

test('what is erased is not recorded again', async () => {
  const body = act('reply');
  const [entry] = await record([body]);
  const { data } = assertOk(
    await app.call('GET', `/api/v1/traces/${entry?.data.traceId}`, { key }),
  ).body;
  const { token } = ada;
  assertOk(
    await app.call('POST', '/api/v1/traces/bulk-delete', { token, body: { ids: [data._id] } }),
  );
  const [again, other] = await record([body, act('reply')]);
  expect(again).toMatchObject({ status: 410, code: 'DECISION_ERASED' });
  expect(other?.status).toBe(201);
});

test('a full batch does not hold the others up', { tags: ['long'] }, async () => {
  const text = 'An order of Ada Lovelace, ada@example.com, +49 170 1234567, was shipped. '.repeat(
    100,
  );
  const decisions = repeat(100, () => act('reply', { metadata: { text } }));
  let isDone = false;
  const recording = record(decisions).finally(() => (isDone = true));
  let answered = 0;
  while (!isDone) {
    expect((await app.call('GET', '/health')).status).toBe(200);
    answered += 1;
  }
  expect(statuses(await recording)).toEqual(repeat(100, () => 201));
  // Without turns two or three are answered: before and after the work.
  expect(answered).toBeGreaterThan(10);
});
