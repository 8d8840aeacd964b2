// Exports of real instrumentations and exporters over HTTP: each tool call is one decision with tool, arguments and agent.
import { describe, expect, test } from 'vitest';
import { assertOk, createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import { useHarness } from '../../setup/fixtures.ts';
import {
  buildExport,
  buildToolSpan,
  readRecording,
  toAttributes,
} from '../../setup/otlp/exports.ts';
import { sendExport, sendRecording } from './sending.ts';

const { app } = useHarness();

interface Expected {
  action: object;
  agentId: string;
  conversation: string | undefined;
  mapping: string;
  tags?: string[];
}

const PROMPT = 'Please refund order 1042';
const refund = {
  action: { tool: 'issue_refund', arguments: { order_id: '1042', amount: 90 } },
  agentId: 'refund-agent',
};

const own: Expected[] = [
  {
    action: {
      tool: 'issue_refund',
      arguments: { orderId: '1042', amount: 90, currency: 'EUR' },
    },
    agentId: 'refund-agent',
    conversation: 'conv-7',
    mapping: 'genai-2026-11',
  },
  {
    // Its span has no arguments: they are in the answer of the model.
    action: { tool: 'send_email', arguments: { to: '[EMAIL]', subject: 'Refund' } },
    agentId: 'refund-agent',
    conversation: 'conv-7',
    mapping: 'genai-2026-11',
  },
  {
    action: { tool: 'lookup' },
    agentId: 'refund-agent',
    conversation: 'conv-7',
    mapping: 'genai-2026-11',
    tags: ['NO_ARGUMENTS'],
  },
];

const cases: [name: string, expected: Expected[]][] = [
  ['otel-js-proto', own],
  ['otel-js-proto-gzip', own],
  ['otel-js-json', own],
  ['otel-js-json-gzip', own],
  [
    'ai-sdk',
    [
      {
        action: { tool: 'issue_refund', arguments: { orderId: '1042', amount: 90 } },
        agentId: 'refund-agent',
        conversation: 'conv-7',
        mapping: 'ai-sdk-2026-11',
      },
    ],
  ],
  [
    'openinference-langchain',
    [{ ...refund, conversation: 'conv-7', mapping: 'openinference-2026-11' }],
  ],
  [
    'openinference-openai-agents',
    [{ ...refund, conversation: undefined, mapping: 'openinference-2026-11' }],
  ],
  ['traceloop-langchain', [{ ...refund, conversation: 'conv-7', mapping: 'openllmetry-2026-11' }]],
  [
    'traceloop-openai-agents',
    [{ ...refund, conversation: undefined, mapping: 'openllmetry-2026-11' }],
  ],
];

describe.each(cases)('%s', (name, expected) => {
  test('becomes its decisions, once', async () => {
    const ada = await createOwner(app);
    const { key } = await createWorkspaceKey(app, ada);
    const recording = readRecording(name);
    for (let time = 0; time < 2; time++) {
      const answer = await sendRecording(app, key, recording);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(recording.contentType),
      ]);
      expect(answer.text.replace('{}', '')).toBe('');
    }
    const { data, total } = assertOk(
      await app.call('GET', '/api/v1/traces', { token: ada.token }),
    ).body;
    expect(total).toBe(expected.length);
    // They are sealed in the order in which they began.
    expect(data.toReversed()).toEqual(
      expected.map(({ action, agentId, conversation, mapping, tags = [] }) =>
        expect.objectContaining({
          agentId,
          status: 'approved',
          outputDecision: { action },
          tags: expect.arrayContaining(tags),
          inputContext: {
            prompt: PROMPT,
            ...(conversation !== undefined && { conversationId: conversation }),
          },
          metadata: { latencyMs: expect.any(Number) },
          adapter: expect.objectContaining({
            kind: 'otlp',
            mapping,
            mode: 'observed',
            scope: expect.stringMatching(/./),
            traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
            spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
          }),
        }),
      ),
    );
  });
});

test('an export of which no span is understood says so, and one of which some are does not', async () => {
  const ada = await createOwner(app);
  const { key } = await createWorkspaceKey(app, ada);
  const plain = buildToolSpan({}, { attributes: toAttributes({ 'http.method': 'GET' }) });
  const nameless = buildToolSpan(
    {},
    { name: '', attributes: toAttributes({ 'gen_ai.operation.name': 'execute_tool' }) },
  );
  const unread = await sendExport(app, key, buildExport(plain, plain, nameless));
  expect([unread.status, unread.body]).toEqual([
    200,
    {
      partialSuccess: {
        rejectedSpans: '0',
        errorMessage: expect.stringMatching(/^3: spans, and none .*langfuse.*claude-code$/),
      },
    },
  ]);
  const mixed = await sendExport(app, key, buildExport(plain, buildToolSpan()));
  expect([mixed.status, mixed.body]).toEqual([200, {}]);
  expect((await sendExport(app, key, buildExport())).body).toEqual({});
});
