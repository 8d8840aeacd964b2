// Named lists over HTTP: what judges by them, what they were, who may change them (decisions: named lists).
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { createMember, listAuditEntries } from '../../../setup/harness.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../../../setup/personas.ts';
import { type Answer, startApp } from '../../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
let key: string;
beforeAll(async () => {
  ({ key } = await createAgent(app, ada, 'Mailer'));
});

const list = (name: string): string => `/api/v1/policy-lists/${name}`;
const put = (who: Owner, name: string, body: unknown): Promise<Answer> =>
  app.call('PUT', list(name), { token: who.token, body });
const call = (method: string, path: string, who: Owner, body?: unknown): Promise<Answer> =>
  app.call(method, path, { token: who.token, ...(body !== undefined && { body }) });
/** A body of this size is judged by a thread. */
const LARGE = { metadata: { text: 'x'.repeat(99_000) }, rationale: 'y'.repeat(40_000) };
const refusal = (status: number, code: string, message: RegExp) => ({
  status,
  body: { code, error: expect.stringMatching(message) as string },
});

const outside = (name: string, more: object = {}): Record<string, unknown> => ({
  name: `Outside ${name}`,
  conditions: [
    { field: 'outputDecision.topic', operator: 'equals', value: name },
    { field: 'action.names', operator: 'in', value: { list: name }, not: true },
  ],
  actions: [{ type: 'flag_for_review' }],
  ...more,
});
const calling = (topic: string, tools: string, more: object = {}): Record<string, unknown> => {
  const [action, ...toolCalls] = tools.split(' ').map((tool) => ({ tool }));
  return buildDecision('Mailer', { outputDecision: { action, toolCalls, topic, ...more } });
};
const post = (topic: string, tools: string, more: object = {}): Promise<Answer> =>
  app.call('POST', '/api/v1/traces', { key, body: calling(topic, tools, more) });
const make = async (who: Owner, body: object): Promise<string> =>
  assertOk(await call('POST', '/api/v1/policies', who, body)).body.data.id as string;

test('a policy judges by a list as it is, and what was judged is explained by the list as it was', async () => {
  const first = assertOk(await put(ada, 'partners', { values: ['read', 'mail', 'read'] }));
  expect(first.body.data).toMatchObject({
    name: 'partners',
    description: '',
    workspaceId: null,
    count: 2,
    values: ['mail', 'read'],
    usedBy: [],
  });
  const policyId = await make(ada, outside('partners'));
  expect((await post('partners', 'read mail')).status).toBe(201);
  const held = await post('partners', 'read wipe');
  expect(held.status).toBe(202);

  const second = assertOk(await put(ada, 'partners', { values: ['wipe'], description: 'New' }));
  expect(second.body.data).toMatchObject({ count: 1, usedBy: [{ id: policyId, enabled: true }] });
  expect((await post('partners', 'wipe')).status).toBe(201);
  expect((await post('partners', 'mail')).status).toBe(202);

  const { traceId } = held.body.data;
  const { data } = assertOk(await call('GET', `/api/v1/traces/${traceId}/explanation`, ada)).body;
  const explained = data.policies.find(({ id }: { id: string }) => id === policyId);
  expect(explained).toMatchObject({
    matched: true,
    explanation: [{ matched: true }, { matched: true, actual: '["read","wipe"]' }],
  });
  const { members } = assertOk(
    await call('GET', `/api/v1/policies/sets/${data.policySetDigest}`, ada),
  ).body.data;
  const { digest } = first.body.data;
  expect(members.find(({ id }: { id: string }) => id === policyId)).toMatchObject({
    lists: [{ name: 'partners', digest }],
  });
  const contents = await call('GET', `/api/v1/policy-lists/contents/${digest}`, ada);
  expect(contents.body.data).toEqual({ digest, values: ['mail', 'read'] });
  expect((await call('GET', `/api/v1/policy-lists/contents/${digest}`, eve)).status).toBe(404);
});

test('large bodies, dry runs and sources judge by the list as well', async () => {
  assertOk(await put(ada, 'tools', { values: ['mail'] }));
  const adl = `policy "Known tools"
when
  outputDecision.topic == "tools" &&
  action.names.anyIn(list("tools")) &&
  !(action.largestAmount >= 5)
then block
`;
  const made = await call('POST', '/api/v1/policies/from-adl', ada, { adl });
  const { id, conditions } = assertOk(made).body.data;
  expect(conditions).toEqual([
    { field: 'outputDecision.topic', operator: 'equals', value: 'tools' },
    { field: 'action.names', operator: 'any_in', value: { list: 'tools' } },
    { field: 'action.largestAmount', operator: 'at_least', value: 5, not: true },
  ]);
  expect((await call('GET', `/api/v1/policies/${id}/adl`, ada)).body.data.adl).toBe(adl);
  // On a busy machine the thread may be too slow for a first body.
  await expect
    .poll(async () => {
      const body = { ...calling('tools', 'mail'), ...LARGE };
      return (await app.call('POST', '/api/v1/traces', { key, body })).status;
    })
    .toBe(403);
  expect((await post('tools', 'mail', { action: { tool: 'mail', amount: 7 } })).status).toBe(201);
  const fixture = { outputDecision: { action: { tool: 'mail' }, topic: 'tools' } };
  const tried = await call('POST', `/api/v1/policies/${id}/dry-run`, ada, { fixture });
  expect(tried.body.data).toMatchObject({ matched: true, verdict: 'blocked', error: null });
});

test('a replay tries a candidate by the lists of its beginning', async () => {
  const owner = await createOwner(app, 'Rae');
  const replayKey = (await createWorkspaceKey(app, owner)).key;
  for (const tool of ['read', 'mail', 'wipe'])
    await app.call('POST', '/api/v1/traces', { key: replayKey, body: calling('known', tool) });
  assertOk(await put(owner, 'known', { values: ['read'] }));
  const begun = await call('POST', '/api/v1/policies/_new/replay', owner, {
    policy: outside('known'),
  });
  expect(begun.status).toBe(202);
  assertOk(await put(owner, 'known', { values: ['mail', 'read', 'wipe'] }));
  await expect
    .poll(async () => {
      await app.instance.runJobsOnce();
      return (await call('GET', `/api/v1/policies/replays/${begun.body.data.id}`, owner)).body.data;
    })
    .toMatchObject({
      state: 'done',
      done: 3,
      unchanged: 3,
      approvedToFlagged: 2,
      examples: [
        { change: 'approvedToFlagged', from: 'approved', to: 'flagged' },
        { change: 'approvedToFlagged' },
      ],
    });
});

test('a list that there is not is refused, and one that is referred to stays', async () => {
  expect(await call('POST', '/api/v1/policies', ada, outside('nothing'))).toMatchObject(
    refusal(400, 'VALIDATION_ERROR', /no list "nothing"/),
  );
  assertOk(await put(ada, 'short', { values: [] }));
  const id = await make(ada, outside('short', { enabled: false }));
  expect(await call('DELETE', list('short'), ada)).toMatchObject(
    refusal(400, 'INVALID_OPERATION', /"Outside short" refers/),
  );
  assertOk(await call('DELETE', `/api/v1/policies/${id}`, ada));
  expect(assertOk(await call('DELETE', list('short'), ada)).body.data).toEqual({
    name: 'short',
    deleted: true,
  });
  expect((await call('GET', list('short'), ada)).status).toBe(404);
  const actions = (await listAuditEntries(app, ada)).map(({ action }) => action);
  expect(actions).toContain('policy.list.put');
  expect(actions).toContain('policy.list.delete');
});

test('where approvals are required, a list that judges or is proposed to judge does not change directly', async () => {
  const owner = await createOwner(app, 'Four');
  const author = await createMember(harness, owner, 'member');
  assertOk(await put(owner, 'calm', { values: ['a'] }));
  assertOk(await put(owner, 'judging', { values: ['a'] }));
  assertOk(await put(owner, 'proposed', { values: ['a'] }));
  assertOk(await put(owner, 'observing', { values: ['a'] }));
  await make(owner, outside('judging'));
  const observing = await make(owner, outside('observing', { observe: true }));
  await make(owner, outside('calm', { enabled: false }));
  const four = { requirePolicyApproval: true };
  assertOk(await call('PATCH', '/api/v1/organization', owner, four));
  const propose = (policy: object): Promise<Answer> =>
    call('POST', '/api/v1/policies/approvals', author, { policy });
  assertOk(await propose(outside('proposed')));
  expect(await propose(outside('unknown'))).toMatchObject(
    refusal(400, 'VALIDATION_ERROR', /no list "unknown"/),
  );
  const frozen = refusal(400, 'INVALID_OPERATION', /POST \/policy-lists\/[a-z]+\/approvals/);
  expect(await put(owner, 'judging', { values: ['b'] })).toMatchObject(frozen);
  expect(await put(owner, 'proposed', { values: ['b'] })).toMatchObject(frozen);
  expect(await call('DELETE', list('proposed'), owner)).toMatchObject(
    refusal(400, 'INVALID_OPERATION', /waits for approval/),
  );
  assertOk(await put(owner, 'judging', { values: ['a'], description: 'The same values' }));
  for (const free of ['calm', 'observing'])
    expect(assertOk(await put(owner, free, { values: ['b'] })).body.data).toMatchObject({
      needsApproval: false,
    });
  expect((await call('GET', list('judging'), author)).body.data.needsApproval).toBe(true);
  const judge = { policyId: observing, policy: { observe: false } };
  const proposed = assertOk(await call('POST', '/api/v1/policies/approvals', author, judge));
  expect(await put(owner, 'observing', { values: ['c'] })).toMatchObject(frozen);
  const { id } = proposed.body.data as { id: string };
  assertOk(await call('POST', `/api/v1/policies/approvals/${id}/author-withdraw`, author, {}));
  assertOk(await put(owner, 'observing', { values: ['c'] }));
});

test('a list of a workspace is for its policies', async () => {
  const { _id: own } = assertOk(
    await call('POST', '/api/v1/workspaces', ada, { name: 'Elsewhere' }),
  ).body.data as { _id: string };
  const made = await put(ada, 'own', { values: ['a'], workspaceId: own });
  expect(assertOk(made).body.data.workspaceId).toBe(own);
  expect(await call('POST', '/api/v1/policies', ada, outside('own'))).toMatchObject(
    refusal(400, 'VALIDATION_ERROR', /the workspace has no list "own"/),
  );
  await make(ada, outside('own', { workspaceId: own }));
  const headers = { 'x-workspace-id': ada.workspaceId };
  const within = await app.call('GET', '/api/v1/policy-lists', { token: ada.token, headers });
  const names = assertOk(within).body.data.map(({ name }: { name: string }) => name);
  expect(names).not.toContain('own');
  expect(
    await app.call('PUT', list('own'), { token: ada.token, headers, body: { values: ['b'] } }),
  ).toMatchObject(refusal(409, 'ALREADY_EXISTS', /Another workspace/));
  expect(await put(ada, 'own', { values: ['b'], workspaceId: ada.workspaceId })).toMatchObject(
    refusal(400, 'INVALID_OPERATION', /cannot be changed/),
  );
});

test('a list has a name for a path, and bounds', async () => {
  for (const name of ['Upper', 'a b', '-a', 'a.b', 'x'.repeat(65)])
    expect(await put(ada, encodeURIComponent(name), { values: [] })).toMatchObject(
      refusal(400, 'VALIDATION_ERROR', /lower-case letters/),
    );
  const many = Array.from({ length: 10_000 }, (_, i) => `value-${i}`);
  const full = assertOk(await put(eve, 'many', { values: many }));
  expect(full.body.data).toMatchObject({ count: 10_000 });
  for (const values of [[...many, 'one more'], [''], ['x'.repeat(201)], [1], 'a'])
    expect((await put(eve, 'bad', { values })).body.code).toBe('VALIDATION_ERROR');
  const wide = Array.from({ length: 4_000 }, (_, i) => `${'x'.repeat(150)}${i}`);
  expect(await put(eve, 'wide', { values: wide })).toMatchObject(
    refusal(400, 'INVALID_OPERATION', /at most 500000 characters/),
  );
  const organizationId = (await harness.db.collection('policy_lists').findOne({ name: 'many' }))
    ?.organizationId;
  const others = Array.from({ length: 99 }, (_, i) => ({
    organizationId,
    name: `other-${i}`,
    digest: 'a'.repeat(64),
    count: i === 0 ? 90_000 : 0,
    characters: 2,
    workspaceId: null,
  }));
  await harness.db.collection('policy_lists').insertMany(others);
  expect(await put(eve, 'more', { values: [] })).toMatchObject(
    refusal(400, 'INVALID_OPERATION', /at most 100 lists/),
  );
  expect(await put(eve, 'other-1', { values: ['a'] })).toMatchObject(
    refusal(400, 'INVALID_OPERATION', /at most 100000 values together/),
  );
});

test('a change of a list reaches every instance', { tags: ['long'] }, async () => {
  const second = await startApp({}, { mongoUri: harness.mongoUri });
  try {
    assertOk(await put(ada, 'everywhere', { values: ['read'] }));
    await make(ada, outside('everywhere'));
    const postThere = async (): Promise<number> => {
      const body = calling('everywhere', 'mail');
      return (await second.call('POST', '/api/v1/traces', { key, body })).status;
    };
    await expect.poll(postThere).toBe(202);
    assertOk(await put(ada, 'everywhere', { values: ['mail'] }));
    await expect.poll(postThere).toBe(201);
  } finally {
    await second.stop();
  }
});
