// The Agent Control Standard: a guardian that answers signed requests with dispositions, by the guide's own client.
import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { deriveSessionKey, signEnvelope } from '../../../src/domain/acs/signature.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createOwner, createWorkspaceKey } from '../../setup/personas.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let key: string;
let sign: (request: object, apiKey: string) => object;

beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  const guide = readFileSync('docs/guides/agent-control-standard.md', 'utf8');
  const [, code = ''] = /```js\n(.*?)```/s.exec(guide) ?? [];
  ({ sign } = await import(`data:text/javascript,${encodeURIComponent(code)}`));
  for (const [value, type] of [
    ['pay', 'flag_for_review'],
    ['wipe', 'block'],
  ])
    assertOk(
      await app.call('POST', '/api/v1/policies', {
        token: ada.token,
        body: {
          name: `no ${value}`,
          conditions: [{ field: 'outputDecision.action.tool', operator: 'equals', value }],
          actions: [{ type, config: { reason: `Not ${value}` } }],
        },
      }),
    );
});

const SESSION = '5c3f1b8e-9a0d-4c2e-8f4b-2d6a7e9c1b30';

interface Parts {
  params?: object;
  metadata?: object;
  more?: object;
}
const build = (method: string, payload: unknown, { params, metadata, more }: Parts = {}) => ({
  jsonrpc: '2.0',
  method,
  id: 'call-1',
  params: {
    acs_version: '0.1.0',
    request_id: randomUUID(),
    timestamp: new Date().toISOString(),
    metadata: { agent_id: 'desk', session_id: SESSION, ...metadata },
    payload,
    ...params,
  },
  ...more,
});
const buildCall = (name: string, values: object, parts?: Parts) =>
  build(
    'steps/toolCallRequest',
    {
      tool: { name },
      arguments: Object.fromEntries(
        Object.entries(values).map(([argument, value]) => [argument, { value }]),
      ),
      intent: { goal: 'Help the customer' },
    },
    parts,
  );

async function send(request: object, { path = '/acs', by = key } = {}) {
  const answer = await app.call('POST', path, { key: by, body: request });
  expect(answer.status).toBe(200);
  return answer.body;
}
const sendSigned = (request: object, more: { path?: string; by?: string } = {}) =>
  send(sign(request, more.by ?? key), more);

/** Sends, and checks that the answer is signed by the key of the session. */
async function decide(request: object, more?: { path?: string }) {
  const answer = await sendSigned(request, more);
  expect(answer.error).toBeUndefined();
  const { signature, ...result } = answer.result;
  const resigned = signEnvelope({ ...answer, result }, 'result', {
    key: deriveSessionKey(key, SESSION),
    keyId: signature.key_id,
  });
  expect(resigned).toEqual(answer);
  return result;
}

test('a handshake says what is evaluated, and that a failure denies', async () => {
  const hello = {
    acs_versions_supported: ['0.1.0', '1.0.0'],
    methods_implemented: ['steps/sessionStart', 'steps/toolCallRequest'],
    transports_supported: ['http'],
    provenance_producer: 'none',
    profiles_supported: ['acs-core'],
  };
  expect((await decide(build('handshake/hello', hello))).payload).toEqual({
    negotiated_version: '0.1.0',
    methods_evaluated: ['steps/toolCallRequest'],
    selected_transport: 'http',
    signature_algorithms_supported: ['HMAC-SHA256'],
    timeout_config: { default_ms: 10_000 },
    skew_window_ms: 300_000,
    on_decision_failure: 'deny',
    approver_types_supported: ['human'],
    policy_requires_provenance: false,
    profiles_accepted: [],
  });
  const newer = { ...hello, acs_versions_supported: ['1.0.0'] };
  expect((await sendSigned(build('handshake/hello', newer))).error).toMatchObject({
    code: -32001,
    data: { supported_versions: ['0.1.0'] },
  });
});

describe('a tool call', () => {
  test('is allowed, and a decision on the record', async () => {
    const request = buildCall(
      'read',
      { page: 7 },
      { metadata: { turn_id: 't-1', user_context: { user_id: 'u-1' } } },
    );
    const { decision, policy_data: data } = await decide(request);
    expect(decision).toBe('allow');
    const path = `/api/v1/traces/${data.assay.decision_id}`;
    const trace = assertOk(await app.call('GET', path, { token: ada.token })).body.data;
    expect(trace).toMatchObject({
      agentId: 'desk',
      sessionId: SESSION,
      status: 'approved',
      actor: [{ type: 'user', id: 'u-1' }],
      adapter: {
        kind: 'acs',
        version: '0.1.0',
        requestId: request.params.request_id,
        turnId: 't-1',
      },
      inputContext: { prompt: 'Help the customer' },
      outputDecision: { action: { tool: 'read', arguments: { page: 7 } } },
      hashChain: { sequence: data.assay.sequence, chainHash: data.assay.chain_hash },
    });
  });

  test('is denied with the policy that blocks it', async () => {
    expect(await decide(buildCall('wipe', { disk: 1 }))).toMatchObject({
      decision: 'deny',
      reasoning: 'Not wipe',
      reason_codes: ['svc_blocked_by_policy'],
      policy_references: [{ policy_name: 'no wipe' }],
    });
  });

  test('that is too large to be recorded is denied, since an error would let it pass', async () => {
    expect(await decide(buildCall('read', { text: 'x'.repeat(11_000) }))).toMatchObject({
      decision: 'deny',
      reason_codes: ['svc_validation_failed'],
    });
  });

  test('that is held asks for an approval, is allowed once, and its result ends it', async () => {
    const request = buildCall('pay', { amount: 5 });
    const held = await decide(request);
    expect(held).toMatchObject({
      decision: 'ask',
      reasoning: 'A person has to approve this tool call: Not pay',
      ask_details: {
        approver: { type: 'human' },
        timeout_seconds: 600,
        timeout_disposition: 'deny',
      },
    });
    const { id, endpoint } = held.ask_details.approver;
    expect(endpoint).toBe(held.policy_data.assay.approval);
    const { pathname, search } = new URL(endpoint);
    const path = pathname + search;
    const repeat = (amount = 5) => decide(buildCall('pay', { amount }), { path });
    const waiting = repeat();
    const body = { decision: 'approve', reason: 'Seen' };
    const verdict = `/api/v1/review-queue/${id}/decision`;
    assertOk(await app.call('POST', verdict, { token: ada.token, body }));
    const allowed = await waiting;
    expect(allowed.decision).toBe('allow');
    expect(await repeat()).toMatchObject({ decision: 'deny', reason_codes: ['approval_used'] });
    expect(await repeat(6)).toMatchObject({
      decision: 'deny',
      reason_codes: ['approval_mismatch'],
    });

    const result = {
      tool: { name: 'pay' },
      request_id_ref: request.params.request_id,
      exit_status: 'success',
      outputs: [],
      duration_ms: 12,
    };
    expect(await decide(build('steps/toolCallResult', result))).toMatchObject({
      decision: 'allow',
    });
    const executions = `/api/v1/traces/${held.policy_data.assay.decision_id}/executions`;
    const { data } = assertOk(await app.call('GET', executions, { key })).body;
    expect(data).toEqual([expect.objectContaining({ state: 'succeeded', durationMs: 12 })]);
  });

  /** Holds a call, approves it with edits, and repeats it to its approver. */
  async function approveEdited(edits: object, more = '') {
    const order = randomUUID();
    const call = () => buildCall('pay', { amount: 90, to: 'jo@example.com', order });
    const request = call();
    const held = await decide(request, { path: `/acs${more}` });
    const { id, endpoint } = held.ask_details.approver;
    const { token } = ada;
    const decision = `/api/v1/traces/${held.policy_data.assay.decision_id}`;
    const { review } = assertOk(await app.call('GET', decision, { token })).body.data;
    const body = { decision: 'approve', edits, actionDigest: review.actionDigest };
    const verdict = `/api/v1/review-queue/${id}/decision`;
    assertOk(await app.call('POST', verdict, { token, body }));
    const { pathname, search } = new URL(endpoint);
    const repeat = () => decide(call(), { path: pathname + search });
    return { held, request, repeat };
  }

  test('that is approved with edits goes on with these, once', async () => {
    const { held, request, repeat } = await approveEdited({
      arguments: { amount: 45, note: 'ok' },
    });
    expect(await repeat()).toMatchObject({
      decision: 'modify',
      reasoning: expect.stringMatching(/\S/),
      modifications: { parameter_overrides: { amount: 45, note: 'ok' } },
    });
    expect(await repeat()).toMatchObject({ decision: 'deny', reason_codes: ['approval_used'] });
    const { request_id: asked } = request.params;
    const result = { request_id_ref: asked, exit_status: 'success', outputs: [] };
    await decide(build('steps/toolCallResult', result));
    const executions = `/api/v1/traces/${held.policy_data.assay.decision_id}/executions`;
    const { data } = assertOk(await app.call('GET', executions, { key })).body;
    expect(data).toEqual([expect.objectContaining({ state: 'succeeded' })]);
  });

  test.for([
    ['for an agent that changes no call', { arguments: { amount: 45 } }, '?edits=deny'],
    ['that take an argument away', { arguments: { amount: null } }, ''],
    ['that name another tool', { tool: 'refund' }, ''],
  ] as const)('edits %s deny it, with what was approved', async ([, edits, more]) => {
    const { held, repeat } = await approveEdited(edits, more);
    expect(await repeat()).toMatchObject({
      decision: 'deny',
      reasoning: expect.stringContaining('What was approved has these arguments: {'),
      reason_codes: ['modify_unsupported'],
    });
    const executions = `/api/v1/traces/${held.policy_data.assay.decision_id}/executions`;
    expect(assertOk(await app.call('GET', executions, { key })).body.data).toEqual([]);
  });

  test('that is held is deferred for agents without approvals', async () => {
    expect(
      await decide(buildCall('pay', { amount: 8 }), { path: '/acs?hold=defer' }),
    ).toMatchObject({
      decision: 'defer',
      defer_details: {
        reason: 'pending_dependency',
        resolution_method: 'human_approval',
        resolution_timeout_ms: 600_000,
        timeout_decision: 'deny',
      },
    });
  });

  test('of another organisation is neither approved nor shown', async () => {
    const held = await decide(buildCall('pay', { amount: 9 }));
    const eve = await createOwner(app, 'Eve');
    const { key: theirs } = await createWorkspaceKey(app, eve);
    const { pathname, search } = new URL(held.ask_details.approver.endpoint);
    const path = pathname + search;
    const answer = await sendSigned(buildCall('pay', { amount: 9 }), { path, by: theirs });
    expect(answer.result).toMatchObject({ decision: 'deny', reason_codes: ['not_found'] });
  });
});

describe('a request is refused', () => {
  test('that was sent before in its session, and in no other one', async () => {
    const request = buildCall('read', { page: 1 });
    await decide(request);
    expect((await sendSigned(request)).error).toMatchObject({ code: -32005 });
    const metadata = { agent_id: 'desk', session_id: 'another' };
    const other = { ...request, params: { ...request.params, metadata } };
    expect((await sendSigned(other)).result).toMatchObject({ decision: 'allow' });
  });

  test.for([-301_000, 301_000])('that is %i ms off', async (ms) => {
    const timestamp = new Date(Date.now() + ms).toISOString();
    const { error } = await sendSigned(buildCall('read', {}, { params: { timestamp } }));
    expect(error).toMatchObject({ code: -32006, data: { skew_window_ms: 300_000 } });
  });

  test('without its signature, with another one, and when a byte changed', async () => {
    const request = buildCall('read', { page: 3 });
    const signed = sign(request, key) as { params: object };
    const stranger = sign(request, 'svc_other');
    const changed = { ...signed, params: { ...signed.params, acs_version: '0.1.1' } };
    const odd = {
      ...request,
      params: { ...request.params, signature: { algorithm: 'none', value: 7 } },
    };
    for (const sent of [request, stranger, changed, odd])
      expect((await send(sent)).error).toMatchObject({ code: -32004 });
    expect((await send(signed)).result).toMatchObject({ decision: 'allow' });
  });

  const wrong: readonly [name: string, request: object, code: number][] = [
    ['an unknown method', build('make/coffee', {}), -32601],
    ['a hook that is not evaluated', build('steps/sessionStart', {}), -32003],
    ['a wrapped protocol', build('protocols/MCP/tools/call', {}), -32003],
    [
      'another version',
      build('steps/toolCallRequest', {}, { params: { acs_version: '1.0.0' } }),
      -32600,
    ],
    [
      'a request_id that is none',
      build('steps/toolCallRequest', {}, { params: { request_id: '7' } }),
      -32600,
    ],
    ['another protocol', build('steps/toolCallRequest', {}, { more: { jsonrpc: '1.0' } }), -32600],
    ['a payload without a tool', build('steps/toolCallRequest', { arguments: {} }), -32602],
    [
      'arguments that are a list',
      build('steps/toolCallRequest', { tool: { name: 'x' }, arguments: [] }),
      -32602,
    ],
    ['a hello without versions', build('handshake/hello', {}), -32602],
    ['a result without a status', build('steps/toolCallResult', { outputs: [] }), -32602],
  ];
  test.for(wrong)('%s', async ([, request, code]) => {
    expect((await sendSigned(request)).error).toMatchObject({
      code,
      message: expect.stringMatching(/\S/),
      signature: { algorithm: 'HMAC-SHA256' },
    });
  });

  test.for([
    ['a batch', '[]', -32600],
    ['no JSON', '{', -32700],
    ['deep nesting', '['.repeat(60_000), -32700],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), -32700],
    ['nothing', '', -32700],
    ['a request of nothing', '{}', -32004],
  ] as const)('%s', async ([, raw, code]) => {
    const answer = await app.call('POST', '/acs', { key, raw });
    expect([answer.status, answer.body.error?.code]).toEqual([200, code]);
  });

  test('by a caller without a key, or beyond the size of a request', async () => {
    expect((await app.call('POST', '/acs', { body: {} })).status).toBe(401);
    const large = await app.call('POST', '/acs', { key, raw: ' '.repeat(20_000_000) });
    expect(large.status).toBe(413);
  });
});

test('a ping is allowed without signature, whatever it holds', async () => {
  const ping = await send({
    jsonrpc: '2.0',
    id: 7,
    method: 'system/ping',
    params: { payload: { echo: 'hi' } },
  });
  expect(ping.result).toMatchObject({ decision: 'allow', payload: { status: 'ok', echo: 'hi' } });
  for (const params of [null, 7, [], { payload: 'x' }, { payload: { echo: { deep: 1 } } }])
    expect(
      (await send({ jsonrpc: '2.0', id: 7, method: 'system/ping', params })).result.decision,
    ).toBe('allow');
});
