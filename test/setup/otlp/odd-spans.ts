// Odd spans, as JSON: whatever is wrong with one, it is recorded as far as it goes, or counted.
import { buildExport, buildToolSpan } from './exports.ts';

const nest = (levels: number, open: string, close: string): string =>
  `${open.repeat(levels)}{"stringValue":"x"}${close.repeat(levels)}`;
export const listOf = (levels: number): string => nest(levels, '{"arrayValue":{"values":[', ']}}');
const mapOf = (levels: number): string =>
  nest(levels, '{"kvlistValue":{"values":[{"key":"k","value":', '}]}}');
export const ARGUMENTS = 'gen_ai.tool.call.arguments';
const MB = 'x'.repeat(1_000_000);

export const buildGoodSpan = (): object => buildToolSpan({ 'gen_ai.agent.name': 'good' });
export const buildOddSpan = (): { attributes: object[] } & Record<string, unknown> =>
  buildToolSpan({ 'gen_ai.agent.name': 'odd' }) as never;
/** The odd span with other members; a text is JSON as it stands. */
const withMembers = (members: Record<string, unknown>): string => {
  const texts = Object.entries(members).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  const rest = Object.entries(buildOddSpan())
    .filter(([name]) => !Object.hasOwn(members, name))
    .map(([name, value]) => [name, JSON.stringify(value)] as const);
  return `{${[...rest, ...texts].map(([name, text]) => `"${name}":${text}`).join(',')}}`;
};
/** The odd span with a further attribute, whose value is JSON as it stands. */
export const withValue = (value: string, key = 'odd'): string =>
  withMembers({
    attributes: `[${buildOddSpan()
      .attributes.filter((each) => (each as { key: string }).key !== key)
      .map((each) => JSON.stringify(each))
      .join(',')},{"key":${JSON.stringify(key)},"value":${value}}]`,
  });
const withElement = (element: string): string =>
  withMembers({
    attributes: `[${buildOddSpan()
      .attributes.map((each) => JSON.stringify(each))
      .join(',')},${element}]`,
  });

/** What is odd, its JSON, and whether it is recorded. */
export const oddSpans: [what: string, span: string, isRecorded: boolean][] = [
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

/** An export in JSON with these spans, as they stand, between two good ones. */
export const frameSpans = (spans: readonly string[]): Buffer =>
  Buffer.from(
    JSON.stringify(buildExport(buildGoodSpan(), { odd: true }, buildGoodSpan())).replace(
      '{"odd":true}',
      () => spans.join(','),
    ),
  );
