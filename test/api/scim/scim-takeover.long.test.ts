// Attacks on the interface and on other accounts through SCIM: none has an effect.
// @module-tag long
import { request } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/domain/record/chain.ts';
import { generateHex } from '../../../src/platform/ids.ts';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, toObjectId } from '../../setup/harness.ts';
import {
  createAgent,
  assertOk,
  createOwner,
  PASSWORD,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import { createAddress, createDirectory, PATCH_URN, type Directory } from '../../setup/scim.ts';

/** The attacker's organisation, and the one that is attacked. */
let attack: Directory;
let home: Directory;
const harness = useOwnHarness();
const eve = useOwner(harness, 'Eve');
const bob = useOwner(harness, 'Bob');
beforeAll(async () => {
  [attack, home] = [
    await createDirectory(harness.app, eve),
    await createDirectory(harness.app, bob),
  ];
});

/** Everything that makes up the other organisation: its people, memberships and sessions. */
async function belongings({ organizationId, userId }: Owner): Promise<object> {
  const of = { organizationId: toObjectId(organizationId) };
  const [memberships, sessions, organization] = await Promise.all([
    harness.db.collection('memberships').find(of).sort({ _id: 1 }).toArray(),
    harness.db.collection('sessions').find(of).sort({ _id: 1 }).toArray(),
    harness.db.collection('organizations').findOne({ _id: of.organizationId }),
  ]);
  const ids = [...memberships.map((one) => one.userId as string), toObjectId(userId)];
  const users = await harness.db
    .collection('users')
    .find({ _id: { $in: ids as never[] } })
    .sort({ _id: 1 })
    .toArray();
  return { memberships, sessions, users, organization };
}
const account = (id: string) => harness.db.collection('users').findOne({ _id: toObjectId(id) });
const signIn = (email: string, password = PASSWORD) =>
  harness.app.call('POST', '/api/v1/auth/login', { body: { email, password } });

interface Raw {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}
/** Sends an address as it is: `fetch` would tidy it up. */
function raw(
  path: string,
  { method = 'GET', headers = {}, body }: Raw = {},
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(harness.app.url);
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    call.on('error', reject).end(body);
  });
}

test('1: no spelling of an address answers without a token', async () => {
  const { id } = await home.provision();
  const paths = [
    '/scim/v2/Users',
    '/scim/v2/Users/',
    '/scim/v2//Users',
    '//scim/v2/Users',
    '/scim//v2/Users',
    '/SCIM/v2/Users',
    '/scim/V2/users',
    '/scim/v2/USERS',
    '/scim/v2/%55sers',
    '/scim/v2/Users%2F',
    '/scim%2Fv2%2FUsers',
    '/scim/v2/Users;a=b',
    '/scim/v2/Users%00',
    '/scim/v2/Users%',
    '/scim/v2/./Users',
    '/scim/v2/Schemas/../Users',
    '/scim/v2/ServiceProviderConfig/../Users',
    '/scim/v2/Schemas/%2e%2e/Users',
    '/scim/v2/ResourceTypes/..%2fUsers',
    '/api/v1/../../scim/v2/Users',
    '/api/scim/v2/Users',
    '/api/v1/scim/v2/Users',
    '/scim/v1/Users',
    '/scim/v2/.search',
    '/scim/v2/Users/.search',
    `/scim/v2/Users/${id}`,
    `/scim/v2/Users/${id.toUpperCase()}`,
    `/scim/v2/Users/${id}/`,
    '/scim/v2/Groups/owner',
    '/scim/v2/Users?access_token=x',
  ];
  for (const path of paths)
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
      for (const headers of [
        {},
        { 'X-Original-URL': '/scim/v2/Schemas', 'X-HTTP-Method-Override': 'GET' },
      ]) {
        const { status, text } = await raw(path, { method, headers });
        expect([400, 401, 404, 405], `${method} ${path}: ${status}`).toContain(status);
        expect(text).not.toContain('Resources');
      }
});

test('2: nothing but the SCIM token in its header opens the interface', async () => {
  const { key } = await createWorkspaceKey(harness.app, bob);
  const machine = await createAgent(harness.app, bob);
  const { token } = home;
  const tries: Record<string, string>[] = [
    { authorization: `Bearer ${bob.token}` },
    { authorization: `Bearer ${key}` },
    { authorization: `Bearer ${machine.key}` },
    { 'x-api-key': key },
    { 'x-api-key': token },
    { authorization: token },
    { authorization: `Basic ${Buffer.from(`scim:${token}`).toString('base64')}` },
    { authorization: `Bearer ${token.toUpperCase()}` },
    { authorization: `Bearer ${token}0` },
    { authorization: `Bearer ${token.slice(0, -1)}` },
    { authorization: `Bearer scim_${'0'.repeat(48)}` },
    { authorization: 'Bearer {"$ne":null}' },
    { authorization: 'Bearer' },
    { cookie: `token=${token}; Authorization=Bearer ${token}` },
  ];
  for (const headers of tries)
    expect((await raw('/scim/v2/Users', { headers })).status, JSON.stringify(headers)).toBe(401);
  expect((await raw(`/scim/v2/Users?token=${token}&access_token=${token}`)).status).toBe(401);
  expect(
    (await raw('/scim/v2/Users', { headers: { authorization: `Bearer ${token}` } })).status,
  ).toBe(200);
});

test('3: the SCIM token opens nothing else', async () => {
  for (const path of ['/api/v1/auth/me', '/api/v1/agents', '/api/v1/audit', '/api/v1/auth/keys'])
    expect((await harness.app.call('GET', path, { token: home.token })).status).toBe(401);
  const mint = await harness.app.call('POST', '/api/v1/organization/scim-token', {
    token: home.token,
  });
  expect(mint.status).toBe(401);
});

test('4: only an owner mints a token, for the own organisation only', async () => {
  const admin = await createMember(harness, bob, 'admin');
  const before = await harness.db.collection('scim_tokens').find().sort({ _id: 1 }).toArray();
  const body = { organizationId: bob.organizationId };
  const call = (token: string) =>
    harness.app.call('POST', '/api/v1/organization/scim-token', { token, body });
  expect((await call(admin.token)).status).toBe(403);
  const evil = await createOwner(harness.app, 'Mallory');
  const minted = assertOk(await call(evil.token));
  const after = await harness.db
    .collection('scim_tokens')
    .find({ _id: { $ne: toObjectId(minted.body.data._id) } })
    .sort({ _id: 1 })
    .toArray();
  expect(after).toEqual(before);
});

test('5: provisioning a user with an account gives a membership, and neither password nor name nor session', async () => {
  const before = await belongings(bob);
  const answer = await attack.call('POST', '/Users', {
    userName: bob.email.toUpperCase(),
    displayName: 'Owned',
    password: 'Attacker-Password-1',
    active: true,
    externalId: 'evil',
    emails: [{ value: 'evil@example.com', primary: true }],
  });
  expect(answer).toMatchObject({ status: 201, body: { displayName: 'Owned' } });
  expect(await belongings(bob)).toEqual(before);
  expect((await signIn(bob.email, 'Attacker-Password-1')).status).toBe(401);
  expect((await signIn('evil@example.com')).status).toBe(401);
  expect((await signIn(bob.email)).status).toBe(200);
});

test('6: the name of the account elsewhere is not revealed', async () => {
  const secret = await createOwner(harness.app, 'Secretive');
  const { status, text, body } = await attack.call('POST', '/Users', { userName: secret.email });
  expect([status, body.displayName]).toEqual([201, secret.email.split('@')[0]]);
  expect(text).not.toContain('Secretive');
  expect((await attack.call('GET', `/Users/${secret.userId}`)).text).not.toContain('Secretive');
  expect(
    (await attack.call('POST', '/.search', { filter: 'displayName co "Secretive Ltd"' })).body
      .totalResults,
  ).toBe(0);
});

test('7: a shared account is not renamed, moved, replaced or switched off', async () => {
  const victim = await createOwner(harness.app, 'Victim');
  const { id } = (await attack.call('POST', '/Users', { userName: victim.email })).body;
  expect(id).toBe(victim.userId);
  const before = await belongings(victim);
  const evil = createAddress();
  await attack.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: evil });
  await attack.patch(`/Users/${id}`, {
    op: 'replace',
    value: { displayName: 'x', emails: [{ value: evil }] },
  });
  await attack.call('PUT', `/Users/${id}`, { userName: evil, displayName: 'Gone', active: false });
  expect((await attack.call('DELETE', `/Users/${id}`)).status).toBe(204);
  expect(await belongings(victim)).toEqual(before);
  expect((await harness.app.call('GET', '/api/v1/auth/me', { token: victim.token })).status).toBe(
    200,
  );
  expect((await signIn(victim.email)).body.data.user.name).toBe('Victim');
  expect((await signIn(evil)).status).toBe(401);
});

test('8: ending sessions ends those of the own organisation only', async () => {
  const victim = await createOwner(harness.app, 'Sessions');
  await harness.db
    .collection('organizations')
    .updateOne(
      { _id: toObjectId(eve.organizationId) },
      { $set: { endSessionsOnScimDeactivate: true } },
    );
  const { id } = (await attack.call('POST', '/Users', { userName: victim.email })).body;
  await attack.call('DELETE', `/Users/${id}`);
  expect((await harness.app.call('GET', '/api/v1/auth/me', { token: victim.token })).status).toBe(
    200,
  );
});

test('9: users of another organisation are not there', async () => {
  const { id } = await home.provision({ externalId: 'home-1' });
  const before = await belongings(bob);
  const operations = {
    schemas: [PATCH_URN],
    Operations: [{ op: 'replace', path: 'active', value: false }],
  };
  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', { userName: createAddress() }],
    ['PATCH', operations],
    ['DELETE', undefined],
  ] as const)
    expect((await attack.call(method, `/Users/${id}`, body)).status, method).toBe(404);
  for (const filter of [
    `id eq "${id}"`,
    'externalId eq "home-1"',
    `groups.value eq "owner" and id eq "${bob.userId}"`,
  ])
    expect(
      (await attack.call('POST', '/Users/.search', { filter })).body.totalResults,
      filter,
    ).toBe(0);
  expect(await belongings(bob)).toEqual(before);
});

test('10: members of another organisation are not moved', async () => {
  const { id } = await home.provision();
  const before = await belongings(bob);
  for (const bucket of ['owner', 'member'])
    expect(
      (
        await attack.patch(`/Groups/${bucket}`, {
          op: 'add',
          path: 'members',
          value: [{ value: id }],
        })
      ).status,
    ).toBe(400);
  const removed = await attack.patch('/Groups/member', {
    op: 'remove',
    path: `members[value eq "${id}"]`,
  });
  expect(removed.status).toBe(204);
  expect(await belongings(bob)).toEqual(before);
});

test('11: no member of a resource reaches the database that is not in the schema', async () => {
  const loot = {
    id: bob.userId,
    _id: bob.userId,
    role: 'owner',
    roles: [{ value: 'owner' }],
    groups: [{ value: 'owner', display: 'owner' }],
    systemRole: 'owner',
    organizationId: bob.organizationId,
    userId: bob.userId,
    passwordHash: 'x',
    password: 'Attacker-Password-1',
    mfa: { enabled: false },
    provisionedBy: bob.organizationId,
    deactivatedBy: null,
    directory: { userName: bob.email },
    ssoId: 'x',
    meta: { created: '2000-01-01T00:00:00Z' },
    constructor: { prototype: { admin: true } },
  };
  const before = await belongings(bob);
  const made = (await attack.call('POST', '/Users', { ...loot, userName: createAddress() })).body;
  const put = (await attack.call('PUT', `/Users/${made.id}`, { ...loot, userName: made.userName }))
    .body;
  const patched = (await attack.patch(`/Users/${made.id}`, { op: 'replace', value: loot })).body;
  for (const resource of [made, put, patched])
    expect(resource).toMatchObject({ id: made.id, groups: [{ value: 'member' }] });
  expect(await account(made.id)).toMatchObject({
    passwordHash: null,
    systemRole: null,
    email: made.userName,
  });
  const where = { userId: toObjectId(made.id) };
  expect(await harness.db.collection('memberships').find(where).toArray()).toMatchObject([
    { organizationId: toObjectId(eve.organizationId), role: 'member', ssoId: null },
  ]);
  expect(await belongings(bob)).toEqual(before);
  expect(({} as { admin?: unknown }).admin).toBeUndefined();
});

test('12: no path leads outside the schema', async () => {
  const { id } = await attack.provision();
  const where = { userId: toObjectId(id) };
  const before = [await account(id), await harness.db.collection('memberships').findOne(where)];
  for (const path of [
    ...[
      'role',
      'systemRole',
      'passwordHash',
      'organizationId',
      'directory.userName',
      'isActive',
      'id',
      'meta',
      'groups',
    ],
    ...[
      'groups[value eq "member"].value',
      '__proto__.admin',
      'constructor.prototype',
      '$set',
      '$set.role',
      'name.$set',
    ],
    ...['emails[value eq "x"].__proto__', 'userName.length', 'urn:x:role', 'schemas', 'members'],
  ])
    for (const op of ['add', 'replace', 'remove'])
      expect(
        (await attack.patch(`/Users/${id}`, { op, path, value: 'owner' })).body,
        `${op} ${path}`,
      ).toMatchObject({
        status: '400',
        scimType: 'invalidValue',
      });
  expect([await account(id), await harness.db.collection('memberships').findOne(where)]).toEqual(
    before,
  );
});

test('13: a filter is never anything but a filter', async () => {
  const total = (await attack.call('GET', '/Users')).body.totalResults as number;
  for (const filter of [
    'userName eq "" || "1"=="1"',
    'userName eq "x"; return true',
    '{"$where":"1"}',
    'userName eq {"$ne":null}',
    '$where eq "1"',
    'passwordHash sw "$argon2"',
    `organizationId eq "${bob.organizationId}"`,
    'directory.userName pr',
    'userName regex ".*"',
    'members.value pr',
  ])
    expect(
      (await attack.call('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body,
      filter,
    ).toMatchObject({
      scimType: 'invalidFilter',
    });
  for (const filter of [
    'userName eq ".*"',
    'userName co "^"',
    'userName sw "(a+)+$"',
    'externalId eq "[object Object]"',
  ])
    expect(
      (await attack.call('POST', '/Users/.search', { filter })).body.totalResults,
      filter,
    ).toBe(0);
  const nothing = encodeURIComponent('not (userName pr)');
  expect((await attack.call('GET', `/Users?filter=${nothing}`)).body.totalResults).toBe(0);
  const pollution = `/Users?organizationId=${bob.organizationId}&filter[$ne]=1&userName[$ne]=1`;
  expect((await attack.call('GET', pollution)).body.totalResults).toBe(total);
});

test('14: an account in use is not renamed to an address that another person will be provisioned under', async () => {
  const { id, userName } = await attack.provision();
  await harness.db
    .collection('users')
    .updateOne(
      { _id: toObjectId(id) },
      { $set: { lastOrganizationId: toObjectId(eve.organizationId) } },
    );
  const target = createAddress();
  expect(
    (await attack.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: target })).body
      .userName,
  ).toBe(target);
  expect((await account(id))?.email).toBe(userName);
  const provisioned = await home.call('POST', '/Users', { userName: target });
  expect([provisioned.status, provisioned.body.id === id]).toEqual([201, false]);
});

test('15: an account that a second organisation shares follows neither directory any more', async () => {
  const { id, userName } = await attack.provision({ displayName: 'Mine' });
  expect((await home.call('POST', '/Users', { userName })).body.id).toBe(id);
  const proved = { token: await link('magic-link', id, userName) };
  const { token } = assertOk(
    await harness.app.call('POST', '/api/v1/auth/magic-link/verify', { body: proved }),
  ).body.data;
  const { organizationId } = bob;
  assertOk(
    await harness.app.call('POST', '/api/v1/auth/switch-org', { token, body: { organizationId } }),
  );
  const before = await account(id);
  await attack.patch(`/Users/${id}`, {
    op: 'replace',
    value: { displayName: 'Evil', userName: createAddress() },
  });
  await home.patch(`/Users/${id}`, {
    op: 'replace',
    value: { displayName: 'Other', userName: createAddress() },
  });
  expect(await account(id)).toEqual(before);
  const shown = await Promise.all(
    [attack, home].map(async (one) => (await one.call('GET', `/Users/${id}`)).body.displayName),
  );
  expect(shown).toEqual(['Evil', 'Other']);
});

test('16: a rename never takes over the account of the address', async () => {
  const { id, userName } = await attack.provision();
  const before = await belongings(bob);
  const renamed = await attack.patch(`/Users/${id}`, {
    op: 'replace',
    path: 'userName',
    value: (await createOwner(harness.app, 'Other')).email,
  });
  expect(renamed.status).toBe(200);
  expect((await account(id))?.email).toBe(userName);
  expect(await belongings(bob)).toEqual(before);
});

test('17: a workspace of another organisation is not chosen', async () => {
  const headers = { 'x-workspace-id': bob.workspaceId };
  expect((await attack.send('GET', '/Users', { headers })).status).toBe(404);
  expect(
    (await attack.send('POST', '/Users', { headers, body: { userName: createAddress() } })).status,
  ).toBe(404);
});

test('18: a member deactivated by the directory cannot sign in, nor reactivate themselves', async () => {
  const person = await createMember(harness, eve, 'admin');
  const where = {
    userId: toObjectId(person.userId),
    organizationId: { $ne: toObjectId(eve.organizationId) },
  };
  await harness.db.collection('memberships').deleteMany(where);
  expect((await attack.call('DELETE', `/Users/${person.userId}`)).status).toBe(204);
  expect((await signIn(person.email)).body.code).toBe('ACCOUNT_DEACTIVATED');
  for (const call of ['refresh', 'switch-org'])
    expect(
      (
        await harness.app.call('POST', `/api/v1/auth/${call}`, {
          token: person.token,
          body: { organizationId: eve.organizationId },
        })
      ).status,
      call,
    ).toBeGreaterThanOrEqual(400);
});

/** A link in a mail, without the mail. */
async function link(purpose: string, userId: string, email: string): Promise<string> {
  const token = generateHex(24);
  await harness.db.collection('one_time_tokens').insertOne({
    purpose,
    tokenHash: sha256Hex(token),
    userId: toObjectId(userId),
    email,
    facts: {},
    attempts: 0,
    spentAt: null,
    expiresAt: new Date(Date.now() + 60_000),
  });
  return token;
}
const reset = (token: string) =>
  harness.app.call('POST', '/api/v1/auth/reset-password', {
    body: { token, password: 'Another-Password-1' },
  });

test('19: the registrant of another person’s address gains no access when that person is provisioned', async () => {
  const squatter = await createOwner(harness.app, 'Squatter');
  const { id } = (await home.call('POST', '/Users', { userName: squatter.email })).body;
  expect(id).toBe(squatter.userId);
  const enter = (token: string) =>
    harness.app.call('POST', '/api/v1/auth/switch-org', {
      token,
      body: { organizationId: bob.organizationId },
    });
  expect((await enter(squatter.token)).status).toBe(404);
  const again = assertOk(await signIn(squatter.email)).body.data;
  expect(again.organizationId ?? squatter.organizationId).toBe(squatter.organizationId);
  expect(
    (await harness.app.call('GET', '/api/v1/auth/me/orgs', { token: again.token })).text,
  ).not.toContain('Bob');
  expect((await reset(await link('reset', id, squatter.email))).status).toBe(200);
  expect((await enter(squatter.token)).status).toBe(401);
  const proved = assertOk(await signIn(squatter.email, 'Another-Password-1')).body.data;
  expect((await enter(proved.token)).status).toBe(200);
});

test('20: a link that went to another mailbox does not open an account that was renamed since', async () => {
  for (const [purpose, use] of [
    ['reset', reset],
    [
      'magic-link',
      (token: string) =>
        harness.app.call('POST', '/api/v1/auth/magic-link/verify', { body: { token } }),
    ],
  ] as const) {
    const { id, userName } = await attack.provision();
    const early = await link(purpose, id, userName);
    const target = createAddress();
    await attack.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: target });
    const before = await account(id);
    expect(before?.email).toBe(target);
    expect((await use(early)).body.code).toBe('INVALID_TOKEN');
    expect(await account(id)).toEqual(before);
    expect((await use(await link(purpose, id, target))).status).toBe(200);
  }
});
