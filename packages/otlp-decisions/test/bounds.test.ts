// The bounds of an export, in both encodings: up to each it is read, and one beyond it is refused as a whole.
import { describe, expect, test } from 'vitest';
import {
  ExportError,
  type ExportEncoding,
  exportLimits,
  findExportEncoding,
  readTraceExport,
} from '../src/index.ts';
import { buildExport, buildToolSpan, toAttributes } from '../../../test/setup/otlp/exports.ts';
import { encodeSpan, wrapBytes, wrapSpans } from '../../../test/setup/otlp/protobuf.ts';

const toJson = (...spans: object[]): Buffer => Buffer.from(JSON.stringify(buildExport(...spans)));
const toProtobuf = (...spans: object[]): Buffer => wrapSpans(...spans.map(encodeSpan));
const writers = [
  ['json', toJson],
  ['protobuf', toProtobuf],
] as const;

/** The number of decisions, or why an export is refused. */
function tryCount(bytes: Uint8Array, encoding: ExportEncoding): number | string {
  try {
    return readTraceExport(bytes, encoding).decisions.length;
  } catch (error) {
    if (error instanceof ExportError && error.isTooLarge) return error.message;
    throw error;
  }
}

describe.for(writers)('in %s', ([encoding, write]) => {
  test('bytes', () => {
    const own = write(buildToolSpan({ odd: '' })).length;
    // Lengths in protobuf grow by up to three bytes each, for the span, the attribute and what is around them.
    const room = encoding === 'json' ? 0 : 30;
    const fill = (more: number): Buffer =>
      write(buildToolSpan({ odd: 'x'.repeat(exportLimits.bytes - own + more) }));
    expect(tryCount(fill(-room), encoding)).toBe(1);
    expect(tryCount(fill(1), encoding)).toBe('At most 4194304 bytes in one request');
  });

  test('spans', () => {
    const spans = Array.from({ length: exportLimits.spans }, () =>
      buildToolSpan({}, { attributes: toAttributes({ 'gen_ai.tool.name': 'refund' }) }),
    );
    expect(tryCount(write(...spans), encoding)).toBe(exportLimits.spans);
    expect(tryCount(write(...spans, buildToolSpan()), encoding)).toBe(
      'At most 2000 spans in one request',
    );
  });

  test('ancestors', () => {
    const toId = (place: number): string => String(place + 1).padStart(16, '0');
    const chain = (length: number): object[] =>
      Array.from({ length }, (_, place) => ({
        ...buildToolSpan(),
        traceId: 'a'.repeat(32),
        spanId: toId(place),
        ...(place > 0 && { parentSpanId: toId(place - 1) }),
        attributes: toAttributes(
          place === 0
            ? { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'desk' }
            : { 'gen_ai.operation.name': place === length - 1 ? 'execute_tool' : 'chat' },
        ),
      }));
    const readAgent = (length: number): (string | null)[] =>
      readTraceExport(write(...chain(length)), encoding).decisions.map(({ agent }) => agent);
    expect(readAgent(exportLimits.ancestors)).toEqual(['desk']);
    expect(readAgent(exportLimits.ancestors + 1)).toEqual([null]);
  });

  test('spans within each other in a circle', () => {
    const [one, other] = ['1'.repeat(16), '2'.repeat(16)];
    const members = { traceId: 'b'.repeat(32), name: 'execute_tool refund' };
    const circle = [
      buildToolSpan({}, { ...members, spanId: one, parentSpanId: other }),
      buildToolSpan({}, { ...members, spanId: other, parentSpanId: one }),
    ];
    expect(tryCount(write(...circle), encoding)).toBe(2);
  });
});

test('values in JSON', () => {
  const fill = (values: number): Buffer =>
    Buffer.from(`{"resourceSpans":[],"odd":[${'0,'.repeat(values)}0]}`);
  expect(tryCount(fill(exportLimits.values - 10), 'json')).toBe(0);
  expect(tryCount(fill(exportLimits.values), 'json')).toBe(
    'At most 250000 members and elements, and 2000 spans, in one request',
  );
});

test('values in protobuf, which may be empty', () => {
  const fill = (values: number): Buffer =>
    wrapSpans(Buffer.alloc(2 * values, Buffer.from([0x4a, 0])));
  expect(tryCount(fill(exportLimits.values - 10), 'protobuf')).toBe(0);
  expect(tryCount(fill(exportLimits.values), 'protobuf')).toBe(
    'At most 250000 values in one request',
  );
});

test.each([
  ['no JSON', '{', 'json', 'The body is not valid JSON'],
  ['no UTF-8', '\xff', 'json', 'The body is not valid JSON in UTF-8'],
  ['a list', '[]', 'json', 'the body must be an object'],
  ['no list of resources', '{"resourceSpans":1}', 'json', 'resourceSpans must be a list'],
  ['no message', '\n\xc8', 'protobuf', 'The body is no ExportTraceServiceRequest'],
] as const)('%s is refused', (_, text, encoding, message) => {
  const error = new ExportError(message);
  expect(() => readTraceExport(Buffer.from(text, 'latin1'), encoding)).toThrow(error);
});

test('nothing is an export of nothing', () => {
  expect(readTraceExport(new Uint8Array(), 'protobuf').decisions).toEqual([]);
  expect(readTraceExport(wrapBytes(1, Buffer.alloc(0)), 'protobuf').decisions).toEqual([]);
  expect(readTraceExport(Buffer.from('{}'), 'json').decisions).toEqual([]);
});

test.each([
  ['application/x-protobuf', 'protobuf'],
  ['Application/X-Protobuf; charset=utf-8', 'protobuf'],
  ['application/json', 'json'],
  ['application/json ;charset=utf-8', 'json'],
  ['application/json-seq', null],
  ['application/protobuf', null],
  ['text/plain', null],
  ['', null],
])('the content type %j names %s', (contentType, encoding) => {
  expect(findExportEncoding(contentType)).toBe(encoding);
});

test.each([
  ['json', toJson],
  ['protobuf', toProtobuf],
] as const)('what a span says of its run, in %s', (encoding, write) => {
  const found = write(
    buildToolSpan(
      { 'gen_ai.tool.call.id': 'c1', 'assay.decision.id': 'trc_1' },
      {
        traceId: 'a'.repeat(32),
        spanId: 'b'.repeat(16),
        startTimeUnixNano: '1764000000000500000',
        status: { code: 2, message: 'refused' },
      },
    ),
  );
  const scope = encoding === 'json' ? 'tests@1' : '';
  expect(readTraceExport(found, encoding).decisions).toEqual([
    {
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      spanName: 'execute_tool refund',
      dialect: 'genai',
      mapping: 'genai-2026-11',
      scope,
      service: null,
      agent: 'desk',
      conversationId: null,
      prompt: null,
      action: { tool: 'refund', arguments: { amount: 90 } },
      callId: 'c1',
      startMs: expect.closeTo(1764000000000.5, 3),
      endMs: expect.closeTo(1764000000250, 3),
      status: 'error',
      error: 'refused',
      decisionId: 'trc_1',
    },
  ]);
});

test('calls within one with long arguments are compared in a time linear in the bytes', () => {
  const trace = { traceId: 'a'.repeat(32) };
  const outer = { spanId: '1'.repeat(16), ...trace };
  const long = Array.from({ length: 19_000 }, (_, index) => `${'x'.repeat(80)}${index}`);
  const inner = Array.from({ length: exportLimits.spans - 1 }, (_, index) =>
    buildToolSpan(
      { 'gen_ai.tool.call.arguments': JSON.stringify({ index }) },
      { ...trace, parentSpanId: outer.spanId },
    ),
  );
  const attributes = { 'gen_ai.tool.call.arguments': JSON.stringify(long) };
  const bytes = toJson(buildToolSpan(attributes, outer), ...inner);
  const began = performance.now();
  expect(tryCount(bytes, 'json')).toBe(exportLimits.spans);
  // It took five seconds where the arguments around were written out for each call within.
  expect(performance.now() - began).toBeLessThan(1500);
});
