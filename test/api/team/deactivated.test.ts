// A member deactivated by the directory, with an open session: may read, not write (document 1, sections 3 and 4.5).
import { beforeAll, expect, test } from 'vitest';
import { listRoutes } from '../../../src/http/router.ts';
import { mounts } from '../../../src/routes.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { assertOk, type Owner } from '../../setup/personas.ts';
import { createDirectory, type Directory } from '../../setup/scim.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

let people: Directory;
const harness = useHarness();
const ada = useOwner(harness);
beforeAll(async () => {
  people = await createDirectory(harness.app, ada);
});

const call = (method: string, path: string, by: Owner, body: object = {}): Promise<Answer> =>
  harness.app.call(method, path, { token: by.token, ...(method !== 'GET' && { body }) });
/** An owner with an open session whom the directory has deactivated. */
async function deactivated(): Promise<Owner> {
  const person = await createMember(harness, ada, 'owner');
  expect((await people.call('DELETE', `/Users/${person.userId}`)).status).toBe(204);
  return person;
}

const READING = ['/auth/me', '/auth/sessions', '/team/members', '/agents', '/policies', '/traces'];

test('reads what the role may read', async () => {
  const person = await deactivated();
  for (const path of READING)
    expect((await call('GET', `/api/v1${path}`, person)).status).toBe(200);
});

test('does not come back by the own hand, nor by way of keys, invitations, the SCIM token, roles or the end of the organisation', async () => {
  const person = await deactivated();
  const { userId } = person;
  const attempts: [string, string, object?][] = [
    ['PATCH', `/api/v1/team/members/${userId}/reactivate`],
    ['POST', '/api/v1/auth/keys', { name: 'for later' }],
    ['POST', '/api/v1/team/invite', { email: 'accomplice@example.com', role: 'owner' }],
    ['PATCH', `/api/v1/team/members/${ada.userId}/status`],
    ['POST', '/api/v1/organization/scim-token'],
    ['PUT', '/api/v1/organization/role-mapping', { rules: [] }],
    ['PATCH', '/api/v1/organization', { name: 'Mine' }],
    ['DELETE', '/api/v1/organization', { name: 'Ada Ltd' }],
    ['POST', '/api/v1/agents', { name: 'bot' }],
    ['POST', '/api/v1/auth/refresh'],
  ];
  for (const [method, path, body] of attempts)
    expect(toOutcome(await call(method, path, person, body)), path).toEqual([
      401,
      'ACCOUNT_DEACTIVATED',
    ]);
  const where = { organizationId: toObjectId(ada.organizationId), userId: toObjectId(userId) };
  expect(await harness.db.collection('memberships').findOne(where)).toMatchObject({
    isActive: false,
    deactivatedBy: 'scim',
  });
  const [refused] = await listAuditEntries(harness.app, ada, `status=failure&userId=${userId}`);
  expect(refused?.metadata).toEqual({ code: 'ACCOUNT_DEACTIVATED' });
});

const MAY = [
  'DELETE /api/v1/auth/me/orgs/:id',
  'POST /api/v1/auth/logout',
  'POST /api/v1/auth/sso/logout/initiate',
  'POST /api/v1/auth/saml/logout/initiate',
  'POST /api/v1/auth/switch-org',
];

test(
  'is refused by every route that changes something, except logging out and leaving for another organisation',
  { tags: ['long'] },
  async () => {
    const person = await deactivated();
    const changing = listRoutes(mounts).filter(
      ({ route }) => route.auth === 'user' && route.method !== 'get' && route.writes !== 'none',
    );
    expect(changing.length).toBeGreaterThan(40);
    const served: string[] = [];
    for (const { path, route } of changing) {
      const operation = `${route.method.toUpperCase()} ${path}`;
      if (MAY.includes(operation)) continue;
      const answer = await call(route.method.toUpperCase(), path.replace(/:\w+/g, 'x'), person);
      if (answer.body.code !== 'ACCOUNT_DEACTIVATED') served.push(operation);
    }
    expect(served).toEqual([]);
    expect((await call('POST', '/api/v1/auth/logout', person)).status).toBe(200);
    expect(toOutcome(await call('GET', '/api/v1/auth/me', person))).toEqual([
      401,
      'SESSION_REVOKED',
    ]);
  },
);

test('may go where the membership is active', async () => {
  const person = await createMember(harness, ada, 'admin');
  const [own] = assertOk(await call('GET', '/api/v1/auth/me/orgs', person)).body.data.filter(
    ({ isCurrent }: { isCurrent: boolean }) => !isCurrent,
  );
  await people.call('DELETE', `/Users/${person.userId}`);
  const { organizationId } = own;
  const { data } = assertOk(
    await call('POST', '/api/v1/auth/switch-org', person, { organizationId }),
  ).body;
  const there = { ...person, token: data.token as string };
  expect((await call('POST', '/api/v1/agents', there, { name: 'bot' })).status).toBe(201);
});

test('members cannot reactivate themselves, whichever side suspended them', async () => {
  const path = `/api/v1/team/members/${ada.userId}/reactivate`;
  expect(toOutcome(await call('PATCH', path, ada))).toEqual([403, 'FORBIDDEN']);
});
