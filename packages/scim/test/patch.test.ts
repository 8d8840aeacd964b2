// SCIM patches: the effect of each operation, and the guarantee that nothing outside the schema is written.
// @module-tag varied
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '@assay/json';
import { applyPatch, ScimPatchError, type PatchOperation } from '../src/patch.ts';
import { project } from '../src/projection.ts';
import { GROUP_SCHEMA, USER_SCHEMA } from '../src/schema.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';

const work = { value: 'a@work.example', type: 'work', primary: true };
const home = { value: 'a@home.example', type: 'home', primary: false };
const ada: JsonObject = {
  userName: 'ada@example.com',
  displayName: 'Ada',
  name: { givenName: 'Ada', familyName: 'L' },
  active: true,
  emails: [work, home],
};
const patch = (...operations: PatchOperation[]): JsonObject =>
  applyPatch(ada, operations, USER_SCHEMA);
const replace = (path: string, value: Json): PatchOperation => ({ op: 'replace', path, value });
const add = (path: string, value: Json): PatchOperation => ({ op: 'add', path, value });
const remove = (path: string, value?: Json): PatchOperation => ({ op: 'remove', path, value });

test.each<[string, PatchOperation, JsonObject]>([
  ['a plain attribute', replace('userName', 'b@example.com'), { userName: 'b@example.com' }],
  ['in another case', replace('DISPLAYNAME', 'B'), { displayName: 'B' }],
  ['with the URN', replace(`${USER_SCHEMA.id}:displayName`, 'B'), { displayName: 'B' }],
  ['a part', replace('name.familyName', 'B'), { name: { givenName: 'Ada', familyName: 'B' } }],
  [
    'some parts',
    add('name', { FamilyName: 'B', x: 1 }),
    { name: { givenName: 'Ada', familyName: 'B' } },
  ],
  [
    'part of an element',
    replace('emails[type eq "work"].value', 'n'),
    { emails: [{ ...work, value: 'n' }, home] },
  ],
  [
    'an element that is missing',
    add('emails[type eq "other"].value', 'n'),
    { emails: [work, home, { type: 'other', value: 'n' }] },
  ],
  [
    'an element as a whole',
    replace('emails[type eq "home"]', { value: 'n' }),
    { emails: [work, { ...home, value: 'n' }] },
  ],
  [
    'one more element',
    add('emails', { value: 'n', type: 'x' }),
    { emails: [work, home, { value: 'n', type: 'x' }] },
  ],
  [
    'the same element again',
    add('emails', [{ ...home, primary: true }]),
    { emails: [work, { ...home, primary: true }] },
  ],
  ['all elements', replace('emails', [{ value: 'n' }]), { emails: [{ value: 'n' }] }],
])('replace and add: %s', (_name, operation, expected) => {
  expect(patch(operation)).toEqual({ ...ada, ...expected });
});

const GONE = 'gone';
test.each<[string, PatchOperation, JsonObject]>([
  ['an attribute', remove('displayName'), { displayName: GONE }],
  ['an attribute by null', replace('displayName', null), { displayName: GONE }],
  ['a part', remove('name.givenName'), { name: { familyName: 'L' } }],
  ['the whole', remove('name'), { name: GONE }],
  ['an element', remove('emails[type eq "work"]'), { emails: [home] }],
  [
    'a part of an element',
    remove('emails[type eq "work"].type'),
    { emails: [{ value: work.value, primary: true }, home] },
  ],
  ['an element by value', remove('emails', [{ value: 'A@WORK.example' }]), { emails: [home] }],
  ['no element', remove('emails[type eq "x"]'), { emails: [work, home] }],
  ['a part of no element', remove('emails[type eq "x"].value'), { emails: [work, home] }],
  ['all elements', remove('emails'), { emails: [] }],
])('remove: %s', (_name, operation, expected) => {
  const [[member = '', left] = []] = Object.entries(expected);
  expect(patch(operation)[member] ?? GONE).toEqual(left);
});

test('without a path the value is a partial resource; its names may be paths, and unknown ones are ignored', () => {
  const value = {
    'name.familyName': 'B',
    'emails[type eq "work"].value': 'n',
    USERNAME: 'b',
    id: '7',
    groups: [{ value: 'owner' }],
    role: 'owner',
    'emails[': 1,
  };
  expect(patch({ op: 'replace', value })).toEqual({
    ...ada,
    userName: 'b',
    name: { givenName: 'Ada', familyName: 'B' },
    emails: [{ ...work, value: 'n' }, home],
  });
});

test.each<[string, PatchOperation]>([
  ['an unknown attribute', replace('nickName', 'x')],
  ['a field of the database', replace('passwordHash', 'x')],
  ['the role', replace('role', 'owner')],
  ['the prototype', add('__proto__', { admin: true })],
  ['the prototype, deeper', add('name.__proto__', { admin: true })],
  ['the constructor', add('constructor.prototype', 'x')],
  ['the id', replace('id', '7')],
  ['the groups', add('groups', [{ value: 'owner' }])],
  ['the facts', replace('meta.created', 'x')],
  [
    'another extension',
    replace('urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager', 'x'),
  ],
  ['no path', replace('', 'x')],
  ['half a path', replace('emails[type eq "work"', 'x')],
  ['a filter on what is one', replace('name[givenName eq "Ada"]', 'x')],
  ['an unknown part in a filter', replace('emails[x eq "1"].value', 'x')],
  ['a part of all elements', replace('emails.value', 'x')],
  ['an element that no equality describes', replace('emails[value co "absent"].value', 'x')],
  ['a list for an object', replace('name', ['x'])],
  ['a text for a list of objects', replace('emails', 'x')],
  ['no value', { op: 'replace', path: 'displayName' }],
  ['no path and no object', { op: 'add', value: 'x' }],
  ['remove without a path', { op: 'remove' }],
  ['removing the user name', remove('userName')],
  ['removing the state', remove('active')],
  ['no state', replace('active', null)],
])('refused: %s', (_name, operation) => {
  const before = structuredClone(ada);
  expect(() => patch(replace('displayName', 'changed'), operation)).toThrow(ScimPatchError);
  expect(ada).toEqual(before);
});

test('any patch changes writable attributes only', () => {
  const path = fc.oneof(
    fc.constantFrom(
      'userName',
      'name',
      'emails',
      'emails[type eq "work"]',
      'emails[type eq "work"].value',
      'id',
      'meta',
      'x',
    ),
    fc.string({ maxLength: 12 }),
  );
  const operation = fc.record({
    op: fc.constantFrom('add' as const, 'replace' as const, 'remove' as const),
    path: fc.option(path, { nil: undefined }),
    value: fc.oneof(
      fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
      fc.dictionary(path, fc.string()),
    ),
  });
  fc.assert(
    fc.property(fc.array(operation, { minLength: 1, maxLength: 4 }), (operations) => {
      const before = structuredClone(ada);
      try {
        const names = Object.keys(applyPatch(ada, operations, USER_SCHEMA));
        const known = ['userName', 'displayName', 'name', 'active', 'externalId', 'emails'];
        expect(names.filter((name) => !known.includes(name))).toEqual([]);
      } catch (error) {
        expect(error).toBeInstanceOf(ScimPatchError);
      }
      expect(ada).toEqual(before);
      expect(({} as { admin?: unknown }).admin).toBeUndefined();
    }),
    { numRuns: chooseRuns(200, 500) },
  );
});

test('members of a group can be added and removed with every form of path', () => {
  const group: JsonObject = { members: [{ value: 'u1' }, { value: 'u2' }] };
  const members = (...operations: PatchOperation[]): unknown =>
    (applyPatch(group, operations, GROUP_SCHEMA).members as JsonObject[]).map(({ value }) => value);
  expect(members(add('members', [{ $ref: null, value: 'u3' }]))).toEqual(['u1', 'u2', 'u3']);
  expect(members({ op: 'add', value: { members: [{ value: 'u3' }] } })).toEqual(['u1', 'u2', 'u3']);
  expect(members(remove('members[value eq "u1"]'))).toEqual(['u2']);
  expect(members(remove('members', [{ $ref: null, value: 'u2' }]))).toEqual(['u1']);
  expect(members(remove('members'))).toEqual([]);
  expect(() => members(replace('displayName', 'x'))).toThrow(ScimPatchError);
});

test('attributes and excludedAttributes select the returned attributes; schemas and id are always returned', () => {
  const resource: JsonObject & { schemas: string[]; id: string } = {
    schemas: ['s'],
    id: '1',
    ...ada,
  };
  const shown = (selection: Parameters<typeof project>[2]): object =>
    project(resource, USER_SCHEMA, selection);
  expect(shown({})).toEqual(resource);
  expect(shown({ attributes: ['USERNAME', 'name.givenName', 'emails.value', 'nothing'] })).toEqual({
    schemas: ['s'],
    id: '1',
    userName: 'ada@example.com',
    name: { givenName: 'Ada' },
    emails: [{ value: work.value }, { value: home.value }],
  });
  const { emails: _emails, ...rest } = resource;
  expect(shown({ excludedAttributes: ['emails', 'id', 'name.givenName'] })).toEqual({
    ...rest,
    name: { familyName: 'L' },
  });
  expect(shown({ attributes: ['name', 'name.givenName'] })).toEqual({
    schemas: ['s'],
    id: '1',
    name: ada.name,
  });
});

test.each<PatchOperation['op']>(['add', 'remove'])(
  '%s of many elements looks at each once or twice',
  (op) => {
    let looks = 0;
    const many = 500;
    const element = (id: number): JsonObject => ({
      get value() {
        looks += 1;
        return `id-${id}`;
      },
      type: 'User',
    });
    const members = Array.from({ length: many }, (_, id) => element(id));
    const value = Array.from({ length: many }, (_, id) => ({ value: `other-${id}`, type: 'User' }));
    applyPatch({ members }, [{ op, path: 'members', value }], GROUP_SCHEMA);
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(2 * many);
  },
);

test('a value without a path has a hundred members at most', () => {
  const value = Object.fromEntries(
    Array.from({ length: 101 }, (_, i) => [`emails[value eq "${i}"].type`, 'work']),
  );
  expect(() => patch({ op: 'replace', value })).toThrow('may have 100 members');
});
