// What a careless or hostile caller may send in place of a value, as JSON text and as text in an address.

export interface BadValue {
  name: string;
  /** JSON text; it may be what no program would write. */
  json: string;
  /** Refused wherever it stands, for it could not be stored and sealed as it was sent. */
  never?: true;
}

const DEEP = 100;
const LONG = 60_000;

export const BAD_VALUES: readonly BadValue[] = [
  { name: 'an operator', json: '{"$ne":null}' },
  { name: 'a list', json: '["a"]' },
  { name: 'NUL', json: '"a\\u0000b"', never: true },
  { name: 'a lone surrogate', json: '"a\\ud800"', never: true },
  { name: 'a number out of range', json: '1e400', never: true },
  { name: 'an integer too large', json: '12345678901234567890', never: true },
  { name: 'minus one', json: '-1' },
  { name: 'a fraction', json: '0.1' },
  { name: 'nothing', json: '""' },
  { name: 'blanks', json: '" \\t "' },
  { name: 'a long text', json: JSON.stringify('x'.repeat(LONG)) },
  { name: 'deep nesting', json: '['.repeat(DEEP) + ']'.repeat(DEEP), never: true },
  { name: 'the text __proto__', json: '"__proto__"' },
  { name: 'the key __proto__', json: '{"__proto__":{"admin":true}}', never: true },
  { name: 'the key constructor', json: '{"constructor":{"prototype":{"admin":true}}}' },
  { name: 'null', json: 'null' },
  { name: 'true', json: 'true' },
  { name: 'an empty object', json: '{}' },
];

/** Percent-encoded, as they stand in an address. */
export const BAD_TEXTS: readonly string[] = [
  '%00',
  'a%00b',
  '%ED%A0%80',
  '%FF',
  '%24ne',
  '__proto__',
  'constructor',
  'null',
  '-1',
  '1e400',
  '12345678901234567890',
  '%7B%22%24ne%22%3Anull%7D',
  '..%2F..%2Fetc',
  '%20',
  '%E2%80%8B',
  'x'.repeat(3000),
];

/** Whole bodies that are no JSON object in UTF-8, or not what they claim to be. */
export const BAD_BODIES: readonly {
  name: string;
  raw: string | Uint8Array;
  headers?: Record<string, string>;
}[] = [
  { name: 'broken JSON', raw: '{"name": "a"' },
  { name: 'one brace', raw: '{' },
  { name: 'no JSON', raw: 'name=a&x[$ne]=1' },
  { name: 'a bare list', raw: '[]' },
  { name: 'a bare text', raw: '"a"' },
  { name: 'a bare null', raw: 'null' },
  { name: 'a bare number', raw: '1e999' },
  { name: 'trailing text', raw: '{} {}' },
  { name: '50,000 levels', raw: '['.repeat(50_000) },
  { name: '50,000 levels, closed', raw: '['.repeat(40_000) + ']'.repeat(40_000) },
  {
    name: 'a byte that is no UTF-8',
    raw: Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  },
  {
    name: 'another charset',
    raw: '{}',
    headers: { 'content-type': 'application/json; charset=utf-16' },
  },
  { name: 'another type', raw: '<a/>', headers: { 'content-type': 'application/xml' } },
  { name: 'a form', raw: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  { name: 'claimed to be gzip', raw: '{}', headers: { 'content-encoding': 'gzip' } },
  { name: 'an unknown encoding', raw: '{}', headers: { 'content-encoding': 'rot13' } },
  { name: 'two megabytes', raw: `{"a":"${'x'.repeat(2_000_000)}"}` },
];
