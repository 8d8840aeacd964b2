// An organisation that requires its sign-on: only its owners may sign in another way.
import { beforeEach, expect, test } from 'vitest';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import { createMember, toObjectId } from '../../setup/harness.ts';
import { createOwner, assertOk, PASSWORD, type Owner } from '../../setup/personas.ts';
import { startHandmadeProvider } from '../../setup/providers/identity-provider.ts';
import {
  setSsoConfig,
  createSsoOrganization,
  readSession,
  signOn,
  type SsoOrganization,
} from '../../setup/providers/sso.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

let home: SsoOrganization;
/** A member, who has an organisation of their own too. */
let bob: Owner;
const provider = useFixture(startHandmadeProvider, (started) => started.stop());
const harness = useHarness({ ASSAY_OUTBOUND_ALLOW: '127.0.0.1' });
beforeEach(async () => {
  home = await createSsoOrganization(harness, provider.createRealm());
  bob = await createMember(harness, home.owner, 'admin');
});

const require = (requireSso: boolean): Promise<void> => setSsoConfig(harness, home, { requireSso });
const post = (path: string, body: object, token?: string): Promise<Answer> =>
  harness.app.call('POST', `/api/v1/auth/${path}`, { body, ...(token !== undefined && { token }) });
const me = ({ token }: Pick<Owner, 'token'>): Promise<Answer> =>
  harness.app.call('GET', '/api/v1/auth/me', { token });
const login = ({ email }: Owner): Promise<Answer> => post('login', { email, password: PASSWORD });

test('a session that was opened another way ends with the next request, and counts again when that is no longer required', async () => {
  expect((await me(bob)).status).toBe(200);
  await require(true);
  expect(toOutcome(await me(bob))).toEqual([401, 'SESSION_REVOKED']);
  await require(false);
  expect((await me(bob)).status).toBe(200);
});

test('a password leads to another organisation of theirs, and none changes into this one', async () => {
  await require(true);
  const { data } = assertOk(await login(bob)).body;
  const { organizationId } = home.owner;
  expect(data.organizationId).not.toBe(organizationId);
  expect(toOutcome(await post('switch-org', { organizationId }, data.token))).toEqual([
    403,
    'FORBIDDEN',
  ]);
});

test('a user of no other organisation is refused, also with a code', async () => {
  await require(true);
  const elsewhere = {
    userId: toObjectId(bob.userId),
    organizationId: { $ne: toObjectId(home.owner.organizationId) },
  };
  await harness.db.collection('memberships').deleteMany(elsewhere);
  expect(toOutcome(await login(bob))).toEqual([403, 'FORBIDDEN']);
});

test('the sign-on opens it', async () => {
  await require(true);
  const person = { sub: 'carol', email: `carol@${home.domain}` };
  const token = readSession((await signOn(harness, home, person)).answer);
  expect((await me({ token })).status).toBe(200);
  expect((await post('refresh', {}, token)).status).toBe(200);
});

test('owners keep their own way in', async () => {
  await require(true);
  expect((await me(home.owner)).status).toBe(200);
  expect(assertOk(await login(home.owner)).body.data.organizationId).toBe(
    home.owner.organizationId,
  );
});

test('the requirement ends with the sign-on, and blocks no member on a plan without one', async () => {
  await require(true);
  const organizations = harness.db.collection('organizations');
  const where = { _id: toObjectId(home.owner.organizationId) };
  await organizations.updateOne(where, { $set: { 'subscription.plan': 'sandbox' } });
  await expect.poll(async () => (await me(bob)).status).toBe(200);
  await organizations.updateOne(where, { $set: { 'subscription.plan': 'enterprise' } });
  await expect.poll(async () => (await me(bob)).status).toBe(401);
  const { token } = home.owner;
  assertOk(await harness.app.call('DELETE', '/api/v1/organization/sso', { token }));
  expect((await me(bob)).status).toBe(200);
});

test('members of other organisations are not affected', async () => {
  await require(true);
  const other = await createOwner(harness.app, 'Other');
  expect((await me(other)).status).toBe(200);
});
