// Changes of tools by approval over HTTP: where policies that judge by them change by approval, so do they.
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, listAuditEntries } from '../../setup/harness.ts';
import { assertOk, createOwner, type Owner } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
const people = {} as Record<'author' | 'reviewer' | 'enforcer' | 'viewer', Owner>;
beforeAll(async () => {
  people.author = await createMember(harness, ada, 'member');
  people.reviewer = await createMember(harness, ada, 'reviewer');
  people.enforcer = await createMember(harness, ada, 'admin');
  people.viewer = await createMember(harness, ada, 'viewer');
  assertOk(await put('send', SEND));
  await guard(ada);
});

const SEND = { does: ['outbound'], gives: [] };
const MILD = { does: [], gives: [] };
const call = (method: string, path: string, who: Owner, body?: unknown): Promise<Answer> =>
  app.call(method, `/api/v1${path}`, { token: who.token, ...(body !== undefined && { body }) });
const put = (name: string, entry: object, who = ada): Promise<Answer> =>
  call('PUT', `/tools/${name}`, who, { entries: [entry] });
const propose = (tools: object[], who = people.author): Promise<Answer> =>
  call('POST', '/tools/approvals', who, { tools });
const act = (who: Owner, id: string, action: string, body: object = {}): Promise<Answer> =>
  call('POST', `/policies/approvals/${id}/${action}`, who, body);
const read = async (name: string) =>
  assertOk(await call('GET', `/tools?search=${name}`, ada)).body.data;
const refusal = (status: number, code: string, message = /./) => ({
  status,
  body: { code, error: expect.stringMatching(message) as string },
});
const REFUSED = refusal(400, 'INVALID_OPERATION', /POST \/tools\/approvals/);

/** Asks for four eyes where an enabled policy judges by the catalogue. */
async function guard(owner: Owner, more: object = {}): Promise<void> {
  const body = {
    name: 'Nothing out',
    conditions: [{ field: 'action.does', operator: 'contains', value: 'outbound' }],
    actions: [{ type: 'block' }],
    ...more,
  };
  assertOk(await call('POST', '/policies', owner, body));
  assertOk(await call('PATCH', '/organization', owner, { requirePolicyApproval: true }));
}

test('a direct change is refused, and what changes nothing is not', async () => {
  expect(await put('send', MILD)).toMatchObject(REFUSED);
  expect(await put('other', MILD)).toMatchObject(REFUSED);
  expect(await call('DELETE', '/tools/send', ada)).toMatchObject(REFUSED);
  const mcp = { tools: [{ name: 'fresh' }] };
  expect(await call('POST', '/tools/import', ada, { mcp, apply: true })).toMatchObject(REFUSED);
  assertOk(await call('POST', '/tools/import', ada, { mcp }));
  assertOk(await call('PUT', '/tools/send', ada, { description: 'Writes', entries: [SEND] }));
  expect(await read('send')).toMatchObject([{ description: 'Writes', entries: [SEND] }]);
});

test.for<[string, object]>([
  ['reads no tools', { conditions: [{ field: 'action.names', operator: 'contains', value: 'x' }] }],
  ['is off', { enabled: false }],
  ['observes', { observe: true }],
])('a policy that %s needs no approval of tools', async ([, more]) => {
  const owner = await createOwner(app, 'Free');
  await guard(owner, more);
  assertOk(await put('send', MILD, owner));
});

test('tools are proposed, reviewed and put into force by three people', async () => {
  const { author, reviewer, enforcer, viewer } = people;
  const tools = [
    { name: 'Send', entries: [MILD] },
    { name: 'find', description: 'Finds', entries: [{ ...MILD, gives: ['private'] }] },
    { name: 'gone', entries: null },
  ];
  expect(await propose(tools, viewer)).toMatchObject(refusal(403, 'FORBIDDEN'));
  const opened = await propose(tools);
  expect(opened).toMatchObject({
    status: 201,
    body: {
      data: {
        state: 'pending_review',
        policy: null,
        list: null,
        workspaceId: ada.workspaceId,
        tools: [
          { name: 'Send', before: [SEND], after: [MILD] },
          { name: 'find', description: 'Finds', before: null, after: [{ gives: ['private'] }] },
        ],
      },
    },
  });
  const { id, digest } = opened.body.data;
  expect(await read('find')).toEqual([]);
  expect(await call('GET', `/policies/approvals/${id}`, eve)).toMatchObject({ status: 404 });
  expect(await act(author, id, 'reviewer-approve')).toMatchObject(refusal(403, 'FORBIDDEN'));
  expect(await call('PATCH', `/policies/approvals/${id}`, author, { submit: true })).toMatchObject(
    refusal(400, 'INVALID_OPERATION', /not edited/),
  );
  assertOk(await act(reviewer, id, 'reviewer-approve', { digest }));
  assertOk(await act(enforcer, id, 'enforcer-promote', { digest }));
  expect(await read('send')).toMatchObject([
    { name: 'Send', description: 'Writes', entries: [MILD], changedBy: enforcer.userId },
  ]);
  expect(await read('find')).toMatchObject([{ description: 'Finds' }]);
  const entries = (await listAuditEntries(app, ada)).filter(({ resourceId }) => resourceId === id);
  expect(entries.length).toBeGreaterThanOrEqual(3);
  for (const { metadata, status } of entries)
    if (status !== 'failure') expect(metadata).toMatchObject({ tools: ['Send', 'find'] });
  const view = assertOk(await call('GET', '/policies/audit/auditor-view', ada)).body.data;
  expect(view.approvals[0]).toMatchObject({ tools: ['Send', 'find'], name: 'tools Send, find' });
  const notices = assertOk(await call('GET', '/notifications', author)).body.data;
  expect(JSON.stringify(notices)).toContain('tools Send, find');
});

test('tools that have changed in between are not overwritten, others do not matter', async () => {
  const { reviewer, enforcer } = people;
  const ids: string[] = [];
  for (const tools of [
    [{ name: 'one', entries: [SEND] }],
    [
      { name: 'one', entries: [MILD] },
      { name: 'two', entries: [MILD] },
    ],
    [{ name: 'three', entries: [MILD] }],
  ]) {
    const { id } = assertOk(await propose(tools)).body.data;
    assertOk(await act(reviewer, id, 'reviewer-approve'));
    ids.push(id as string);
  }
  const [first = '', second = '', third = ''] = ids;
  assertOk(await act(enforcer, first, 'enforcer-promote'));
  expect(await act(enforcer, second, 'enforcer-promote')).toMatchObject(
    refusal(400, 'INVALID_OPERATION', /changed since/),
  );
  assertOk(await act(enforcer, third, 'enforcer-promote'));
  expect(await read('two')).toEqual([]);
});

test('what was in force without a review is taken back when it is rejected', async () => {
  const { author, reviewer, enforcer } = people;
  const tools = [
    { name: 'glass', entries: [MILD] },
    { name: 'one', entries: null },
  ];
  const { id } = assertOk(await propose(tools, author)).body.data;
  assertOk(await act(enforcer, id, 'break-glass', { reason: 'It burns' }));
  expect(await read('glass')).toHaveLength(1);
  expect(await read('one')).toEqual([]);
  expect(assertOk(await act(reviewer, id, 'reviewer-reject')).body.data.state).toBe('rejected');
  expect(await read('glass')).toEqual([]);
  expect(await read('one')).toMatchObject([{ entries: [SEND] }]);
});

test.for<[string, object[], string, RegExp]>([
  [
    'nothing new',
    [
      { name: 'find', entries: null },
      { name: 'none', entries: null },
    ].slice(1),
    'INVALID_OPERATION',
    /already/,
  ],
  [
    'a name twice',
    [
      { name: 'aB', entries: [] },
      { name: 'a_b', entries: null },
    ],
    'VALIDATION_ERROR',
    /tools/,
  ],
  ['a bad name', [{ name: '***', entries: null }], 'VALIDATION_ERROR', /name/],
  [
    'a bad entry',
    [{ name: 'a', entries: [{ does: ['harm'], gives: [] }] }],
    'VALIDATION_ERROR',
    /tools\.0\.entries/,
  ],
])('a proposal of %s is refused', async ([, tools, code, message]) => {
  expect(await propose(tools)).toMatchObject(refusal(400, code, message));
});

test('a proposal is bounded', async () => {
  const long = Array.from({ length: 20 }, (_, n) => ({
    ...MILD,
    server: `s${n}`,
    after: Array.from({ length: 50 }, (_, m) => `tool_${m}`.padEnd(100, 'x')),
  }));
  expect(await propose([{ name: 'long', entries: long }])).toMatchObject(
    refusal(400, 'INVALID_OPERATION', /65536 characters/),
  );
});
