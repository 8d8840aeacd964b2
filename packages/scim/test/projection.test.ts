// Projection of SCIM resources: what is asked for, what is left out, and what is always returned.
import { expect, test } from 'vitest';
import { isReturned, project, type Selection } from '../src/projection.ts';
import { GROUP_SCHEMA, USER_SCHEMA } from '../src/schema.ts';

test.each<[Selection, boolean]>([
  [{}, true],
  [{ attributes: ['members'] }, true],
  [{ attributes: [' MEMBERS ', 'x'] }, true],
  [{ attributes: ['members.value'] }, true],
  [{ attributes: ['displayName'] }, false],
  [{ attributes: [] }, false],
  [{ excludedAttributes: ['members'] }, false],
  [{ excludedAttributes: ['members.value', 'members'] }, false],
  [{ excludedAttributes: ['members', 'members.value'] }, false],
  [{ excludedAttributes: ['members.value'] }, true],
  [{ excludedAttributes: ['displayName'] }, true],
  [{ attributes: ['members'], excludedAttributes: ['members'] }, true],
])('%j: members are read: %j', (selection, isRead) => {
  expect(isReturned(GROUP_SCHEMA, selection, 'members')).toBe(isRead);
});

const name = { givenName: 'Ada', familyName: 'L' };
const ada = { schemas: [USER_SCHEMA.id], id: '7', userName: 'ada', displayName: 'Ada', name };

test.each<[Selection, object]>([
  [{}, ada],
  [{ attributes: ['displayName'] }, { displayName: 'Ada' }],
  [{ attributes: ['name.givenName'] }, { name: { givenName: 'Ada' } }],
  [{ attributes: ['name', 'name.givenName'] }, { name }],
  [{ excludedAttributes: ['name.givenName'] }, { ...ada, name: { familyName: 'L' } }],
  [{ excludedAttributes: ['name', 'displayName', 'id'] }, { userName: 'ada' }],
])('%j: %j is returned', (selection, expected) => {
  const always = { schemas: ada.schemas, id: ada.id };
  const projected: object = project(ada, USER_SCHEMA, selection);
  expect({ ...always, ...projected }).toEqual({ ...always, ...projected, ...expected });
  expect(projected).toMatchObject(always);
  const names = new Set([...Object.keys(expected), 'schemas', 'id', 'userName']);
  expect(Object.keys(projected).filter((member) => !names.has(member))).toEqual([]);
});
