// The story of trying policies over HTTP: dry runs and regression tests (document 2, section 4.2).
import { expect, test } from 'vitest';
import { listAuditEntries, createMember } from '../../setup/harness.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, type Owner } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const path = '/api/v1/policies';
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');

const post = (who: Owner, below: string, body: unknown): Promise<Answer> =>
  app.call('POST', path + below, { token: who.token, body });
const get = (who: Owner, below: string): Promise<Answer> =>
  app.call('GET', path + below, { token: who.token });
const remove = (who: Owner, below: string): Promise<Answer> =>
  app.call('DELETE', path + below, { token: who.token });

const doubt = {
  field: 'confidenceScore',
  operator: 'less_than',
  value: 0.5,
  logicalOperator: 'OR',
};
const refund = { field: 'action.names', operator: 'contains', value: 'refund' };
const policy = {
  name: 'Doubtful refunds',
  conditions: [doubt, refund],
  actions: [{ type: 'flag_for_review', config: { reason: 'Look' } }],
};
const refunding = { outputDecision: { action: { tool: 'refund', amount: 5 } } };

async function made(more: object = {}): Promise<string> {
  return assertOk(await post(ada, '', { ...policy, ...more })).body.data._id as string;
}

test('a dry run shows the verdict, and whether each condition holds', async () => {
  const answer = await post(ada, '/_new/dry-run', {
    policy,
    fixture: { ...refunding, confidenceScore: 0.2 },
  });
  expect(answer.body).toEqual({
    success: true,
    data: {
      matched: true,
      verdict: 'flagged',
      action: 'flag_for_review',
      reason: 'Look',
      halts: null,
      error: null,
      explanation: [
        { condition: doubt, matched: true, error: null, actual: '0.2' },
        { condition: refund, matched: true, error: null, actual: expect.any(String) },
      ],
    },
  });
  const other = await post(ada, '/_new/dry-run', { policy, fixture: { confidenceScore: 0.9 } });
  expect(other.body.data).toMatchObject({
    matched: false,
    verdict: 'approved',
    action: 'approve',
    reason: null,
    explanation: [{ matched: false }, { matched: false }],
  });
});

test('facts that a fixture omits are derived as in ingestion', async () => {
  const conditions = [
    { field: 'pii.outputTypes', operator: 'contains', value: 'EMAIL' },
    { field: 'tags', operator: 'contains', value: 'PII_EMAIL' },
    { field: 'tags', operator: 'contains', value: 'MISSING_RATIONALE' },
    { field: 'action.largestAmount', operator: 'equals', value: 5 },
    { field: 'action.isToolCall', operator: 'equals', value: true },
    { field: 'confidenceScore', operator: 'less_than', value: 1 },
    { field: 'time.hourUtc', operator: 'equals', value: 9 },
    { field: 'time.weekdayUtc', operator: 'equals', value: 3 },
    { field: 'agentName', operator: 'equals', value: 'Desk' },
  ];
  const fixture = {
    outputDecision: { action: { tool: 'mail', to: 'bob@example.org', amount: 5 } },
    time: { instant: '2026-03-04T09:30:00Z', weekdayUtc: 3 },
    agentName: 'Desk',
  };
  const { data } = assertOk(
    await post(ada, '/_new/dry-run', { policy: { ...policy, conditions }, fixture }),
  ).body;
  expect(data.explanation.map(({ matched }: { matched: boolean }) => matched)).toEqual(
    conditions.map(() => true),
  );
  expect(data.verdict).toBe('flagged');
});

test('a condition that cannot be evaluated explains why, and restricts', async () => {
  const conditions = [
    { field: 'output.text', operator: 'regex', value: '[a-z]{450}' },
    { field: 'metadata.absent', operator: 'equals', value: 1 },
  ];
  const fixture = { outputDecision: { action: 'x'.repeat(60_000) } };
  const { data } = assertOk(
    await post(ada, '/_new/dry-run', {
      policy: { conditions: conditions.slice(0, 1), actions: [{ type: 'block' }] },
      fixture,
    }),
  ).body;
  expect(data).toMatchObject({
    matched: true,
    verdict: 'blocked',
    error: expect.stringMatching(/too long/),
  });
  expect(data.explanation[0]).toMatchObject({
    matched: false,
    error: expect.stringMatching(/too long/),
  });
  const both = assertOk(
    await post(ada, '/_new/dry-run', { policy: { ...policy, conditions }, fixture }),
  ).body.data;
  expect(both).toMatchObject({ matched: false, error: null });
  expect(both.explanation).toMatchObject([
    { error: expect.any(String) },
    { matched: false, error: null, actual: null },
  ]);
  expect(both.explanation[0].actual).toBe(`"${'x'.repeat(199)}`);
});

test('a stored policy is tried as it stands, enabled or not, or with a candidate in its place', async () => {
  const id = await made({ enabled: false });
  expect((await post(ada, `/${id}/dry-run`, { fixture: refunding })).body.data).toMatchObject({
    matched: true,
    verdict: 'flagged',
  });
  const candidate = { conditions: [refund], actions: [{ type: 'block' }] };
  const tried = await post(ada, `/${id}/dry-run`, { policy: candidate, fixture: refunding });
  expect(tried.body.data).toMatchObject({ verdict: 'blocked', explanation: [{ matched: true }] });
  expect((await get(ada, `/${id}`)).body.data.revision).toBe(1);
});

test('a hostile candidate and fixture take no longer than a decision may', async () => {
  const conditions = Array.from({ length: 50 }, (_, i) => ({
    field: 'metadata.text',
    operator: 'regex',
    value: `(x+x+)+y{${i + 1}}[a-z]{60}`,
    logicalOperator: 'OR',
  }));
  const fixture = { metadata: { text: 'x'.repeat(60_000) } };
  const start = process.cpuUsage();
  const { data } = assertOk(
    await post(ada, '/_new/dry-run', {
      policy: { conditions, actions: [{ type: 'block' }] },
      fixture,
    }),
  ).body;
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(5_000);
  expect(data).toMatchObject({ matched: true, error: expect.stringMatching(/work|too long/) });
});

test.each<[string, object]>([
  ['no fixture', { policy }],
  ['no policy', { fixture: {} }],
  ['a list as fixture', { policy, fixture: [] }],
  [
    'a pattern that RE2 refuses',
    {
      policy: { ...policy, conditions: [{ ...refund, operator: 'regex', value: '(' }] },
      fixture: {},
    },
  ],
  ['no action', { policy: { ...policy, actions: [] }, fixture: {} }],
  ['a large fixture', { policy, fixture: { metadata: { a: 'é'.repeat(33_000) } } }],
])('a dry run with %s is refused', async (_name, body) => {
  expect(await post(ada, '/_new/dry-run', body)).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR' },
  });
});

const regression = { name: 'Refunds are held', fixture: refunding, expected: 'flag_for_review' };

test('regression tests are added, listed, run and removed, each with its audit entry', async () => {
  const id = await made();
  const created = await post(ada, `/${id}/tests`, regression);
  expect(created.status).toBe(201);
  const { data: first } = created.body;
  expect(first).toEqual({
    ...regression,
    _id: first._id,
    id: first._id,
    policyId: id,
    createdBy: ada.userId,
    createdAt: first.createdAt,
    updatedAt: first.updatedAt,
  });
  const calm = { name: 'Replies pass', fixture: { confidenceScore: 1 }, expected: 'approve' };
  const wrong = { name: 'Refunds are blocked', fixture: refunding, expected: 'block' };
  const { data: second } = assertOk(await post(ada, `/${id}/tests`, calm)).body;
  const { data: third } = assertOk(await post(ada, `/${id}/tests`, wrong)).body;
  const listed = assertOk(await get(ada, `/${id}/tests?limit=2`)).body;
  expect(listed.data).toEqual([third, second]);
  expect(listed.pagination).toMatchObject({ total: 3, hasMore: true });

  const run = assertOk(await post(ada, `/${id}/run-tests`, undefined)).body.data;
  expect(run).toEqual({
    results: [
      {
        testId: first.id,
        name: regression.name,
        passed: true,
        expected: 'flag_for_review',
        actual: 'flag_for_review',
      },
      { testId: second.id, name: calm.name, passed: true, expected: 'approve', actual: 'approve' },
      {
        testId: third.id,
        name: wrong.name,
        passed: false,
        expected: 'block',
        actual: 'flag_for_review',
      },
    ],
    passed: 2,
    failed: 1,
  });
  const candidate = { conditions: [refund], actions: [{ type: 'block' }] };
  expect(
    assertOk(await post(ada, `/${id}/run-tests`, { policy: candidate })).body.data,
  ).toMatchObject({
    passed: 2,
    failed: 1,
  });

  const removed = await remove(ada, `/${id}/tests/${third.id}`);
  expect(removed.body.data).toEqual({ _id: third.id, id: third.id, deleted: true });
  expect((await remove(ada, `/${id}/tests/${third.id}`)).status).toBe(404);
  expect((await post(ada, `/${id}/run-tests`, {})).body.data).toMatchObject({
    passed: 2,
    failed: 0,
  });
  const entries = await listAuditEntries(app, ada, 'limit=5');
  expect(entries.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['policy.test.create', 'policy.test.delete']),
  );
});

test('a fixture is stored unchanged, whatever its members are called', async () => {
  const id = await made();
  const fixture = {
    z: 1,
    a: { $ne: null, 'x.y': [], _bsontype: 'ObjectId', constructor: { deep: {} } },
    '': null,
  };
  const { data } = assertOk(await post(ada, `/${id}/tests`, { ...regression, fixture })).body;
  expect(JSON.stringify(data.fixture)).toBe(JSON.stringify(fixture));
  expect(JSON.stringify((await get(ada, `/${id}/tests`)).body.data[0].fixture)).toBe(
    JSON.stringify(fixture),
  );
});

test('a policy has at most fifty tests', { tags: ['long'] }, async () => {
  const id = await made();
  for (let i = 0; i < 50; i++) assertOk(await post(ada, `/${id}/tests`, regression));
  expect(await post(ada, `/${id}/tests`, regression)).toMatchObject({
    status: 400,
    body: { code: 'INVALID_OPERATION' },
  });
  expect(assertOk(await post(ada, `/${id}/run-tests`, {})).body.data.passed).toBe(50);
});

test('others are served between the tests of a policy', { tags: ['long'] }, async () => {
  const conditions = Array.from({ length: 50 }, (_, index) => ({
    field: 'inputContext.prompt',
    operator: 'regex',
    value: `(a|b|ab|customer|q${index}|[a-z]+)*[a-z ]*$`,
  }));
  const id = await made({ conditions });
  const fixture = { inputContext: { prompt: 'the customer wants things '.repeat(2_400) } };
  for (let i = 0; i < 50; i++)
    assertOk(await post(ada, `/${id}/tests`, { ...regression, fixture }));
  let [isRunning, served] = [true, 0];
  const run = post(ada, `/${id}/run-tests`, {}).finally(() => (isRunning = false));
  while (isRunning) {
    await app.call('GET', '/health');
    served += 1;
  }
  expect(assertOk(await run).body.data.results).toHaveLength(50);
  expect(served).toBeGreaterThan(25);
});

test('regression tests are not visible to other organisations, and end with their policy', async () => {
  const [id, other] = [await made(), await made()];
  const { data } = assertOk(await post(ada, `/${id}/tests`, regression)).body;
  const member = await createMember(harness, ada, 'member');
  expect((await get(member, `/${id}/tests`)).status).toBe(200);
  expect((await post(member, `/${id}/run-tests`, {})).status).toBe(200);
  expect((await post(member, `/${id}/tests`, regression)).status).toBe(403);
  expect((await remove(member, `/${id}/tests/${data.id}`)).status).toBe(403);
  expect((await get(eve, `/${id}/tests`)).status).toBe(404);
  expect((await post(eve, `/${id}/run-tests`, {})).status).toBe(404);
  expect((await post(eve, `/${id}/dry-run`, { fixture: {} })).status).toBe(404);
  expect((await remove(ada, `/${other}/tests/${data.id}`)).status).toBe(404);
  assertOk(await remove(ada, `/${id}`));
  expect((await get(ada, `/${id}/tests`)).status).toBe(404);
  expect((await post(ada, `/${id}/run-tests`, {})).status).toBe(404);
});
