// One odd span among good ones, in JSON and in protobuf: it is recorded as far as it goes, or counted, and costs no other.
import protobuf from 'protobufjs/light.js';
import { expect, test } from 'vitest';
import { generateHex } from '../../../src/platform/ids.ts';
import { DEFINITIONS } from '../../../src/platform/otlp/definitions.ts';
import { readExport } from '../../../src/decisions/otlp/export-reader.ts';
import { useHarness } from '../../setup/fixtures.ts';
import { assertOk, createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import { buildExport, buildToolSpan, PROTOBUF } from './exports.ts';

const { app } = useHarness();

const nest = (levels: number, open: string, close: string): string =>
  `${open.repeat(levels)}{"stringValue":"x"}${close.repeat(levels)}`;
const listOf = (levels: number): string => nest(levels, '{"arrayValue":{"values":[', ']}}');
const mapOf = (levels: number): string =>
  nest(levels, '{"kvlistValue":{"values":[{"key":"k","value":', '}]}}');
const ARGUMENTS = 'gen_ai.tool.call.arguments';
const MB = 'x'.repeat(1_000_000);

const good = (): object => buildToolSpan({ 'gen_ai.agent.name': 'good' });
const odd = (): { attributes: object[] } & Record<string, unknown> =>
  buildToolSpan({ 'gen_ai.agent.name': 'odd' }) as never;
/** The odd span with other members; a text is JSON as it stands. */
const withMembers = (members: Record<string, unknown>): string => {
  const texts = Object.entries(members).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  const rest = Object.entries(odd())
    .filter(([name]) => !Object.hasOwn(members, name))
    .map(([name, value]) => [name, JSON.stringify(value)] as const);
  return `{${[...rest, ...texts].map(([name, text]) => `"${name}":${text}`).join(',')}}`;
};
/** The odd span with a further attribute, whose value is JSON as it stands. */
const withValue = (value: string, key = 'odd'): string =>
  withMembers({
    attributes: `[${odd()
      .attributes.filter((each) => (each as { key: string }).key !== key)
      .map((each) => JSON.stringify(each))
      .join(',')},{"key":${JSON.stringify(key)},"value":${value}}]`,
  });
const withElement = (element: string): string =>
  withMembers({
    attributes: `[${odd()
      .attributes.map((each) => JSON.stringify(each))
      .join(',')},${element}]`,
  });

/** What is odd, its JSON, and whether it is recorded. */
const cases: [what: string, span: string, isRecorded: boolean][] = [
  ['a list of 17 levels', withValue(listOf(17)), true],
  ['arguments of 17 levels', withValue(listOf(17), ARGUMENTS), true],
  ['a map of 17 levels', withValue(mapOf(17)), true],
  ['a list of 500 levels', withValue(listOf(500)), true],
  ['a map of 5,000 levels', withValue(mapOf(5000)), true],
  ['brackets of 20,000 levels', withValue('['.repeat(20_000) + ']'.repeat(20_000)), true],
  ['an attribute without a value', withElement('{"key":"odd"}'), true],
  ['an attribute without a key', withElement('{"value":{"stringValue":"x"}}'), true],
  ['an empty attribute', withElement('{}'), true],
  ['an attribute that is null', withElement('null'), true],
  ['an attribute that is a text', withElement('"odd"'), true],
  ['an attribute that is a list', withElement('[]'), true],
  ['a key that is a number', withElement('{"key":1,"value":{"intValue":1}}'), true],
  ['an empty key', withValue('{"stringValue":"x"}', ''), true],
  ['a key of a megabyte', withValue('{"stringValue":"x"}', MB), true],
  ['the key __proto__', withValue('{"stringValue":"x"}', '__proto__'), true],
  ['the key twice', withElement('{"key":"gen_ai.tool.name","value":{"intValue":1}}'), true],
  ...[
    '{}',
    'null',
    '5',
    '"x"',
    '[]',
    'true',
    '{"arrayValue":{}}',
    '{"arrayValue":null}',
    '{"arrayValue":[]}',
    '{"arrayValue":{"values":{}}}',
    '{"arrayValue":{"values":[null,{},5,[]]}}',
    '{"kvlistValue":{}}',
    '{"kvlistValue":7}',
    '{"kvlistValue":{"values":[null,{},{"key":"a"},{"key":"__proto__","value":{"intValue":1}},{"key":"a","value":{}}]}}',
    '{"stringValue":5}',
    '{"stringValue":"\\u0000\\ud800"}',
    `{"stringValue":"${MB}"}`,
    '{"boolValue":"yes"}',
    '{"intValue":9007199254740993}',
    '{"intValue":"9223372036854775807"}',
    '{"intValue":"99999999999999999999999999"}',
    '{"intValue":1e400}',
    '{"intValue":1.5}',
    '{"intValue":"one"}',
    '{"intValue":{}}',
    '{"intValue":{"toString":1,"valueOf":1}}',
    '{"doubleValue":"NaN"}',
    '{"doubleValue":"-Infinity"}',
    '{"doubleValue":1e400}',
    '{"doubleValue":-0.0}',
    '{"doubleValue":{}}',
    '{"bytesValue":"AAEC"}',
    '{"bytesValue":5}',
    '{"unknownValue":1}',
    '{"stringValue":"a","intValue":1}',
  ].flatMap((value): [string, string, boolean][] => {
    const shown = value.slice(0, 60);
    return [
      [`the value ${shown}`, withValue(value), true],
      [`the arguments ${shown}`, withValue(value, ARGUMENTS), true],
    ];
  }),
  ['attributes that are {}', withMembers({ attributes: {} }), false],
  ['attributes that are a text', withMembers({ attributes: '"x"' }), false],
  ['attributes that are null', withMembers({ attributes: null }), false],
  ['no trace id', withMembers({ traceId: null }), false],
  ['a short trace id', withMembers({ traceId: '"abcd"' }), false],
  ['a trace id of zeros', withMembers({ traceId: `"${'0'.repeat(32)}"` }), false],
  ['a trace id that is a number', withMembers({ traceId: 5 }), false],
  ['no span id', withMembers({ spanId: null }), false],
  ['a long span id', withMembers({ spanId: `"${'a'.repeat(18)}"` }), false],
  ['a parent that is no id', withMembers({ parentSpanId: { a: 1 } }), true],
  [
    'itself as its parent',
    withMembers({ spanId: '"00000000000000ab"', parentSpanId: '"00000000000000ab"' }),
    true,
  ],
  ['times of 0', withMembers({ startTimeUnixNano: 0, endTimeUnixNano: '"0"' }), true],
  ['no times', withMembers({ startTimeUnixNano: null, endTimeUnixNano: null }), true],
  ['negative times', withMembers({ startTimeUnixNano: -5, endTimeUnixNano: '"-7"' }), true],
  ['times the other way round', withMembers({ endTimeUnixNano: '"1"' }), true],
  [
    'times far away',
    withMembers({ startTimeUnixNano: '"18446744073709551615"', endTimeUnixNano: 1e300 }),
    true,
  ],
  [
    'times of other types',
    withMembers({ startTimeUnixNano: { toString: 1 }, endTimeUnixNano: [] }),
    true,
  ],
  ['an empty name', withMembers({ name: '""' }), true],
  ['a name of a megabyte', withMembers({ name: JSON.stringify('ü'.repeat(500_000)) }), true],
  ['a name that is a list', withMembers({ name: [] }), true],
  ['a status that is a number', withMembers({ status: 2 }), true],
  ['an unknown status', withMembers({ status: { code: 99, message: {} } }), true],
  ['an unknown kind', withMembers({ kind: 99, events: 5, links: {}, flags: [] }), true],
  ...['null', '5', '"x"', '[]', '{}'].map((span): [string, string, boolean] => [
    `a span that is ${span}`,
    span,
    false,
  ]),
];

const frame = (spans: readonly string[]): Buffer =>
  Buffer.from(
    JSON.stringify(buildExport(good(), { odd: true }, good())).replace('{"odd":true}', () =>
      spans.join(','),
    ),
  );

const countActs = (agent: string, { calls }: ReturnType<typeof readExport>): number =>
  calls.filter(({ body }) => body['agentId'] === agent).length;

test.for(cases)('%s', ([, span, isRecorded]) => {
  const read = readExport({ bytes: frame([span]), isProtobuf: false });
  expect([countActs('good', read), countActs('odd', read)]).toEqual([2, isRecorded ? 1 : 0]);
});

test('over HTTP, each is recorded or counted', { tags: ['long'] }, async () => {
  const ada = await createOwner(app);
  const { key } = await createWorkspaceKey(app, ada);
  const short = cases.filter(([, span]) => span.length < 400_000);
  const long = cases.filter(([, span]) => span.length >= 400_000);
  for (const some of [short, ...long.map((one) => [one])]) {
    const raw = frame(some.map(([, span]) => span)).toString();
    const answer = await app.call('POST', '/v1/traces', { key, raw });
    expect(answer.status).toBe(200);
  }
  const count = async (agent: string): Promise<number> => {
    const path = `/api/v1/traces?agentId=${agent}`;
    return assertOk(await app.call('GET', path, { token: ada.token })).body.total;
  };
  expect(await count('good')).toBe(2 * (1 + long.length));
  expect(await count('odd')).toBe(cases.filter(([, , isRecorded]) => isRecorded).length);
});

test('what is nested too deeply is marked', () => {
  const read = readExport({ bytes: frame([withValue(listOf(17), ARGUMENTS)]), isProtobuf: false });
  const call = read.calls.find(({ body }) => body['agentId'] === 'odd');
  expect(JSON.stringify(call?.act.arguments)).toBe(
    `${'['.repeat(16)}"[more than 16 levels]"${']'.repeat(16)}`,
  );
});

test.for([
  ['no resource', { resource: null }],
  ['a resource that is a text', { resource: 'x' }],
  ['resource attributes that are no list', { resource: { attributes: {} } }],
  ['a scope that is a list', { scopeSpans: [{ scope: [], spans: [good()] }] }],
  ['no scope', { scopeSpans: [{ spans: [good()] }] }],
] as const)('%s', ([, members]) => {
  const whole = { scopeSpans: [{ spans: [good()] }], ...members };
  const others = [null, 5, 'x', [], { scopeSpans: 5 }, { scopeSpans: [null, { spans: 5 }] }];
  const bytes = Buffer.from(JSON.stringify({ resourceSpans: [...others, whole] }));
  const read = readExport({ bytes, isProtobuf: false });
  expect(read.calls).toHaveLength(1);
  expect([...read.refused.values()]).toEqual([1]);
});

const root = protobuf.Root.fromJSON(DEFINITIONS);
const encode = (type: string, value: object): Buffer =>
  Buffer.from(root.lookupType(type).encode(root.lookupType(type).fromObject(value)).finish());
const wrap = (field: number, bytes: Uint8Array): Buffer => {
  const head = protobuf.Writer.create()
    .uint32((field << 3) | 2)
    .uint32(bytes.length)
    .finish();
  return Buffer.concat([head, bytes]);
};
const encodeSpan = (span: object): Buffer => {
  const { traceId, spanId } = span as { traceId: string; spanId: string };
  const ids = { traceId: Buffer.from(traceId, 'hex'), spanId: Buffer.from(spanId, 'hex') };
  return encode('Span', { ...span, ...ids });
};
const wrapSpans = (...spans: Uint8Array[]): Buffer =>
  wrap(1, wrap(2, Buffer.concat(spans.map((span) => wrap(2, span)))));

/** An attribute whose value has this many lists in each other. */
function encodeDeep(levels: number): Buffer {
  let value: Buffer = encode('AnyValue', { stringValue: 'x' });
  for (let level = 0; level < levels; level++) value = wrap(5, wrap(1, value));
  return wrap(9, Buffer.concat([wrap(1, Buffer.from('odd')), wrap(2, value)]));
}

const whole = (): Buffer => encodeSpan(odd());
const wire: [what: string, span: () => Buffer, isRecorded: boolean][] = [
  ['a list of 17 levels', () => Buffer.concat([whole(), encodeDeep(17)]), true],
  ['a list of 500 levels', () => Buffer.concat([whole(), encodeDeep(500)]), false],
  ['a list of 20,000 levels', () => Buffer.concat([whole(), encodeDeep(20_000)]), false],
  ['an attribute of no bytes', () => Buffer.concat([whole(), Buffer.from([0x4a, 0])]), true],
  ['a value of no bytes', () => Buffer.concat([whole(), wrap(9, wrap(2, Buffer.alloc(0)))]), true],
  ['unknown fields', () => Buffer.concat([whole(), wrap(99, Buffer.from('x'))]), true],
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
    () => Buffer.concat([whole(), wrap(5, Buffer.from([0xff, 0xfe]))]),
    false,
  ],
  ['no bytes', () => Buffer.alloc(0), false],
  ['random bytes', () => Buffer.from(generateHex(40)), false],
];

test.for(wire)('in protobuf: %s', ([, span, isRecorded]) => {
  const bytes = wrapSpans(encodeSpan(good()), span(), encodeSpan(good()));
  const read = readExport({ bytes, isProtobuf: true });
  expect(countActs('good', read)).toBe(2);
  const refused = [...read.refused.values()].reduce((sum, count) => sum + count, 0);
  expect([countActs('odd', read), refused]).toEqual(isRecorded ? [1, 0] : [0, 1]);
});

test('in protobuf, broken resources and scopes are counted, and the answer names them', async () => {
  const ada = await createOwner(app);
  const { key } = await createWorkspaceKey(app, ada);
  const broken = [wrap(1, Buffer.from([0x12, 99])), wrap(1, wrap(2, Buffer.from([0x12, 99])))];
  const raw = Buffer.concat([...broken, wrapSpans(encodeSpan(good()), whole().subarray(0, 60))]);
  const headers = { 'content-type': PROTOBUF };
  const answer = await app.call('POST', '/v1/traces', { key, raw, headers });
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('3: a span that cannot be read');
  const { total } = (await app.call('GET', '/api/v1/traces', { token: ada.token })).body;
  expect(total).toBe(1);
});
