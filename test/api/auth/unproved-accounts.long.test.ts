// Accounts with an unproved mailbox: the first proof ends all access of the registrant, and destroys no data.
// @module-tag long
import { sweepAuditRows } from '../../../src/identity/audit/audit.service.ts';
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import {
  listAuditEntries,
  changeMembership,
  createMember,
  toObjectId,
  verifyMailbox as proveBehind,
  startHarness,
  type Harness,
} from '../../setup/harness.ts';
import {
  createAgent,
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  PASSWORD,
  type Owner,
} from '../../setup/personas.ts';
import { createPolicyBody } from '../../contract/bodies.ts';
import { holdMail, startMailServer, extractToken } from '../../setup/providers/mail-server.ts';
import { claimDomain } from '../../setup/providers/sso.ts';
import { createAddress, createDirectory } from '../../setup/scim.ts';
import { registerFactor, MovedClock } from '../../setup/second-factor.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const NEW_PASSWORD = 'Another-Horse-8';
const DAY = 24 * 3600_000;
const clock = new MovedClock();

let deliver: () => Promise<number>;
/** A squatter, who has registered an address of another person. */
let squatter: Owner;
let agent: Awaited<ReturnType<typeof createAgent>> | undefined;
const office = useFixture(startMailServer, (started) => started.close());
const harness = useHarness(() => ({ SMTP_URL: office.url, ASSAY_LIMIT_ACCOUNT: '1000' }), {
  clock,
});
beforeAll(async () => {
  ({ deliver } = await holdMail(harness));
});
beforeEach(async () => {
  squatter = await createOwner(harness.app, 'Squatter');
  agent = undefined;
});

const call = (method: string, path: string, token?: string, body?: object): Promise<Answer> =>
  harness.app.call(method, `/api/v1/${path}`, {
    ...(token !== undefined && { token }),
    ...(body && { body }),
  });
const post = (path: string, body: object, token?: string): Promise<Answer> =>
  call('POST', `auth/${path}`, token, body);
async function mailed(path: string, email: string): Promise<string> {
  assertOk(await post(path, { email }));
  await deliver();
  return extractToken(office.findNewest(email));
}
const login = (email: string, password: string): Promise<Answer> =>
  post('login', { email, password });
const stored = (name: string, id: string) =>
  harness.db.collection(name).findOne({ _id: toObjectId(id) });
/** A decision of an agent of the squatter's. */
async function decide(): Promise<void> {
  agent ??= await createAgent(harness.app, squatter);
  const { key, id } = agent;
  assertOk(await harness.app.call('POST', '/api/v1/traces', { key, body: buildDecision(id) }));
}
const list = async (token: string, path: string): Promise<{ name?: string }[]> =>
  assertOk(await call('GET', path, token)).body.data;
/** A sign-up leads to an organisation of its own, from where the former one is entered. */
const enterOrganization = ({ token }: { token: string }, organizationId: string): Promise<Answer> =>
  post('switch-org', { organizationId }, token);
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
      assertOk(await post('reset-password', { token, password: NEW_PASSWORD }));
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

/** Every test with one of the proofs in turn; with the others it takes long. */
function selectTurns(way: string): () => object {
  let turn = proofs.findIndex(([name]) => name === way);
  return () => (turn++ % proofs.length === 0 ? {} : { tags: ['long'] });
}

describe.for(proofs)('the first proof, by %s', ([way, prove]) => {
  const options = selectTurns(way);

  test(
    'is not locked out by the second factor, the codes or the password of a stranger',
    options(),
    async () => {
      await registerFactor(harness.app, clock, squatter.token);
      assertOk(await post('backup-codes/generate', {}, squatter.token));
      const { data } = assertOk(await prove(squatter.email)).body;
      expect(data.token).toEqual(expect.any(String));
      expect((await call('GET', 'auth/me', squatter.token)).status).toBe(401);
      expect((await login(squatter.email, PASSWORD)).status).toBe(401);
      const settings = assertOk(await call('GET', 'auth/security-settings', data.token)).body.data;
      expect(settings.mfa).toEqual({ enabled: false, backupCodesLeft: 0 });
      expect(settings.emailVerifiedAt).toEqual(expect.any(String));
    },
  );

  test(
    'destroys nothing: the data stays, and the owner is asked whether to keep it',
    options(),
    async () => {
      await decide();
      assertOk(await call('POST', 'policies', squatter.token, createPolicyBody('kept')));
      const { data } = assertOk(await prove(squatter.email)).body;
      const { token } = assertOk(await enterOrganization(data, squatter.organizationId)).body.data;
      expect((await list(token, 'traces')).length).toBe(1);
      expect((await list(token, 'policies')).map(({ name }) => name)).toEqual(['kept policy']);
      const verified = assertOk(await call('POST', 'hash-chain/verify', token, {})).body.data;
      expect(verified).toMatchObject({ verified: true });
      const organization = assertOk(await call('GET', 'organization', token)).body.data;
      expect(organization.reclaimedAt).toEqual(expect.any(String));
      const me = assertOk(await call('GET', 'auth/me', token)).body.data;
      expect(me.organization.reclaimedAt).toBe(organization.reclaimedAt);
      await deliver();
      expect(office.findNewest(squatter.email).subject).toContain('Keep or delete');
      expect(office.findNewest(squatter.email).text).toContain(`#organization=${organization._id}`);
    },
  );

  test(
    'ends keys of the organisation, keys and trusts of its agents, its invitations and its SCIM token',
    options(),
    async () => {
      const { key } = await createWorkspaceKey(harness.app, squatter);
      const bot = await createAgent(harness.app, squatter);
      const { publicKey } = generateKeyPairSync('ed25519');
      const jwks = { keys: [publicKey.export({ format: 'jwk' })] };
      const trust = { issuer: 'squatter', subject: 'workload', jwks };
      assertOk(await call('POST', `agents/${bot.id}/trusts`, squatter.token, trust));
      const scim = await createDirectory(harness.app, squatter);
      const guest = createAddress();
      assertOk(await call('POST', 'team/invite', squatter.token, { email: guest, role: 'owner' }));
      await deliver();
      const invitation = extractToken(office.findNewest(guest));
      const { data } = assertOk(await prove(squatter.email)).body;
      for (const ended of [key, bot.key])
        expect(toOutcome(await harness.app.call('GET', '/api/v1/agents', { key: ended }))).toEqual([
          401,
          'INVALID_API_KEY',
        ]);
      expect((await scim.call('GET', '/Users')).status).toBe(401);
      const accepted = await call('POST', `team/invites/${invitation}/accept`, undefined, {
        name: 'Guest',
        password: PASSWORD,
      });
      expect(toOutcome(accepted)).toEqual([410, 'EXPIRED']);
      const { token } = assertOk(await enterOrganization(data, squatter.organizationId)).body.data;
      const trusts = await call('GET', `agents/${bot.id}/trusts`, token);
      expect(assertOk(trusts).body.data).toEqual([]);
      const renewed = await call('POST', `agents/${bot.id}/regenerate-key`, token, {});
      const fresh = assertOk(renewed).body.data.apiKey as string;
      expect((await harness.app.call('GET', '/api/v1/agents', { key: fresh })).status).toBe(403);
    },
  );

  test('suspends an accomplice, whom the owner may take back', options(), async () => {
    const accomplice = await createMember(harness, squatter, 'owner');
    const { data } = assertOk(await prove(squatter.email)).body;
    expect((await call('GET', 'agents', accomplice.token)).status).toBe(401);
    const { token } = assertOk(await enterOrganization(data, squatter.organizationId)).body.data;
    const members = assertOk(await call('GET', 'team/members', token)).body.data;
    const standing = members.map(({ userId, isActive }: { userId: string; isActive: boolean }) => [
      userId,
      isActive,
    ]);
    expect(new Map(standing)).toEqual(
      new Map([
        [accomplice.userId, false],
        [squatter.userId, true],
      ]),
    );
    assertOk(await call('PATCH', `team/members/${accomplice.userId}/reactivate`, token));
    expect((await call('GET', 'agents', accomplice.token)).status).toBe(401);
    expect((await login(accomplice.email, PASSWORD)).status).toBe(200);
  });

  test('keeps the webhooks and alert rules, switched off', options(), async () => {
    const hook = { url: 'https://hooks.example.com/in', events: ['trace.created'] };
    const { insertedId } = await harness.db.collection('webhooks').insertOne({
      ...hook,
      organizationId: toObjectId(squatter.organizationId),
      isActive: true,
    });
    assertOk(await prove(squatter.email));
    expect(await stored('webhooks', insertedId.toHexString())).toMatchObject({
      ...hook,
      isActive: false,
    });
  });

  test(
    'asks until the owner keeps the organisation, which then has its own sign-on again',
    options(),
    async () => {
      const { data } = assertOk(await prove(squatter.email)).body;
      const { token } = assertOk(await enterOrganization(data, squatter.organizationId)).body.data;
      const kept = assertOk(await call('POST', 'organization/keep', token)).body.data;
      expect(kept.reclaimedAt).toBeNull();
      expect(toOutcome(await call('POST', 'organization/keep', token))).toEqual([
        400,
        'INVALID_OPERATION',
      ]);
      const entries = await listAuditEntries(
        harness.app,
        { ...squatter, token },
        'action=organization.kept',
      );
      expect(entries).toHaveLength(2);
    },
  );

  test('lets the owner discard the organisation by the ordinary deletion', options(), async () => {
    const { data } = assertOk(await prove(squatter.email)).body;
    const { token } = assertOk(await enterOrganization(data, squatter.organizationId)).body.data;
    const { name } = assertOk(await call('GET', 'organization', token)).body.data;
    assertOk(await call('DELETE', 'organization', token, { name }));
    expect(await stored('organizations', squatter.organizationId)).toBeNull();
  });

  test('turns a membership in another owner’s organisation into an offer', options(), async () => {
    const other = await createMember(harness, squatter, 'owner');
    await changeMembership(harness, squatter, { role: 'viewer' });
    const { key } = await createWorkspaceKey(harness.app, other);
    const { data } = assertOk(await prove(squatter.email)).body;
    expect(data.organizationId).not.toBe(squatter.organizationId);
    expect((await call('GET', 'agents', other.token)).status).toBe(200);
    expect((await harness.app.call('GET', '/api/v1/agents', { key })).status).toBe(200);
    const own = assertOk(await call('GET', 'auth/me/orgs', data.token)).body.data;
    const offered = own.find(
      ({ organizationId }: { organizationId: string }) =>
        organizationId === squatter.organizationId,
    );
    expect(offered.isPending).toBe(true);
  });
});

test('a registrant who proves the address with the password keeps everything', async () => {
  const { key } = await createWorkspaceKey(harness.app, squatter);
  const token = await mailed('magic-link', squatter.email);
  const wrong = await post('magic-link/verify', { token, password: 'Wrong-Horse-9' });
  expect(toOutcome(wrong)).toEqual([401, 'INVALID_CREDENTIALS']);
  expect(await stored('organizations', squatter.organizationId)).not.toBeNull();
  const { data } = assertOk(await post('magic-link/verify', { token, password: PASSWORD })).body;
  expect(data.organizationId).toBe(squatter.organizationId);
  expect((await call('GET', 'auth/me', squatter.token)).status).toBe(200);
  expect((await harness.app.call('GET', '/api/v1/agents', { key })).status).toBe(200);
  expect((await stored('users', squatter.userId))?.emailVerifiedAt).toEqual(expect.any(Date));
  assertOk(await post('magic-link/verify', { token: await mailed('magic-link', squatter.email) }));
  expect(await stored('organizations', squatter.organizationId)).not.toBeNull();
});

test('a link that is used many times at once reclaims the organisation once', async () => {
  const token = await mailed('magic-link', squatter.email);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => post('magic-link/verify', { token })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const own = { userId: toObjectId(squatter.userId) };
  expect(await harness.db.collection('memberships').countDocuments(own)).toBe(1);
  const entry = {
    organizationId: toObjectId(squatter.organizationId),
    action: 'organization.reclaimed',
  };
  clock.aheadMs += 60_000;
  await sweepAuditRows(harness.app.instance.platform);
  expect(await harness.db.collection('audit_entries').countDocuments(entry)).toBe(1);
});

describe('registration', () => {
  test('takes over an address that only a directory has used; its offer waits for the proof', async () => {
    const scim = await createDirectory(harness.app, squatter);
    const email = createAddress();
    const { id } = await scim.provision({ userName: email });
    const { data } = assertOk(await register(email)).body;
    expect([data.user._id, data.user.name, data.role]).toEqual([id, 'Own', 'owner']);
    expect(data.organizationId).not.toBe(squatter.organizationId);
    const enter = (token: string): Promise<Answer> =>
      post('switch-org', { organizationId: squatter.organizationId }, token);
    expect(toOutcome(await enter(data.token))).toEqual([404, 'NOT_FOUND']);
    const token = await mailed('magic-link', email);
    const proved = assertOk(await post('magic-link/verify', { token, password: PASSWORD })).body
      .data;
    expect(proved.organizationId).toBe(data.organizationId);
    expect(toOutcome(await enter(proved.token))).toEqual([200, undefined]);
  });

  test('without a proof takes nothing from an organisation that has proved the domain', async () => {
    const scim = await createDirectory(harness.app, squatter);
    const domain = `d${squatter.userId}.example.org`;
    await claimDomain(harness, squatter, domain);
    const { id, userName } = await scim.provision({ userName: `new@${domain}` });
    expect(toOutcome(await register(userName))).toEqual([409, 'ALREADY_EXISTS']);
    expect((await stored('users', id))?.passwordHash).toBeNull();
  });

  test('without a proof takes nothing from an earlier registrant', async () => {
    expect(toOutcome(await register(squatter.email))).toEqual([409, 'ALREADY_EXISTS']);
    expect((await call('GET', 'auth/me', squatter.token)).status).toBe(200);
  });

  test('of many at once for one address one succeeds', async () => {
    const scim = await createDirectory(harness.app, squatter);
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

  test('an account is locked that has waited for a day, and a proof opens it with all that is its own', async () => {
    const [late, proved] = [await createOwner(strict.app), await createOwner(strict.app)];
    await proveBehind(strict, proved);
    clock.aheadMs += DAY - 60_000;
    expect((await signIn(late)).status).toBe(200);
    clock.aheadMs += 120_000;
    expect(toOutcome(await signIn(late))).toEqual([401, 'ACCOUNT_DEACTIVATED']);
    const me = await strict.app.call('GET', '/api/v1/auth/me', { token: late.token });
    expect(toOutcome(me)).toEqual([401, 'ACCOUNT_DEACTIVATED']);
    expect((await signIn(proved)).status).toBe(200);
    await proveBehind(strict, late);
    const { data } = assertOk(await signIn(late)).body;
    expect(data.organizationId).toBe(late.organizationId);
  });

  test('what the locked account began is there for the owner of the mailbox', async () => {
    const late = await createOwner(strict.app);
    clock.aheadMs += 40 * DAY;
    await strict.app.instance.runJobsOnce();
    const where = { _id: toObjectId(late.organizationId) };
    expect(await strict.db.collection('organizations').countDocuments(where)).toBe(1);
    const again = await strict.app.call('POST', '/api/v1/auth/register', {
      body: { name: 'Own', email: late.email, password: PASSWORD, organizationName: 'Own' },
    });
    expect(toOutcome(again)).toEqual([409, 'ALREADY_EXISTS']);
  });

  test('elsewhere none does', async () => {
    clock.aheadMs += 2 * DAY;
    expect((await login(squatter.email, PASSWORD)).status).toBe(200);
  });
});

test('the audit log of the organisation says that it was reclaimed, and how many were suspended', async () => {
  await createMember(harness, squatter, 'admin');
  const { data } = assertOk(
    await post('magic-link/verify', { token: await mailed('magic-link', squatter.email) }),
  ).body;
  clock.aheadMs += 60_000;
  await sweepAuditRows(harness.app.instance.platform);
  const home = { ...squatter, token: data.token };
  const [entry] = await listAuditEntries(harness.app, home, 'action=organization.reclaimed');
  expect(entry).toMatchObject({ metadata: { membersSuspended: 1 }, resource: 'organization' });
});

test('a new password tells how many sessions it has ended', async () => {
  const token = await mailed('forgot-password', squatter.email);
  const { data } = assertOk(await post('reset-password', { token, password: NEW_PASSWORD })).body;
  expect(data.sessionsEnded).toBe(1);
});

test('a month of decisions is there after a new password, and verifies', async () => {
  for (let day = 0; day < 30; day += 3) {
    await decide();
    clock.aheadMs += 3 * DAY;
  }
  const token = await mailed('forgot-password', squatter.email);
  assertOk(await post('reset-password', { token, password: NEW_PASSWORD }));
  const { data } = assertOk(await login(squatter.email, NEW_PASSWORD)).body;
  expect(data.organizationId).toBe(squatter.organizationId);
  const verified = assertOk(await call('POST', 'hash-chain/verify', data.token, {})).body.data;
  expect(verified).toMatchObject({ verified: true });
  const page = assertOk(await call('GET', 'traces?limit=100', data.token)).body;
  expect(page.data).toHaveLength(10);
});
