// Access requests of AuthZEN (Access Request and Approval Profile, Draft 1): its examples, and what it has refused.
import { expireDueReviews } from '../../../src/decisions/traces/review/review-expiry.service.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  assertOk,
  createAgent,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import type { Answer, Call } from '../../setup/start-app.ts';

const clock = new MovedClock();
const harness = useHarness({}, { clock });
const { app } = harness;
const ada = useOwner(harness);
let key: string;

const EVALUATION = '/access/v1/evaluation';
const REQUESTS = '/access/v1/requests';
const ERROR = 'urn:openid:authzen:access-request:error:';
const SECOND = 1000;
const DAY = 24 * 3600 * SECOND;

/** Holds what the examples of the profile ask for, and what ends by itself. */
async function createPolicies({ token }: Owner): Promise<void> {
  for (const [tool, config] of [
    ['can_read', {}],
    ['invoke', {}],
    ['can_wait', { expiresIn: 600 }],
    ['can_lapse', { expiresIn: 600, onExpiry: 'approve' }],
  ] as const)
    assertOk(
      await app.call('POST', '/api/v1/policies', {
        token,
        body: {
          name: `Approval of ${tool}`,
          conditions: [{ field: 'outputDecision.action.tool', operator: 'equals', value: tool }],
          actions: [{ type: 'flag_for_review', config }],
        },
      }),
    );
}
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  await createPolicies(ada);
});

interface Denied {
  decision: boolean;
  context: {
    id: string;
    evaluation_id: string;
    code?: string;
    reason?: string;
    next_action?: string;
    approval?: object;
    review: { id: string };
    access_request: { endpoint: string; expires_at: string };
    execution?: object;
  };
}
interface Question {
  subject: { type: string; id: string; properties?: object };
  resource: object;
  action: { name: string; properties?: object };
  context?: object;
}

let documents = 0;
/** The question of the profile's first example, each about a document of its own. */
const toQuestion = (name = 'can_read', more: object = {}): Question => ({
  subject: { type: 'user', id: 'alice@example.com' },
  resource: { type: 'document', id: `q4-plan-${(documents += 1)}` },
  action: { name },
  context: { time: '2026-04-30T20:15:00Z' },
  ...more,
});
const evaluate = async (question: object, call: Call = {}): Promise<Denied> =>
  assertOk(await app.call('POST', EVALUATION, { key, body: question, ...call })).body;
/** The request of the profile's first example, for a denial. */
const toRequest = ({ subject, resource, action }: Question, { context }: Denied, more = {}) => ({
  subject,
  resource,
  action,
  context: { business_justification: 'Needed for customer renewal review' },
  requested_access: { requested_until: '2026-05-01T00:15:00Z' },
  denial: {
    evaluation_id: context.evaluation_id,
    expires_at: context.access_request.expires_at,
    reason: 'approval_required',
  },
  ...more,
});
const submit = (body: unknown, call: Call = {}): Promise<Answer> =>
  app.call('POST', REQUESTS, { key, body, ...call });
const withKey = (name: string): Call => ({ headers: { 'idempotency-key': name } });
const read = (id: string, call: Call = {}): Promise<Answer> =>
  app.call('GET', `${REQUESTS}/${id}`, { key, ...call });
const decide = async ({ context }: Denied, verdict: object, by: Owner = ada): Promise<void> => {
  const path = `/api/v1/review-queue/${context.review.id}/decision`;
  assertOk(await app.call('POST', path, { token: by.token, body: verdict }));
};
/** Asks a question that is held, and requests it. */
async function request(question = toQuestion()) {
  const denied = await evaluate(question);
  const { task } = assertOk(await submit(toRequest(question, denied))).body;
  return { question, denied, task };
}
const expectProblem = ({ status, headers, body }: Answer, name: string, http: number): void => {
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect({ status, body }).toEqual({
    status: http,
    body: {
      type: ERROR + name,
      title: expect.stringMatching(/\w/),
      status: http,
      detail: expect.stringMatching(/^[A-Z_]+: \S/),
    },
  });
};

describe('the examples of the profile', () => {
  test('a manager approves: denial, request, task, approval, and the question once more', async () => {
    const question = toQuestion();
    const denied = await evaluate(question);
    const { evaluation_id: id } = denied.context;
    expect(denied).toMatchObject({
      decision: false,
      context: {
        id,
        evaluated_at: expect.stringMatching(/^\d{4}-.*Z$/),
        reason: 'approval_required',
        access_request: {
          endpoint: expect.stringMatching(/^https?:.*\/access\/v1\/requests$/),
          expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
          display: { title: expect.any(String), description: expect.any(String) },
        },
      },
    });
    const { endpoint } = denied.context.access_request;
    const accepted = await submit(toRequest(question, denied));
    expect([accepted.status, accepted.headers.get('location')]).toEqual([202, `${endpoint}/${id}`]);
    const pending = {
      task: {
        id,
        status: 'pending',
        status_endpoint: `${endpoint}/${id}`,
        links: {
          review: expect.stringContaining('/console/review/'),
          cancel: `${endpoint}/${id}/cancel`,
        },
        display: { title: 'Waiting for approval', description: 'A person has to approve this' },
      },
    };
    expect(accepted.body).toEqual(pending);
    const polled = await read(id);
    expect([polled.status, polled.headers.get('retry-after')]).toEqual([200, '5']);
    expect(polled.body).toEqual(pending);

    await decide(denied, { decision: 'approve', reason: 'Her customer' });
    const done = assertOk(await read(id));
    expect(done.headers.get('retry-after')).toBeNull();
    expect(done.body).toEqual({
      task: {
        id,
        status: 'approved',
        status_endpoint: `${endpoint}/${id}`,
        display: { title: 'Approved', description: 'Her customer' },
      },
      result: {
        mode: 'reevaluate',
        approval: {
          id,
          approved_at: expect.stringMatching(/^\d{4}-.*Z$/),
          approved_until: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      },
    });
    const { approval } = done.body.result;
    const context = { time: '2026-04-30T20:43:00Z', approval };
    const final = await evaluate({ ...question, context });
    expect(final).toEqual({
      decision: true,
      context: {
        id,
        approval: { id, approved_until: expect.stringMatching(/^\d{4}-.*Z$/) },
        execution: expect.any(Object),
      },
    });
    const used = await evaluate({ ...question, context });
    expect(used).toMatchObject({
      decision: false,
      context: { reason: 'approval_expired', next_action: 'request' },
    });
    expect(used.context.evaluation_id).not.toBe(id);
    assertOk(await submit(toRequest(question, used)));
  });

  test('an agent acts for a person: it names itself as the client’s actor instead', async () => {
    const act = {
      iss: 'https://agents.example.com',
      sub: 'agent_renewal_assistant_v3',
      sub_profile: 'ai_agent',
    };
    const question = toQuestion('invoke');
    const { subject } = question;
    const denied = await evaluate({ ...question, subject: { ...subject, properties: { act } } });
    const actor = { id: act.sub, issuer: act.iss, type: 'ai_agent' };
    const client = { id: 'renewal_assistant', actor, source: { session_id: 'session_1' } };
    const accepted = await submit(toRequest(question, denied, { client }));
    expect(accepted).toMatchObject({ status: 202, body: { task: { status: 'pending' } } });
    const kept = toRequest({ ...question, subject: { ...subject, properties: { act } } }, denied);
    expect((await submit(kept)).status).toBe(202);
    for (const other of [
      { ...actor, id: 'agent_of_another' },
      { ...actor, issuer: 'https://elsewhere.example' },
      { ...actor, act: { sub: 'boss', iss: act.iss } },
      { issuer: act.iss },
      { id: act.sub },
    ]) {
      const { status, body } = await submit(
        toRequest(question, denied, { client: { actor: other } }),
      );
      expect([status, body.type, body.detail]).toEqual([
        403,
        'about:blank',
        expect.stringMatching(/^FORBIDDEN: client\.actor/),
      ]);
    }
  });

  test('its callback is refused, and what to do instead is said', async () => {
    const question = toQuestion();
    const denied = await evaluate(question);
    const callback = { endpoint: 'https://agents.example.com/callbacks', state: 'session' };
    const { status, body } = await submit(toRequest(question, denied, { callback }));
    expect([status, body.type, body.detail]).toEqual([
      400,
      'about:blank',
      expect.stringMatching(/^VALIDATION_ERROR: callback: .*webhook/),
    ]);
  });

  test('its metadata', async () => {
    const { body } = await app.call('GET', '/.well-known/authzen-configuration');
    expect(body).toMatchObject({
      access_request_endpoint: `${body.policy_decision_point}${REQUESTS}`,
      capabilities: ['urn:openid:authzen:capability:access-request'],
    });
  });
});

describe('a denial', () => {
  test('of a policy is not requestable, and a permission even less', async () => {
    const question = toQuestion('can_list');
    const permitted = await evaluate(question);
    expect(permitted).toMatchObject({ decision: true });
    expect(permitted.context).not.toHaveProperty('access_request');
    const denial = { evaluation_id: permitted.context.id, expires_at: '2999-01-01T00:00:00Z' };
    expectProblem(await submit({ ...question, denial }), 'not_requestable', 400);
  });

  test('binds subject, resource and action, but no context', async () => {
    const question = toQuestion('can_read', { context: { ip: '10.0.0.1' } });
    const denied = await evaluate(question);
    for (const changed of [
      { subject: { type: 'user', id: 'mallory@example.com' } },
      { subject: { ...question.subject, properties: { role: 'admin' } } },
      { resource: { type: 'document', id: 'salaries' } },
      { action: { name: 'can_write' } },
      { action: { name: 'can_read', properties: { all: true } } },
    ])
      expectProblem(
        await submit(toRequest({ ...question, ...changed }, denied)),
        'invalid_denial_binding',
        400,
      );
    const other = await evaluate(toQuestion());
    expectProblem(await submit(toRequest(question, other)), 'invalid_denial_binding', 400);
    assertOk(await submit(toRequest(question, denied)));
  });

  test.for([
    ['no denial', { denial: undefined }],
    ['a denial of null', { denial: null }],
    ['an empty denial', { denial: {} }],
    ['no expires_at', { denial: { evaluation_id: 'trc_1' } }],
    [
      'an unknown evaluation',
      { denial: { evaluation_id: 'trc_1', expires_at: '2999-01-01T00:00:00Z' } },
    ],
    [
      'a token of others',
      { denial: { binding_token: 'e30.e30.e30', expires_at: '2999-01-01T00:00:00Z' } },
    ],
  ] as [string, object][])('%s binds nothing', async ([, more]) => {
    const question = toQuestion();
    const body = toRequest(question, await evaluate(question), more);
    expectProblem(await submit(body), 'invalid_denial_binding', 400);
  });

  test('is not seen by another organisation, workspace key or agent', async () => {
    const { question, denied, task } = await request();
    const eve = await createOwner(app, 'Eve');
    const agent = await createAgent(app, ada);
    for (const other of [(await createWorkspaceKey(app, eve)).key, agent.key]) {
      const call = { key: other };
      expectProblem(await submit(toRequest(question, denied), call), 'invalid_denial_binding', 400);
      expectProblem(await read(task.id, call), 'unknown_task', 404);
      const cancel = await app.call('POST', `${REQUESTS}/${task.id}/cancel`, { ...call, body: {} });
      expectProblem(cancel, 'unknown_task', 404);
    }
  });

  test('that names an end of its own is held to the earlier one', async () => {
    const question = toQuestion('can_wait');
    const denied = await evaluate(question);
    const { evaluation_id } = denied.context;
    const past = { evaluation_id, expires_at: '2020-01-01T00:00:00+01:00' };
    expectProblem(
      await submit(toRequest(question, denied, { denial: past })),
      'expired_denial',
      410,
    );
    clock.aheadMs += 601 * SECOND;
    const forged = { evaluation_id, expires_at: '2999-01-01T00:00:00Z' };
    expectProblem(
      await submit(toRequest(question, denied, { denial: forged })),
      'expired_denial',
      410,
    );
  });

  test('of each of several questions is requestable on its own', async () => {
    const [one, two] = [toQuestion(), toQuestion()];
    const body = { evaluations: [one, toQuestion('can_list'), two] };
    const { evaluations } = assertOk(
      await app.call('POST', '/access/v1/evaluations', { key, body }),
    ).body;
    expect(evaluations.map(({ context }: Denied) => Boolean(context.access_request))).toEqual([
      true,
      false,
      true,
    ]);
    for (const [question, denied] of [
      [one, evaluations[0]],
      [two, evaluations[2]],
    ])
      expect((await submit(toRequest(question, denied))).status).toBe(202);
    const { subject } = one;
    const items = [one, two].map(({ resource, action }) => ({ resource, action }));
    const { denial } = toRequest(one, evaluations[0]);
    const bulk = await submit({ subject, items, denial });
    expect([bulk.status, bulk.body.detail]).toEqual([
      400,
      expect.stringMatching(/^VALIDATION_ERROR/),
    ]);
  });
});

describe('a request that is repeated', () => {
  test('is refused with another body, and free for another caller', async () => {
    const [one, two] = [toQuestion(), toQuestion()];
    const [first, second] = [
      toRequest(one, await evaluate(one)),
      toRequest(two, await evaluate(two)),
    ];
    assertOk(await submit(first, withKey('one key')));
    const changed = { ...first, context: { business_justification: 'Another' } };
    for (const body of [changed, second])
      expectProblem(await submit(body, withKey('one key')), 'duplicate_request', 409);
    const other = await createWorkspaceKey(app, ada);
    assertOk(await submit(second, { ...withKey('one key'), key: other.key }));
    assertOk(await submit(second));
    const long = await submit(second, withKey('x'.repeat(257)));
    expect([long.status, long.body.detail]).toEqual([
      400,
      expect.stringMatching(/Idempotency-Key/),
    ]);
  });
});

describe('a task', () => {
  test('that a person rejected is denied, with the words of the verdict', async () => {
    const { denied, task } = await request();
    await decide(denied, { decision: 'reject', reason: 'Not her customer' });
    const { body } = assertOk(await read(task.id));
    expect(body).toEqual({
      task: {
        id: task.id,
        status: 'denied',
        status_endpoint: task.status_endpoint,
        display: { title: 'Not approved', description: 'Not her customer' },
      },
    });
  });

  test('whose hold ends by itself is expired, before that is sealed and after', async () => {
    const { question, denied, task } = await request(toQuestion('can_wait'));
    clock.aheadMs += 601 * SECOND;
    for (let sealed = 0; sealed < 2; sealed++) {
      const { body } = assertOk(await read(task.id));
      expect(body).toEqual({ task: expect.objectContaining({ status: 'expired' }) });
      expect(body.task).not.toHaveProperty('links');
      await expireDueReviews(app.instance.platform);
    }
    const cancel = await app.call('POST', `${REQUESTS}/${task.id}/cancel`, { key, body: {} });
    expectProblem(cancel, 'invalid_task_state', 409);
    const approval = { id: task.id, approved_until: '2999-01-01T00:00:00Z' };
    const again = await evaluate({ ...question, context: { approval } });
    expect(again).toMatchObject({
      decision: false,
      context: { reason: 'approval_unverifiable', next_action: 'request' },
    });
    expect(again.context.evaluation_id).not.toBe(denied.context.evaluation_id);
  });

  test('whose hold is approved by its end stays pending until then, and is approved', async () => {
    const { question, task } = await request(toQuestion('can_lapse'));
    clock.aheadMs += 601 * SECOND;
    expect((await read(task.id)).body.task.status).toBe('pending');
    await expireDueReviews(app.instance.platform);
    const { body } = assertOk(await read(task.id));
    expect(body.task.status).toBe('approved');
    const { approval } = body.result;
    expect(new Date(approval.approved_until).getTime()).toBeGreaterThan(clock.now().getTime());
    expect(await evaluate({ ...question, context: { approval } })).toMatchObject({
      decision: true,
    });
  });

  test('is cancelled by the key that asked, once, with its words on the record', async () => {
    const { question, task } = await request();
    const cancel = (call: Call): Promise<Answer> =>
      app.call('POST', `${REQUESTS}/${task.id}/cancel`, call);
    const other = await createWorkspaceKey(app, ada);
    const refused = await cancel({ key: other.key, body: {} });
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringMatching(/^FORBIDDEN/),
    ]);
    const words = { reason: 'not_needed', comment: 'The customer has left' };
    const { body } = assertOk(await cancel({ key, body: words }));
    expect(body).toEqual({ task: expect.objectContaining({ id: task.id, status: 'cancelled' }) });
    expectProblem(await cancel({ key }), 'invalid_task_state', 409);
    const item = await app.call('GET', `/api/v1/review-queue/${task.id}`, { token: ada.token });
    expect(assertOk(item).body.data).toMatchObject({
      status: 'withdrawn',
      reason: 'not_needed: The customer has left',
    });
    expect((await evaluate(question)).context.evaluation_id).not.toBe(task.id);
    const second = await request();
    const bare = await app.call('POST', `${REQUESTS}/${second.task.id}/cancel`, { key });
    expect(bare).toMatchObject({ status: 200, body: { task: { status: 'cancelled' } } });
  });

  test('that was approved with edits is no approval of what was requested', async () => {
    const { question, denied, task } = await request(
      toQuestion('can_read', { action: { name: 'can_read', properties: { pages: 9 } } }),
    );
    const item = await app.call('GET', `/api/v1/review-queue/${task.id}`, { token: ada.token });
    const { actionDigest } = assertOk(item).body.data;
    await decide(denied, { decision: 'approve', actionDigest, edits: { arguments: { pages: 1 } } });
    const { body } = assertOk(await read(task.id));
    expect(body).toEqual({ task: expect.objectContaining({ status: 'denied' }) });
    expect(body.task.display.description).toMatch(/edits/);
    const approval = { id: task.id, approved_until: '2999-01-01T00:00:00Z' };
    expect(await evaluate({ ...question, context: { approval } })).toMatchObject({
      decision: false,
      context: { code: 'APPROVAL_MISMATCH', reason: 'out_of_scope', next_action: 'none' },
    });
  });

  test('is decided by the reviewers of the queue alone', async () => {
    const { task } = await request();
    const verdict = { key, body: { status: 'approved', decision: 'approve' } };
    for (const [method, path, http] of [
      ['POST', task.id, 405],
      ['PUT', task.id, 405],
      ['PATCH', task.id, 405],
      ['POST', `${task.id}/approve`, 404],
    ] as const) {
      const { status, body, headers } = await app.call(method, `${REQUESTS}/${path}`, verdict);
      expect([status, body.status]).toEqual([http, http]);
      expect(headers.get('content-type')).toBe('application/problem+json');
    }
    expect((await read(task.id)).body.task.status).toBe('pending');
  });
});

describe('an approval', () => {
  test('of another question permits nothing', async () => {
    const approved = await request();
    await decide(approved.denied, { decision: 'approve' });
    const { approval } = (await read(approved.task.id)).body.result;
    const swapped = await evaluate({ ...toQuestion(), context: { approval } });
    expect(swapped).toMatchObject({
      decision: false,
      context: { reason: 'out_of_scope', next_action: 'request', access_request: {} },
    });
    expect(await evaluate(approved.question)).toMatchObject({ decision: true });
  });

  test.for([
    ['unknown', { id: 'apr_01HX4Y8E2NE3Y2X7P0K4JE6WVH' }],
    ['without an id', {}],
    ['with an id that is no text', { id: { $ne: null } }],
    ['with a long id', { id: 'x'.repeat(10_000) }],
  ] as [string, object][])('%s cannot be verified', async ([, approval]) => {
    expect(await evaluate({ ...toQuestion(), context: { approval } })).toMatchObject({
      decision: false,
      context: { reason: 'approval_unverifiable', next_action: 'request' },
    });
  });

  test('of another organisation cannot be verified', async () => {
    const approved = await request();
    await decide(approved.denied, { decision: 'approve' });
    const { approval } = (await read(approved.task.id)).body.result;
    const eve = await createOwner(app, 'Eve');
    await createPolicies(eve);
    const { key: theirs } = await createWorkspaceKey(app, eve);
    const body = { ...approved.question, context: { approval } };
    const answer = assertOk(await app.call('POST', EVALUATION, { key: theirs, body })).body;
    expect(answer).toMatchObject({
      decision: false,
      context: { reason: 'approval_unverifiable', next_action: 'request' },
    });
  });

  test('with a state of others is not the approval that permits', async () => {
    const { question, denied, task } = await request();
    await decide(denied, { decision: 'approve' });
    const approval = { id: task.id, state: 'e30.e30.e30' };
    const answer = await evaluate({ ...question, context: { approval } });
    expect(answer.context).not.toHaveProperty('approval');
  });
});

test.for([
  ['no JSON', { raw: '{' }, 400],
  ['a list', { raw: '[]' }, 400],
  ['deep nesting', { raw: `{"context":${'['.repeat(50_000)}` }, 400],
  ['another content type', { raw: '{}', headers: { 'content-type': 'text/plain' } }, 415],
  ['a large body', { raw: `{"context":{"text":"${'x'.repeat(160_000)}"}}` }, 413],
  ['operators of the database', { body: { denial: { evaluation_id: { $gt: '' } } } }, 400],
  ['no credentials', { key: '', body: {} }, 401],
] as [string, Call, number][])('%s is a problem with a code', async ([, call, http]) => {
  const { status, body, headers } = await app.call('POST', REQUESTS, { key, ...call });
  expect([status, headers.get('content-type')]).toEqual([http, 'application/problem+json']);
  expect(body).toEqual({
    type: 'about:blank',
    title: expect.stringMatching(/^[A-Z]/),
    status: http,
    detail: expect.stringMatching(/^[A-Z_]+: \S/),
  });
});

test('names of tasks that are none are unknown, whatever they hold', async () => {
  const { status, body } = await app.call('GET', `${REQUESTS}/%FF`, { key });
  expect([status, body.type]).toEqual([400, 'about:blank']);
  for (const id of ['trc_', 'a', '..%2f', '%00', '$ne', 'x'.repeat(100), ada.organizationId]) {
    const answer = await read(id);
    expect([answer.status, answer.body.type, id]).toEqual([404, `${ERROR}unknown_task`, id]);
  }
});

// Sessions end within that time: what needs one comes before.
describe('after a day', () => {
  test('a repeated request gets the same task, although denial and task have ended', async () => {
    const question = toQuestion();
    const denied = await evaluate(question);
    const body = toRequest(question, denied);
    const again = Object.fromEntries(Object.entries(body).reverse());
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => submit(index % 2 ? again : body, withKey('first'))),
    );
    expect(new Set(answers.map(({ status, body: { task } }) => `${status} ${task.id}`)).size).toBe(
      1,
    );
    await decide(denied, { decision: 'approve' });
    clock.aheadMs += DAY;
    const late = await submit(body, withKey('first'));
    expect(late).toMatchObject({ status: 201, body: { task: { status: 'approved' } } });
    expectProblem(await submit(body, withKey('second')), 'expired_denial', 410);
  });

  test('a denial is over; asked once more it has a later end', async () => {
    const question = toQuestion();
    const denied = await evaluate(question);
    const end = new Date(denied.context.access_request.expires_at).getTime();
    expect(Math.abs(end - clock.now().getTime() - DAY)).toBeLessThan(60 * SECOND);
    expect((await evaluate(question)).context.access_request.expires_at).toBe(
      denied.context.access_request.expires_at,
    );
    clock.aheadMs += DAY;
    const late = await submit(toRequest(question, denied));
    expectProblem(late, 'expired_denial', 410);
    const once = await evaluate(question);
    expect(once.context.evaluation_id).toBe(denied.context.evaluation_id);
    assertOk(await submit(toRequest(question, once)));
  });
});
