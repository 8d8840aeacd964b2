// What a reported call becomes: whose it is, and how its texts fit into a decision.
import { expect, test } from 'vitest';
import type { SpanDecision } from '@assay/otlp-decisions';
import { toObservedCall } from '../../../src/domain/otlp/observed-call.ts';

const reported: SpanDecision = {
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  spanName: 'execute_tool refund',
  dialect: 'genai',
  mapping: 'genai-2026-11',
  scope: 'tests@1',
  service: null,
  agent: 'desk',
  conversationId: null,
  prompt: null,
  action: { tool: 'refund', arguments: { amount: 90 } },
  callId: null,
  startMs: 1764000000000.25,
  endMs: 1764000000250,
  status: 'ok',
  error: null,
  decisionId: null,
};

test('is a decision after the fact', () => {
  expect(toObservedCall(reported)).toEqual({
    dialect: 'genai',
    key: `otlp:${'a'.repeat(32)}:${'b'.repeat(16)}`,
    body: {
      agentId: 'desk',
      inputContext: { prompt: 'span execute_tool refund' },
      outputDecision: { action: { tool: 'refund', arguments: { amount: 90 } } },
      metadata: { latencyMs: 249.75 },
      timestamp: '2025-11-24T16:00:00.000Z',
      adapter: {
        kind: 'otlp',
        mapping: 'genai-2026-11',
        mode: 'observed',
        scope: 'tests@1',
        traceId: 'a'.repeat(32),
        spanId: 'b'.repeat(16),
      },
    },
    tags: [],
    decisionId: null,
    act: { tool: 'refund', arguments: { amount: 90 } },
    agent: 'desk',
  });
});

test.each<[Partial<SpanDecision>, string]>([
  [{}, 'desk'],
  [{ agent: null, service: ' shop ' }, 'shop'],
  [{ agent: null, service: ' ' }, 'tests@1'],
  [{ agent: null, scope: '' }, 'unnamed agent'],
  [{ agent: 'x'.repeat(201) }, 'x'.repeat(200)],
])('the agent of %j', (members, agentId) => {
  expect(toObservedCall({ ...reported, ...members }).body['agentId']).toBe(agentId);
});

test('texts are cut to what a decision takes, never inside of a character', () => {
  const long = '💾'.repeat(60_000);
  const { body, tags } = toObservedCall({
    ...reported,
    conversationId: long,
    prompt: long,
    callId: long,
    error: `x${long}`,
    action: { tool: long },
  });
  expect(tags).toEqual(['NO_ARGUMENTS']);
  expect(body).toMatchObject({
    inputContext: { prompt: '💾'.repeat(25_000), conversationId: '💾'.repeat(128) },
    outputDecision: { action: { tool: '💾'.repeat(100) } },
    metadata: { error: `x${'💾'.repeat(499)}\u{fffd}` },
    adapter: { callId: '💾'.repeat(100) },
  });
});

test.each<[Partial<SpanDecision>, object]>([
  [
    { error: '', status: 'error' },
    { latencyMs: 249.75, error: 'failed' },
  ],
  [{ endMs: null }, {}],
  [{ endMs: 1 }, {}],
])('the run of %j', (members, metadata) => {
  expect(toObservedCall({ ...reported, ...members }).body['metadata']).toEqual(metadata);
});
