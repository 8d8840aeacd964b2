// The groups in a provider's claims: names, none, or an unsupported form.
import { expect, test } from 'vitest';
import { readGroupNames } from '../../../src/domain/sign-on/group-claims.ts';

test.for<[claim: unknown, groups: string[] | null]>([
  [undefined, []],
  [null, []],
  [[], []],
  ['admins', ['admins']],
  ['', ['']],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  // Values that cannot be groups are left out beside groups.
  [[7, null, 'staff'], ['staff']],
  [[7], null],
  [[null], null],
  [7, null],
  [true, null],
  [{}, null],
  [{ 0: 'a' }, null],
  [[{ name: 'a' }, 'b'], null],
  [[['a']], null],
  ['["a"]', null],
  [' ["a"]', null],
  ['{"name":"a"}', null],
  ['"a"', null],
  [['a', '[]'], null],
  ['%2Fa', null],
  ['a%20b', null],
  [['a', 'b%c3%a4'], null],
  // These names of groups look like other values.
  ['[EXT] partners', ['[EXT] partners']],
  ['{partners}', ['{partners}']],
  ['{3F2504E0-4F89-11D3-9A0C-0305E82C3301}', ['{3F2504E0-4F89-11D3-9A0C-0305E82C3301}']],
  ['100% remote', ['100% remote']],
  ['100%', ['100%']],
  ['true', ['true']],
  ['7', ['7']],
  ['/a/b', ['/a/b']],
  ['CN=a,OU=b,DC=c', ['CN=a,OU=b,DC=c']],
])('%j', ([claim, groups]) => {
  expect(readGroupNames(claim)).toEqual(groups);
});
