// AuthZEN: the certification scenario of the Authorization API 1.0, holds, claims, and what is refused.
import { beforeAll, describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createAgent, createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import type { Answer, Call } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let key: string;

const EVALUATION = '/access/v1/evaluation';
const EVALUATIONS = '/access/v1/evaluations';
const ACTION = 'outputDecision.action';

const when = (field: string, value: unknown) => ({
  field: `${ACTION}.${field}`,
  operator: 'equals',
  value,
});

/** The rules of the scenario's fixture, and one that holds. */
const RULES: readonly [name: string, type: string, conditions: object[]][] = [
  [
    'bob reads that record',
    'block',
    [when('tool', 'write'), when('subject.id', 'bob'), when('resource.id', 'record-1')],
  ],
  [
    'archives are read-only',
    'block',
    [
      when('tool', 'write'),
      when('resource.properties.status', 'archived'),
      when('subject.id', 'alice'),
    ],
  ],
  ['deletions are soft', 'block', [when('tool', 'delete'), when('arguments.soft', false)]],
  ['payments wait', 'flag_for_review', [when('tool', 'pay')]],
];

beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  for (const [name, type, conditions] of RULES)
    assertOk(
      await app.call('POST', '/api/v1/policies', {
        token: ada.token,
        body: { name, conditions, actions: [{ type, config: { reason: 'Not that' } }] },
      }),
    );
});

const alice = { type: 'user', id: 'alice' };
const bob = { type: 'user', id: 'bob' };
const admin = { ...bob, properties: { role: 'admin' } };
const first = { type: 'record', id: 'record-1' };
const archived = { type: 'record', id: 'record-2', properties: { status: 'archived' } };
const does = (name: string, properties?: object) => ({ name, ...(properties && { properties }) });
const question = (subject: unknown, action: unknown, resource: unknown, more: object = {}) => ({
  subject,
  action,
  resource,
  ...more,
});

const ask = (body: unknown, call: Call = {}): Promise<Answer> =>
  app.call('POST', EVALUATION, { key, body, ...call });
const askAll = (body: unknown, call: Call = {}): Promise<Answer> =>
  app.call('POST', EVALUATIONS, { key, body, ...call });
const decide = async (body: unknown, call?: Call): Promise<boolean> =>
  assertOk(await ask(body, call)).body.decision;
const decideAll = async (body: unknown): Promise<boolean[]> =>
  assertOk(await askAll(body)).body.evaluations.map(
    ({ decision }: { decision: boolean }) => decision,
  );

describe('the certification scenario: one question', () => {
  const time = { context: { time: '2025-06-27T18:03-07:00', ip: '192.168.1.1' } };
  const more = { foo: 'bar', futureField: { nested: true } };
  const rich = question(
    { ...alice, properties: { department: 'Sales', role: 'manager' } },
    does('read', { method: 'GET' }),
    { ...first, properties: { status: 'active', owner: 'bob' } },
  );
  const cases: readonly [name: string, body: object, decision: boolean][] = [
    ['a permission', question(alice, does('read'), first), true],
    ['a denial', question(bob, does('write'), first), false],
    ['a context', question(alice, does('read'), first, time), true],
    ['properties of the resource', question(alice, does('write'), archived), false],
    ['properties of the subject', question(admin, does('write'), archived), true],
    ['a soft deletion', question(alice, does('delete', { soft: true }), first), true],
    ['a hard deletion', question(alice, does('delete', { soft: false }), first), false],
    ['further properties', rich, true],
    ['unknown members', question(alice, does('read'), first, more), true],
  ];
  test.for(cases)('%s', async ([, body, decision]) => {
    for (let time = 0; time < 2; time++) expect(await decide(body)).toBe(decision);
  });

  const wrong: readonly [name: string, body: unknown][] = [
    ['no subject', question(undefined, does('read'), first)],
    ['no action', question(alice, undefined, first)],
    ['no resource', question(alice, does('read'), undefined)],
    ['a subject without type', question({ id: 'alice' }, does('read'), first)],
    ['a subject without id', question({ type: 'user' }, does('read'), first)],
    ['an action without name', question(alice, {}, first)],
    ['a resource without type', question(alice, does('read'), { id: 'record-1' })],
    ['a resource without id', question(alice, does('read'), { type: 'record' })],
    ['a subject that is a text', question('alice', does('read'), first)],
    ['a name that is a number', question(alice, { name: 123 }, first)],
    ['properties that are a list', question({ ...alice, properties: [] }, does('read'), first)],
    ['a context that is a text', question(alice, does('read'), first, { context: 'now' })],
    ['a list', [question(alice, does('read'), first)]],
    ['a blank id', question({ type: 'user', id: ' ' }, does('read'), first)],
    [
      'an action that is too large',
      question(alice, does('read', { text: 'x'.repeat(11_000) }), first),
    ],
    [
      'a context that is too large',
      question(alice, does('read'), first, { context: { text: 'x'.repeat(103_000) } }),
    ],
  ];
  test.for(wrong)('%s is 400, with the code and what would be right', async ([, body]) => {
    const answer = await ask(body);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      400,
      'text/plain; charset=utf-8',
    ]);
    expect(answer.text).toMatch(/^VALIDATION_ERROR: \S/);
  });

  test.for([
    ['no JSON', { raw: '{"subject"' }, /^VALIDATION_ERROR/],
    ['an empty body', { raw: '' }, /^VALIDATION_ERROR/],
    ['deep nesting', { raw: `{"context":${'['.repeat(50_000)}` }, /^VALIDATION_ERROR/],
    [
      'another content type',
      { raw: '{}', headers: { 'content-type': 'text/plain' } },
      /^UNSUPPORTED_MEDIA_TYPE/,
    ],
  ] as [string, Call, RegExp][])('%s is 400', async ([, call, text]) => {
    const answer = await app.call('POST', EVALUATION, { key, ...call });
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(text)]);
  });

  test('who is not known is 401, and who may not ask 403', async () => {
    const body = question(alice, does('read'), first);
    const stranger = await app.call('POST', EVALUATION, { body });
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(stranger.text).toMatch(/^NO_API_KEY: /);
    const reader = await createWorkspaceKey(app, ada, { scope: { readOnly: true } });
    const refused = await ask(body, { key: reader.key });
    expect([refused.status, refused.text]).toEqual([403, expect.stringMatching(/^FORBIDDEN: /)]);
  });

  test.for(['bfe9eb29-ab87-4ca3-be83-a1d5d8305716', 'my id: 7!', 'x'.repeat(256)])(
    'the request id %s comes back, also with a refusal',
    async (id) => {
      const headers = { 'x-request-id': id };
      for (const body of [question(alice, does('read'), first), {}])
        expect((await ask(body, { headers })).headers.get('x-request-id')).toBe(id);
    },
  );
});

describe('the certification scenario: several questions', () => {
  const active = { ...first, properties: { status: 'active' } };
  const cases: readonly [name: string, body: object, decisions: boolean[]][] = [
    [
      'default subject and action',
      {
        subject: alice,
        action: does('read'),
        evaluations: [{ resource: first }, { resource: archived }],
      },
      [true, true],
    ],
    [
      'default subject and resource',
      {
        subject: bob,
        resource: first,
        evaluations: [{ action: does('read') }, { action: does('write') }],
      },
      [true, false],
    ],
    [
      'properties of each',
      {
        subject: alice,
        action: does('write'),
        evaluations: [{ resource: active }, { resource: archived }],
      },
      [true, false],
    ],
    [
      'subjects with properties',
      {
        action: does('write'),
        resource: archived,
        evaluations: [{ subject: alice }, { subject: admin }],
      },
      [false, true],
    ],
    [
      'no defaults',
      { evaluations: [question(alice, does('read'), first), question(bob, does('write'), first)] },
      [true, false],
    ],
    [
      'a default that lends its type',
      {
        subject: alice,
        action: does('write'),
        resource: { type: 'record' },
        evaluations: [
          { resource: { id: 'record-1', properties: { status: 'active' } } },
          { resource: archived },
        ],
      },
      [true, false],
    ],
    [
      'a default id of another type',
      {
        subject: alice,
        action: does('read'),
        resource: first,
        evaluations: [
          { resource: { type: 'account' } },
          { subject: { type: 'agent' } },
          { resource: { type: 'record', properties: { status: 'active' } } },
        ],
      },
      [false, false, true],
    ],
    [
      'a question that is not complete',
      { subject: alice, action: does('read'), evaluations: [{ resource: first }, {}] },
      [true, false],
    ],
    [
      'what is no question',
      { evaluations: [7, null, 'x', [], question(alice, does('read'), first)] },
      [false, false, false, false, true],
    ],
  ];
  test.for(cases)('%s', async ([, body, decisions]) => {
    expect(await decideAll(body)).toEqual(decisions);
  });

  test.for([undefined, [], null])('without questions it answers the defaults: %j', async (list) => {
    const body = { ...question(alice, does('read'), first), evaluations: list };
    expect(assertOk(await askAll(body)).body).toMatchObject({ decision: true });
    const refused = await askAll({ ...body, subject: undefined });
    expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(/subject/)]);
  });

  test('an error of one says why, and nothing is recorded of it', async () => {
    const { evaluations } = assertOk(
      await askAll({ subject: alice, action: does('read'), evaluations: [{}] }),
    ).body;
    expect(evaluations).toEqual([
      {
        decision: false,
        context: {
          code: 'VALIDATION_ERROR',
          error: {
            status: 400,
            code: 'VALIDATION_ERROR',
            message: expect.stringContaining('resource'),
          },
        },
      },
    ]);
  });

  test.for([
    ['execute_all', [true, false, true]],
    ['deny_on_first_deny', [true, false]],
    ['permit_on_first_permit', [true]],
  ] as [string, boolean[]][])('%s judges no more than it says', async ([semantic, decisions]) => {
    const before = await countDecisions();
    const body = {
      subject: bob,
      options: { evaluations_semantic: semantic, another_option: 'value' },
      evaluations: ['read', 'write', 'list'].map((name) => ({
        action: does(name),
        resource: first,
      })),
    };
    expect(await decideAll(body)).toEqual(decisions);
    expect(await countDecisions()).toBe(before + decisions.length);
  });

  test.for([
    ['another semantic', { options: { evaluations_semantic: 'any' } }],
    ['options that are a text', { options: 'all' }],
    ['evaluations that are no list', { evaluations: {} }],
    ['too many', { evaluations: Array.from({ length: 101 }, () => ({})) }],
  ] as [string, object][])('%s is 400', async ([, more]) => {
    const answer = await askAll({
      ...question(alice, does('read'), first),
      evaluations: [{}],
      ...more,
    });
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringMatching(/^VALIDATION_ERROR: \S/),
    ]);
  });

  test('defaults make no more of a request than it may have', async () => {
    const text = 'x'.repeat(90_000);
    const evaluations = Array.from({ length: 100 }, () => ({ resource: first }));
    const body = { ...question(alice, does('read'), first), context: { text }, evaluations };
    const answer = await askAll(body);
    expect([answer.status, answer.text]).toEqual([
      413,
      expect.stringMatching(/^PAYLOAD_TOO_LARGE/),
    ]);
    const large = await askAll({ ...body, context: { text: text.repeat(7) } });
    expect(large.status).toBe(413);
  });
});

const countDecisions = async (): Promise<number> =>
  (await app.call('GET', '/api/v1/traces?limit=1', { token: ada.token })).body.total;

interface Context {
  id: string;
  code?: string;
  review?: { id: string; wait: string; page: string; expires_at: string | null };
  execution?: { id: string; lease_until: string; outcome: string };
  reason_admin?: { en: string };
  reason_user?: { en: string };
}
const inquire = async (
  body: unknown,
  id: string,
): Promise<{ decision: boolean; context: Context }> =>
  assertOk(await ask(body, { headers: { 'x-request-id': id } })).body;
const settle = async ({ id }: { id: string }, decision: string): Promise<void> => {
  const path = `/api/v1/review-queue/${id}/decision`;
  assertOk(await app.call('POST', path, { token: ada.token, body: { decision, reason: 'Seen' } }));
};
let asked = 0;
const toPayment = () =>
  question(alice, does('pay', { amount: (asked += 1) }), { type: 'invoice', id: `i-${asked}` });

describe('a question is a decision', () => {
  test('with subject, action and resource on the record', async () => {
    const agent = await createAgent(app, ada);
    const body = question(alice, does('mail', { to: 'crew' }), first, {
      context: { agent_id: agent.id, prompt: 'Write to the crew', session_id: 'run-7' },
    });
    const { context } = await inquire(body, 'request-of-the-record');
    const { data } = assertOk(
      await app.call('GET', `/api/v1/traces/${context.id}`, { token: ada.token }),
    ).body;
    expect(data).toMatchObject({
      agentId: agent.id,
      sessionId: 'run-7',
      status: 'approved',
      actor: [alice],
      adapter: { kind: 'authzen', version: '1.0', requestId: 'request-of-the-record' },
      inputContext: { prompt: 'Write to the crew', context: { agent_id: agent.id } },
      outputDecision: {
        action: { tool: 'mail', arguments: { to: 'crew' }, subject: alice, resource: first },
      },
    });
  });

  test('of the agent whose key asks, or of the subject that is an agent', async () => {
    const agent = await createAgent(app, ada);
    const own = await ask(question(alice, does('read'), first), { key: agent.key });
    const { agentId } = (
      await app.call('GET', `/api/v1/traces/${own.body.context.id}`, { token: ada.token })
    ).body.data;
    expect(agentId).toBe(agent.id);
    const other = await ask(question({ type: 'agent', id: 'other' }, does('read'), first), {
      key: agent.key,
    });
    expect([other.status, other.text]).toEqual([403, expect.stringMatching(/^FORBIDDEN: /)]);
  });

  test('one for each request, and the same for a request that is repeated', async () => {
    const body = question(alice, does('list'), first);
    const [one, again, other] = [
      await inquire(body, 'first-request'),
      await inquire(body, 'first-request'),
      await inquire(body, 'second-request'),
    ];
    expect(again).toEqual(one);
    expect(other.context.id).not.toBe(one.context.id);
    const changed = await inquire({ ...body, context: { at: 'night' } }, 'first-request');
    expect(changed.context.id).not.toBe(one.context.id);
  });

  test('that no other organisation finds by its request id', async () => {
    const body = question(alice, does('list'), first);
    const mine = await inquire(body, 'shared-request');
    const eve = await createOwner(app, 'Eve');
    const { key: theirs } = await createWorkspaceKey(app, eve);
    const headers = { 'x-request-id': 'shared-request' };
    const answer = assertOk(await ask(body, { key: theirs, headers })).body;
    expect(answer.context.id).not.toBe(mine.context.id);
    const path = `/api/v1/traces/${mine.context.id}`;
    expect((await app.call('GET', path, { key: theirs })).status).toBe(404);
  });

  test('a denial names the policy to administrators alone', async () => {
    const { decision, context } = await inquire(question(bob, does('write'), first), 'a-denial');
    expect({ decision, context }).toEqual({
      decision: false,
      context: {
        id: expect.stringMatching(/^trc_/),
        code: 'SVC_BLOCKED_BY_POLICY',
        reason_user: { en: 'This is not permitted' },
        reason_admin: { en: 'bob reads that record: Not that' },
      },
    });
  });
});

describe('a hold', () => {
  test('is no permission, says how to wait, and is permitted once when a person has approved it', async () => {
    const body = toPayment();
    const held = await inquire(body, 'held-payment');
    expect(held.decision).toBe(false);
    expect(held.context).toMatchObject({
      code: 'APPROVAL_PENDING',
      reason_user: { en: 'A person has to approve this' },
      reason_admin: { en: 'payments wait: Not that' },
      review: { expires_at: null, page: expect.stringContaining('/console/review/') },
    });
    expect((await inquire(body, 'held-payment')).context.code).toBe('APPROVAL_PENDING');
    await settle({ id: held.context.review?.id ?? '' }, 'approve');
    const { pathname, search } = new URL(held.context.review?.wait ?? '');
    const waited = assertOk(await app.call('GET', pathname + search, { key }));
    expect(waited.headers.get('x-review-status')).toBe('approved');

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => inquire(body, 'held-payment')),
    );
    const [permitted, ...more] = answers.filter(({ decision }) => decision);
    expect(more).toEqual([]);
    expect(
      new Set(answers.filter(({ decision }) => !decision).map(({ context }) => context.code)),
    ).toEqual(new Set(['APPROVAL_USED']));
    const outcome = new URL(permitted?.context.execution?.outcome ?? '').pathname;
    const ended = await app.call('PATCH', outcome, { key, body: { outcome: 'succeeded' } });
    expect(assertOk(ended).body.data).toMatchObject({ state: 'succeeded' });
  });

  test('stays one after a rejection, for an action that changed, and for another request', async () => {
    const body = toPayment();
    const held = await inquire(body, 'rejected-payment');
    await settle({ id: held.context.review?.id ?? '' }, 'reject');
    expect(await inquire(body, 'rejected-payment')).toMatchObject({
      decision: false,
      context: { id: held.context.id, code: 'APPROVAL_REJECTED' },
    });
    const other = await inquire(body, 'another-payment');
    await settle({ id: other.context.review?.id ?? '' }, 'approve');
    const changed = { ...body, action: does('pay', { amount: 1e6 }) };
    expect(await inquire(changed, 'another-payment')).toMatchObject({
      decision: false,
      context: { code: 'APPROVAL_PENDING' },
    });
  });

  test('is found by the same question under other request ids, and permits it once', async () => {
    const body = toPayment();
    const at = (time: string) => ({ ...body, context: { time } });
    const held = await inquire(at('9:00'), 'payment-at-9');
    const again = await inquire(at('9:01'), 'payment-at-9-01');
    expect(again).toMatchObject({ decision: false, context: { id: held.context.id } });
    expect((await inquire({ ...body, subject: bob }, 'payment-of-bob')).context.id).not.toBe(
      held.context.id,
    );
    await settle({ id: held.context.review?.id ?? '' }, 'approve');
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) => inquire(at(`9:1${index}`), `payment-${index}`)),
    );
    const permitted = answers.filter(({ decision }) => decision);
    expect(permitted).toEqual([
      expect.objectContaining({
        context: {
          id: held.context.id,
          execution: expect.objectContaining({ id: expect.any(String) }),
        },
      }),
    ]);
    const next = await inquire(body, 'payment-after-all');
    expect(next).toMatchObject({ decision: false, context: { code: 'APPROVAL_PENDING' } });
    expect(next.context.id).not.toBe(held.context.id);
  });

  test('is a new one for the same question after a rejection, and for each of two questions of a request', async () => {
    const body = toPayment();
    const held = await inquire(body, 'payment-to-reject');
    await settle({ id: held.context.review?.id ?? '' }, 'reject');
    const next = await inquire(body, 'payment-once-more');
    expect(next.context).toMatchObject({ code: 'APPROVAL_PENDING' });
    expect(next.context.id).not.toBe(held.context.id);
    await settle({ id: next.context.review?.id ?? '' }, 'approve');
    expect(await decideAll({ evaluations: [body, body] })).toEqual([true, false]);
  });

  test('is not found by another workspace, agent or organisation', async () => {
    const body = toPayment();
    const held = await inquire(body, 'payment-of-ada');
    const eve = await createOwner(app, 'Eve');
    const agent = await createAgent(app, ada);
    const others = [(await createWorkspaceKey(app, eve)).key, agent.key];
    for (const other of others) {
      const answer = assertOk(await ask(body, { key: other })).body;
      expect(answer.context.id).not.toBe(held.context.id);
    }
  });

  test('is a denial for the semantics that stop', async () => {
    const body = {
      subject: alice,
      resource: first,
      options: { evaluations_semantic: 'deny_on_first_deny' },
      evaluations: ['read', 'pay', 'list'].map((name) => ({ action: does(name) })),
    };
    expect(await decideAll(body)).toEqual([true, false]);
  });
});

test('the subject is no recipient, as in the example of the standard', async () => {
  const owner = await createOwner(app, 'Ida');
  const { key: own } = await createWorkspaceKey(app, owner);
  const policy = {
    name: 'outside',
    conditions: [{ field: 'action.recipientDomains', operator: 'regex', value: 'com$' }],
    actions: [{ type: 'flag_for_review' }],
  };
  assertOk(await app.call('POST', '/api/v1/policies', { token: owner.token, body: policy }));
  const asks = async (body: object): Promise<boolean> =>
    assertOk(await ask(body, { key: own })).body.decision;
  const person = { type: 'user', id: 'alice@acmecorp.com' };
  const account = { type: 'account', id: '123' };
  expect(await asks(question(person, does('can_read', { method: 'GET' }), account))).toBe(true);
  const properties = { mail: 'alice@acmecorp.com' };
  expect(await asks(question({ ...person, properties }, does('can_read'), account))).toBe(true);
  const sends = does('send', { to: 'bob@outside.com' });
  expect(await asks(question(person, sends, account))).toBe(false);
  const mailbox = { type: 'mailbox', id: 'bob@outside.com' };
  expect(await asks(question(person, does('send'), mailbox))).toBe(false);
});

test('the metadata name the point of decision and its addresses, and may be kept a day', async () => {
  const answer = await app.call('GET', '/.well-known/authzen-configuration');
  const point = answer.body.policy_decision_point;
  expect(answer.body).toEqual({
    policy_decision_point: expect.stringMatching(/^https?:\/\//),
    access_evaluation_endpoint: `${point}${EVALUATION}`,
    access_evaluations_endpoint: `${point}${EVALUATIONS}`,
    access_request_endpoint: `${point}/access/v1/requests`,
    capabilities: ['urn:openid:authzen:capability:access-request'],
  });
  expect(answer.headers.get('cache-control')).toBe('public, max-age=86400');
});

describe('the adapter of questions', () => {
  const decision = {
    agentId: 'mailer',
    inputContext: { prompt: 'Write to them' },
    outputDecision: { action: { tool: 'send', subject: { type: 'user', id: 'eve@evil.example' } } },
    adapter: { kind: 'authzen' },
  };
  const refused = { code: 'SVC_VALIDATION_FAILED', error: expect.stringContaining('adapter.kind') };

  test('is set by no other decision: whom it names would be no recipient', async () => {
    const post = (path: string, body: object) => app.call('POST', path, { key, body });
    const { status, body } = await post('/api/v1/traces', decision);
    expect([status, body]).toEqual([400, expect.objectContaining(refused)]);
    const batch = assertOk(await post('/api/v1/traces/batch', { decisions: [decision] }));
    expect(batch.body.data.results).toEqual([expect.objectContaining({ ...refused, status: 400 })]);
    const large = { ...decision, metadata: { pad: 'x'.repeat(90_000) } };
    expect(await post('/api/v1/traces', large)).toMatchObject({ status: 400, body: refused });
    for (const adapter of [{ kind: 'own' }, { kind: ['authzen'] }, 'authzen', ['authzen'], null])
      assertOk(await post('/api/v1/traces', { ...decision, adapter }));
  });
});
