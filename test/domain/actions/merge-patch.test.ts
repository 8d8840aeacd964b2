// The examples of RFC 7396, appendix A.
import { expect, test } from 'vitest';
import type { Json } from '@assay/json';
import { applyMergePatch, findLostNull } from '../../../src/domain/actions/merge-patch.ts';

test.each<[target: Json, patch: Json, result: Json]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j patched with %j is %j', (target, patch, result) => {
  expect(applyMergePatch(target, patch)).toEqual(result);
});

test.each<[target: Json, patch: Json, lost: string | null]>([
  [{ a: 'b' }, { a: null }, null],
  [{ a: 'b' }, { other: null }, null],
  [{ a: { b: 1 } }, { a: { b: null, other: null } }, null],
  [{}, { a: [null, { b: null }] }, null],
  [{}, { a: { b: 1, c: null } }, '/a/c'],
  [{}, { a: { bb: { 'c/c': null } } }, '/a/bb/c~1c'],
  [{ a: 'text' }, { a: { b: null } }, '/a/b'],
  [{ a: [1] }, { a: { b: null } }, '/a/b'],
  [{ a: null }, { a: { b: null } }, '/a/b'],
  [{}, { constructor: { b: null } }, '/constructor/b'],
  ['text', 'other', null],
])('of %j patched with %j, the null at %s is lost', (target, patch, lost) => {
  expect(findLostNull(target, patch)).toBe(lost);
});
