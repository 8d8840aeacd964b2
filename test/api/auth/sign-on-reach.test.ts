// The reach of a session from an organisation's identity provider: that organisation, and only accounts that it owns.
import { composeInvitation } from '../../../src/identity/team/invitation-mails.service.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import { createMember, toObjectId } from '../../setup/harness.ts';
import { assertOk, createOwner, type Owner } from '../../setup/personas.ts';
import { startHandmadeProvider } from '../../setup/providers/identity-provider.ts';
import {
  createSsoOrganization,
  readSession,
  signOn,
  type SsoOrganization,
} from '../../setup/providers/sso.ts';
import { registerFactor, MovedClock } from '../../setup/second-factor.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const clock = new MovedClock();

let home: SsoOrganization;
const provider = useFixture(startHandmadeProvider, (started) => started.stop());
const harness = useHarness(
  {
    ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
    ASSAY_PUBLIC_URL: 'https://assay.example.com',
    ASSAY_RETURN_URLS: 'https://app.example.com/',
  },
  { clock },
);
beforeAll(async () => {
  home = await createSsoOrganization(harness, provider.createRealm());
});

const call = (method: string, path: string, token: string, body?: object): Promise<Answer> =>
  harness.app.call(method, `/api/v1/auth/${path}`, { token, ...(body && { body }) });
const jtiOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti as string;

/** A proved user with an account and an organisation of their own, and an address of the domain. */
async function known(at: SsoOrganization): Promise<Owner> {
  const alice = await createOwner(harness.app, 'Alice');
  const email = `alice-${alice.userId}@${at.domain}`;
  await harness.db
    .collection('users')
    .updateOne({ _id: toObjectId(alice.userId) }, { $set: { email, emailVerifiedAt: new Date() } });
  return { ...alice, email };
}
const arrive = async (at: SsoOrganization, { email, userId }: Owner): Promise<string> =>
  readSession((await signOn(harness, at, { sub: `sub-${userId}`, email })).answer);

describe('an account with an organisation of its own', () => {
  test('is not changed: neither password nor second factor nor codes nor profile', async () => {
    const alice = await known(home);
    const authenticator = await registerFactor(harness.app, clock, alice.token);
    const token = await arrive(home, alice);
    const attempts: [string, string, object?][] = [
      ['POST', 'backup-codes/generate'],
      ['POST', 'backup-codes/generate', { code: authenticator.generateNextCode() }],
      ['POST', 'mfa/setup'],
      ['POST', 'mfa/enable', { code: '000000' }],
      ['POST', 'mfa/disable', { code: authenticator.code() }],
      ['POST', 'change-password', { currentPassword: 'x', newPassword: 'Another-Horse-8' }],
      ['PATCH', 'me/session-timeout', { sessionTimeout: '7d' }],
      ['PATCH', 'me/preferences', { theme: 'dark' }],
      ['PATCH', 'profile', { name: 'Mallory' }],
      ['GET', 'security-settings'],
    ];
    for (const [method, path, body] of attempts)
      expect(toOutcome(await call(method, path, token, body)), path).toEqual([403, 'FORBIDDEN']);
    const user = await harness.db.collection('users').findOne({ _id: toObjectId(alice.userId) });
    expect(user).toMatchObject({ name: 'Alice', mfa: { enabled: true, backupCodes: [] } });
    expect((await call('GET', 'security-settings', alice.token)).status).toBe(200);
  });

  test('is not looked at: its sessions and organisations elsewhere are not listed', async () => {
    const alice = await known(home);
    const token = await arrive(home, alice);
    const sessions = assertOk(await call('GET', 'sessions', token)).body;
    expect([sessions.total, sessions.data.map(({ jti }: { jti: string }) => jti)]).toEqual([
      1,
      [jtiOf(token)],
    ]);
    const organizations = assertOk(await call('GET', 'me/orgs', token)).body.data;
    expect(
      organizations.map(({ organizationId }: { organizationId: string }) => organizationId),
    ).toEqual([home.owner.organizationId]);
    expect(assertOk(await call('GET', 'sessions', alice.token)).body.total).toBe(2);
    expect(assertOk(await call('GET', 'me/orgs', alice.token)).body.data).toHaveLength(2);
  });

  test('keeps its sessions elsewhere, when all are ended or one is named', async () => {
    const alice = await known(home);
    const [token, other] = [await arrive(home, alice), await arrive(home, alice)];
    const one = await call('POST', 'revoke-session', token, { jti: jtiOf(alice.token) });
    expect(toOutcome(one)).toEqual([404, 'NOT_FOUND']);
    expect(assertOk(await call('POST', 'revoke-sessions', token)).body.data).toEqual({
      revoked: 2,
    });
    expect(toOutcome(await call('GET', 'me', other))).toEqual([401, 'SESSION_REVOKED']);
    expect((await call('GET', 'me', alice.token)).status).toBe(200);
  });
});

describe('an account that the organisation made', () => {
  test('is the organisation’s to change while it is that and nothing else', async () => {
    const [sub, email] = ['own', `own@${home.domain}`];
    const token = readSession((await signOn(harness, home, { sub, email })).answer);
    assertOk(await call('PATCH', 'profile', token, { timezone: 'Europe/Vienna' }));
    expect((await call('GET', 'security-settings', token)).status).toBe(200);
    const { user } = assertOk(await call('GET', 'me', token)).body.data;
    await harness.db
      .collection('users')
      .updateOne(
        { _id: toObjectId(user._id as string) },
        { $set: { passwordHash: 'of the person' } },
      );
    expect(toOutcome(await call('PATCH', 'profile', token, { name: 'x' }))).toEqual([
      403,
      'FORBIDDEN',
    ]);
  });

  test('is no organisation’s once its user has accepted another organisation’s invitation', async () => {
    const [sub, email] = ['moved', `moved@${home.domain}`];
    const token = readSession((await signOn(harness, home, { sub, email })).answer);
    const corp = await createOwner(harness.app, 'Corp');
    const { user } = assertOk(await call('GET', 'me', token)).body.data;
    const guest = await createMember(harness, corp, 'viewer');
    const userId = toObjectId(user._id as string);
    const other = await harness.db.collection('users').findOne({ _id: toObjectId(guest.userId) });
    const { passwordHash } = other as unknown as { passwordHash: string };
    await harness.db.collection('users').updateOne({ _id: userId }, { $set: { passwordHash } });
    const invited = assertOk(
      await harness.app.call('POST', '/api/v1/team/invite', { token: corp.token, body: { email } }),
    ).body.data;
    const mail = await composeInvitation(harness.app.instance.platform, {
      organizationId: toObjectId(corp.organizationId),
      payload: { invitationId: invited._id as string },
    });
    const path = `/api/v1/team/invites/${mail?.action.token}/accept`;
    const body = { name: 'Moved', password: 'Correct-Horse-9' };
    assertOk(await harness.app.call('POST', path, { body }));
    const kept = await harness.db.collection('users').findOne({ _id: userId });
    expect(kept?.provisionedBy).toBeNull();
    await harness.db
      .collection('users')
      .updateOne({ _id: userId }, { $set: { passwordHash: null } });
    expect(toOutcome(await call('PATCH', 'profile', token, { name: 'x' }))).toEqual([
      403,
      'FORBIDDEN',
    ]);
  });
});
