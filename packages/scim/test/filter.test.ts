// SCIM filters: the grammar of RFC 7644 against an evaluator of trees, and tables of valid comparisons.
// @module-tag varied
import fc from 'fast-check';
import { filter as otherFilter, parse as otherParse } from 'scim2-parse-filter';
import { describe, expect, test } from 'vitest';
import { compileFilter } from '../src/filter.ts';
import { filterLimits, ScimFilterError } from '../src/grammar.ts';
import { GROUP_SCHEMA, USER_SCHEMA } from '../src/schema.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';

interface User {
  id: string;
  userName: string;
  displayName?: string;
  externalId?: string;
  active: boolean;
  name?: { givenName?: string; familyName?: string };
  emails: { value: string; type?: string; primary: boolean }[];
  meta: { lastModified: string };
}

// --- A second implementation of the RFC: it evaluates generated trees before they are written as text.

type Op = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';
type Tree =
  | { kind: 'both' | 'either'; parts: Tree[] }
  | { kind: 'not'; part: Tree }
  | { kind: 'has'; path: string }
  | { kind: 'is'; path: string; op: Op; value: string | boolean | null }
  | { kind: 'element'; part: Tree; sub?: { path: string; op: Op; value: string | boolean | null } };

interface Comparison {
  op: Op;
  value: string | boolean | null;
}

/** Paths of texts, and whether case counts. */
const TEXTS: Record<string, boolean> = {
  userName: false,
  displayName: false,
  externalId: true,
  id: true,
  'name.givenName': false,
  'name.familyName': false,
  'emails.value': false,
  'emails.type': false,
  emails: false,
};
const ELEMENT_TEXTS: Record<string, boolean> = { value: false, type: false };

function pick(holder: object, path: string): (string | boolean)[] {
  const [head = '', ...tail] = (path === 'emails' ? 'emails.value' : path).split('.');
  const found = Object.entries(holder).find(([name]) => name === head)?.[1] as unknown;
  const all = found === undefined ? [] : [found].flat();
  return tail.length === 0
    ? (all as (string | boolean)[])
    : all.flatMap((inner) => pick(inner as object, tail.join('.')));
}

function holds(
  value: string | boolean | null,
  { op, value: wanted }: Comparison,
  exact: boolean,
): boolean {
  if (wanted === null || value === null)
    return op === 'ne' ? value !== wanted : op === 'eq' && value === wanted;
  if (typeof value === 'boolean') return (op === 'eq') === (value === wanted);
  const [a, b] = [value, wanted as string].map((text) => (exact ? text : text.toLowerCase())) as [
    string,
    string,
  ];
  return {
    eq: a === b,
    ne: a !== b,
    co: b === '' || a.split(b).length > 1,
    sw: a.slice(0, b.length) === b,
    ew: b.length <= a.length && a.slice(a.length - b.length) === b,
    gt: a > b,
    ge: a >= b,
    lt: a < b,
    le: a <= b,
  }[op];
}

function compare(
  holder: object,
  { path, op, value }: { path: string; op: Op; value: string | boolean | null },
): boolean {
  const exact = { ...TEXTS, ...ELEMENT_TEXTS }[path] ?? false;
  const values = pick(holder, path);
  return (values.length === 0 ? [null] : values).some((one) => holds(one, { op, value }, exact));
}

function judge(holder: object, tree: Tree): boolean {
  switch (tree.kind) {
    case 'both':
      return tree.parts.filter((part) => !judge(holder, part)).length === 0;
    case 'either':
      return tree.parts.filter((part) => judge(holder, part)).length > 0;
    case 'not':
      return !judge(holder, tree.part);
    case 'has':
      return pick(holder, tree.path === 'emails' ? 'emails.value' : tree.path).length > 0;
    case 'is':
      return compare(holder, tree);
    case 'element':
      return (holder as User).emails.some(
        (email) => judge(email, tree.part) && (tree.sub === undefined || compare(email, tree.sub)),
      );
  }
}

// --- Text of a tree, in one of the many ways the grammar allows.

interface Style {
  space: string;
  upper: boolean;
  urn: boolean;
  parentheses: boolean;
}

function write(tree: Tree, style: Style, within = false): string {
  const keyword = (word: string): string => (style.upper ? word.toUpperCase() : word);
  const path = (name: string): string => {
    const cased = style.upper ? name.toUpperCase() : name;
    return style.urn && !within ? `${USER_SCHEMA.id}:${cased}` : cased;
  };
  const text = (part: Tree): string => write(part, style, within);
  const spaced = (...words: string[]): string => words.join(style.space);
  const bare = (): string => {
    switch (tree.kind) {
      case 'both':
        return tree.parts
          .map((part) => (part.kind === 'either' ? `(${text(part)})` : text(part)))
          .join(style.space + keyword('and') + style.space);
      case 'either':
        return tree.parts.map(text).join(style.space + keyword('or') + style.space);
      case 'not':
        return `${keyword('not')} (${text(tree.part)})`;
      case 'has':
        return spaced(path(tree.path), keyword('pr'));
      case 'is':
        return spaced(path(tree.path), keyword(tree.op), JSON.stringify(tree.value));
      case 'element': {
        const inner = `${path('emails')}[${write(tree.part, style, true)}]`;
        return tree.sub
          ? `${inner}.${spaced(tree.sub.path, keyword(tree.sub.op), JSON.stringify(tree.sub.value))}`
          : inner;
      }
    }
  };
  return style.parentheses ? `(${bare()})` : bare();
}

// --- The generators of the tests.

/** Few letters, so that values match; quotes, backslashes and brackets, to test the escaping of texts. */
const letters = (alphabet: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...alphabet), { maxLength: 3 }).map((parts) => parts.join(''));
const strange = letters(['a', 'A', 'b', '"', '\\', ' ', ']', ')', ' or ', 'é', '\n', '😀']);
const optional = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(one, { nil: undefined });

const users = (word: fc.Arbitrary<string>): fc.Arbitrary<User> =>
  fc
    .record({
      id: word,
      userName: word,
      displayName: optional(word),
      externalId: optional(word),
      active: fc.boolean(),
      name: optional(fc.record({ givenName: optional(word), familyName: optional(word) })),
      emails: fc.array(fc.record({ value: word, type: optional(word), primary: fc.boolean() }), {
        maxLength: 3,
      }),
      meta: fc.constant({ lastModified: '2026-01-01T00:00:00.000Z' }),
    })
    .map((user) => JSON.parse(JSON.stringify(user)) as User);

const OPS: readonly Op[] = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'];
const comparisons = (paths: readonly string[], word: fc.Arbitrary<string>) =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        path: fc.constantFrom(...paths),
        op: fc.constantFrom(...OPS),
        value: word,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        path: fc.constantFrom(...paths),
        op: fc.constantFrom<Op>('eq', 'ne'),
        value: fc.constant(null),
      }),
    },
  );
const booleans = (path: string): fc.Arbitrary<Tree> =>
  fc.record({
    kind: fc.constant('is' as const),
    path: fc.constant(path),
    op: fc.constantFrom<Op>('eq', 'ne'),
    value: fc.boolean(),
  });

function trees(word: fc.Arbitrary<string>): fc.Arbitrary<Tree> {
  const inElement = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 2 },
      comparisons(Object.keys(ELEMENT_TEXTS), word).map((one): Tree => ({ kind: 'is', ...one })),
      booleans('primary'),
      fc
        .array(tie('tree'), { minLength: 2, maxLength: 3 })
        .map((parts): Tree => ({ kind: 'both', parts })),
      tie('tree').map((part): Tree => ({ kind: 'not', part })),
    ),
  })).tree;
  return fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      comparisons(Object.keys(TEXTS), word).map((one): Tree => ({ kind: 'is', ...one })),
      booleans('active'),
      fc.constantFrom(...Object.keys(TEXTS)).map((path): Tree => ({ kind: 'has', path })),
      fc
        .record({ part: inElement, sub: optional(comparisons(['value', 'type'], word)) })
        .map(({ part, sub }): Tree => ({ kind: 'element', part, ...(sub && { sub }) })),
      fc
        .array(tie('tree'), { minLength: 2, maxLength: 3 })
        .map((parts): Tree => ({ kind: 'both', parts })),
      fc
        .array(tie('tree'), { minLength: 2, maxLength: 3 })
        .map((parts): Tree => ({ kind: 'either', parts })),
      tie('tree').map((part): Tree => ({ kind: 'not', part })),
    ),
  })).tree;
}
const styles: fc.Arbitrary<Style> = fc.record({
  space: fc.constantFrom(' ', '  ', '\t'),
  upper: fc.boolean(),
  urn: fc.boolean(),
  parentheses: fc.boolean(),
});

describe('the grammar', () => {
  test('a filter matches like its tree in any spelling', () => {
    let [yes, no] = [0, 0];
    fc.assert(
      fc.property(
        trees(strange),
        fc.array(users(strange), { minLength: 1, maxLength: 5 }),
        styles,
        (tree, all, style) => {
          const text = write(tree, style);
          fc.pre(text.length <= filterLimits.length);
          const { matches } = compileFilter(text, USER_SCHEMA);
          for (const user of all) {
            const expected = judge(user, tree);
            if (expected) yes += 1;
            else no += 1;
            expect(matches(user), text).toBe(expected);
          }
        },
      ),
      { numRuns: chooseRuns(300, 1_500) },
    );
    expect(Math.min(yes, no)).toBeGreaterThan(chooseRuns(30, 300));
  });

  test('another implementation agrees on the part of the language that it supports correctly', () => {
    const plain = letters(['a', 'b', 'c']);
    const simple = (tree: Tree): boolean => {
      if (tree.kind === 'both' || tree.kind === 'either') return tree.parts.every(simple);
      if (tree.kind === 'not') return simple(tree.part);
      return (
        tree.kind === 'is' &&
        tree.value !== null &&
        ['eq', 'co', 'sw', 'ew'].includes(tree.op) &&
        tree.path !== 'emails'
      );
    };
    fc.assert(
      fc.property(trees(plain).filter(simple), users(plain), (tree, user) => {
        const text = write(tree, { space: ' ', upper: false, urn: false, parentheses: false });
        expect(compileFilter(text, USER_SCHEMA).matches(user), text).toBe(
          otherFilter(otherParse(text))(user),
        );
      }),
      { numRuns: chooseRuns(100, 300) },
    );
  });

  test('any invalid text is refused with a filter error', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'userName',
        'eq',
        'and',
        'or',
        'not',
        '(',
        ')',
        '[',
        ']',
        '"',
        '\\',
        '.value',
        'pr',
        'null',
        '1',
        ' ',
      ),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          expect(typeof compileFilter(pieces.join(' '), USER_SCHEMA).matches({})).toBe('boolean');
        } catch (error) {
          expect(error).toBeInstanceOf(ScimFilterError);
        }
      }),
      { numRuns: chooseRuns(300, 2_000) },
    );
  });
});

const ada = {
  id: 'ID1',
  userName: 'ada@example.com',
  displayName: 'Ada L.',
  externalId: 'Ext',
  active: true,
  emails: [
    { value: 'ada@work.example', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home', primary: false },
  ],
  meta: {
    resourceType: 'User',
    created: '2026-01-01T00:00:00.000Z',
    lastModified: '2026-02-01T00:00:00.000Z',
  },
};

test.each([
  ['userName eq "ADA@example.com"', true],
  ['externalId eq "ext"', false],
  ['externalId eq "Ext"', true],
  ['id eq "id1"', false],
  ['emails[type eq "work" and value co "home"]', false],
  ['emails.type eq "work" and emails.value co "home"', true],
  ['emails[type eq "work"].value co "home"', false],
  ['emails[type eq "home"].value ew "HOME.example"', true],
  ['emails co "work.example"', true],
  ['name pr', false],
  ['name.givenName eq null', true],
  ['displayName ne null', true],
  ['name.givenName ne "Bob"', true],
  ['not (name.givenName eq "Bob")', true],
  ['active eq "True"', true],
  ['active ne true', false],
  ['userName sw "x" or active eq true and displayName pr', true],
  ['(userName sw "x" or active eq true) and name pr', false],
  ['meta.lastModified gt "2026-01-31T23:00:00-05:00"', false],
  ['meta.lastModified ge "2026-02-01T01:00:00+01:00"', true],
  ['meta.created lt "2026-01-01T00:00:01Z"', true],
  ['meta.resourceType eq "User"', true],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName pr', true],
])('%s is %s', (text, expected) => {
  expect(compileFilter(text, USER_SCHEMA).matches(ada)).toBe(expected);
});

test.each([
  '',
  'userName',
  'userName eq',
  'userName eq ada',
  'userName eq "ada',
  "userName eq 'ada'",
  'userName eq "a" and',
  'userName eq "a" userName eq "b"',
  '(userName eq "a"',
  'userName eq "a")',
  'not userName eq "a"',
  'userName == "a"',
  'userName is "a"',
  'nickName eq "a"',
  'password pr',
  'passwordHash pr',
  '__proto__ pr',
  'constructor eq "a"',
  'userName.length eq "1"',
  'name.first eq "a"',
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "a"',
  'urn:ietf:params:scim:schemas:core:2.0:Group:displayName eq "a"',
  'name eq "a"',
  'userName[type eq "work"]',
  'emails[type eq "work"',
  'emails[emails[type eq "a"]]',
  'emails[]',
  'active gt true',
  'active co "r"',
  'active eq "yes"',
  'active eq 1',
  'userName eq 1',
  'userName eq true',
  'userName gt null',
  'meta.created eq "yesterday"',
  'meta.created co "2026"',
  'userName eq "a\u0000"',
  'userName eq "\\x41"',
  'userName eq "a" AND (',
  'userName eq "a" )',
  'userName pr active pr',
  '{"$ne":null}',
  `userName eq "${'x'.repeat(filterLimits.length)}"`,
  `${'('.repeat(filterLimits.depth + 1)}userName pr${')'.repeat(filterLimits.depth + 1)}`,
])('%j is refused', (text) => {
  expect(() => compileFilter(text, USER_SCHEMA)).toThrow(ScimFilterError);
});

test('the required value of a filter narrows the query without losing matches', () => {
  const required = (text: string, name = 'userName') =>
    compileFilter(text, USER_SCHEMA).requiredValue(name);
  expect(required('userName eq "a"')).toBe('a');
  expect(required('active eq true and (USERNAME eq "a" and name pr)')).toBe('a');
  expect(required('userName eq "a" or active eq true')).toBeUndefined();
  expect(required('not (userName eq "a")')).toBeUndefined();
  expect(required('userName ne "a"')).toBeUndefined();
  expect(required('emails[value eq "a"]', 'emails')).toBeUndefined();
  expect(required('externalId eq "a"', 'externalId')).toBe('a');
});

test('groups are filtered by their members', () => {
  const group = { id: 'admin', displayName: 'admin', members: [{ value: 'u1', display: 'Ada' }] };
  const matches = (text: string): boolean => compileFilter(text, GROUP_SCHEMA).matches(group);
  expect(
    [
      'members.value eq "u1"',
      'members[value eq "u1"]',
      'members eq "u1"',
      'displayName eq "ADMIN"',
    ].every(matches),
  ).toBe(true);
  expect(matches('members[value eq "U1"]')).toBe(false);
});

test('a long chain over a long list is linear work', () => {
  const text = Array.from({ length: 200 }, () => 'active eq true').join(' and ');
  const { matches } = compileFilter(text, USER_SCHEMA);
  expect(Array.from({ length: 2000 }, () => matches(ada)).every(Boolean)).toBe(true);
});
