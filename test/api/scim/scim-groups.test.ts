// SCIM groups over HTTP: role groups whose members change (document 1, sections 2 and 4.5).
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  listAuditEntries,
  changeMembership,
  createMember,
  toObjectId,
} from '../../setup/harness.ts';
import { assertOk, createOwner } from '../../setup/personas.ts';
import { createDirectory, PATCH_URN, type Directory } from '../../setup/scim.ts';
import type { Answer } from '../../setup/start-app.ts';

let scim: Directory;
const harness = useHarness();
const ada = useOwner(harness);
beforeAll(async () => {
  scim = await createDirectory(harness.app, ada);
});

const outcome = ({ status, body }: Answer): unknown[] => [status, body?.scimType, body?.code];
const invalid = [400, 'invalidValue', undefined];
const add = (...ids: string[]) => ({
  op: 'add',
  path: 'members',
  value: ids.map((value) => ({ value })),
});
const remove = (id: string) => ({ op: 'remove', path: `members[value eq "${id}"]` });
const roles = async (ids: readonly string[], { organizationId } = ada): Promise<unknown[]> =>
  Promise.all(
    ids.map(async (id) => {
      const where = { organizationId: toObjectId(organizationId), userId: toObjectId(id) };
      return (await harness.db.collection('memberships').findOne(where))?.role as unknown;
    }),
  );

test('the four buckets are listed, filtered and shown without their members', async () => {
  const { id } = await scim.provision({ displayName: 'Listed' });
  const all = assertOk(await scim.call('GET', '/Groups')).body;
  expect([all.totalResults, all.Resources.map(({ id: name }: { id: string }) => name)]).toEqual([
    4,
    ['owner', 'admin', 'member', 'reviewer'],
  ]);
  expect(all.Resources[2]).toMatchObject({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'member',
    members: [{ value: id, $ref: `/scim/v2/Users/${id}`, display: 'Listed', type: 'User' }],
    meta: { resourceType: 'Group', location: '/scim/v2/Groups/member' },
  });
  const found = async (filter: string): Promise<string[]> =>
    assertOk(
      await scim.call('GET', `/Groups?filter=${encodeURIComponent(filter)}`),
    ).body.Resources.map((group: { id: string }) => group.id);
  expect(await found('displayName eq "Admin"')).toEqual(['admin']);
  expect(await found(`members.value eq "${id}"`)).toEqual(['member']);
  expect(await found('displayName eq "engineering"')).toEqual([]);
  const bare = assertOk(await scim.call('GET', '/Groups/member?excludedAttributes=members')).body;
  expect(Object.keys(bare)).toEqual(['schemas', 'id', 'displayName', 'meta']);
  const window = assertOk(
    await scim.call('GET', '/Groups?startIndex=2&count=2&attributes=displayName'),
  ).body;
  expect(window).toMatchObject({ totalResults: 4, startIndex: 2, itemsPerPage: 2 });
  expect(outcome(await scim.call('GET', '/Groups?filter=members'))).toEqual([
    400,
    'invalidFilter',
    undefined,
  ]);
  for (const unknown of ['viewer', 'auditor', 'Owner', '%6Fwner2', 'a'.repeat(24)])
    expect((await scim.call('GET', `/Groups/${unknown}`)).status, unknown).toBe(404);
});

test('an added member gets the role, a removed one a lesser role; every change is audited', async () => {
  const { id } = await scim.provision();
  expect((await scim.patch('/Groups/admin', add(id))).status).toBe(204);
  expect(await roles([id])).toEqual(['admin']);
  expect((await scim.patch('/Groups/admin', remove(id))).status).toBe(204);
  expect(await roles([id])).toEqual(['member']);
  expect((await scim.patch('/Groups/member', remove(id))).status).toBe(204);
  expect(await roles([id])).toEqual(['viewer']);
  expect((await scim.call('GET', `/Users/${id}`)).body.groups).toEqual([]);
  expect((await scim.patch('/Groups/reviewer', add(id), add(id))).status).toBe(204);
  expect((await scim.call('GET', '/Groups/reviewer')).body.members).toMatchObject([{ value: id }]);
  const entries = await listAuditEntries(harness.app, ada, 'resource=group');
  expect(entries.map(({ action, resourceId, metadata }) => [action, resourceId, metadata])).toEqual(
    (
      [
        ['scim.group.member_add', 'reviewer', 'viewer', 'reviewer'],
        ['scim.group.member_remove', 'member', 'member', 'viewer'],
        ['scim.group.member_remove', 'admin', 'admin', 'member'],
        ['scim.group.member_add', 'admin', 'member', 'admin'],
      ] as const
    ).map(([action, group, roleBefore, role]) => [
      action,
      group,
      expect.objectContaining({ group, role, roleBefore, userId: id, tokenId: expect.any(String) }),
    ]),
  );
});

test('a patch without effect changes no member', async () => {
  const { id } = await scim.provision();
  expect((await scim.patch('/Groups/admin', add(id), remove(id))).status).toBe(204);
  expect(await roles([id])).toEqual(['member']);
});

test('a patch is all or nothing: one unknown member, one unknown path or one bad value in the middle', async () => {
  const ids = [(await scim.provision()).id, (await scim.provision()).id];
  const stranger = await createOwner(harness.app, 'Stranger');
  const audited = await listAuditEntries(harness.app, ada, 'resource=group&status=success');
  for (const bad of [
    add('f'.repeat(24)),
    add('no-id'),
    add(stranger.userId),
    { op: 'replace', path: 'displayName', value: 'Administrators' },
    { op: 'add', path: 'members', value: [{ display: 'ghost' }] },
    { op: 'add', path: 'members', value: ['x'] },
    { op: 'add', path: 'roles', value: 'owner' },
    { op: 'replace', path: 'members', value: [] },
    { op: 'add', path: 'members', value: [{ value: { $ne: null } }] },
  ]) {
    expect(
      outcome(await scim.patch('/Groups/admin', add(ids[0] ?? ''), bad, add(ids[1] ?? ''))),
    ).toEqual(invalid);
    expect(await roles(ids), JSON.stringify(bad)).toEqual(['member', 'member']);
  }
  expect(await roles([stranger.userId])).toEqual([undefined]);
  expect(await listAuditEntries(harness.app, ada, 'resource=group&status=success')).toEqual(
    audited,
  );
});

test('groups are fixed: making, replacing, deleting is 405', async () => {
  for (const [method, path] of [
    ['POST', '/Groups'],
    ['PUT', '/Groups/admin'],
    ['DELETE', '/Groups/admin'],
    ['DELETE', '/Groups/unknown'],
  ] as const) {
    const answer = await scim.call(
      method,
      path,
      method === 'DELETE' ? undefined : { displayName: 'x' },
    );
    expect(answer, `${method} ${path}`).toMatchObject({
      status: 405,
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '405',
      },
    });
    expect(answer.headers.get('allow')).toMatch(/^GET, HEAD/);
  }
});

test('the last active owner cannot be moved, put elsewhere or made the only suspended one', async () => {
  const home = await createOwner(harness.app, 'Owners');
  const source = await createDirectory(harness.app, home);
  const second = await createMember(harness, home, 'owner');
  await changeMembership(harness, second, { isActive: false, deactivatedBy: 'scim' });
  for (const answer of [
    await source.patch('/Groups/owner', remove(home.userId)),
    await source.patch('/Groups/owner', { op: 'remove', path: 'members' }),
    await source.patch('/Groups/admin', add(home.userId)),
    await source.patch('/Groups/member', add(home.userId, second.userId)),
  ])
    expect(outcome(answer)).toEqual([400, 'invalidValue', undefined]);
  expect(await roles([home.userId, second.userId], home)).toEqual(['owner', 'owner']);
  expect((await source.patch('/Groups/owner', remove(second.userId))).status).toBe(204);
  const { id } = await source.provision();
  const instead = (): Promise<Answer> =>
    source.patch('/Groups/owner', remove(home.userId), add(id));
  // A member with an offer is no owner yet.
  expect(outcome(await instead())).toEqual([400, 'invalidValue', undefined]);
  await changeMembership(harness, { ...home, userId: id }, { isPending: false });
  expect((await instead()).status).toBe(204);
  expect(await roles([home.userId, id], home)).toEqual(['member', 'owner']);
});

test(
  'of two owners who are taken away at the same time one remains, 25 rounds',
  { tags: ['long'] },
  async () => {
    const home = await createOwner(harness.app, 'Race');
    const source = await createDirectory(harness.app, home);
    const second = await createMember(harness, home, 'owner');
    const ids = [home.userId, second.userId];
    const where = {
      organizationId: toObjectId(home.organizationId),
      userId: { $in: ids.map(toObjectId) },
    };
    const memberships = harness.db.collection('memberships');
    const ways = [
      (id: string) => source.patch('/Groups/owner', remove(id)),
      (id: string) => source.patch('/Groups/admin', add(id)),
      (id: string) => source.call('DELETE', `/Users/${id}`),
      (id: string) => source.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
    ];
    for (let round = 0; round < 25; round++) {
      await memberships.updateMany(where, {
        $set: { role: 'owner', isActive: true, deactivatedBy: null },
      });
      const answers = await Promise.all(
        ids.map(async (id, index) => ways[(round + index * (round % 3)) % ways.length]?.(id)),
      );
      expect(
        answers.map((answer) => answer?.status ?? 500).filter((status) => status < 300),
      ).toHaveLength(1);
      expect(answers.map((answer) => answer?.status)).toContain(400);
      expect(await memberships.countDocuments({ ...where, role: 'owner', isActive: true })).toBe(1);
    }
  },
);

test(
  'many members are moved by one request, each with an audit entry; beyond a thousand it is refused',
  { tags: ['long'] },
  async () => {
    const home = await createOwner(harness.app, 'Big');
    const source = await createDirectory(harness.app, home);
    const body = (count: number) => ({
      schemas: [PATCH_URN],
      Operations: [
        add(...Array.from({ length: count }, (_, index) => index.toString(16).padStart(24, '0'))),
      ],
    });
    const refused = await source.call('PATCH', '/Groups/admin', body(1001));
    expect(refused.body.detail).toContain('1000');
    expect(outcome(refused)).toEqual(invalid);
    const ids = await Promise.all(
      Array.from({ length: 40 }, async () => (await source.provision()).id),
    );
    expect((await source.patch('/Groups/reviewer', add(...ids))).status).toBe(204);
    expect(new Set(await roles(ids, home))).toEqual(new Set(['reviewer']));
    expect(
      await harness.db.collection('audit_entries').countDocuments({
        organizationId: toObjectId(home.organizationId),
        action: 'scim.group.member_add',
      }),
    ).toBe(40);
  },
);
