// Invitations over HTTP: created, sent, read, accepted once, withdrawn, expired (document 1, sections 2, 3 and 4.4).
// @module-tag long
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/domain/record/chain.ts';
import { ROLES } from '../../../src/domain/identity/roles.ts';
import { generateHex } from '../../../src/platform/ids.ts';
import {
  listAuditEntries,
  changeMembership,
  createMember,
  toObjectId,
  startHarness,
  type Harness,
} from '../../setup/harness.ts';
import { assertOk, createOwner, PASSWORD, type Owner } from '../../setup/personas.ts';
import {
  holdMail,
  startMailServer,
  extractToken,
  type MailServer,
  type ReceivedMail,
} from '../../setup/providers/mail-server.ts';
import { registerFactor, MovedClock } from '../../setup/second-factor.ts';
import { toOutcome, type Answer, type TestApp } from '../../setup/start-app.ts';

const DAY = 24 * 3600 * 1000;
const clock = new MovedClock();

let mailServer: MailServer;
let harness: Harness;
let mail: { deliver(): Promise<number> };
let app: TestApp;
let ada: Owner;
beforeAll(async () => {
  mailServer = await startMailServer();
  // Few connections, so that a waiting request which holds one would block the others.
  const connections = { ASSAY_DB_POOL: '3' };
  const environment = {
    ...connections,
    ASSAY_PUBLIC_URL: 'https://assay.example.com/',
    LOG_LEVEL: 'debug',
  };
  harness = await startHarness({ ...environment, SMTP_URL: mailServer.url }, { clock });
  app = harness.app;
  mail = await holdMail(harness);
  ada = await createOwner(app);
});
beforeEach(() => {
  clock.aheadMs = 0;
});
afterAll(async () => {
  await harness.stop();
  await mailServer.close();
});

const at = '/api/v1/team';
const createGuestAddress = (): string => `guest-${generateHex(6)}@example.com`;
const write = (email: unknown, role?: unknown, by = ada): Promise<Answer> =>
  app.call('POST', `${at}/invite`, {
    token: by.token,
    body: { email, ...(role !== undefined && { role }) },
  });
const resend = (id: string, by = ada): Promise<Answer> =>
  app.call('POST', `${at}/invites/${id}/resend`, { token: by.token });
const revoke = (id: string, by = ada): Promise<Answer> =>
  app.call('DELETE', `${at}/invites/${id}`, { token: by.token });
const pending = (by = ada): Promise<Answer> =>
  app.call('GET', `${at}/invites`, { token: by.token });
const validate = (token: string): Promise<Answer> =>
  app.call('GET', `${at}/invites/validate/${token}`);
const accept = (
  token: string,
  body: object = { name: 'Guest', password: PASSWORD },
): Promise<Answer> => app.call('POST', `${at}/invites/${token}/accept`, { body });
/** The mails to an address, all that wait being sent first. */
async function mailsTo(email: string): Promise<ReceivedMail[]> {
  await mail.deliver();
  return mailServer.received.filter(({ recipients }) => recipients.includes(email));
}

interface Invited {
  id: string;
  token: string;
  email: string;
}
async function invite(email = createGuestAddress(), role?: string, by = ada): Promise<Invited> {
  const { _id: id } = assertOk(await write(email, role, by)).body.data;
  await mail.deliver();
  return { id, email, token: extractToken(mailServer.findNewest(email)) };
}
const me = async (token: string) =>
  assertOk(await app.call('GET', '/api/v1/auth/me', { token })).body.data;

describe('writing', () => {
  test('answers id, address, role and end, never the token; the mail brings it', async () => {
    const email = createGuestAddress();
    const answer = await write(`  ${email.toUpperCase()} `);
    expect(answer.status).toBe(201);
    const { data } = answer.body;
    expect(data).toEqual({
      _id: data.id,
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      email,
      role: 'member',
      inviterEmail: ada.email,
      expiresAt: expect.any(String),
      createdAt: expect.any(String),
    });
    expect(
      Math.abs(Date.parse(data.expiresAt) - Date.parse(data.createdAt) - 7 * DAY),
    ).toBeLessThan(10_000);
    const [brought, ...more] = await mailsTo(email);
    expect([more, brought?.recipients, brought?.subject]).toEqual([
      [],
      [email],
      'Invitation to “Ada Ltd”',
    ]);
    const token = extractToken(mailServer.findNewest(email));
    expect(token).toMatch(/^[\w-]{43}$/);
    for (const form of [brought?.text, brought?.html])
      for (const part of [
        `https://assay.example.com/accept-invite#token=${token}`,
        ada.email,
        'member',
      ])
        expect(form).toContain(part);
    expect(answer.text).not.toContain(token);
    expect((await pending()).text).not.toContain(token);
    const [entry] = await listAuditEntries(app, ada, `action=team.invite&resourceId=${data.id}`);
    expect(entry).toMatchObject({
      status: 'success',
      detail: email,
      metadata: { role: 'member' },
      userId: ada.userId,
    });
  });

  test('the token is neither in the database nor in the log or audit log, before and after its use', async () => {
    const { token, id } = await invite();
    assertOk(await resend(id));
    assertOk(await validate(token));
    assertOk(await accept(token));
    const texts: string[] = [];
    for (const { name } of await harness.db.listCollections().toArray())
      texts.push(JSON.stringify(await harness.db.collection(name).find().toArray()));
    const all = [...texts, ...app.logged].join('\n');
    expect(all).toContain('/api/v1/team/invites/:token/accept');
    expect(all).toContain(sha256Hex(token));
    expect(all).not.toContain(token);
  });

  test.each(ROLES)('an owner invites a %s', async (role) => {
    const { token, email } = await invite(createGuestAddress(), role);
    expect((await validate(token)).body.data.role).toBe(role);
    const { data } = assertOk(await accept(token)).body;
    expect([data.role, data.user.email, (await me(data.token)).role]).toEqual([role, email, role]);
  });

  test('an invited reviewer decides, an invited auditor reads the evidence alone; no admin makes an auditor', async () => {
    const enter = async (role: string): Promise<string> =>
      assertOk(await accept((await invite(createGuestAddress(), role)).token)).body.data.token;
    const [reviewer, auditor] = [await enter('reviewer'), await enter('auditor')];
    const read = async (token: string, path: string): Promise<number> =>
      (await app.call('GET', `/api/v1${path}`, { token })).status;
    const decide = async (token: string): Promise<number> =>
      (
        await app.call('POST', `/api/v1/review-queue/${'a'.repeat(24)}/decision`, {
          token,
          body: { decision: 'approve' },
        })
      ).status;
    expect([await decide(reviewer), await decide(auditor)]).toEqual([404, 403]);
    const view = '/policies/audit/auditor-view';
    expect([await read(reviewer, view), await read(auditor, view)]).toEqual([403, 200]);
    expect([await read(reviewer, '/traces'), await read(auditor, '/traces')]).toEqual([200, 403]);
    const admin = await createMember(harness, ada, 'admin');
    for (const role of ['owner', 'auditor'])
      expect(toOutcome(await write(createGuestAddress(), role, admin))).toEqual([403, 'FORBIDDEN']);
    assertOk(await write(createGuestAddress(), 'reviewer', admin));
  });

  test.each([
    ['not-an-address', undefined],
    ['', undefined],
    [null, undefined],
    [['a@example.com'], undefined],
    [{ $ne: null }, undefined],
    ['a@example.com, b@example.com', undefined],
    ['a@example.com\r\nBcc: b@example.com', undefined],
    [`${'x'.repeat(250)}@example.com`, undefined],
    ['good@example.com', 'root'],
    ['good@example.com', ['owner']],
  ])('%j as %j is refused', async (email, role) => {
    expect(toOutcome(await write(email, role))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('members, suspended or provisioned ones, and the invited are not invited again', async () => {
    const person = await createMember(harness, ada, 'viewer');
    expect(toOutcome(await write(person.email))).toEqual([400, 'ALREADY_MEMBER']);
    for (const deactivatedBy of ['team', 'scim']) {
      await changeMembership(harness, person, { isActive: false, deactivatedBy });
      expect(toOutcome(await write(person.email.toUpperCase()))).toEqual([400, 'ALREADY_MEMBER']);
    }
    const { email } = await invite();
    expect(toOutcome(await write(email))).toEqual([400, 'ALREADY_MEMBER']);
    expect((await write(email, 'member', await createOwner(app, 'Eve'))).status).toBe(201);
  });

  test('asked for at the same time there is one invitation', async () => {
    const email = createGuestAddress();
    const answers = await Promise.all(Array.from({ length: 5 }, () => write(email)));
    expect(answers.map(toOutcome).sort()).toEqual([
      [201, undefined],
      ...Array(4).fill([400, 'ALREADY_MEMBER']),
    ]);
    const found = (await pending()).body.data.filter((row: Invited) => row.email === email);
    expect(found).toHaveLength(1);
    expect(await mailsTo(email)).toHaveLength(1);
  });

  test('who may: owners and admins, and an admin invites no owner; every reader sees what is pending', async () => {
    const admin = await createMember(harness, ada, 'admin');
    const { id } = await invite(createGuestAddress(), 'admin', admin);
    expect(toOutcome(await write(createGuestAddress(), 'owner', admin))).toEqual([
      403,
      'FORBIDDEN',
    ]);
    for (const role of ['reviewer', 'member', 'viewer']) {
      const person = await createMember(harness, ada, role);
      expect((await pending(person)).status, role).toBe(200);
      for (const answer of [
        await write(createGuestAddress(), 'viewer', person),
        await resend(id, person),
        await revoke(id, person),
      ])
        expect(toOutcome(answer), role).toEqual([403, 'FORBIDDEN']);
    }
    expect(toOutcome(await pending(await createMember(harness, ada, 'auditor')))).toEqual([
      403,
      'FORBIDDEN',
    ]);
  });

  test('another organisation’s invitation is unknown', async () => {
    const eve = await createOwner(app, 'Eve');
    const { id } = await invite();
    for (const answer of [
      await resend(id, eve),
      await revoke(id, eve),
      await resend('f'.repeat(24)),
      await revoke('x'),
    ])
      expect(toOutcome(answer)).toEqual([404, 'NOT_FOUND']);
    expect((await pending(eve)).body.data).toEqual([]);
  });
});

describe('looking', () => {
  test('a pending one shows organisation, role and inviter', async () => {
    const { token } = await invite(createGuestAddress(), 'admin');
    expect((await validate(token)).body.data).toEqual({
      valid: true,
      organizationName: 'Ada Ltd',
      role: 'admin',
      inviterEmail: ada.email,
      expiresAt: expect.any(String),
    });
  });

  test.each<[reason: string, end: (invited: Invited) => Promise<unknown>]>([
    ['revoked', ({ id }) => revoke(id)],
    ['accepted', ({ token }) => accept(token)],
    ['expired', async () => Promise.resolve((clock.aheadMs = 7 * DAY + 60_000))],
  ])('one that is %s shows that and nothing else', async (reason, end) => {
    const invited = await invite();
    await end(invited);
    const answer = await validate(invited.token);
    expect([answer.status, answer.body]).toEqual([
      200,
      { success: true, data: { valid: false, reason } },
    ]);
  });

  test.each(['x', 'a'.repeat(43), '%00', 'a'.repeat(5000), '{"$ne":null}'])(
    '%s is unknown',
    async (token) => {
      for (const answer of [
        await validate(encodeURIComponent(token)),
        await accept(encodeURIComponent(token)),
      ])
        expect(toOutcome(answer)).toEqual([404, 'NOT_FOUND']);
    },
  );
});

describe('sending again', () => {
  test('keeps the token and restarts the seven days', async () => {
    const { id, token, email } = await invite();
    clock.aheadMs = 6 * DAY;
    const answer = await resend(id);
    expect([answer.status, answer.body.data._id]).toEqual([200, id]);
    clock.aheadMs = 12 * DAY;
    expect((await mailsTo(email)).map(extractToken)).toEqual([token, token]);
    expect((await validate(token)).body.data.valid).toBe(true);
    clock.aheadMs = 13 * DAY + 60_000;
    expect((await validate(token)).body.data).toEqual({ valid: false, reason: 'expired' });
    clock.aheadMs = 0;
    const [entry] = await listAuditEntries(app, ada, `action=team.invite.resent&resourceId=${id}`);
    expect(entry).toMatchObject({ status: 'success' });
  });

  test('one that was withdrawn before its mail went out is not sent', async () => {
    const email = createGuestAddress();
    assertOk(await revoke(assertOk(await write(email)).body.data._id));
    expect(await mailsTo(email)).toEqual([]);
  });

  test('one that has ended is neither sent nor withdrawn', async () => {
    const [used, withdrawn, old] = [await invite(), await invite(), await invite()];
    assertOk(await accept(used.token));
    assertOk(await revoke(withdrawn.id));
    for (const act of [resend, revoke]) {
      expect(toOutcome(await act(used.id))).toEqual([400, 'INVITE_ALREADY_USED']);
      expect(toOutcome(await act(withdrawn.id))).toEqual([410, 'EXPIRED']);
    }
    await harness.db
      .collection('invitations')
      .updateOne({ _id: toObjectId(old.id) }, { $set: { expiresAt: new Date(Date.now() - 1000) } });
    for (const act of [resend, revoke])
      expect(toOutcome(await act(old.id))).toEqual([410, 'EXPIRED']);
    expect((await pending()).body.data.map(({ id }: Invited) => id)).not.toContain(old.id);
    expect((await write(old.email)).status).toBe(201);
  });
});

test('a withdrawn invitation is void and leaves the list', async () => {
  const { id, token, email } = await invite();
  expect((await pending()).body.data.map((row: Invited) => row.id)).toContain(id);
  const answer = await revoke(id);
  expect([answer.status, answer.body.data]).toEqual([200, { _id: id, revoked: true }]);
  expect(toOutcome(await accept(token))).toEqual([410, 'EXPIRED']);
  expect((await pending()).body.data.map((row: Invited) => row.id)).not.toContain(id);
  expect(await harness.db.collection('users').findOne({ email })).toBeNull();
  expect(
    await listAuditEntries(app, ada, `action=team.invite.revoked&resourceId=${id}`),
  ).toHaveLength(1);
  const again = await invite(email);
  expect(again.token).not.toBe(token);
  expect((await accept(again.token)).status).toBe(200);
});

describe('accepting with a new account', () => {
  test('makes account, membership and session, and is audited', async () => {
    const { id, token, email } = await invite(createGuestAddress(), 'viewer');
    const answer = await accept(token, { name: ' Grace ', password: PASSWORD });
    expect(answer.status).toBe(200);
    const { data } = answer.body;
    expect(data).toMatchObject({
      organizationId: ada.organizationId,
      role: 'viewer',
      user: { email, name: 'Grace' },
    });
    expect(await me(data.token)).toMatchObject({
      role: 'viewer',
      organization: { name: 'Ada Ltd' },
      user: { email },
    });
    expect(
      (await app.call('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } }))
        .status,
    ).toBe(200);
    const [entry] = await listAuditEntries(
      app,
      ada,
      `action=team.invite.accepted&resourceId=${id}`,
    );
    expect(entry).toMatchObject({
      status: 'success',
      userId: data.user._id,
      userEmail: email,
      userRole: 'viewer',
    });
    const one = { auditLogId: entry?._id };
    assertOk(
      await app.call('POST', '/api/v1/auth/revoke-session', { token: data.token, body: one }),
    );
    expect(toOutcome(await app.call('GET', '/api/v1/auth/me', { token: data.token }))).toEqual([
      401,
      'SESSION_REVOKED',
    ]);
  });

  test(
    'twenty at the same time: one account, one membership, one session',
    { tags: ['long'] },
    async () => {
      const { token, email } = await invite();
      const answers = await Promise.all(Array.from({ length: 20 }, () => accept(token)));
      expect(answers.map(toOutcome).sort()).toEqual([
        [200, undefined],
        ...Array(19).fill([400, 'INVITE_ALREADY_USED']),
      ]);
      const users = await harness.db.collection('users').find({ email }).toArray();
      expect(users).toHaveLength(1);
      expect(
        await harness.db.collection('memberships').countDocuments({ userId: users[0]?._id }),
      ).toBe(1);
      expect(
        await harness.db.collection('sessions').countDocuments({ userId: users[0]?._id }),
      ).toBe(1);
      expect(toOutcome(await accept(token))).toEqual([400, 'INVITE_ALREADY_USED']);
    },
  );

  test.each([10, 15, 20, 30])(
    'twenty, one every %d ms, do not wait for each other on all connections',
    { tags: ['long'] },
    async (ms) => {
      const { token } = await invite();
      const late = async (_: unknown, place: number): Promise<Answer> => {
        await new Promise((resolve) => setTimeout(resolve, place * ms));
        return accept(token);
      };
      const answers = await Promise.all(Array.from({ length: 20 }, late));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ body }) => body.code === 'INVITE_ALREADY_USED')).toHaveLength(19);
    },
  );

  test.each([
    { name: 'Guest', password: 'short' },
    { name: 'Guest', password: 'no capital letter 9' },
    { name: 'Guest', password: 'No digit at all here' },
    { name: 'Guest', password: ['a'] },
    { name: 'Guest', password: null },
    { name: 'Guest', password: { $ne: null } },
    { name: 'Guest' },
    { name: '', password: PASSWORD },
    { name: ['a'], password: PASSWORD },
    { password: PASSWORD },
    {},
  ])('%j is refused and uses nothing up', async (body) => {
    const { token, email } = await invite();
    expect(toOutcome(await accept(token, body))).toEqual([400, 'VALIDATION_ERROR']);
    expect(await harness.db.collection('users').countDocuments({ email })).toBe(0);
    expect((await validate(token)).body.data.valid).toBe(true);
  });

  test('an expired one is refused', async () => {
    const { token } = await invite();
    clock.aheadMs = 7 * DAY + 60_000;
    expect(toOutcome(await accept(token))).toEqual([410, 'EXPIRED']);
  });
});

describe('accepting with an account that exists', () => {
  const account = ({ userId }: Owner) =>
    harness.db.collection('users').findOne({ _id: toObjectId(userId) });

  test('needs its password, and changes neither password nor name', async () => {
    const guest = await createOwner(app, 'Guest');
    const { token } = await invite(guest.email, 'admin');
    const before = await account(guest);
    const wrong = await accept(token, { name: 'Mallory', password: 'Another-Horse-9' });
    expect(toOutcome(wrong)).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(await account(guest)).toEqual(before);
    await expect
      .poll(() => listAuditEntries(app, guest, 'action=auth.login&status=failure'))
      .toMatchObject([
        { userEmail: guest.email, detail: 'wrong password', metadata: { method: 'invitation' } },
      ]);

    const { data } = assertOk(await accept(token, { name: 'Mallory', password: PASSWORD })).body;
    expect(data).toMatchObject({
      organizationId: ada.organizationId,
      role: 'admin',
      user: { name: 'Guest' },
    });
    const after = await account(guest);
    for (const kept of ['passwordHash', 'passwordChangedAt', 'name', 'mfa', 'email'])
      expect(after?.[kept]).toEqual(before?.[kept]);
    expect((await me(data.token)).role).toBe('admin');
    expect((await me(guest.token)).role).toBe('owner');
  });

  test(
    'who has a second factor gets no session by the password alone, and lands there with the code',
    { tags: ['long'] },
    async () => {
      const guest = await createOwner(app, 'Guest');
      const authenticator = await registerFactor(app, clock, guest.token);
      const { token, id } = await invite(guest.email, 'viewer');
      const sessions = (): Promise<number> =>
        harness.db.collection('sessions').countDocuments({ userId: toObjectId(guest.userId) });
      const before = await sessions();
      const { data } = assertOk(await accept(token)).body;
      expect(data).toEqual({ mfaRequired: true, tempToken: expect.any(String) });
      expect(await sessions()).toBe(before);
      const [entry] = await listAuditEntries(
        app,
        ada,
        `action=team.invite.accepted&resourceId=${id}`,
      );
      expect(entry).toMatchObject({
        status: 'success',
        userId: guest.userId,
        metadata: { method: 'invitation' },
      });
      const second = { tempToken: data.tempToken, code: authenticator.generateNextCode() };
      const signedIn = assertOk(await app.call('POST', '/api/v1/auth/mfa/login', { body: second }))
        .body.data;
      expect([signedIn.organizationId, signedIn.role]).toEqual([ada.organizationId, 'viewer']);
    },
  );

  test('an account without a password cannot be proven by one', async () => {
    const guest = await createOwner(app, 'Guest');
    await harness.db
      .collection('users')
      .updateOne({ _id: toObjectId(guest.userId) }, { $set: { passwordHash: null } });
    const { token } = await invite(guest.email);
    expect(toOutcome(await accept(token))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await account(guest))?.passwordHash).toBeNull();
  });

  test('twenty at the same time: one membership, one session', { tags: ['long'] }, async () => {
    const guest = await createOwner(app, 'Guest');
    const { token } = await invite(guest.email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(token)));
    expect(answers.map(toOutcome).sort()).toEqual([
      [200, undefined],
      ...Array(19).fill([400, 'INVITE_ALREADY_USED']),
    ]);
    expect(
      await harness.db
        .collection('memberships')
        .countDocuments({ userId: toObjectId(guest.userId) }),
    ).toBe(2);
  });

  test(
    'at most twenty passwords are tried until it is sent again',
    { tags: ['long'] },
    async () => {
      const guest = await createOwner(app, 'Guest');
      const { id, token } = await invite(guest.email);
      const guess = (): Promise<Answer> =>
        accept(token, { name: 'x', password: 'Another-Horse-9' });
      const answers = await Promise.all(Array.from({ length: 25 }, guess));
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(20);
      expect(answers.filter(({ body }) => body.code === 'RATE_LIMIT_EXCEEDED')).toHaveLength(5);
      expect(toOutcome(await accept(token))).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      assertOk(await resend(id));
      expect((await accept(token)).status).toBe(200);
    },
  );

  test('a user who was added since the invitation is a member already', async () => {
    const guest = await createOwner(app, 'Guest');
    const { token } = await invite(guest.email);
    const row = {
      organizationId: toObjectId(ada.organizationId),
      userId: toObjectId(guest.userId),
      role: 'viewer',
    };
    const times = { createdAt: new Date(), updatedAt: new Date() };
    await harness.db
      .collection('memberships')
      .insertOne({ ...row, isActive: false, deactivatedBy: 'scim', ...times });
    expect(toOutcome(await accept(token))).toEqual([400, 'ALREADY_MEMBER']);
    expect(await harness.db.collection('memberships').findOne(row)).toMatchObject({
      isActive: false,
    });
    expect((await validate(token)).body.data.valid).toBe(true);
  });
});
