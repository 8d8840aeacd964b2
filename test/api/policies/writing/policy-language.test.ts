// The story of policies as rule-language source over HTTP (document 2, section 4.2; docs/reference/rule-language.md).
import { expect, test } from 'vitest';
import { listAuditEntries, createMember } from '../../../setup/harness.ts';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import {
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../../setup/personas.ts';
import type { Answer } from '../../../setup/start-app.ts';

const path = '/api/v1/policies';
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');

const post = (who: Owner, below: string, body: unknown, headers = {}): Promise<Answer> =>
  app.call('POST', path + below, { token: who.token, body, headers });
const get = (who: Owner, below: string): Promise<Answer> =>
  app.call('GET', path + below, { token: who.token });

const source = `policy "Refunds"
description "A person looks at refunds."
priority 3
when
  (action.names.contains("refund") ||
  outputDecision.action.matches(r"(?i)\\brefund")) &&
  action.largestAmount > 100
then flag_for_review {"reason":"Money leaves"}
`;
const contents = {
  name: 'Refunds',
  description: 'A person looks at refunds.',
  enabled: true,
  priority: 3,
  conditions: [
    { field: 'action.names', operator: 'contains', value: 'refund', logicalOperator: 'OR' },
    { field: 'outputDecision.action', operator: 'regex', value: '(?i)\\brefund' },
    { field: 'action.largestAmount', operator: 'greater_than', value: 100 },
  ],
  actions: [{ type: 'flag_for_review', config: { reason: 'Money leaves' } }],
};

test('a policy is created from its source, audited like any other, and read as the same source', async () => {
  const created = await post(ada, '/from-adl', { adl: source });
  expect(created.status).toBe(201);
  expect(created.body.data).toMatchObject({
    ...contents,
    revision: 1,
    workspaceId: ada.workspaceId,
  });
  const id = created.body.data._id as string;
  expect((await get(ada, `/${id}`)).body.data).toEqual(created.body.data);
  expect((await get(ada, `/${id}/adl`)).body.data).toEqual({ id, revision: 1, adl: source });
  expect((await listAuditEntries(app, ada, 'action=policy.create'))[0]).toMatchObject({
    action: 'policy.create',
    resourceId: id,
    status: 'success',
  });
});

test('a policy created from source judges decisions', async () => {
  const owner = await createOwner(app, 'Judge');
  const adl = 'policy "Wipe" when outputDecision.action == "wipe" then block';
  assertOk(await post(owner, '/from-adl', { adl }));
  const { key } = await createWorkspaceKey(app, owner);
  const judged = (action: string) =>
    app.call('POST', '/api/v1/traces', {
      key,
      body: buildDecision('desk', { outputDecision: { action } }),
    });
  expect((await judged('wipe')).status).toBe(403);
  expect((await judged('reply')).status).toBe(201);
});

test('a given name and workspace override the source', async () => {
  const workspace = assertOk(
    await app.call('POST', '/api/v1/workspaces', { token: ada.token, body: { name: 'Other' } }),
  ).body.data._id as string;
  const named = await post(ada, '/from-adl', { adl: source, name: 'Mine', workspaceId: workspace });
  expect(named.body.data).toMatchObject({ ...contents, name: 'Mine', workspaceId: workspace });
  expect((await post(ada, '/from-adl', { adl: source, workspaceId: eve.workspaceId })).status).toBe(
    404,
  );
});

test.each(['irreversible-actions', 'payment-data-in-output', 'tool-allow-list'])(
  'template %s comes back from its source',
  async (templateId) => {
    const made = assertOk(await post(ada, '/from-template', { templateId })).body.data;
    await app.call('PATCH', `${path}/${made._id}`, { token: ada.token, body: { enabled: false } });
    const { adl } = assertOk(await get(ada, `/${made._id}/adl`)).body.data;
    const again = assertOk(await post(ada, '/from-adl', { adl })).body.data;
    for (const member of ['name', 'description', 'priority', 'conditions', 'actions'])
      expect(again[member]).toEqual(made[member]);
    expect(again.enabled).toBe(false);
  },
);

test('logical operators come back as they were given, also those without effect', async () => {
  const condition = { field: 'metadata.a', operator: 'equals', value: 1 };
  const conditions = [
    { ...condition, logicalOperator: 'AND' },
    condition,
    { ...condition, logicalOperator: 'OR' },
  ];
  const made = assertOk(
    await post(ada, '', { name: 'Said', conditions, actions: [{ type: 'notify' }] }),
  ).body.data;
  const { adl } = assertOk(await get(ada, `/${made._id}/adl`)).body.data;
  expect(assertOk(await post(ada, '/from-adl', { adl })).body.data.conditions).toEqual(conditions);
});

test('a valid source is answered with its policy, which can be used for a change', async () => {
  const checked = await post(ada, '/_new/validate-adl', { adl: source });
  expect(checked.body).toEqual({
    success: true,
    data: { valid: true, errors: [], policy: contents },
  });
  const { _id: id } = assertOk(
    await post(ada, '', { name: 'Plain', conditions: [], actions: [{ type: 'block' }] }),
  ).body.data;
  const { policy } = assertOk(await post(ada, `/${id}/validate-adl`, { adl: source })).body.data;
  const changed = await app.call('PATCH', `${path}/${id}`, { token: ada.token, body: policy });
  expect(assertOk(changed).body.data).toMatchObject({ ...contents, revision: 2 });
});

test.each<[string, object[]]>([
  ['', [{ line: 1, column: 1, message: expect.stringContaining('expected policy') }]],
  [
    'policy "p"\nwhen a ==\nthen block',
    [{ line: 3, column: 1, message: expect.stringContaining('a value') }],
  ],
  [
    'policy "p"\nwhen confidence < 1 &&\n  tags > 2\nthen block',
    [
      {
        line: 2,
        column: 6,
        message: expect.stringContaining('no decision has a fact "confidence"'),
      },
      { line: 3, column: 10, message: expect.stringContaining('never true') },
    ],
  ],
  [
    'policy "p" when rationale.matches("(") then block',
    [{ line: 1, column: 35, message: expect.stringContaining('RE2') }],
  ],
  [
    'policy "p" when metadata.a < timestamp("2026-02-30") then block',
    [{ line: 1, column: 30, message: expect.stringContaining('must be') }],
  ],
  ['policy " "\nthen block', [{ line: 1, column: 8, message: expect.any(String) }]],
  [
    `policy "p" description "${'x'.repeat(501)}" then block`,
    [{ line: 1, column: 24, message: expect.any(String) }],
  ],
  ['policy "p" priority 1e7 then block', [{ line: 1, column: 21, message: expect.any(String) }]],
  [
    'policy "p" then block {"constructor": 1}',
    [{ line: 1, column: 23, message: expect.stringContaining('constructor') }],
  ],
  [
    'policy "p" when metadata.constructor == 1 then block',
    [{ line: 1, column: 17, message: expect.stringContaining('constructor') }],
  ],
])('%s is answered with the places of its errors', async (adl, errors) => {
  const checked = await post(ada, '/_new/validate-adl', { adl });
  expect(checked.status).toBe(200);
  expect(checked.body.data).toEqual({ valid: false, errors, policy: null });
  const refused = await post(ada, '/from-adl', { adl });
  expect(refused).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR', data: { errors } },
  });
});

test('refuses a source beyond the limits of a workspace or of a source', async () => {
  expect((await post(ada, '/_new/validate-adl', { adl: 'x'.repeat(1_000_001) })).status).toBe(400);
  expect((await post(ada, '/_new/validate-adl', { adl: 'x'.repeat(2 ** 21) })).status).toBe(413);
  const writeHeavy = (field: string): string => {
    const each = Array.from({ length: 20 }, (_, i) => `${field}${i}.matches("[a-z]{240}")`);
    return `policy "Heavy" when ${each.join(' || ')} then notify`;
  };
  for (const field of ['metadata.k', 'metadata.l'])
    assertOk(await post(ada, '/from-adl', { adl: writeHeavy(field) }));
  const adl = writeHeavy('metadata.m');
  expect((await post(ada, '/_new/validate-adl', { adl })).body.data.valid).toBe(true);
  expect(await post(ada, '/from-adl', { adl })).toMatchObject({
    status: 400,
    body: { code: 'INVALID_OPERATION' },
  });
});

test('sources are read by readers and auditors, written by managers, and hidden from other organisations', async () => {
  const { _id: id } = assertOk(await post(ada, '/from-adl', { adl: source })).body.data;
  const auditor = await createMember(harness, ada, 'auditor');
  const member = await createMember(harness, ada, 'member');
  expect((await get(auditor, `/${id}/adl`)).status).toBe(200);
  expect((await get(auditor, `/${id}`)).status).toBe(403);
  expect((await post(auditor, '/_new/validate-adl', { adl: source })).status).toBe(403);
  expect((await post(member, '/_new/validate-adl', { adl: source })).status).toBe(200);
  expect((await post(member, '/from-adl', { adl: source })).status).toBe(403);
  expect((await get(eve, `/${id}/adl`)).status).toBe(404);
  expect((await post(eve, `/${id}/validate-adl`, { adl: source })).status).toBe(404);
  assertOk(await app.call('DELETE', `${path}/${id}`, { token: ada.token }));
  expect((await get(ada, `/${id}/adl`)).status).toBe(404);
});
