// A suspension or removal ends sessions permanently: lifting it, or another invitation, does not restore them.
import { describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, toObjectId } from '../../setup/harness.ts';
import { assertOk, PASSWORD, type Owner } from '../../setup/personas.ts';
import { createDirectory } from '../../setup/scim.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const harness = useHarness();
const ada = useOwner(harness);

const call = (method: string, path: string, token: string, body?: object): Promise<Answer> =>
  harness.app.call(method, `/api/v1/${path}`, { token, ...(body && { body }) });
async function verdict(token: string): Promise<string> {
  return (await call('GET', 'auth/me', token)).body.code ?? 'ok';
}
const suspend = ({ userId }: Owner): Promise<Answer> =>
  call('PATCH', `team/members/${userId}/status`, ada.token);
const reactivate = ({ userId }: Owner): Promise<Answer> =>
  call('PATCH', `team/members/${userId}/reactivate`, ada.token);
const remove = ({ userId }: Owner): Promise<Answer> =>
  call('DELETE', `team/members/${userId}`, ada.token);
const enter = async ({ email }: Owner): Promise<string> => {
  const home = assertOk(
    await harness.app.call('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } }),
  ).body.data;
  const body = { organizationId: ada.organizationId };
  return assertOk(await call('POST', 'auth/switch-org', home.token, body)).body.data.token;
};
/** Adds a member again, as an accepted invitation does. */
async function takeIn({ userId }: Owner): Promise<void> {
  const at = { createdAt: new Date(), updatedAt: new Date() };
  const row = { organizationId: toObjectId(ada.organizationId), userId: toObjectId(userId) };
  await harness.db
    .collection('memberships')
    .insertOne({ ...row, role: 'member', isActive: true, deactivatedBy: null, ...at });
}
const open = ({ userId }: Owner): Promise<number> =>
  harness.db.collection('sessions').countDocuments({
    userId: toObjectId(userId),
    organizationId: toObjectId(ada.organizationId),
    revokedAt: null,
  });

describe('a session from before', () => {
  test('a suspension stays over when it is lifted', async () => {
    const person = await createMember(harness, ada, 'member');
    const second = await enter(person);
    assertOk(await suspend(person));
    expect([await verdict(person.token), await verdict(second)]).toEqual([
      'ACCOUNT_DEACTIVATED',
      'ACCOUNT_DEACTIVATED',
    ]);
    expect(await open(person)).toBe(0);
    assertOk(await reactivate(person));
    expect([await verdict(person.token), await verdict(second)]).toEqual([
      'SESSION_REVOKED',
      'SESSION_REVOKED',
    ]);
    expect(await verdict(await enter(person))).toBe('ok');
  });

  test('a removal stays over when the person is taken in again', async () => {
    const person = await createMember(harness, ada, 'admin');
    assertOk(await remove(person));
    expect(await verdict(person.token)).toBe('TOKEN_REVOKED');
    expect(await open(person)).toBe(0);
    await takeIn(person);
    expect(await verdict(person.token)).toBe('TOKEN_REVOKED');
    expect(toOutcome(await call('POST', 'auth/refresh', person.token))).toEqual([
      401,
      'TOKEN_REVOKED',
    ]);
    expect(await verdict(await enter(person))).toBe('ok');
  });

  test('leaving stays over when the person is taken in again', async () => {
    const person = await createMember(harness, ada, 'member');
    assertOk(await call('DELETE', `auth/me/orgs/${ada.organizationId}`, person.token));
    await takeIn(person);
    expect(await verdict(person.token)).toBe('TOKEN_REVOKED');
  });

  test('a removal opens nothing that it was switched to from elsewhere', async () => {
    const person = await createMember(harness, ada, 'member');
    const here = await enter(person);
    assertOk(await remove(person));
    await takeIn(person);
    expect(await verdict(here)).toBe('TOKEN_REVOKED');
    expect(toOutcome(await call('POST', 'auth/stream-token', here))).toEqual([
      401,
      'TOKEN_REVOKED',
    ]);
  });

  test('the membership is refused, also where neither a row nor a session says which', async () => {
    const person = await createMember(harness, ada, 'member');
    const where = {
      organizationId: toObjectId(ada.organizationId),
      userId: toObjectId(person.userId),
    };
    await harness.db.collection('sessions').updateMany(where, { $unset: { membershipId: '' } });
    expect(await verdict(person.token)).toBe('ok');
    await harness.db
      .collection('memberships')
      .updateOne(where, { $set: { createdAt: new Date(Date.now() + 60_000) } });
    expect(await verdict(person.token)).toBe('TOKEN_REVOKED');
  });
});

test(
  'a refresh at the same moment as a suspension opens nothing after it',
  { tags: ['long'] },
  async () => {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const person = await createMember(harness, ada, 'member');
      const [refreshed] = await Promise.all([
        call('POST', 'auth/refresh', person.token),
        suspend(person),
      ]);
      assertOk(await reactivate(person));
      const tokens = [person.token, refreshed.body.data?.token as string | undefined];
      for (const token of tokens) if (token) expect(await verdict(token)).toBe('SESSION_REVOKED');
    }
  },
);

test('the directory ends no session by itself, and what the team ends it does not open again', async () => {
  const people = await createDirectory(harness.app, ada);
  const person = await createMember(harness, ada, 'member');
  expect((await people.call('DELETE', `/Users/${person.userId}`)).status).toBe(204);
  expect(await verdict(person.token)).toBe('ok');
  assertOk(await suspend(person));
  expect(await verdict(person.token)).toBe('ACCOUNT_DEACTIVATED');
  assertOk(await reactivate(person));
  expect(await verdict(person.token)).toBe('SESSION_REVOKED');
});
