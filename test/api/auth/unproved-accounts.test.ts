// An account whose mailbox nobody has proved may be a stranger's: the first proof starts it anew, and what the stranger began ends.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import {
  auditOf,
  createMember,
  objectId,
  startHarness,
  type Harness,
} from '../../setup/harness.ts';
import { createOwner, createWorkspaceKey, ok, PASSWORD, type Owner } from '../../setup/personas.ts';
import { holdMail, startMailServer, tokenOf } from '../../setup/providers/mail-server.ts';
import { claimDomain } from '../../setup/providers/sso.ts';
import { address, directory } from '../../setup/scim.ts';
import { enrol, MovedClock } from '../../setup/second-factor.ts';
import { outcome, type Answer } from '../../setup/start-app.ts';

const NEW_PASSWORD = 'Another-Horse-8';
const DAY = 24 * 3600_000;
const clock = new MovedClock();

let deliver: () => Promise<number>;
/** Somebody who has registered an address that is not theirs. */
let squatter: Owner;
const office = useFixture(startMailServer, (started) => started.close());
const harness = useHarness(() => ({ SMTP_URL: office.url, ASSAY_LIMIT_ACCOUNT: '1000' }), {
  clock,
});
beforeAll(async () => {
  ({ deliver } = await holdMail(harness));
});
beforeEach(async () => {
  squatter = await createOwner(harness.app, 'Squatter');
});

const call = (method: string, path: string, token?: string, body?: object): Promise<Answer> =>
  harness.app.call(method, `/api/v1/${path}`, {
    ...(token !== undefined && { token }),
    ...(body && { body }),
  });
const post = (path: string, body: object, token?: string): Promise<Answer> =>
  call('POST', `auth/${path}`, token, body);
async function mailed(path: string, email: string): Promise<string> {
  ok(await post(path, { email }));
  await deliver();
  return tokenOf(office.newest(email));
}
const login = (email: string, password: string): Promise<Answer> =>
  post('login', { email, password });
const stored = (name: string, id: string) =>
  harness.db.collection(name).findOne({ _id: objectId(id) });
const register = (email: string, more: object = {}): Promise<Answer> =>
  post('register', { name: 'Own', email, password: PASSWORD, organizationName: 'Own', ...more });

/** The ways in which the owner of the mailbox proves it; each answers with a session. */
const proofs: [string, (email: string) => Promise<Answer>][] = [
  [
    'a magic link',
    async (email) => post('magic-link/verify', { token: await mailed('magic-link', email) }),
  ],
  [
    'a new password',
    async (email) => {
      const token = await mailed('forgot-password', email);
      ok(await post('reset-password', { token, password: NEW_PASSWORD }));
      return login(email, NEW_PASSWORD);
    },
  ],
  [
    'a sign-up',
    async (email) => {
      const token = await mailed('request-signup', email);
      const more = { name: 'Owner', password: NEW_PASSWORD, organizationName: 'Theirs' };
      return post('complete-signup', { token, ...more });
    },
  ],
];

describe.for(proofs)('the first proof, by %s', ([, prove]) => {
  test('is not locked out by the second factor, the codes or the password of a stranger', async () => {
    await enrol(harness.app, clock, squatter.token);
    ok(await post('backup-codes/generate', {}, squatter.token));
    const { data } = ok(await prove(squatter.email)).body;
    expect(data.token).toEqual(expect.any(String));
    expect((await call('GET', 'auth/me', squatter.token)).status).toBe(401);
    expect((await login(squatter.email, PASSWORD)).status).toBe(401);
    const settings = ok(await call('GET', 'auth/security-settings', data.token)).body.data;
    expect(settings.mfa).toEqual({ enabled: false, backupCodesLeft: 0 });
    expect(settings.emailVerifiedAt).toEqual(expect.any(String));
  });

  test('leads to an organisation of the owner’s own; the stranger’s ends with its keys', async () => {
    const { key } = await createWorkspaceKey(harness.app, squatter);
    const { data } = ok(await prove(squatter.email)).body;
    expect([data.role, data.organizationId === squatter.organizationId]).toEqual(['owner', false]);
    expect(ok(await call('GET', 'auth/me/orgs', data.token)).body.data).toHaveLength(1);
    expect(outcome(await harness.app.call('GET', '/api/v1/agents', { key }))).toEqual([
      401,
      'INVALID_API_KEY',
    ]);
    expect(await stored('organizations', squatter.organizationId)).toBeNull();
    const ended = { organizationId: objectId(squatter.organizationId) };
    expect(await harness.db.collection('organization_deletions').countDocuments(ended)).toBe(1);
    clock.aheadMs += 60_000;
    await harness.app.instance.background.audit.sweep();
    const entry = { ...ended, action: 'organization.delete', status: 'success' };
    expect(await harness.db.collection('audit_entries').countDocuments(entry)).toBe(1);
  });

  test('does not lead to an accomplice: their organisation goes on without the account and its keys', async () => {
    const { key } = await createWorkspaceKey(harness.app, squatter);
    const accomplice = await createMember(harness, squatter, 'owner');
    const { data } = ok(await prove(squatter.email)).body;
    expect(data.organizationId).not.toBe(squatter.organizationId);
    const members = ok(await call('GET', 'team/members', accomplice.token)).body.data;
    expect(members.map(({ userId }: { userId: string }) => userId)).toEqual([accomplice.userId]);
    expect(outcome(await harness.app.call('GET', '/api/v1/agents', { key }))).toEqual([
      401,
      'INVALID_API_KEY',
    ]);
  });
});

test('whoever registered the address and proves it with the password keeps everything', async () => {
  const { key } = await createWorkspaceKey(harness.app, squatter);
  const token = await mailed('magic-link', squatter.email);
  const wrong = await post('magic-link/verify', { token, password: 'Wrong-Horse-9' });
  expect(outcome(wrong)).toEqual([401, 'INVALID_CREDENTIALS']);
  expect(await stored('organizations', squatter.organizationId)).not.toBeNull();
  const { data } = ok(await post('magic-link/verify', { token, password: PASSWORD })).body;
  expect(data.organizationId).toBe(squatter.organizationId);
  expect((await call('GET', 'auth/me', squatter.token)).status).toBe(200);
  expect((await harness.app.call('GET', '/api/v1/agents', { key })).status).toBe(200);
  expect((await stored('users', squatter.userId))?.emailVerifiedAt).toEqual(expect.any(Date));
  ok(await post('magic-link/verify', { token: await mailed('magic-link', squatter.email) }));
  expect(await stored('organizations', squatter.organizationId)).not.toBeNull();
});

test('a link that is used many times at once starts the account anew once', async () => {
  const token = await mailed('magic-link', squatter.email);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => post('magic-link/verify', { token })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const own = { userId: objectId(squatter.userId) };
  expect(await harness.db.collection('memberships').countDocuments(own)).toBe(1);
});

describe('registration', () => {
  test('takes over an address that a directory has used and nobody else; its offer waits for the proof', async () => {
    const scim = await directory(harness.app, squatter);
    const email = address();
    const { id } = await scim.provision({ userName: email });
    const { data } = ok(await register(email)).body;
    expect([data.user._id, data.user.name, data.role]).toEqual([id, 'Own', 'owner']);
    expect(data.organizationId).not.toBe(squatter.organizationId);
    const enter = (token: string): Promise<Answer> =>
      post('switch-org', { organizationId: squatter.organizationId }, token);
    expect(outcome(await enter(data.token))).toEqual([404, 'NOT_FOUND']);
    const token = await mailed('magic-link', email);
    const proved = ok(await post('magic-link/verify', { token, password: PASSWORD })).body.data;
    expect(proved.organizationId).toBe(data.organizationId);
    expect(outcome(await enter(proved.token))).toEqual([200, undefined]);
  });

  test('without a proof takes nothing from an organisation that has proved the domain', async () => {
    const scim = await directory(harness.app, squatter);
    const domain = `d${squatter.userId}.example.org`;
    await claimDomain(harness, squatter, domain);
    const { id, userName } = await scim.provision({ userName: `new@${domain}` });
    expect(outcome(await register(userName))).toEqual([409, 'ALREADY_EXISTS']);
    expect((await stored('users', id))?.passwordHash).toBeNull();
  });

  test('without a proof takes nothing from whoever registered before', async () => {
    expect(outcome(await register(squatter.email))).toEqual([409, 'ALREADY_EXISTS']);
    expect((await call('GET', 'auth/me', squatter.token)).status).toBe(200);
  });

  test('of many at once for one address one succeeds', async () => {
    const scim = await directory(harness.app, squatter);
    const { userName } = await scim.provision();
    const answers = await Promise.all(Array.from({ length: 4 }, () => register(userName)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });
});

describe('where an installation asks for proofs', () => {
  let strict: Harness;
  beforeAll(async () => {
    strict = await startHarness({ ASSAY_REQUIRE_VERIFIED_EMAIL: 'true' }, { clock });
  });
  afterAll(() => strict.stop());
  const signIn = ({ email }: Owner): Promise<Answer> =>
    strict.app.call('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });

  test('an account ends that has waited for a day, with its organisation; a proved one stays', async () => {
    const [lapsing, proved] = [await createOwner(strict.app), await createOwner(strict.app)];
    await strict.db
      .collection('users')
      .updateOne({ _id: objectId(proved.userId) }, { $set: { emailVerifiedAt: new Date() } });
    clock.aheadMs += DAY - 60_000;
    await strict.app.instance.background.unprovedAccounts.lapseAll();
    expect((await signIn(lapsing)).status).toBe(200);
    clock.aheadMs += 120_000;
    await strict.app.instance.background.unprovedAccounts.lapseAll();
    expect(outcome(await signIn(lapsing))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await signIn(proved)).status).toBe(200);
    const where = { _id: objectId(lapsing.organizationId) };
    expect(await strict.db.collection('organizations').countDocuments(where)).toBe(0);
    ok(
      await strict.app.call('POST', '/api/v1/auth/register', {
        body: { name: 'Own', email: lapsing.email, password: PASSWORD, organizationName: 'Own' },
      }),
    );
  });

  test('elsewhere none does', async () => {
    clock.aheadMs += 2 * DAY;
    await harness.app.instance.background.unprovedAccounts.lapseAll();
    expect((await login(squatter.email, PASSWORD)).status).toBe(200);
  });
});

test('the audit log of the organisation that goes on says nothing of the proof', async () => {
  const accomplice = await createMember(harness, squatter, 'owner');
  ok(await post('magic-link/verify', { token: await mailed('magic-link', squatter.email) }));
  const entries = await auditOf(harness.app, accomplice, 'action=auth.login');
  expect(entries.filter(({ metadata }) => JSON.stringify(metadata).includes('magic'))).toEqual([]);
});
