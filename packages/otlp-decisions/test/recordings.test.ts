// Exports of real instrumentations and exporters: each tool call is one decision with all that its trace says of it.
import { expect, test } from 'vitest';
import { readTraceExport, type SpanDecision } from '../src/index.ts';
import { readBytes, readRecording } from '../../../test/setup/otlp/exports.ts';

type Expected = Pick<SpanDecision, 'action' | 'conversationId' | 'dialect'>;

const refund = { tool: 'issue_refund', arguments: { order_id: '1042', amount: 90 } };
const own: Expected[] = [
  { tool: 'issue_refund', arguments: { orderId: '1042', amount: 90, currency: 'EUR' } },
  // Its span has no arguments: they are in the answer of the model, under the id of the call.
  { tool: 'send_email', arguments: { to: 'ada@example.com', subject: 'Refund' } },
  { tool: 'lookup' },
].map((action) => ({ action, conversationId: 'conv-7', dialect: 'genai' }));

const recordings: [name: string, expected: Expected[]][] = [
  ['otel-js-proto', own],
  ['otel-js-proto-gzip', own],
  ['otel-js-json', own],
  ['otel-js-json-gzip', own],
  [
    'ai-sdk',
    [
      {
        action: { tool: 'issue_refund', arguments: { orderId: '1042', amount: 90 } },
        conversationId: 'conv-7',
        dialect: 'ai-sdk',
      },
    ],
  ],
  [
    'openinference-langchain',
    [{ action: refund, conversationId: 'conv-7', dialect: 'openinference' }],
  ],
  [
    'openinference-openai-agents',
    [{ action: refund, conversationId: null, dialect: 'openinference' }],
  ],
  ['traceloop-langchain', [{ action: refund, conversationId: 'conv-7', dialect: 'openllmetry' }]],
  ['traceloop-openai-agents', [{ action: refund, conversationId: null, dialect: 'openllmetry' }]],
];

test.for(recordings)('%s', ([name, expected]) => {
  const encoding = readRecording(name).contentType.includes('json') ? 'json' : 'protobuf';
  const { decisions, refused } = readTraceExport(readBytes(name), encoding);
  expect(refused.size).toBe(0);
  const found = decisions.map(({ startMs, endMs, ...decision }) => ({
    ...decision,
    isTimed: (endMs ?? 0) >= (startMs ?? Infinity),
  }));
  expect(found).toEqual(
    expected.map(({ action, conversationId, dialect }) =>
      expect.objectContaining({
        action: { ...action },
        conversationId,
        dialect,
        mapping: `${dialect}-2026-11`,
        agent: expect.stringMatching(/^refund-agent$/),
        prompt: 'Please refund order 1042',
        scope: expect.stringMatching(/./),
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
        status: 'ok',
        error: null,
        isTimed: true,
      }),
    ),
  );
});
