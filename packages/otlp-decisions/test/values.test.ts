// What spans hold beside their dialect: values, services, events, in both encodings; and the dialect that each is read by.
import { describe, expect, test } from 'vitest';
import { ExportError, exportLimits, readTraceExport, SPAN_DIALECTS } from '../src/index.ts';
import { buildToolSpan, toAttributes } from '../../../test/setup/otlp/exports.ts';
import {
  encodeMessage,
  encodeSpan,
  wrapBytes,
  wrapSpans,
} from '../../../test/setup/otlp/protobuf.ts';

const writers = [
  [
    'json',
    (span: object, resource: object): Buffer =>
      Buffer.from(
        JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }),
      ),
  ],
  [
    'protobuf',
    (span: object, resource: object): Buffer => {
      const scopeSpans = wrapBytes(2, wrapBytes(2, encodeSpan(span)));
      return wrapBytes(
        1,
        Buffer.concat([wrapBytes(1, encodeMessage('Resource', resource)), scopeSpans]),
      );
    },
  ],
] as const;

describe.for(writers)('in %s', ([encoding, write]) => {
  const readValue = (value: object): unknown => {
    const span = buildToolSpan({ 'gen_ai.tool.call.arguments': value });
    return readTraceExport(write(span, {}), encoding).decisions[0]?.action.arguments;
  };
  test.each([
    [{ intValue: '9007199254740991' }, 9007199254740991],
    [{ intValue: '9223372036854775807' }, '9223372036854775807'],
    [{ intValue: '-9223372036854775808' }, '-9223372036854775808'],
    [{ intValue: '-5' }, -5],
    [{ boolValue: false }, false],
    [{ intValue: '0' }, 0],
    [{ doubleValue: 0 }, 0],
    [{ arrayValue: { values: [{ stringValue: '' }, {}] } }, ['', null]],
    [{ doubleValue: 0.25 }, 0.25],
    [{ bytesValue: 'AAEC' }, 'AAEC'],
    [{ arrayValue: { values: [{ intValue: '1' }, { stringValue: 'a' }] } }, [1, 'a']],
    [{ kvlistValue: { values: [{ key: 'amount', value: { intValue: '90' } }] } }, { amount: 90 }],
  ])('the value %j', (value, expected) => {
    expect(readValue(value)).toEqual(expected);
  });

  test.each([
    ['shop', 'shop'],
    ['unknown_service', null],
    ['unknown_service:node', null],
    ['unknown_services', 'unknown_services'],
    ['', null],
  ])('the service %j', (name, service) => {
    const resource = { attributes: toAttributes({ 'service.name': name }) };
    expect(readTraceExport(write(buildToolSpan(), resource), encoding).decisions).toEqual([
      expect.objectContaining({ service }),
    ]);
  });

  test('the arguments in an event', () => {
    const attributes = toAttributes({ content: '{"amount":1}' });
    const span = buildToolSpan(
      { 'gen_ai.tool.call.arguments': '' },
      { events: [{ name: 'gen_ai.tool.message', attributes }] },
    );
    const [decision] = readTraceExport(write(span, {}), encoding).decisions;
    expect(decision?.action).toEqual({ tool: 'refund', arguments: { amount: 1 } });
  });

  test.each([
    ['0', null],
    ['1', 0.000001],
    ['253402300799000000000', expect.closeTo(253402300799000)],
    ['9223372036854775808', expect.closeTo(9223372036854.775, 2)],
  ])('the time %s', (startTimeUnixNano, startMs) => {
    // Seventeen digits and more are beyond what a fixed number holds.
    if (encoding === 'protobuf' && startTimeUnixNano.length > 20) return;
    const span = buildToolSpan({}, { startTimeUnixNano });
    expect(readTraceExport(write(span, {}), encoding).decisions[0]?.startMs).toEqual(startMs);
  });
});

test('values in the events of protobuf are counted', () => {
  const event = Buffer.alloc(2 * exportLimits.values, Buffer.from([0x1a, 0]));
  const span = Buffer.concat([encodeSpan(buildToolSpan()), wrapBytes(11, event)]);
  expect(() => readTraceExport(wrapSpans(span), 'protobuf')).toThrow(ExportError);
});

const MARKS: Record<string, Parameters<typeof toAttributes>[0]> = {
  genai: {},
  openinference: { 'openinference.span.kind': 'TOOL' },
  openllmetry: { 'traceloop.span.kind': 'tool' },
  'ai-sdk': { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'refund' },
  langfuse: { 'langfuse.observation.type': 'tool' },
  langsmith: { 'langsmith.span.kind': 'tool' },
  mlflow: { 'mlflow.spanType': '"TOOL"' },
  braintrust: { 'braintrust.span_attributes': '{"type":"tool"}' },
};

test.each(Object.entries(MARKS))('a span of %s says so', (dialect, attributes) => {
  const body = { resourceSpans: [{ scopeSpans: [{ spans: [buildToolSpan(attributes)] }] }] };
  const { decisions } = readTraceExport(Buffer.from(JSON.stringify(body)), 'json');
  expect(decisions).toEqual([expect.objectContaining({ dialect, mapping: `${dialect}-2026-11` })]);
});

test('each dialect is tried', () => {
  // That of Claude Code goes by the name of the span, and has cases in the table.
  expect([...Object.keys(MARKS), 'claude-code', 'none']).toEqual(SPAN_DIALECTS);
});

test('other spans are counted by what they say', () => {
  const spans = [
    buildToolSpan(),
    buildToolSpan({ 'gen_ai.operation.name': 'chat' }),
    buildToolSpan(
      {},
      { name: '', attributes: toAttributes({ 'gen_ai.operation.name': 'execute_tool' }) },
    ),
    buildToolSpan({}, { attributes: toAttributes({ 'http.method': 'GET' }) }),
  ];
  const body = { resourceSpans: [{ scopeSpans: [{ spans }] }] };
  const { decisions, counts } = readTraceExport(Buffer.from(JSON.stringify(body)), 'json');
  expect(decisions).toHaveLength(1);
  expect(counts.toSorted((a, b) => (a.result + a.dialect < b.result + b.dialect ? -1 : 1))).toEqual(
    [
      { dialect: 'genai', result: 'context', count: 1 },
      { dialect: 'genai', result: 'unmapped', count: 1 },
      { dialect: 'none', result: 'unmapped', count: 1 },
    ],
  );
});
