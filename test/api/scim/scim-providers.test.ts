// What Entra and Okta really send, in the order in which they send it.
// Entra: "Develop and plan provisioning for a SCIM endpoint", sections "User operations" and "Group operations", and "Known issues
// with SCIM 2.0 protocol compliance" (learn.microsoft.com, app-provisioning). Okta: "Okta and SCIM Version 2.0" (developer.okta.com).
import { expect, test } from 'vitest';
import { useHarness } from '../../setup/fixtures.ts';
import { createOwner } from '../../setup/personas.ts';
import { createDirectory, PATCH_URN, USER_URN, type Directory } from '../../setup/scim.ts';
import type { Answer } from '../../setup/start-app.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const harness = useHarness();

const start = async (name: string): Promise<Directory> =>
  createDirectory(harness.app, await createOwner(harness.app, name));
const filtered = (path: string, filter: string, more = ''): string =>
  `${path}?${more}filter=${encodeURIComponent(filter)}`;
const patched = (scim: Directory, path: string, ...Operations: object[]): Promise<Answer> =>
  scim.call('PATCH', path, { Operations, schemas: [PATCH_URN] });

test('Entra: test connection, create, query, update, disable, enable, delete', async () => {
  const scim = await start('Entra');
  // "Zero results": 200 with an empty list, not 404.
  const none = await scim.call('GET', filtered('/Users', 'userName eq "non-existent user"'));
  expect(none).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } });
  // "Create User": the user name of the sample is no address; the canonical e-mail is.
  const made = await scim.call('POST', '/Users', {
    schemas: [USER_URN, ENTERPRISE],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName: 'Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1',
    active: true,
    emails: [
      {
        primary: true,
        type: 'work',
        value: 'Test_User_fd0ea19b-0777-472c-9f96-4f70d2226f2e@testuser.example',
      },
    ],
    meta: { resourceType: 'User' },
    name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
    roles: [],
  });
  expect(made.status).toBe(201);
  const { id } = made.body;
  expect(made.body).toMatchObject({
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName: 'test_user_ab6490ee-1e48-479e-a20b-2d77186b5dd1',
    displayName: 'givenName familyName',
    active: true,
  });
  // "Get User by query", with the case that was sent.
  const byName = await scim.call(
    'GET',
    filtered('/Users', 'userName eq "Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1"'),
  );
  expect(byName.body.Resources).toMatchObject([{ id }]);
  const byMail = filtered(
    '/Users',
    'emails[type eq "work"].value eq "test_user_fd0ea19b-0777-472c-9f96-4f70d2226f2e@testuser.example"',
  );
  expect((await scim.call('GET', byMail)).body.Resources).toMatchObject([{ id }]);
  // "Update User [Multi-valued properties]": a capitalised op and a filter in the path.
  const multi = await patched(
    scim,
    `/Users/${id}`,
    {
      op: 'Replace',
      path: 'emails[type eq "work"].value',
      value: 'updatedEmail@microsoft.example',
    },
    { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
  );
  expect(multi).toMatchObject({
    status: 200,
    body: {
      name: { familyName: 'updatedFamilyName' },
      emails: [{ value: 'updatedEmail@microsoft.example', type: 'work', primary: true }],
    },
  });
  // "Update User [Single-valued properties]".
  const single = await patched(scim, `/Users/${id}`, {
    op: 'Replace',
    path: 'userName',
    value: '5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.example',
  });
  expect(single.body.userName).toBe('5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.example');
  // "Known issues": booleans as texts, and add where replace is meant.
  const off = await patched(scim, `/Users/${id}`, { op: 'Add', path: 'active', value: 'False' });
  expect(off.body.active).toBe(false);
  expect(
    (await patched(scim, `/Users/${id}`, { op: 'Replace', path: 'active', value: 'True' })).body
      .active,
  ).toBe(true);
  // "Disable User".
  const disabled = await patched(scim, `/Users/${id}`, {
    op: 'Replace',
    path: 'active',
    value: false,
  });
  expect(disabled).toMatchObject({ status: 200, body: { active: false } });
  // "Known issues", with the compliance flag: one operation without a path, its names being paths.
  const pathless = await patched(scim, `/Users/${id}`, {
    op: 'replace',
    value: {
      displayName: 'Bjfe',
      'name.givenName': 'Kim',
      active: true,
      [`${ENTERPRISE}:department`]: 'x',
    },
  });
  expect(pathless.body).toMatchObject({
    displayName: 'Bjfe',
    name: { givenName: 'Kim' },
    active: true,
  });
  // "Delete User".
  expect((await scim.call('DELETE', `/Users/${id}`)).status).toBe(204);
  expect((await scim.call('GET', `/Users/${id}`)).body.active).toBe(false);
});

test('Entra: groups are found by name without their members, and members come and go', async () => {
  const scim = await start('EntraGroups');
  const { id } = await scim.provision();
  // "Get Group by displayName".
  const found = await scim.call(
    'GET',
    filtered('/Groups', 'displayName eq "admin"', 'excludedAttributes=members&'),
  );
  expect(found.body).toMatchObject({
    totalResults: 1,
    Resources: [{ id: 'admin', displayName: 'admin' }],
  });
  expect(found.body.Resources[0].members).toBeUndefined();
  // "Update Group [Add Members]" and "[Remove Members]": 204, `$ref` null, members to remove in the value.
  const members = [{ $ref: null, value: id }];
  expect(
    (await patched(scim, '/Groups/admin', { op: 'Add', path: 'members', value: members })).status,
  ).toBe(204);
  expect((await scim.call('GET', '/Groups/admin')).body.members).toMatchObject([{ value: id }]);
  expect(
    (await patched(scim, '/Groups/admin', { op: 'Remove', path: 'members', value: members }))
      .status,
  ).toBe(204);
  expect((await scim.call('GET', '/Groups/admin')).body.members).toEqual([]);
  // "Create Group", "Update Group [Non-member attributes]" and "Delete Group" are what fixed buckets refuse.
  const group = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'displayName',
  };
  expect((await scim.call('POST', '/Groups', group)).status).toBe(405);
  expect(
    (await patched(scim, '/Groups/admin', { op: 'Replace', path: 'displayName', value: 'x' }))
      .status,
  ).toBe(400);
  expect((await scim.call('DELETE', '/Groups/admin')).status).toBe(405);
});

test('Okta: test connection, create, update by PUT, deactivate, reactivate', async () => {
  const scim = await start('Okta');
  // "Retrieve Users", as the connection test sends it.
  const listed = await scim.call('GET', '/Users?startIndex=1&count=2');
  expect(listed).toMatchObject({ status: 200, body: { startIndex: 1, totalResults: 1 } });
  // "Create Users": first whether there is one, then with members that are not ours.
  const name = 'Test.User@okta.local';
  expect(
    (await scim.call('GET', filtered('/Users', `userName eq "${name}"`, 'startIndex=1&count=100&')))
      .body.totalResults,
  ).toBe(0);
  const profile = {
    schemas: [USER_URN],
    userName: name,
    name: { givenName: 'Test', familyName: 'User' },
    emails: [{ primary: true, value: name, type: 'work' }],
    displayName: 'Test User',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  };
  const made = await scim.call('POST', '/Users', profile);
  expect(made).toMatchObject({
    status: 201,
    body: {
      userName: name.toLowerCase(),
      displayName: 'Test User',
      emails: [{ primary: true, value: name.toLowerCase(), type: 'work' }],
    },
  });
  expect(made.text).not.toContain('1mz050nq');
  const { id } = made.body;
  // "Update a specific User (PUT)": everything that was read comes back, read-only members included.
  const read = (await scim.call('GET', `/Users/${id}`)).body;
  const put = await scim.call('PUT', `/Users/${id}`, {
    ...read,
    name: { givenName: 'Another', familyName: 'User' },
    displayName: 'Another User',
  });
  expect(put).toMatchObject({
    status: 200,
    body: { displayName: 'Another User', name: { givenName: 'Another' } },
  });
  // "Update a specific User (PATCH)", "Delete Users": Okta deactivates by an operation without a path.
  const off = await patched(scim, `/Users/${id}`, { op: 'replace', value: { active: false } });
  expect(off).toMatchObject({ status: 200, body: { active: false } });
  const on = await patched(scim, `/Users/${id}`, { op: 'replace', value: { active: true } });
  expect(on.body.active).toBe(true);
  // Where PATCH is off the same comes as a whole resource.
  expect((await scim.call('PUT', `/Users/${id}`, { ...read, active: false })).body.active).toBe(
    false,
  );
  expect(
    (await scim.call('GET', filtered('/Users', `userName eq "${name}"`))).body.Resources,
  ).toMatchObject([{ id }]);
});

test('Okta: group push', async () => {
  const scim = await start('OktaGroups');
  const [{ id: one }, { id: two }] = [await scim.provision(), await scim.provision()];
  expect((await scim.call('GET', '/Groups?startIndex=1&count=100')).body.totalResults).toBe(4);
  // "Update a specific Group name": linking to an existing group sends its own id and name.
  const renamed = await patched(scim, '/Groups/reviewer', {
    op: 'replace',
    value: { id: 'reviewer', displayName: 'reviewer' },
  });
  expect(renamed.status).toBe(204);
  // "Update specific Group membership".
  expect(
    (
      await patched(scim, '/Groups/reviewer', {
        op: 'add',
        path: 'members',
        value: [{ value: one, display: 'one' }],
      })
    ).status,
  ).toBe(204);
  const swapped = await patched(
    scim,
    '/Groups/reviewer',
    { op: 'remove', path: `members[value eq "${one}"]` },
    { op: 'add', path: 'members', value: [{ value: two, display: 'test.user@okta.local' }] },
  );
  expect(swapped.status).toBe(204);
  expect((await scim.call('GET', '/Groups/reviewer')).body.members).toMatchObject([{ value: two }]);
});
