// OTLP over HTTP: encodings, bounds and refusals, and what becomes of a decision after the fact.
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { useHarness } from '../../setup/fixtures.ts';
import {
  assertOk,
  createAgent,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';
import {
  buildExport,
  buildToolSpan,
  readBytes,
  readRecording,
  toAttributes,
} from '../../setup/otlp/exports.ts';
import { decodeMessage, wrapBytes } from '../../setup/otlp/protobuf.ts';
import { PROTOBUF, sendExport, sendRecording } from './sending.ts';

const { app } = useHarness();

interface Operator extends Owner {
  key: string;
}

async function createOperator(): Promise<Operator> {
  const ada = await createOwner(app);
  return { ...ada, key: (await createWorkspaceKey(app, ada)).key };
}

interface Decision {
  agentId: string;
  status: string;
  tags: string[];
  outputDecision: { action: { tool: string; arguments: { amount: number } } };
}

async function listDecisions({ token }: Owner): Promise<Decision[]> {
  return assertOk(await app.call('GET', '/api/v1/traces', { token })).body.data;
}

/** Everything above 50 is held, everything above 500 blocked. */
async function addPolicies({ token }: Owner): Promise<void> {
  for (const [value, type] of [
    [50, 'flag_for_review'],
    [500, 'block'],
  ] as const) {
    const body = {
      name: `${type} above ${value}`,
      conditions: [
        { field: 'outputDecision.action.arguments.amount', operator: 'greater_than', value },
      ],
      actions: [{ type }],
    };
    assertOk(await app.call('POST', '/api/v1/policies', { token, body }));
  }
}

const buildRefund = (amount: number, more: object = {}): object =>
  buildToolSpan({ 'gen_ai.tool.call.arguments': JSON.stringify({ amount }), ...more });

async function postBytes(key: string, bytes: Uint8Array, headers: Record<string, string>) {
  const response = await fetch(`${app.url}/v1/traces`, {
    method: 'POST',
    headers: { 'x-api-key': key, ...headers },
    body: new Uint8Array(bytes),
  });
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, bytes: new Uint8Array(await response.arrayBuffer()) };
}

const decodeStatus = (bytes: Uint8Array): object => decodeMessage('RpcStatus', bytes);

describe('the wire', () => {
  test('a key may come as a bearer, below the version of the API, and content types have parameters', async () => {
    const { key } = await createOperator();
    const answer = await app.call('POST', '/api/v1/otlp/v1/traces', {
      body: buildExport(buildToolSpan()),
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json; charset=utf-8',
      },
    });
    expect([answer.status, answer.body]).toEqual([200, {}]);
  });

  test('refusals are google.rpc.Status in the encoding of the request', async () => {
    const { key } = await createOperator();
    const broken = await postBytes(key, Buffer.from([10, 200]), { 'content-type': PROTOBUF });
    expect([broken.status, broken.type]).toEqual([400, PROTOBUF]);
    expect(decodeStatus(broken.bytes)).toEqual({
      code: 3,
      message: 'VALIDATION_ERROR: The body is no ExportTraceServiceRequest',
    });
    const stranger = await postBytes('', new Uint8Array(), { 'content-type': PROTOBUF });
    expect([stranger.status, decodeStatus(stranger.bytes)]).toEqual([
      401,
      { code: 16, message: expect.stringMatching(/^NO_API_KEY: /) },
    ]);
    const text = await app.call('POST', '/v1/traces', { key, raw: '{"resourceSpans": 1}' });
    expect([text.status, text.body]).toEqual([
      400,
      { code: 3, message: 'VALIDATION_ERROR: resourceSpans must be a list' },
    ]);
  });

  const unsupported: [what: string, headers: Record<string, string>][] = [
    ['a text', { 'content-type': 'text/plain' }],
    ['deflate', { 'content-type': 'application/json', 'content-encoding': 'deflate' }],
    ['br', { 'content-type': PROTOBUF, 'content-encoding': 'br' }],
  ];
  test.for(unsupported)('%s is 415', async ([, headers]) => {
    const { key } = await createOperator();
    const answer = await postBytes(key, Buffer.from('{}'), headers);
    expect(answer.status).toBe(415);
  });

  test('the bounds are those of the inflated body, of its spans and values', async () => {
    const { key } = await createOperator();
    const bomb = gzipSync(Buffer.alloc(5 * 1024 * 1024));
    const inflated = await postBytes(key, bomb, {
      'content-type': PROTOBUF,
      'content-encoding': 'gzip',
    });
    expect(inflated.status).toBe(413);
    // A span of no bytes, two thousand and one times.
    const spans = Buffer.concat(Array.from({ length: 2001 }, () => Buffer.from([0x12, 0])));
    const many = await postBytes(key, wrapBytes(1, wrapBytes(2, spans)), {
      'content-type': PROTOBUF,
    });
    expect([many.status, decodeStatus(many.bytes)]).toEqual([
      413,
      { code: 8, message: 'PAYLOAD_TOO_LARGE: At most 2000 spans in one request' },
    ]);
    // Attributes of no bytes: each would take a hundred times its size.
    const empty = Buffer.alloc(600_000, Buffer.from([0x4a, 0]));
    const values = await postBytes(key, wrapBytes(1, wrapBytes(2, wrapBytes(2, empty))), {
      'content-type': PROTOBUF,
    });
    expect(values.status).toBe(413);
    const levels = `{"resourceSpans":${'['.repeat(3_000_000)}`;
    expect((await app.call('POST', '/v1/traces', { key, raw: levels })).status).toBe(400);
  });

  test('logs and metrics are answered, with the reason', async () => {
    const { key } = await createOperator();
    for (const [signal, member] of [
      ['logs', 'rejectedLogRecords'],
      ['metrics', 'rejectedDataPoints'],
    ] as const) {
      const { status, body } = await app.call('POST', `/v1/${signal}`, { key, body: {} });
      expect([status, body]).toEqual([
        200,
        { partialSuccess: { [member]: '0', errorMessage: expect.stringMatching(/reads traces/) } },
      ]);
    }
  });

  test('a large export is read in a thread, with the same outcome', async () => {
    const ada = await createOperator();
    const text = 'x'.repeat(60_000);
    const spans = Array.from({ length: 6 }, (_, index) => buildRefund(index, { text }));
    const answer = await sendExport(app, ada.key, buildExport(...spans));
    expect([answer.status, answer.body]).toEqual([200, {}]);
    expect(await listDecisions(ada)).toHaveLength(6);
    const refused = await app.call('POST', '/v1/traces', { key: ada.key, raw: `{${text}${text}` });
    expect([refused.status, refused.body.code]).toEqual([400, 3]);
  });
});

describe('a decision after the fact', () => {
  test('is recorded once, however often and however parallel its span is sent', async () => {
    const ada = await createOperator();
    const body = buildExport(buildToolSpan(), buildToolSpan());
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => sendExport(app, ada.key, body)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(await listDecisions(ada)).toHaveLength(2);
  });

  test('is a breach when it is blocked, and approved with a tag when it would have been held', async () => {
    const ada = await createOperator();
    await addPolicies(ada);
    const answer = await sendExport(
      app,
      ada.key,
      buildExport(buildRefund(10), buildRefund(90), buildRefund(900)),
    );
    expect([answer.status, answer.body]).toEqual([200, {}]);
    const found = (await listDecisions(ada)).map(({ status, tags, outputDecision }) => ({
      status,
      isHold: tags.includes('OBSERVED_HOLD'),
      amount: outputDecision.action.arguments.amount,
    }));
    expect(found.toSorted((a, b) => a.amount - b.amount)).toEqual([
      { amount: 10, status: 'approved', isHold: false },
      { amount: 90, status: 'approved', isHold: true },
      { amount: 900, status: 'blocked', isHold: false },
    ]);
    const queue = await app.call('GET', '/api/v1/review-queue', { token: ada.token });
    expect(queue.body.total).toBe(0);
  });

  test('is reviewed where the workspace says so', async () => {
    const ada = await createOperator();
    await addPolicies(ada);
    const changed = await app.call('PATCH', `/api/v1/workspaces/${ada.workspaceId}`, {
      token: ada.token,
      body: { observed: { review: true } },
    });
    expect(changed.body.data.observed).toEqual({ review: true });
    await sendExport(app, ada.key, buildExport(buildRefund(90)));
    const { data } = (await app.call('GET', '/api/v1/review-queue', { token: ada.token })).body;
    expect(data).toHaveLength(1);
    expect(data[0].trace?.tags ?? (await listDecisions(ada))[0]?.tags).toContain('OBSERVED_HOLD');
  });

  test('cannot be claimed by a caller who could still wait: a posted decision is held', async () => {
    const ada = await createOperator();
    await addPolicies(ada);
    const { status } = await app.call('POST', '/api/v1/traces', {
      key: ada.key,
      body: {
        agentId: 'desk',
        inputContext: { prompt: 'p' },
        outputDecision: { action: { tool: 'refund', arguments: { amount: 90 } } },
        adapter: { kind: 'otlp', mode: 'observed' },
      },
    });
    expect(status).toBe(202);
  });

  test('belongs to the agent of an agent key, whatever the span says', async () => {
    const ada = await createOperator();
    const agent = await createAgent(app, ada);
    const answer = await sendExport(app, agent.key, buildExport(buildToolSpan()));
    expect([answer.status, answer.body]).toEqual([200, {}]);
    expect((await listDecisions(ada))[0]).toMatchObject({ agentId: agent.id });
  });

  test('is refused one by one, and the answer says why', async () => {
    const ada = await createOperator();
    const agent = await createAgent(app, ada);
    const scope = { scope: { agentIds: [agent.id] } };
    const { key } = await createWorkspaceKey(app, ada, scope);
    const body = buildExport(
      buildToolSpan(),
      buildToolSpan({ 'gen_ai.agent.name': agent.id }),
      buildToolSpan({}, { traceId: '00', spanId: '' }),
    );
    const answer: Answer = await sendExport(app, key, body);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        partialSuccess: {
          rejectedSpans: '2',
          errorMessage: expect.stringMatching(
            /FORBIDDEN.*valid trace id|valid trace id.*FORBIDDEN/,
          ),
        },
      },
    ]);
    expect(await listDecisions(ada)).toHaveLength(1);
    const bytes = await postBytes(key, readBytes('otel-js-proto'), { 'content-type': PROTOBUF });
    expect(decodeMessage('ExportTraceResponse', bytes.bytes)).toMatchObject({
      partialSuccess: { rejected: 3 },
    });
  });

  test('with arguments that are too long for an action shows their digest, and holds them whole', async () => {
    const ada = await createOperator();
    const text = 'long '.repeat(4000);
    const given = JSON.stringify({ body: text, to: 'desk' });
    await sendExport(
      app,
      ada.key,
      buildExport(buildToolSpan({ 'gen_ai.tool.call.arguments': given })),
    );
    const [decision] = await listDecisions(ada);
    expect(decision?.outputDecision).toMatchObject({
      action: {
        tool: 'refund',
        arguments: { to: 'desk', body: { $bytes: 20_000, $sha256: expect.any(String) } },
      },
      toolCalls: [{ tool: 'refund', arguments: { body: text, to: 'desk' } }],
    });
  });

  test('is counted, by dialect', async () => {
    const ada = await createOperator();
    for (let time = 0; time < 2; time++)
      await sendRecording(app, ada.key, readRecording('otel-js-proto-gzip'));
    await sendExport(app, ada.key, buildExport(buildToolSpan({}, { attributes: [] })));
    const plain = { attributes: toAttributes({ 'http.method': 'GET' }) };
    await sendExport(app, ada.key, buildExport(buildToolSpan({}, plain)));
    const usage = await app.call('GET', '/api/v1/usage/current', { token: ada.token });
    const none = { linked: 0, rejected: 0, withoutArguments: 0 };
    expect(usage.body.data.spans).toEqual([
      {
        ...none,
        dialect: 'genai',
        recorded: 3,
        repeated: 3,
        context: 4,
        unmapped: 0,
        withoutArguments: 1,
      },
      { ...none, dialect: 'none', recorded: 0, repeated: 0, context: 0, unmapped: 2 },
    ]);
    const metrics = await app.call('GET', '/metrics');
    expect(metrics.text).toMatch(/assay_otlp_spans_total\{dialect="genai",result="recorded"\} \d/);
  });
});
