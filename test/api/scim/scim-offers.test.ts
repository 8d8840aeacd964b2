// Offers, which a directory makes to accounts it may not speak for: they reveal nothing, and can be declined.
import { settleSignInFailures } from '../../../src/identity/auth/accounts/sign-in-failures.service.ts';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { generateHex } from '../../../src/platform/ids.ts';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { readCookie, parseLanding, SESSION } from '../../setup/browser.ts';
import {
  listAuditEntries,
  changeMembership,
  toObjectId,
  startHarness,
} from '../../setup/harness.ts';
import { createOwner, assertOk, PASSWORD, type Owner } from '../../setup/personas.ts';
import { startHandmadeProvider } from '../../setup/providers/identity-provider.ts';
import { createSsoOrganization, signOn, type SsoOrganization } from '../../setup/providers/sso.ts';
import { createDirectory, type Directory } from '../../setup/scim.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

/** An organisation that has proved a domain and signs its people on. */
let first: SsoOrganization;
let scim: Directory;
/** A stranger's organisation, and its directory. */
let attack: Directory;
const provider = useFixture(startHandmadeProvider, (started) => started.stop());
const harness = useHarness({ ASSAY_OUTBOUND_ALLOW: '127.0.0.1' });
const eve = useOwner(harness, 'Eve');
beforeAll(async () => {
  first = await createSsoOrganization(harness, provider.createRealm());
  scim = await createDirectory(harness.app, first.owner);
  attack = await createDirectory(harness.app, eve);
});

interface Member {
  userId: string;
  name: string;
  mfaEnabled: boolean;
  lastLoginIp: string | null;
  createdAt: string;
  joinedAt: string;
}
const call = (method: string, path: string, token?: string, body?: object): Promise<Answer> =>
  harness.app.call(method, `/api/v1/${path}`, {
    ...(token !== undefined && { token }),
    ...(body && { body }),
  });
async function shownOf(userId: string, at: Owner): Promise<Member | undefined> {
  const members = assertOk(await call('GET', 'team/members', at.token)).body.data as Member[];
  return members.find((member) => member.userId === userId);
}
const enter = (token: string, { organizationId }: Owner): Promise<Answer> =>
  call('POST', 'auth/switch-org', token, { organizationId });
const leave = (token: string, { organizationId }: Owner): Promise<Answer> =>
  call('DELETE', `auth/me/orgs/${organizationId}`, token);
const login = (email: string): Promise<Answer> =>
  call('POST', 'auth/login', undefined, { email, password: PASSWORD });

/** A user with a proved mailbox who has signed in elsewhere with a second factor. */
async function known(): Promise<Owner> {
  const person = await createOwner(harness.app, 'Victim');
  await harness.db
    .collection('users')
    .updateOne(
      { _id: toObjectId(person.userId) },
      { $set: { emailVerifiedAt: new Date(), createdAt: new Date('2020-01-01') } },
    );
  return person;
}
const offered = async ({ email }: Owner, more: object = {}): Promise<string> =>
  assertOk(
    await attack.call('POST', '/Users', { userName: email, displayName: 'As Sent', ...more }),
  ).body.id as string;

describe('an account that exists', () => {
  let victim: Owner;
  beforeEach(async () => {
    victim = await known();
    await offered(victim);
  });

  test('reveals nothing, whatever it does elsewhere, until its user enters', async () => {
    const users = harness.db.collection('users');
    await users.updateOne({ _id: toObjectId(victim.userId) }, { $set: { 'mfa.enabled': true } });
    await users.updateOne({ _id: toObjectId(victim.userId) }, { $set: { 'mfa.enabled': false } });
    assertOk(await login(victim.email));
    await users.updateOne({ _id: toObjectId(victim.userId) }, { $set: { 'mfa.enabled': true } });
    const before = await shownOf(victim.userId, eve);
    expect(before).toMatchObject({ name: 'As Sent', mfaEnabled: false, lastLoginIp: null });
    expect(before?.createdAt).toBe(before?.joinedAt);
    assertOk(await enter(victim.token, eve));
    expect(await shownOf(victim.userId, eve)).toMatchObject({
      name: 'As Sent',
      mfaEnabled: true,
      lastLoginIp: expect.any(String),
      createdAt: '2020-01-01T00:00:00.000Z',
    });
  });

  test('signs in to its own organisation, and failed sign-ins are recorded only there', async () => {
    const where = { _id: toObjectId(victim.userId) };
    await harness.db.collection('users').updateOne(where, { $set: { lastOrganizationId: null } });
    await harness.db
      .collection('memberships')
      .updateOne(
        { userId: toObjectId(victim.userId), organizationId: toObjectId(eve.organizationId) },
        { $set: { createdAt: new Date('2001-01-01') } },
      );
    const wrong = { email: victim.email, password: 'Wrong-Horse-9' };
    expect((await call('POST', 'auth/login', undefined, wrong)).status).toBe(401);
    await settleSignInFailures(harness.app.instance.platform);
    expect(await listAuditEntries(harness.app, eve, `userId=${victim.userId}`)).toEqual([]);
    expect(assertOk(await login(victim.email)).body.data.organizationId).toBe(
      victim.organizationId,
    );
  });

  test('sees the offer, and can decline it', async () => {
    const listed = assertOk(await call('GET', 'auth/me/orgs', victim.token)).body.data;
    expect(listed).toMatchObject([
      { organizationId: victim.organizationId, isPending: false },
      { organizationId: eve.organizationId, isPending: true },
    ]);
    expect(assertOk(await leave(victim.token, eve)).body.data).toEqual({
      organizationId: eve.organizationId,
      left: true,
    });
    expect(toOutcome(await enter(victim.token, eve))).toEqual([404, 'NOT_FOUND']);
    expect(await shownOf(victim.userId, eve)).toBeUndefined();
    expect(await listAuditEntries(harness.app, eve, 'action=team.member.left')).toMatchObject([
      { resourceId: victim.userId, userId: victim.userId, detail: victim.email },
    ]);
  });
});

test('an offer to be an owner is no owner: the last one who has been there stays', async () => {
  const own = await createOwner(harness.app, 'Own');
  const person = await known();
  const home = await createDirectory(harness.app, own);
  assertOk(await home.call('POST', '/Users', { userName: person.email }));
  await changeMembership(
    harness,
    { ...person, organizationId: own.organizationId },
    { role: 'owner' },
  );
  expect(toOutcome(await leave(own.token, own))).toEqual([400, 'VALIDATION_ERROR']);
  assertOk(await enter(person.token, own));
  assertOk(await leave(own.token, own));
  expect(toOutcome(await call('GET', 'auth/me', own.token))).toEqual([401, 'TOKEN_REVOKED']);
});

test('leaving ends the access, and no other member can do it', async () => {
  const [own, other] = [await known(), await known()];
  expect(toOutcome(await leave(other.token, own))).toEqual([404, 'NOT_FOUND']);
  await offered(own);
  const { token } = assertOk(await enter(own.token, eve)).body.data;
  assertOk(await leave(token as string, eve));
  expect(toOutcome(await call('GET', 'auth/me', token as string))).toEqual([401, 'TOKEN_REVOKED']);
});

describe('a member whom another organisation’s directory brought, at an address of no proved domain', () => {
  let email: string;
  let id: string;
  beforeEach(async () => {
    email = `contractor-${generateHex(5)}@outside.example.net`;
    ({ id } = await scim.provision({ userName: email, externalId: email, displayName: 'Theirs' }));
  });
  const arrive = async (): Promise<string | undefined> => {
    const { answer } = await signOn(harness, first, { sub: email });
    return readCookie(answer, SESSION) === null ? parseLanding(answer).query.error : 'signed on';
  };
  const nameOf = async (): Promise<unknown> =>
    (await harness.db.collection('users').findOne({ email }))?.name;
  const rename = (to: string): Promise<Answer> =>
    scim.patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value: to });

  test.for([['before the first sign-on'], ['after it']])(
    'keeps sign-on and name when a stranger adds them, %s',
    async ([when]) => {
      if (when === 'after it') expect(await arrive()).toBe('signed on');
      assertOk(await attack.call('POST', '/Users', { userName: email, displayName: 'Owned' }));
      expect(await arrive()).toBe('signed on');
      assertOk(await rename('Renamed'));
      expect(await nameOf()).toBe('Renamed');
      expect(await shownOf(id, eve)).toMatchObject({ name: 'Owned', lastLoginIp: null });
    },
  );
});

test('a new user with an address of the organisation’s domain is a member at once', async () => {
  const { id } = await scim.provision({ userName: `new-${generateHex(5)}@${first.domain}` });
  const kept = await harness.db.collection('memberships').findOne({ userId: toObjectId(id) });
  expect(kept).toMatchObject({ isPending: false, enteredAt: null });
});

test('memberships of earlier versions are completed before the first request', async () => {
  const old = { $unset: { enteredAt: '', isPending: '', lastLoginAt: '', lastLoginIp: '' } };
  const where = { userId: toObjectId(eve.userId) };
  await harness.db.collection('memberships').updateOne(where, old);
  await harness.db
    .collection<{ _id: string }>('migrations')
    .deleteOne({ _id: 'memberships-entered' });
  const second = await startHarness({}, { mongoUri: harness.mongoUri });
  await second.stop();
  const kept = await harness.db.collection('memberships').findOne(where);
  expect(kept?.enteredAt).toEqual(kept?.createdAt);
});
