// Every content limit of version 2026-04-11: accepted at the limit, refused one beyond it (document 1, section 9).
import { expect, test } from 'vitest';
import {
  findLimitViolations,
  type LimitedDecision,
} from '../../../src/domain/record/content-limits.ts';
import { SCHEMA_VERSIONS } from '../../../src/domain/record/schema-versions.ts';

const limits = SCHEMA_VERSIONS.find(({ version }) => version === '2026-04-11')?.limits;
if (!limits) throw new Error('the only registered version is gone');

/** The violations of a decision sent as this text. */
const violationsOf = (decision: LimitedDecision, sent = JSON.stringify(decision)) =>
  findLimitViolations(decision, limits, Buffer.byteLength(sent));

const input = { prompt: 'p' };
const output = { action: 'reply' };
const text = (length: number): string => 'x'.repeat(length);
const list = (length: number): unknown[] => Array.from({ length }, () => ({ decision: 'other' }));
/** A value whose JSON has this many bytes. */
const json = (bytes: number): { s: string } => ({ s: text(bytes - '{"s":""}'.length) });

const cases: [path: string, limit: number, decision: (size: number) => LimitedDecision][] = [
  [
    'inputContext.prompt',
    50_000,
    (size) => ({ inputContext: { prompt: text(size) }, outputDecision: output }),
  ],
  [
    'inputContext.systemPrompt',
    50_000,
    (size) => ({ inputContext: { ...input, systemPrompt: text(size) }, outputDecision: output }),
  ],
  [
    'inputContext.context',
    102_400,
    (size) => ({ inputContext: { ...input, context: json(size) }, outputDecision: output }),
  ],
  [
    'inputContext.conversationId',
    256,
    (size) => ({ inputContext: { ...input, conversationId: text(size) }, outputDecision: output }),
  ],
  [
    'outputDecision.action',
    10_240,
    (size) => ({ inputContext: input, outputDecision: { action: json(size) } }),
  ],
  [
    'outputDecision.rationale',
    50_000,
    (size) => ({ inputContext: input, outputDecision: { ...output, rationale: text(size) } }),
  ],
  [
    'outputDecision.alternatives',
    10,
    (size) => ({ inputContext: input, outputDecision: { ...output, alternatives: list(size) } }),
  ],
  [
    'outputDecision.toolCalls',
    50,
    (size) => ({ inputContext: input, outputDecision: { ...output, toolCalls: list(size) } }),
  ],
  [
    'rationale',
    50_000,
    (size) => ({ inputContext: input, outputDecision: output, rationale: text(size) }),
  ],
  [
    'alternatives',
    10,
    (size) => ({ inputContext: input, outputDecision: output, alternatives: list(size) }),
  ],
  [
    'alternatives',
    102_400,
    (size) => ({ inputContext: input, outputDecision: output, alternatives: [json(size - 2)] }),
  ],
  [
    'outputDecision.alternatives',
    102_400,
    (size) => ({
      inputContext: input,
      outputDecision: { ...output, alternatives: [json(size - 2)] },
    }),
  ],
  [
    'outputDecision.toolCalls',
    512_000,
    (size) => ({
      inputContext: input,
      outputDecision: {
        ...output,
        toolCalls: [...new Array(5).fill(json(100_000)), json(size - 500_007)],
      },
    }),
  ],
  [
    'outputDecision.toolCalls.1',
    102_400,
    (size) => ({
      inputContext: input,
      outputDecision: { ...output, toolCalls: [{}, json(size)] },
    }),
  ],
  [
    'inputContext',
    102_400,
    (size) => ({ inputContext: { ...input, ...json(size) }, outputDecision: output }),
  ],
  [
    'outputDecision',
    102_400,
    (size) => ({ inputContext: input, outputDecision: { ...output, ...json(size) } }),
  ],
  ...(['metadata', 'adapter', 'mlBomReference', 'art12', 'conversation', 'crew'] as const).map(
    (name): (typeof cases)[number] => [
      name,
      102_400,
      (size) => ({ inputContext: input, outputDecision: output, [name]: json(size) }),
    ],
  ),
  [
    'metadata.a',
    1_000,
    (size) => ({
      inputContext: input,
      outputDecision: output,
      metadata: { a: Object.fromEntries(list(size).map((_, at) => [at, 0])) },
    }),
  ],
];

test.each(cases)('%s may reach %i and no more', (path, limit, decision) => {
  expect(violationsOf(decision(limit))).toEqual([]);
  expect(violationsOf(decision(limit + 1))).toMatchObject([{ path, limit, found: limit + 1 }]);
});

test('a character is a code point, a byte is one of UTF-8', () => {
  const emoji = '\u{1f600}';
  expect(
    violationsOf({ inputContext: { prompt: emoji.repeat(50_000) }, outputDecision: output }),
  ).toEqual([]);
  expect(
    violationsOf({ inputContext: { prompt: emoji.repeat(50_001) }, outputDecision: output }),
  ).toMatchObject([{ path: 'inputContext.prompt', found: 50_001, unit: 'characters' }]);
  const action = { s: 'é'.repeat(5_117) };
  expect(violationsOf({ inputContext: input, outputDecision: { action } })).toMatchObject([
    { path: 'outputDecision.action', found: 10_242, unit: 'bytes of JSON' },
  ]);
});

test('reports all exceeded limits in the order of the body', () => {
  const decision = {
    inputContext: { prompt: text(50_001) },
    outputDecision: { action: 'a' },
    alternatives: list(11),
  };
  expect(violationsOf(decision).map(({ path }) => path)).toEqual([
    'inputContext.prompt',
    'alternatives',
  ]);
});

test('measures the serialized JSON, even when the body had fewer bytes', () => {
  const decision = {
    inputContext: { ...input, context: new Array<number>(4_700).fill(1e20) },
    outputDecision: output,
  };
  const sent = JSON.stringify(decision).replaceAll('100000000000000000000', '1e20');
  expect(sent.length).toBeLessThan(25_000);
  expect(violationsOf(decision, sent)).toMatchObject([{ path: 'inputContext.context' }]);
});
