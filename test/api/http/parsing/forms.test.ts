// Bodies as they are parsed: how many members a form may have, and which content types and texts are refused.
import { expect, test } from 'vitest';
import { parseBody, parseForm } from '../../../../src/http/checks/parse-body.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const code = 'VALIDATION_ERROR' as const;
const parseFormText = (text: string, type: string | undefined = FORM) =>
  parseForm(Buffer.from(text, 'latin1'), type, code);
const parseJsonText = (text: string, type?: string) =>
  parseBody({ rawBody: Buffer.from(text), contentType: type }, code);
const createMembers = (count: number): string =>
  Array.from({ length: count }, (_, at) => `m${at}=${at}`).join('&');

test('a form has at most a hundred separators and ten thousand spaces', () => {
  expect(Object.keys(parseFormText(createMembers(101)) as object)).toHaveLength(101);
  expect(() => parseFormText(createMembers(102))).toThrow('Invalid form body');
  expect(parseFormText(`a=${'+'.repeat(10_000)}`)).toEqual({ a: ' '.repeat(10_000) });
  expect(() => parseFormText(`a=${'+'.repeat(10_001)}`)).toThrow('Invalid form body');
});

test.each([
  ['a=1&b=2', { a: '1', b: '2' }],
  ['a', { a: '' }],
  ['a=', { a: '' }],
  ['a=b=c', { a: 'b=c' }],
  ['a+b=c%2Bd+e', { 'a b': 'c+d e' }],
  ['', undefined],
])('the form %j is read', (text, expected) => expect(parseFormText(text)).toEqual(expected));

test.each(['a=1&a=2', 'a=1&a=1', '__proto__=1', 'a=%00', 'a=1&b=x%00y', 'a=%', 'a=%FF', 'a=\xff'])(
  'the form %j is refused',
  (text) => expect(() => parseFormText(text)).toThrow('Invalid form body'),
);

test.each([undefined, JSON_TYPE, 'text/plain', `x${FORM}`, `${FORM}x`])(
  'a form is not of type %s',
  (type) => {
    expect(() => parseForm(Buffer.from('a=1'), type, code)).toThrow('Content-Type must be');
  },
);

test.each([
  undefined,
  JSON_TYPE,
  'APPLICATION/JSON',
  'application/scim+json',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/json; charset=utf-8; v=1',
])('JSON may be of type %s', (type) => expect(parseJsonText('{"a":1}', type)).toEqual({ a: 1 }));

test.each([
  ['text/json', 'Content-Type must be application/json'],
  ['application/jsonp', 'Content-Type must be application/json'],
  ['application/json; charset=latin1', 'The charset must be UTF-8'],
  ['application/json; charset=utf-80', 'The charset must be UTF-8'],
])('JSON is not of type %s', (type, why) => expect(() => parseJsonText('{}', type)).toThrow(why));

test('no bytes are no body, whatever type they are of', () => {
  expect([parseJsonText('', 'text/plain'), parseFormText('', 'text/plain')]).toEqual([
    undefined,
    undefined,
  ]);
});
