// Names chosen by users in mails: quoted, truncated, and never a link.
import { expect, test } from 'vitest';
import { toQuotedName } from '../../../src/domain/names/quoted-name.ts';

test.for([
  ['Ada Ltd', '“Ada Ltd”'],
  ['Dr. No & Sons', '“Dr. No & Sons”'],
  ['Bank, see https://evil.test/x', '“Bank, see https: / / evil. test/ x”'],
  ['www.evil.test', '“www. evil. test”'],
  ['write to me@evil.test', '“write to me@ evil. test”'],
  ['”. Your account is locked: “', '“’. Your account is locked: ’”'],
  ['x'.repeat(81), `“${'x'.repeat(80)}…”`],
  ['🦊'.repeat(41), `“${'🦊'.repeat(40)}…”`],
  [`x${'🦊'.repeat(40)}`, `“x${'🦊'.repeat(39)}…”`],
] as const)('%s', ([name, shown]) => {
  expect(toQuotedName(name)).toBe(shown);
});

test('no address in a name stays whole', () => {
  for (const name of ['a.b', 'http://a', 'a/b', 'a@b.c', 'x\\y', 'a.b.c.d', '.a', 'a:80'])
    expect(toQuotedName(name)).not.toMatch(/[.:/\\@][^\s”]/);
});
