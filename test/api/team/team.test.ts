// Team members over HTTP: list, roles, suspension, reactivation, removal (document 1, sections 2, 3 and 4.4).
import { describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  listAuditEntries,
  changeMembership,
  createMember,
  toObjectId,
} from '../../setup/harness.ts';
import {
  assertOk,
  createOwner,
  PASSWORD,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);

const list = ({ token }: Owner): Promise<Answer> =>
  app.call('GET', '/api/v1/team/members', { token });
const patch = ({ token }: Owner, path: string, body?: object): Promise<Answer> =>
  app.call('PATCH', `/api/v1/team/members/${path}`, { token, ...(body && { body }) });
const change = (
  by: Owner,
  { userId }: Owner,
  what: 'auditor' | 'status' | 'reactivate',
): Promise<Answer> => patch(by, `${userId}/${what}`);
const setRole = (by: Owner, { userId }: Owner, role: unknown): Promise<Answer> =>
  patch(by, `${userId}/role`, { role });
const remove = ({ token }: Owner, { userId }: Owner): Promise<Answer> =>
  app.call('DELETE', `/api/v1/team/members/${userId}`, { token });
const me = ({ token }: Owner): Promise<Answer> => app.call('GET', '/api/v1/auth/me', { token });
const stored = ({ organizationId, userId }: Owner) =>
  harness.db
    .collection('memberships')
    .findOne({ organizationId: toObjectId(organizationId), userId: toObjectId(userId) });
async function listed(by: Owner, { userId }: Owner): Promise<Record<string, unknown> | undefined> {
  return assertOk(await list(by)).body.data.find(
    (row: { userId: string }) => row.userId === userId,
  );
}
/** An organisation of its own, so that counting owners is exact. */
async function team(...roles: string[]): Promise<[Owner, ...Owner[]]> {
  const owner = await createOwner(app, 'Owner');
  const others: Owner[] = [];
  for (const role of roles) others.push(await createMember(harness, owner, role));
  return [owner, ...others];
}

describe('the list', () => {
  test('shows every member, newest first, and distinguishes account and membership', async () => {
    const [owner, viewer] = (await team('viewer')) as [Owner, Owner];
    const { data } = assertOk(await list(owner)).body;
    expect(data.map(({ userId }: Owner) => userId)).toEqual([viewer.userId, owner.userId]);
    expect(data[1]).toEqual({
      userId: owner.userId,
      name: 'Owner',
      email: owner.email,
      role: 'owner',
      joinedAt: expect.any(String),
      isActive: true,
      mfaEnabled: false,
      lastLoginIp: expect.stringMatching(/127\.0\.0\.1|::1/),
      createdAt: expect.any(String),
    });
    const row = await stored(viewer);
    const account = await harness.db
      .collection('users')
      .findOne({ _id: toObjectId(viewer.userId) });
    expect(data[0].joinedAt).toBe(row?.createdAt.toISOString());
    expect(data[0].createdAt).toBe(account?.createdAt.toISOString());
    expect(data[0].joinedAt > data[0].createdAt).toBe(true);
  });

  test('is open to every member who reads, and to no one else', async () => {
    for (const role of ['admin', 'reviewer', 'member', 'viewer'])
      expect((await list(await createMember(harness, ada, role))).status, role).toBe(200);
    expect(toOutcome(await list(await createMember(harness, ada, 'auditor')))).toEqual([
      403,
      'FORBIDDEN',
    ]);
    const { key } = await createWorkspaceKey(app, ada);
    expect(toOutcome(await app.call('GET', '/api/v1/team/members', { key }))).toEqual([
      403,
      'FORBIDDEN',
    ]);
    expect(toOutcome(await app.call('GET', '/api/v1/team/members'))).toEqual([401, 'NO_TOKEN']);
  });

  test('one person is owner here and viewer there', async () => {
    const [owner, guest] = (await team('viewer')) as [Owner, Owner];
    expect((await listed(owner, guest))?.role).toBe('viewer');
    const { data } = assertOk(
      await app.call('GET', '/api/v1/auth/me/orgs', { token: guest.token }),
    ).body;
    expect(data.map(({ role }: { role: string }) => role).sort()).toEqual(['owner', 'viewer']);
  });
});

describe('roles', () => {
  test.each(['owner', 'admin', 'member', 'viewer'])(
    'an owner makes a member %s, effective at once',
    async (role) => {
      const person = await createMember(harness, ada, role === 'member' ? 'viewer' : 'member');
      const answer = await setRole(ada, person, role);
      expect([answer.status, answer.body.data.role, answer.body.data.userId]).toEqual([
        200,
        role,
        person.userId,
      ]);
      expect((await me(person)).body.data.role).toBe(role);
      const [entry] = await listAuditEntries(
        app,
        ada,
        `action=team.member.role_changed&resourceId=${person.userId}`,
      );
      expect(entry).toMatchObject({
        userId: ada.userId,
        resource: 'member',
        status: 'success',
        detail: person.email,
        metadata: { from: role === 'member' ? 'viewer' : 'member', to: role },
      });
    },
  );

  test.each(['auditor', 'reviewer', 'root', '', null, 7, ['owner'], { $ne: null }])(
    '%j is refused',
    async (role) => {
      const person = await createMember(harness, ada, 'viewer');
      expect(toOutcome(await setRole(ada, person, role))).toEqual([400, 'VALIDATION_ERROR']);
      expect((await stored(person))?.role).toBe('viewer');
    },
  );

  test('an owner makes an auditor and takes it back; other roles cannot', async () => {
    const person = await createMember(harness, ada, 'viewer');
    for (const role of ['admin', 'member'])
      expect(
        toOutcome(await change(await createMember(harness, ada, role), person, 'auditor')),
      ).toEqual([403, 'FORBIDDEN']);
    expect((await change(ada, person, 'auditor')).body.data.role).toBe('auditor');
    expect(toOutcome(await list(person))).toEqual([403, 'FORBIDDEN']);
    expect((await setRole(ada, person, 'viewer')).body.data.role).toBe('viewer');
    const entries = await listAuditEntries(
      app,
      ada,
      `action=team.update_role&resourceId=${person.userId}&status=success`,
    );
    expect(entries.map(({ metadata }) => metadata)).toEqual([
      { from: 'auditor', to: 'viewer' },
      { from: 'viewer', to: 'auditor' },
    ]);
  });

  test('an admin changes members and admins, and neither makes nor touches owners', async () => {
    const [owner, admin, other, second] = (await team('admin', 'admin', 'owner')) as [
      Owner,
      Owner,
      Owner,
      Owner,
    ];
    expect((await setRole(admin, other, 'viewer')).status).toBe(200);
    for (const answer of [
      await setRole(admin, admin, 'owner'),
      await setRole(admin, other, 'owner'),
      await setRole(admin, second, 'member'),
      await change(admin, second, 'status'),
      await change(admin, second, 'reactivate'),
      await remove(admin, second),
    ])
      expect(toOutcome(answer)).toEqual([403, 'FORBIDDEN']);
    expect(await stored(second)).toMatchObject({ role: 'owner', isActive: true });
    const refused = await listAuditEntries(
      app,
      owner,
      `status=failure&resourceId=${second.userId}`,
    );
    expect(refused.map(({ action, userId }) => [action, userId])).toEqual([
      ['team.remove_member', admin.userId],
      ['team.member.reactivated', admin.userId],
      ['team.member.suspended', admin.userId],
      ['team.member.role_changed', admin.userId],
    ]);
  });

  test.each(['reviewer', 'member', 'viewer', 'auditor'])('a %s changes no member', async (role) => {
    const [person, other] = [
      await createMember(harness, ada, role),
      await createMember(harness, ada, 'viewer'),
    ];
    for (const answer of [
      await setRole(person, other, 'member'),
      await change(person, other, 'status'),
      await change(person, other, 'reactivate'),
      await remove(person, other),
    ])
      expect(toOutcome(answer)).toEqual([403, 'FORBIDDEN']);
  });

  test('strangers are no members', async () => {
    const stranger = await createOwner(app, 'Stranger');
    for (const target of [
      stranger,
      { ...stranger, userId: 'f'.repeat(24) },
      { ...stranger, userId: 'no-id' },
    ])
      for (const answer of [
        await setRole(ada, target, 'viewer'),
        await change(ada, target, 'status'),
        await change(ada, target, 'reactivate'),
        await remove(ada, target),
      ])
        expect(toOutcome(answer)).toEqual([404, 'NOT_FOUND']);
    expect((await me(stranger)).body.data.role).toBe('owner');
  });
});

describe('suspension', () => {
  test('ends open sessions and sign-in here, keeps the row, and is lifted again', async () => {
    const person = await createMember(harness, ada, 'member');
    const suspended = await change(ada, person, 'status');
    expect([suspended.status, suspended.body.data.isActive]).toEqual([200, false]);
    expect(toOutcome(await me(person))).toEqual([401, 'ACCOUNT_DEACTIVATED']);
    const there = { organizationId: ada.organizationId };
    expect(await listed(ada, person)).toMatchObject({ isActive: false, role: 'member' });
    const login = assertOk(
      await app.call('POST', '/api/v1/auth/login', {
        body: { email: person.email, password: PASSWORD },
      }),
    );
    expect(login.body.data.organizationId).not.toBe(ada.organizationId);
    const { token } = login.body.data;
    expect((await app.call('POST', '/api/v1/auth/switch-org', { token, body: there })).status).toBe(
      404,
    );

    expect((await change(ada, person, 'reactivate')).body.data.isActive).toBe(true);
    expect(toOutcome(await me(person))).toEqual([401, 'SESSION_REVOKED']);
    expect(await stored(person)).toMatchObject({ isActive: true, deactivatedBy: null });
    const entries = await listAuditEntries(app, ada, `resourceId=${person.userId}`);
    expect(entries.map(({ action }) => action)).toEqual([
      'team.member.reactivated',
      'team.member.suspended',
    ]);
  });

  test('twice is as good as once, and the team may suspend whom the directory has deactivated', async () => {
    const person = await createMember(harness, ada, 'member');
    await changeMembership(harness, person, { isActive: false, deactivatedBy: 'scim' });
    expect((await me(person)).status).toBe(200);
    for (let time = 0; time < 2; time++)
      expect((await change(ada, person, 'status')).status).toBe(200);
    expect(toOutcome(await me(person))).toEqual([401, 'ACCOUNT_DEACTIVATED']);
  });
});

test('a removed member is gone from the list, the account survives', async () => {
  const person = await createMember(harness, ada, 'member');
  const suspendedToo = await createMember(harness, ada, 'member');
  assertOk(await change(ada, suspendedToo, 'status'));
  for (const who of [person, suspendedToo]) {
    const answer = await remove(ada, who);
    const removedAnswer = { userId: who.userId, removed: true, keys: [] };
    expect([answer.status, answer.body.data]).toEqual([200, removedAnswer]);
    expect(await stored(who)).toBeNull();
    expect(await listed(ada, who)).toBeUndefined();
    expect(toOutcome(await me(who))).toEqual([401, 'TOKEN_REVOKED']);
    expect(toOutcome(await remove(ada, who))).toEqual([404, 'NOT_FOUND']);
    const body = { email: who.email, password: PASSWORD };
    expect((await app.call('POST', '/api/v1/auth/login', { body })).status).toBe(200);
    const [entry] = await listAuditEntries(
      app,
      ada,
      `action=team.remove_member&resourceId=${who.userId}`,
    );
    expect(entry).toMatchObject({ status: 'success', detail: who.email });
  }
});

describe('the last active owner', () => {
  const takings: [string, (by: Owner, who: Owner) => Promise<Answer>][] = [
    ['demoted', (by, who) => setRole(by, who, 'admin')],
    ['made an auditor', (by, who) => change(by, who, 'auditor')],
    ['suspended', (by, who) => change(by, who, 'status')],
    ['removed', remove],
  ];

  test.each(takings)('is not %s, not even by themselves', async (_, take) => {
    const [owner] = await team('admin');
    expect(toOutcome(await take(owner, owner))).toEqual([400, 'VALIDATION_ERROR']);
    expect(await stored(owner)).toMatchObject({ role: 'owner', isActive: true });
  });

  test.each(takings)('a suspended owner does not count when one is to be %s', async (_, take) => {
    const [owner, second] = (await team('owner')) as [Owner, Owner];
    assertOk(await change(owner, second, 'status'));
    expect(toOutcome(await take(owner, owner))).toEqual([400, 'VALIDATION_ERROR']);
    assertOk(await change(owner, second, 'reactivate'));
    expect((await take(owner, owner)).status).toBe(200);
  });

  test.each(takings)('with another one there, an owner may be %s', async (_, take) => {
    const [owner, second] = (await team('owner')) as [Owner, Owner];
    expect((await take(owner, second)).status).toBe(200);
  });

  test('an owner who stays owner loses nothing', async () => {
    const [owner] = await team();
    expect((await setRole(owner, owner, 'owner')).status).toBe(200);
  });

  test(
    'two owners who take it from each other at the same time leave one, in each of 50 rounds',
    { tags: ['long'] },
    async () => {
      const pair = (await team('owner')) as [Owner, Owner];
      const where = { organizationId: toObjectId(pair[0].organizationId) };
      const users = pair.map(({ userId }) => toObjectId(userId));
      const rows = harness.db.collection('memberships');
      const original = await rows.find({ ...where, userId: { $in: users } }).toArray();
      for (let round = 0; round < 50; round++) {
        const [first, second] = [takings[round % 4]?.[1], takings[(round * 3 + 1) % 4]?.[1]];
        const answers = await Promise.all([first?.(...pair), second?.(pair[1], pair[0])]);
        const statuses = answers.map((answer) => answer?.status ?? 0).sort();
        expect(
          statuses[0],
          `round ${round}: ${JSON.stringify(answers.map((answer) => answer?.body))}`,
        ).toBe(200);
        expect([400, 401, 403]).toContain(statuses[1]);
        expect(
          await rows.countDocuments({ ...where, role: 'owner', isActive: true }),
          `round ${round}`,
        ).toBe(1);
        await rows.deleteMany(where);
        await rows.insertMany(original);
      }
    },
  );

  test('three owners who all leave at the same time leave one', { tags: ['long'] }, async () => {
    const three = await team('owner', 'owner');
    const answers = await Promise.all(three.map((each) => remove(each, each)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400]);
  });
});

test('the answer to a removal lists the keys that the member made, which stay valid', async () => {
  const home = await createOwner(app, 'Keys');
  const admin = await createMember(harness, home, 'admin');
  const { id, key } = await createWorkspaceKey(app, admin);
  await createWorkspaceKey(app, home);
  const path = `/api/v1/team/members/${admin.userId}`;
  const { keys } = assertOk(await app.call('DELETE', path, { token: home.token })).body.data;
  expect(keys).toEqual([
    { _id: id, name: 'ingest', prefix: key.slice(0, 17), createdAt: expect.any(String) },
  ]);
  expect((await app.call('GET', '/api/v1/agents', { key })).status).toBe(200);
});
