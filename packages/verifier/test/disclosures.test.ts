// Disclosures that match their commitment but not the server's form, and values disclosed node by node.
import { expect, test } from 'vitest';
import { canonicalize, type Json } from '@assay/json';
import { matchDisclosures } from '../src/disclosures.ts';
import { sha256Hex } from '../../../src/domain/record/chain.ts';

const SALT = `${'s'.repeat(21)}A`;
const textOf = (node: Json): string => canonicalize(node);
const digestOf = (node: Json): string => sha256Hex(textOf(node));

/** Verifies the disclosure of these nodes; the first is that of the value `reason`. */
function shownBy(nodes: readonly Json[], texts = nodes.map(textOf)) {
  return matchDisclosures({ reason: sha256Hex(texts[0]!) }, texts).get('reason');
}

test.each<[string, Json]>([
  ['a salt that is too short', ['s'.repeat(21), 'reason', 1]],
  ['a salt that is too long', [`${SALT}A`, 'reason', 1]],
  ['a salt of another end', [`${'s'.repeat(21)}B`, 'reason', 1]],
  ['another alphabet', [`${'s'.repeat(20)}+A`, 'reason', 1]],
  ['an empty salt', ['', 'reason', 1]],
  ['a number as salt', [7, 'reason', 1]],
  ['no salt', [null, 'reason', 1]],
  ['another name', [SALT, 'reasons', 1]],
  ['two members', [SALT, 'reason']],
  ['five members', [SALT, 'reason', 'array', ['a'.repeat(64)], 1]],
  ['children of another kind', [SALT, 'reason', 'list', ['a'.repeat(64)]]],
  ['no children', [SALT, 'reason', 'array', []]],
  ['children that are no list', [SALT, 'reason', 'array', 'a'.repeat(64)]],
  ['children that are no digests', [SALT, 'reason', 'array', ['a'.repeat(63)]]],
  ['members out of order', [SALT, 'reason', 'object', ['b'.repeat(64), 'a'.repeat(64)]]],
  ['a child twice', [SALT, 'reason', 'array', ['a'.repeat(64), 'a'.repeat(64)]]],
  ['no array', { salt: SALT }],
])('with %s it is refused', (_what, node) => {
  expect(() => shownBy([node])).toThrow('a disclosure');
});

test('another spelling is refused, and so is an uncommitted value', () => {
  const node = [SALT, 'reason', 1];
  expect(() => shownBy([node], [`["${SALT}", "reason", 1]`])).toThrow('not canonical JSON');
  expect(() => shownBy([node, node])).toThrow('matches no commitment, or is duplicated');
  expect(() => shownBy([node, [SALT, 'other', 1]])).toThrow('matches no commitment');
});

test('a value is whole once every node below it is disclosed', () => {
  const first = [SALT, 'a/b', true];
  const items = [
    [SALT, 0, 'x'],
    [SALT, 1, 'y'],
  ];
  const second = [SALT, 'c~d', 'array', items.map(digestOf)];
  const root = [SALT, 'reason', 'object', [first, second].map(digestOf).toSorted()];
  const values = [
    { path: '/a~1b', value: true },
    { path: '/c~0d/0', value: 'x' },
    { path: '/c~0d/1', value: 'y' },
  ];
  const nodes = [root, first, second, ...items] as Json[];
  for (let shown = 1; shown <= nodes.length; shown++)
    expect(shownBy(nodes.slice(0, shown))).toEqual({
      whole: shown === nodes.length,
      values: values.slice(0, [0, 0, 1, 1, 2, 3][shown]),
    });
});

test.each<[string, Json[]]>([
  [
    'a key twice',
    [
      ['u', 'k', 1],
      ['v', 'k', 2],
    ].map(([salt, ...rest]) => [`${String(salt).repeat(21)}A`, ...rest]),
  ],
  ['a number as key', [[SALT, 0, 1]]],
])('members with %s are refused', (_what, members) => {
  const root = [SALT, 'reason', 'object', members.map(digestOf).toSorted()];
  expect(() => shownBy([root, ...members])).toThrow('wrong name');
});

test('items in another order are refused', () => {
  const items = [
    [SALT, 1, 'y'],
    [SALT, 0, 'x'],
  ];
  const root = [SALT, 'reason', 'array', items.map(digestOf)];
  expect(() => shownBy([root, ...items])).toThrow('wrong name');
});
