// One odd span among good ones, in JSON and in protobuf: it is read as far as it goes, or counted, and costs no other.
import { expect, test } from 'vitest';
import { readTraceExport, type ExportContents } from '../src/index.ts';
import {
  ARGUMENTS,
  buildGoodSpan,
  buildOddSpan,
  frameSpans,
  listOf,
  oddSpans,
  withValue,
} from '../../../test/setup/otlp/odd-spans.ts';
import {
  encodeMessage,
  encodeSpan,
  wrapBytes,
  wrapSpans,
} from '../../../test/setup/otlp/protobuf.ts';

const countDecisions = (agent: string, { decisions }: ExportContents): number =>
  decisions.filter((each) => each.agent === agent).length;

test.for(oddSpans)('%s', ([, span, isRecorded]) => {
  const read = readTraceExport(frameSpans([span]), 'json');
  expect([countDecisions('good', read), countDecisions('odd', read)]).toEqual([
    2,
    isRecorded ? 1 : 0,
  ]);
});

test('what is nested too deeply is marked', () => {
  const read = readTraceExport(frameSpans([withValue(listOf(17), ARGUMENTS)]), 'json');
  const found = read.decisions.find(({ agent }) => agent === 'odd');
  expect(JSON.stringify(found?.action.arguments)).toBe(
    `${'['.repeat(16)}"[more than 16 levels]"${']'.repeat(16)}`,
  );
});

test.for([
  ['no resource', { resource: null }],
  ['a resource that is a text', { resource: 'x' }],
  ['resource attributes that are no list', { resource: { attributes: {} } }],
  ['a scope that is a list', { scopeSpans: [{ scope: [], spans: [buildGoodSpan()] }] }],
  ['no scope', { scopeSpans: [{ spans: [buildGoodSpan()] }] }],
] as const)('%s', ([, members]) => {
  const whole = { scopeSpans: [{ spans: [buildGoodSpan()] }], ...members };
  const others = [null, 5, 'x', [], { scopeSpans: 5 }, { scopeSpans: [null, { spans: 5 }] }];
  const bytes = Buffer.from(JSON.stringify({ resourceSpans: [...others, whole] }));
  const read = readTraceExport(bytes, 'json');
  expect(read.decisions).toHaveLength(1);
  expect([...read.refused.values()]).toEqual([1]);
});

/** An attribute whose value has this many lists in each other. */
function encodeDeep(levels: number): Buffer {
  let value: Buffer = encodeMessage('AnyValue', { stringValue: 'x' });
  for (let level = 0; level < levels; level++) value = wrapBytes(5, wrapBytes(1, value));
  return wrapBytes(9, Buffer.concat([wrapBytes(1, Buffer.from('odd')), wrapBytes(2, value)]));
}

const whole = (): Buffer => encodeSpan(buildOddSpan());
const wire: [what: string, span: () => Buffer, isRecorded: boolean][] = [
  ['a list of 17 levels', () => Buffer.concat([whole(), encodeDeep(17)]), true],
  ['a list of 500 levels', () => Buffer.concat([whole(), encodeDeep(500)]), false],
  ['a list of 20,000 levels', () => Buffer.concat([whole(), encodeDeep(20_000)]), false],
  ['an attribute of no bytes', () => Buffer.concat([whole(), Buffer.from([0x4a, 0])]), true],
  [
    'a value of no bytes',
    () => Buffer.concat([whole(), wrapBytes(9, wrapBytes(2, Buffer.alloc(0)))]),
    true,
  ],
  ['unknown fields', () => Buffer.concat([whole(), wrapBytes(99, Buffer.from('x'))]), true],
  ['a time that is no fixed number', () => Buffer.concat([whole(), Buffer.from([0x38, 1])]), true],
  ['a name that is a number', () => Buffer.concat([whole(), Buffer.from([0x28, 1])]), true],
  [
    'an attribute longer than its span',
    () => Buffer.concat([whole(), Buffer.from([0x4a, 99, 1])]),
    false,
  ],
  ['half of its bytes', () => whole().subarray(0, 60), false],
  ['a group that does not end', () => Buffer.concat([whole(), Buffer.from([0x0b])]), false],
  [
    'a text that is not UTF-8',
    () => Buffer.concat([whole(), wrapBytes(5, Buffer.from([0xff, 0xfe]))]),
    false,
  ],
  ['no bytes', () => Buffer.alloc(0), false],
  ['random bytes', () => Buffer.from('0123456789abcdef'.repeat(5)), false],
];

test.for(wire)('in protobuf: %s', ([, span, isRecorded]) => {
  const bytes = wrapSpans(encodeSpan(buildGoodSpan()), span(), encodeSpan(buildGoodSpan()));
  const read = readTraceExport(bytes, 'protobuf');
  expect(countDecisions('good', read)).toBe(2);
  const refused = [...read.refused.values()].reduce((sum, count) => sum + count, 0);
  expect([countDecisions('odd', read), refused]).toEqual(isRecorded ? [1, 0] : [0, 1]);
});
