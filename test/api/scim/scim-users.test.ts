// SCIM users over HTTP: provision, find, change, deactivate (document 1, sections 2, 3 and 4.5).
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  listAuditEntries,
  changeMembership,
  createMember,
  toObjectId,
} from '../../setup/harness.ts';
import { assertOk, createOwner } from '../../setup/personas.ts';
import { createAddress, createDirectory, USER_URN, type Directory } from '../../setup/scim.ts';
import type { Answer } from '../../setup/start-app.ts';

let scim: Directory;
const harness = useHarness();
const ada = useOwner(harness);
beforeAll(async () => {
  scim = await createDirectory(harness.app, ada);
});

const outcome = ({ status, body }: Answer): unknown[] => [status, body?.scimType, body?.code];
const query = (filter: string, more = ''): string =>
  `/Users?filter=${encodeURIComponent(filter)}${more}`;
const names = ({ body }: Answer): string[] =>
  body.Resources.map(({ userName }: { userName: string }) => userName);
const found = async (filter: string): Promise<string[]> =>
  names(assertOk(await scim.call('GET', query(filter))));
const membershipOf = (id: string, { organizationId } = ada) =>
  harness.db
    .collection('memberships')
    .findOne({ organizationId: toObjectId(organizationId), userId: toObjectId(id) });

test('a user is provisioned: resource, location, account, membership and audit entry', async () => {
  const externalId = 'a-stable-id';
  const sent = {
    schemas: [USER_URN],
    userName: 'Grace.Hopper@Example.com',
    displayName: 'Grace',
    active: true,
    externalId,
    emails: [{ value: 'grace@work.example', type: 'work', primary: true }],
    name: { givenName: 'Grace', familyName: 'Hopper' },
    nickName: 'unknown attributes are passed over',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Navy' },
  };
  const answer = await scim.call('POST', '/Users', sent);
  const { id, meta } = answer.body;
  expect(answer).toMatchObject({
    status: 201,
    body: { userName: 'grace.hopper@example.com', displayName: 'Grace' },
  });
  expect(answer.body).toEqual({
    schemas: [USER_URN],
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    externalId,
    userName: 'grace.hopper@example.com',
    displayName: 'Grace',
    name: { formatted: 'Grace Hopper', givenName: 'Grace', familyName: 'Hopper' },
    active: true,
    emails: sent.emails,
    groups: [
      { value: 'member', $ref: '/scim/v2/Groups/member', display: 'member', type: 'direct' },
    ],
    meta: {
      resourceType: 'User',
      created: expect.any(String),
      lastModified: expect.any(String),
      location: `/scim/v2/Users/${id}`,
    },
  });
  expect(answer.headers.get('location')).toBe(meta.location);
  expect(answer.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
  expect((await scim.call('GET', `/Users/${id}`)).body).toEqual(answer.body);
  expect(await harness.db.collection('users').findOne({ _id: toObjectId(id) })).toMatchObject({
    email: 'grace.hopper@example.com',
    name: 'Grace',
    passwordHash: null,
  });
  expect(await membershipOf(id)).toMatchObject({
    role: 'member',
    isActive: true,
    ssoId: externalId,
  });
  const [entry] = await listAuditEntries(harness.app, ada, `resourceId=${id}`);
  expect(entry).toMatchObject({
    action: 'scim.user.created',
    userId: null,
    status: 'success',
    metadata: {
      tokenId: expect.stringMatching(/^[0-9a-f]{24}$/),
      externalId,
      role: 'member',
      matched: null,
    },
  });
});

test.each([
  [{ displayName: 'As Said', name: { givenName: 'G', familyName: 'F' } }, 'As Said'],
  [{ displayName: '  ', name: { givenName: 'G', familyName: 'F' } }, 'G F'],
  [{ displayName: null, name: { familyName: 'F' } }, 'F'],
  [{ userName: 'before.at@example.com' }, 'before.at'],
])('%j is shown as %s', async (more, displayName) => {
  const { body } = await scim.call('POST', '/Users', { userName: createAddress(), ...more });
  expect(body.displayName).toBe(displayName);
});

test('without e-mail addresses the user name is the address', async () => {
  const { id, userName } = await scim.provision();
  expect((await scim.call('GET', `/Users/${id}`)).body.emails).toEqual([
    { value: userName, type: 'work', primary: true },
  ]);
});

test.each<[string, unknown]>([
  ['no user name', { schemas: [USER_URN], displayName: 'x' }],
  ['an empty one', { userName: '  ' }],
  ['a number', { userName: 7 }],
  ['no address at all', { userName: 'bjensen' }],
  ['another schema', { schemas: ['urn:x'], userName: 'a@example.com' }],
  ['no flag', { userName: 'a@example.com', active: 'yes' }],
  ['no name', { userName: 'a@example.com', name: 'x' }],
  ['no list', { userName: 'a@example.com', emails: 'x' }],
  ['an operator', { userName: { $ne: null } }],
  ['a list', []],
])('refused: %s', async (_name, body) => {
  expect(outcome(await scim.call('POST', '/Users', body))).toEqual([
    400,
    'invalidValue',
    undefined,
  ]);
});

test('a body that is no JSON is invalid syntax', async () => {
  const answer = await scim.send('POST', '/Users', { raw: '{"userName":' });
  expect(outcome(answer)).toEqual([400, 'invalidSyntax', undefined]);
});

test(
  'a user name is taken once in an organisation, whatever its case, also at the same time, also by invited members',
  { tags: ['long'] },
  async () => {
    const userName = createAddress();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        scim.call('POST', '/Users', { userName: userName.toUpperCase() }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(outcome(await scim.call('POST', '/Users', { userName }))).toEqual([
      409,
      'uniqueness',
      undefined,
    ]);
    expect(outcome(await scim.call('POST', '/Users', { userName: ada.email }))).toEqual([
      409,
      'uniqueness',
      undefined,
    ]);
    const { id } = await scim.provision();
    for (const taken of [userName, ada.email])
      expect(
        outcome(
          await scim.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: taken }),
        ),
      ).toEqual([409, 'uniqueness', undefined]);
    expect(outcome(await scim.call('PUT', `/Users/${id}`, { userName }))[0]).toBe(409);
  },
);

test('members who were not provisioned are found by their login, and taken over by the directory as members only', async () => {
  const guest = await createMember(harness, ada, 'viewer');
  expect(await found(`userName eq "${guest.email.toUpperCase()}"`)).toEqual([guest.email]);
  const before = await harness.db.collection('users').findOne({ _id: toObjectId(guest.userId) });
  const answer = await scim.patch(
    `/Users/${guest.userId}`,
    { op: 'add', path: 'externalId', value: 'linked' },
    { op: 'replace', path: 'displayName', value: 'By Directory' },
  );
  expect(answer.body).toMatchObject({
    externalId: 'linked',
    displayName: 'By Directory',
    userName: guest.email,
  });
  expect(await harness.db.collection('users').findOne({ _id: toObjectId(guest.userId) })).toEqual(
    before,
  );
  expect(await found('externalId eq "linked"')).toEqual([guest.email]);
});

test('the role comes from the first rule that fits a group', async () => {
  const home = await createOwner(harness.app, 'Mapping');
  const roleMapping = [
    { pattern: '(?i)admin', role: 'admin' },
    { pattern: '^aud', role: 'auditor' },
  ];
  await harness.db
    .collection('organizations')
    .updateOne({ _id: toObjectId(home.organizationId) }, { $set: { roleMapping } });
  const mapped = await createDirectory(harness.app, home);
  const roleOf = async (groups: unknown): Promise<unknown> =>
    (await membershipOf((await mapped.provision({ groups })).id, home))?.role;
  expect(await roleOf([{ value: '1', display: 'Cloud Admins' }])).toBe('admin');
  expect(await roleOf(['auditors', 'x'])).toBe('auditor');
  expect(await roleOf([{ value: 'owner' }])).toBe('member');
  const [, audited] = await listAuditEntries(harness.app, home, 'action=scim.user.created');
  expect(audited?.metadata).toMatchObject({
    role: 'auditor',
    matched: { pattern: '^aud', group: 'auditors' },
  });
});

test('PUT replaces: what is left out is cleared, and the state is its default', async () => {
  const { id, userName } = await scim.provision({
    displayName: 'Shown',
    externalId: 'e1',
    name: { givenName: 'G' },
    emails: [{ value: 'other@example.com', type: 'home' }],
    active: false,
  });
  const { status, body } = await scim.call('PUT', `/Users/${id}`, {
    schemas: [USER_URN],
    userName,
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    displayName: userName.split('@')[0],
    active: true,
    emails: [{ value: userName, type: 'work', primary: true }],
  });
  expect(Object.keys(body)).not.toContain('externalId');
  expect(Object.keys(body)).not.toContain('name');
  expect(await membershipOf(id)).toMatchObject({
    role: 'member',
    ssoId: null,
    deactivatedBy: null,
  });
});

test('PATCH is all or nothing, also when it fails in the middle', async () => {
  const { id } = await scim.provision({ displayName: 'Before' });
  const before = await membershipOf(id);
  const good = { op: 'replace', path: 'displayName', value: 'After' };
  for (const bad of [
    { op: 'replace', path: 'nickName', value: 'x' },
    { op: 'replace', path: 'userName', value: 7 },
    { op: 'remove', path: 'userName' },
    { op: 'replace', path: 'userName', value: ada.email },
  ]) {
    const { status } = await scim.patch(
      `/Users/${id}`,
      good,
      { op: 'replace', path: 'active', value: false },
      bad,
      good,
    );
    expect(status, JSON.stringify(bad)).toBe(bad.value === ada.email ? 409 : 400);
    expect(await membershipOf(id)).toEqual(before);
  }
  expect(
    outcome(await scim.patch(`/Users/${id}`, { op: 'replace', path: 'nickName', value: 'x' })),
  ).toEqual([400, 'invalidValue', undefined]);
  const entries = await listAuditEntries(harness.app, ada, `resourceId=${id}&status=success`);
  expect(entries.map(({ action }) => action)).toEqual(['scim.user.created']);
});

test.each<[string, unknown]>([
  ['no operations', { Operations: [] }],
  ['an unknown operation', { Operations: [{ op: 'move', path: 'displayName', value: 'x' }] }],
  ['another schema', { schemas: ['urn:x'], Operations: [{ op: 'add', value: {} }] }],
  ['a path that is no text', { Operations: [{ op: 'add', path: { $ne: 1 }, value: 'x' }] }],
])('a patch is refused: %s', async (_name, body) => {
  const { id } = await scim.provision();
  expect(outcome(await scim.call('PATCH', `/Users/${id}`, body))).toEqual([
    400,
    'invalidValue',
    undefined,
  ]);
});

test('deactivation keeps the row and the role, is audited, and ends no session unless the organisation says so', async () => {
  const home = await createOwner(harness.app, 'Ending');
  const source = await createDirectory(harness.app, home);
  const person = await createMember(harness, home, 'admin');
  const me = () => harness.app.call('GET', '/api/v1/auth/me', { token: person.token });
  expect((await source.call('DELETE', `/Users/${person.userId}`)).status).toBe(204);
  expect((await source.call('GET', `/Users/${person.userId}`)).body.active).toBe(false);
  expect(await membershipOf(person.userId, home)).toMatchObject({
    role: 'admin',
    deactivatedBy: 'scim',
  });
  expect((await me()).status).toBe(200);
  const back = { op: 'replace', path: 'active', value: true };
  expect((await source.patch(`/Users/${person.userId}`, back)).body.active).toBe(true);
  await harness.db
    .collection('organizations')
    .updateOne(
      { _id: toObjectId(home.organizationId) },
      { $set: { endSessionsOnScimDeactivate: true } },
    );
  expect(
    (await source.patch(`/Users/${person.userId}`, { ...back, value: false })).body.active,
  ).toBe(false);
  expect(outcome(await me())).toEqual([401, undefined, 'SESSION_REVOKED']);
  const entries = await listAuditEntries(harness.app, home, `resourceId=${person.userId}`);
  const actions = entries
    .map(({ action }) => String(action))
    .filter((action) => action.includes('activated'));
  expect(actions).toEqual([
    'scim.user.deactivated',
    'scim.user.reactivated',
    'scim.user.deactivated',
  ]);
});

test('a member suspended by the team stays suspended, whatever the directory says', async () => {
  const person = await createMember(harness, ada, 'member');
  await changeMembership(harness, person, { isActive: false, deactivatedBy: 'team' });
  const path = `/Users/${person.userId}`;
  for (const answer of [
    await scim.patch(path, { op: 'replace', path: 'active', value: true }),
    await scim.call('PUT', path, { userName: person.email }),
    await scim.patch(path, { op: 'replace', path: 'active', value: false }),
    await scim.patch(path, { op: 'replace', path: 'active', value: true }),
  ])
    expect(answer).toMatchObject({ status: 200, body: { active: false } });
  expect(await membershipOf(person.userId)).toMatchObject({
    isActive: false,
    deactivatedBy: 'team',
  });
});

test('the last active owner stays, whichever way is tried', async () => {
  const path = `/Users/${ada.userId}`;
  for (const answer of [
    await scim.call('DELETE', path),
    await scim.patch(path, { op: 'replace', path: 'active', value: false }),
    await scim.call('PUT', path, { userName: ada.email, active: false }),
  ])
    expect(outcome(answer)).toEqual([400, 'invalidValue', undefined]);
  expect(await membershipOf(ada.userId)).toMatchObject({
    role: 'owner',
    isActive: true,
    directory: null,
  });
});

test('unknown users are 404 in the shape of SCIM', async () => {
  for (const id of ['a'.repeat(24), 'no-id', '%7B%7D'])
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const bodies: Record<string, unknown> = {
        PUT: { userName: createAddress() },
        PATCH: { Operations: [{ op: 'add', value: {} }] },
      };
      const answer = await scim.call(method, `/Users/${id}`, bodies[method]);
      expect(answer, `${method} ${id}`).toMatchObject({
        status: 404,
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
          status: '404',
          detail: expect.any(String),
        },
      });
    }
});

test('lists: envelope, windows, selection', async () => {
  const home = await createOwner(harness.app, 'Lists');
  const source = await createDirectory(harness.app, home);
  for (let i = 1; i <= 4; i++)
    await source.provision({ userName: `u${i}-${home.userId}@example.com`, displayName: `N${i}` });
  const list = async (search: string) =>
    assertOk(await source.call('GET', `/Users?${search}`)).body;
  const all = await list('');
  expect(all).toMatchObject({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: 5,
    startIndex: 1,
    itemsPerPage: 5,
  });
  expect(all.Resources.map(({ displayName }: { displayName: string }) => displayName)).toEqual([
    'N4',
    'N3',
    'N2',
    'N1',
    'Lists',
  ]);
  const window = async (search: string): Promise<unknown[]> => {
    const { totalResults, startIndex, itemsPerPage, Resources } = await list(search);
    return [
      totalResults,
      startIndex,
      itemsPerPage,
      Resources.map((user: { displayName: string }) => user.displayName),
    ];
  };
  const n = `filter=${encodeURIComponent('displayName sw "n"')}`;
  for (const filter of ['', n]) {
    const total = filter === '' ? 5 : 4;
    expect(await window(`${filter}&startIndex=2&count=2`)).toEqual([total, 2, 2, ['N3', 'N2']]);
    expect(await window(`${filter}&startIndex=-3&count=1`)).toEqual([total, 1, 1, ['N4']]);
    expect(await window(`${filter}&count=0`)).toEqual([total, 1, 0, []]);
    expect(await window(`${filter}&count=-1`)).toEqual([total, 1, 0, []]);
    expect(await window(`${filter}&startIndex=99`)).toEqual([total, 99, 0, []]);
    expect((await window(`${filter}&count=100000`))[2]).toBe(total);
  }
  expect((await list('attributes=userName&count=1')).Resources[0]).toEqual({
    schemas: [USER_URN],
    id: expect.any(String),
    userName: `u4-${home.userId}@example.com`,
  });
  expect(
    Object.keys((await list('excludedAttributes=emails,meta,groups&count=1')).Resources[0]),
  ).toEqual(['schemas', 'id', 'userName', 'displayName', 'active']);
  for (const bad of ['count=x', 'startIndex=1.5', 'count=1&count=2'])
    expect(outcome(await source.call('GET', `/Users?${bad}`))[0], bad).toBe(400);
  const searched = await source.call('POST', '/Users/.search', {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
    filter: 'displayName ge "N2" and active eq true',
    attributes: ['displayName'],
    startIndex: 2,
    count: 1,
  });
  expect(searched.body).toMatchObject({
    totalResults: 3,
    startIndex: 2,
    Resources: [{ displayName: 'N3' }],
  });
  const everything = await source.call('POST', '/.search', {
    filter: 'displayName co "m"',
    count: 10,
  });
  expect(
    everything.body.Resources.map(({ displayName }: { displayName: string }) => displayName),
  ).toEqual(['admin', 'member']);
  const mixed = await source.call('POST', '/.search', { startIndex: 5, count: 2 });
  expect([
    mixed.body.totalResults,
    mixed.body.Resources.map(({ id }: { id: string }) => id),
  ]).toEqual([9, [home.userId, 'owner']]);
});

test('at most 200 are answered at once, 100 by default', async () => {
  const home = await createOwner(harness.app, 'Many');
  const source = await createDirectory(harness.app, home);
  const [organizationId, at] = [toObjectId(home.organizationId), new Date()];
  const people = Array.from({ length: 205 }, () => ({ _id: toObjectId(newHex()), name: 'X', at }));
  await harness.db
    .collection('users')
    .insertMany(
      people.map(({ _id }) => ({ _id, email: `${_id.toHexString()}@example.com`, name: 'Many' })),
    );
  await harness.db.collection('memberships').insertMany(
    people.map(({ _id }) => ({
      organizationId,
      userId: _id,
      role: 'viewer',
      isActive: true,
      createdAt: at,
      updatedAt: at,
    })),
  );
  const sizes = await Promise.all(
    [
      '',
      'count=200',
      'count=500',
      'startIndex=201&count=200',
      `count=500&filter=${encodeURIComponent('active eq true')}`,
    ].map(async (search) => {
      const { totalResults, itemsPerPage, Resources } = assertOk(
        await source.call('GET', `/Users?${search}`),
      ).body;
      return [totalResults, itemsPerPage, Resources.length];
    }),
  );
  expect(sizes).toEqual([
    [206, 100, 100],
    [206, 200, 200],
    [206, 200, 200],
    [206, 6, 6],
    [206, 200, 200],
  ]);
});
const newHex = (): string => createAddress().slice(1, 13) + '0'.repeat(12);

test.each(['displayName foo "x"', 'shoeSize eq "x"', 'userName eq', 'passwordHash pr', ''])(
  'the filter %j cannot be resolved',
  async (filter) => {
    expect(outcome(await scim.call('GET', query(filter)))).toEqual([
      400,
      'invalidFilter',
      undefined,
    ]);
    expect(outcome(await scim.call('POST', '/.search', { filter }))).toEqual([
      400,
      'invalidFilter',
      undefined,
    ]);
  },
);

test('the account follows its directory in name, and in address while it is unused', async () => {
  const { id } = await scim.provision({ displayName: 'One' });
  const account = () => harness.db.collection('users').findOne({ _id: toObjectId(id) });
  const renamed = createAddress();
  await scim.patch(`/Users/${id}`, {
    op: 'replace',
    value: { userName: renamed, displayName: 'Two' },
  });
  expect(await account()).toMatchObject({ email: renamed, name: 'Two' });
  await harness.db
    .collection('users')
    .updateOne({ _id: toObjectId(id) }, { $set: { passwordHash: 'set by a reset' } });
  const again = createAddress();
  const { body } = await scim.patch(`/Users/${id}`, {
    op: 'replace',
    value: { userName: again, displayName: 'Three' },
  });
  expect(body.userName).toBe(again);
  expect(await account()).toMatchObject({
    email: renamed,
    name: 'Three',
    passwordHash: 'set by a reset',
  });
});
