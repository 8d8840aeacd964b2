// Links in mail over HTTP and SMTP: sign-up, reset, magic link, and what strangers learn (document 1, section 4.1).
// @module-tag long
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { generateHex } from '../../../src/platform/ids.ts';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import {
  listAuditEntries,
  changeMembership,
  toObjectId,
  startHarness,
} from '../../setup/harness.ts';
import { assertOk, createOwner, PASSWORD, type Owner } from '../../setup/personas.ts';
import { holdMail, startMailServer, extractToken } from '../../setup/providers/mail-server.ts';
import type { Answer } from '../../setup/start-app.ts';

const NEW_PASSWORD = 'Another-Horse-8';
const PUBLIC_URL = 'https://assay.example/app';
const MINUTE = 60_000;
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };

let deliver: () => Promise<number>;
const mailServer = useFixture(startMailServer, (started) => started.close());
const harness = useHarness(
  () => ({ SMTP_URL: mailServer.url, ASSAY_PUBLIC_URL: `${PUBLIC_URL}/` }),
  { clock },
);
beforeAll(async () => {
  ({ deliver } = await holdMail(harness));
});
beforeEach(() => {
  aheadMs = 0;
});

const newEmail = (): string => `p-${generateHex(6)}@example.com`;
const post = (path: string, body: unknown, headers = {}): Promise<Answer> =>
  harness.app.call('POST', `/api/v1/auth/${path}`, { body, headers });
const login = (email: string, password = PASSWORD): Promise<Answer> =>
  post('login', { email, password });
const verdict = async (token: string): Promise<string> =>
  (await harness.app.call('GET', '/api/v1/auth/me', { token })).body.code ?? 'ok';
const security = async (token: string) =>
  assertOk(await harness.app.call('GET', '/api/v1/auth/security-settings', { token })).body.data;

/** Requests a mail, has it delivered, and returns its token. */
async function mailed(path: string, email: string): Promise<string> {
  assertOk(await post(path, { email }));
  await deliver();
  return extractToken(mailServer.findNewest(email));
}
const founder = (token: string) => ({
  token,
  name: 'Ada',
  password: PASSWORD,
  organizationName: 'Ada Ltd',
});
/** A user with a proved mailbox, as after a sign-up by mail. */
async function proved(): Promise<Owner> {
  const email = newEmail();
  const { data } = assertOk(
    await post('complete-signup', founder(await mailed('request-signup', email))),
  ).body;
  const { _id: organizationId, defaultWorkspaceId: workspaceId } = data.organization;
  return { token: data.token, email, userId: data.user._id, organizationId, workspaceId };
}

test('an address is proved by mail before it has an account; the link leads to the configured address whatever Host says', async () => {
  const email = newEmail();
  const asked = await post(
    'request-signup',
    { email: ` ${email.toUpperCase()} ` },
    { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
  );
  expect([asked.status, Object.keys(asked.body.data)]).toEqual([200, ['message']]);
  expect(await deliver()).toBe(1);
  const mail = mailServer.findNewest(email);
  const token = extractToken(mail);
  expect(mail.recipients).toEqual([email]);
  for (const form of [mail.text, mail.html]) {
    expect(form).toContain(`${PUBLIC_URL}/complete-signup#token=${token}`);
    expect(form).not.toContain('evil');
  }
  const { status, body } = await post('complete-signup', founder(token));
  expect([status, body.data.user.email, body.data.role]).toEqual([201, email, 'owner']);
  expect(await verdict(body.data.token)).toBe('ok');
  expect((await security(body.data.token)).emailVerifiedAt).toEqual(expect.any(String));
  expect((await login(email)).status).toBe(200);
  const again = await post('complete-signup', founder(token));
  expect([again.status, again.body.code]).toEqual([400, 'INVALID_TOKEN']);
});

test('a sign-up for an address with an account gets a mail that says so, without a link', async () => {
  const ada = await proved();
  const [known, unknown] = [
    await post('request-signup', { email: ada.email }),
    await post('request-signup', { email: newEmail() }),
  ];
  expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
  await deliver();
  const mail = mailServer.findNewest(ada.email);
  expect(mail.subject).toBe('You have an account with Assay');
  expect(mail.text).not.toContain('token');
});

test('an account that was created and proved between request and sign-up is kept', async () => {
  const email = newEmail();
  const token = await mailed('request-signup', email);
  const body = { name: 'Eve', email, password: PASSWORD, organizationName: 'Eve Ltd' };
  assertOk(await post('register', body));
  await harness.db
    .collection('users')
    .updateOne({ email }, { $set: { emailVerifiedAt: new Date() } });
  const late = await post('complete-signup', { ...founder(token), password: NEW_PASSWORD });
  expect([late.status, late.body.code]).toEqual([409, 'ALREADY_EXISTS']);
  expect((await login(email)).status).toBe(200);
});

test('registration by invitation closes both steps of a sign-up, for every address', async () => {
  const closed = await startHarness({ REGISTRATION: 'invite' });
  for (const [path, body] of [
    ['request-signup', { email: newEmail() }],
    ['complete-signup', founder('x'.repeat(43))],
  ] as const) {
    const { status, body: answer } = await closed.app.call('POST', `/api/v1/auth/${path}`, {
      body,
    });
    expect([status, answer.code]).toEqual([403, 'FORBIDDEN']);
  }
  expect(await closed.db.collection('outbox').countDocuments()).toBe(0);
  await closed.stop();
});

test.each(['request-signup', 'forgot-password', 'magic-link'])(
  'a stranger learns nothing from %s: same status, body, headers and work for a known and an unknown address',
  async (path) => {
    const { db, app } = harness;
    const { passwords } = app.instance.platform;
    const ada = await createOwner(app);
    const suspended = await createOwner(app);
    await changeMembership(harness, suspended, { isActive: false, deactivatedBy: 'team' });
    await deliver();
    const seen = [];
    for (const email of [ada.email, newEmail(), suspended.email]) {
      const hashes = passwords.computed;
      const rows = await db.collection('outbox').countDocuments();
      await db.command({ profile: 2 });
      const { status, headers, body } = await post(path, { email });
      await db.command({ profile: 0 });
      // Counts what the request did in the collections of users, organisations and mail, without the jobs beside it.
      const work = await db
        .collection('system.profile')
        .find({
          ns: {
            $in: ['users', 'memberships', 'one_time_tokens', 'outbox', 'audit_rows'].map(
              (name) => `${db.databaseName}.${name}`,
            ),
          },
          $nor: [{ op: 'query', ns: `${db.databaseName}.audit_rows` }],
        })
        .map(({ op, ns }) => `${op} ${ns.split('.')[1]}`)
        .toArray();
      await db.collection('system.profile').drop();
      const names = [...headers.keys()].filter((name) => name !== 'keep-alive').sort();
      const written = (await db.collection('outbox').countDocuments()) - rows;
      seen.push({ status, body, names, hashes: passwords.computed - hashes, work, written });
    }
    expect(seen[0]).toMatchObject({ status: 200, hashes: 0, work: ['insert outbox'], written: 1 });
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
    await deliver();
  },
);

test('an address without an account gets no mail, except to finish a sign-up', async () => {
  const email = newEmail();
  for (const path of ['forgot-password', 'magic-link']) assertOk(await post(path, { email }));
  const before = mailServer.received.length;
  expect(await deliver()).toBe(2);
  expect(mailServer.received).toHaveLength(before);
});

test('a reset sets a new password, ends every session and voids every other link; it opens no session', async () => {
  const ada = await proved();
  const second = assertOk(await login(ada.email)).body.data.token;
  const magic = await mailed('magic-link', ada.email);
  const token = await mailed('forgot-password', ada.email);
  const { status, body } = await post('reset-password', { token, password: NEW_PASSWORD });
  expect([status, body]).toEqual([
    200,
    { success: true, data: { passwordChanged: true, sessionsEnded: 2 } },
  ]);
  expect([await verdict(ada.token), await verdict(second)]).toEqual([
    'SESSION_REVOKED',
    'SESSION_REVOKED',
  ]);
  expect((await login(ada.email)).body.code).toBe('INVALID_CREDENTIALS');
  const fresh = assertOk(await login(ada.email, NEW_PASSWORD)).body.data.token;
  for (const [path, again] of [
    ['reset-password', { token, password: PASSWORD }],
    ['magic-link/verify', { token: magic }],
  ] as const)
    expect((await post(path, again)).body.code).toBe('INVALID_TOKEN');
  expect(
    await listAuditEntries(harness.app, { ...ada, token: fresh }, 'action=auth.reset_password'),
  ).toMatchObject([
    {
      status: 'success',
      resource: 'user',
      resourceId: ada.userId,
      userId: ada.userId,
      metadata: {},
    },
  ]);
});

test('a magic link signs in once', async () => {
  const ada = await proved();
  const token = await mailed('magic-link', ada.email);
  expect(mailServer.findNewest(ada.email).text).toContain(`${PUBLIC_URL}/magic-link#token=`);
  const { status, body } = await post('magic-link/verify', { token });
  expect([status, body.data.user._id, await verdict(body.data.token)]).toEqual([
    200,
    ada.userId,
    'ok',
  ]);
  expect((await post('magic-link/verify', { token })).body.code).toBe('INVALID_TOKEN');
  const entries = await listAuditEntries(harness.app, ada, 'action=auth.login&status=success');
  expect(entries[0]?.metadata).toEqual({ method: 'magic_link', jti: expect.any(String) });
  // The account was proved before, so its password and its sessions stay.
  expect([await verdict(ada.token), (await login(ada.email)).status]).toEqual(['ok', 200]);
});

test('the password of the registrant of an unproved address ends when the owner of the mailbox signs in', async () => {
  const squatter = await createOwner(harness.app);
  const { body } = await post('magic-link/verify', {
    token: await mailed('magic-link', squatter.email),
  });
  expect(await verdict(body.data.token)).toBe('ok');
  expect(await verdict(squatter.token)).toBe('SESSION_REVOKED');
  expect((await login(squatter.email)).body.code).toBe('INVALID_CREDENTIALS');
  expect(await security(body.data.token)).toMatchObject({
    password: { isSet: false, changedAt: null, ageDays: null },
  });
  assertOk(
    await post('reset-password', {
      token: await mailed('forgot-password', squatter.email),
      password: NEW_PASSWORD,
    }),
  );
  expect((await login(squatter.email, NEW_PASSWORD)).status).toBe(200);
});

test('no link signs a suspended member in', async () => {
  const ada = await proved();
  await changeMembership(harness, ada, { isActive: false, deactivatedBy: 'team' });
  const refused = await post('magic-link/verify', { token: await mailed('magic-link', ada.email) });
  expect([refused.status, refused.body.code]).toEqual([401, 'ACCOUNT_DEACTIVATED']);
  assertOk(
    await post('reset-password', {
      token: await mailed('forgot-password', ada.email),
      password: NEW_PASSWORD,
    }),
  );
  expect((await login(ada.email, NEW_PASSWORD)).body.code).toBe('ACCOUNT_DEACTIVATED');
});

describe('each link', () => {
  const uses = [
    {
      purpose: 'signup',
      ask: 'request-signup',
      use: 'complete-signup',
      minutes: 24 * 60,
      body: founder,
    },
    {
      purpose: 'reset',
      ask: 'forgot-password',
      use: 'reset-password',
      minutes: 60,
      body: (token: string) => ({ token, password: NEW_PASSWORD }),
    },
    {
      purpose: 'magic-link',
      ask: 'magic-link',
      use: 'magic-link/verify',
      minutes: 15,
      body: (token: string) => ({ token }),
    },
  ];
  const addressFor = async (purpose: string): Promise<string> =>
    purpose === 'signup' ? newEmail() : (await proved()).email;

  test.each(uses)(
    '$purpose, used 20 times in parallel, works once',
    { tags: ['long'] },
    async ({ purpose, ask, use, body }) => {
      const email = await addressFor(purpose);
      const token = await mailed(ask, email);
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(use, body(token))));
      const codes = answers
        .map(({ body: { code } }) => (code as string | undefined) ?? 'ok')
        .sort();
      expect(codes.filter((code) => code === 'ok')).toHaveLength(1);
      expect(codes.filter((code) => code !== 'ok')).toEqual(Array(19).fill('INVALID_TOKEN'));
    },
  );

  test.each(uses)(
    '$purpose is expired after its time, counted from the request',
    async ({ purpose, ask, use, minutes, body }) => {
      const email = await addressFor(purpose);
      const token = await mailed(ask, email);
      aheadMs = minutes * MINUTE;
      const late = await post(use, body(token));
      expect([late.status, late.body.code]).toEqual([410, 'EXPIRED']);
      // A mail that could not be sent in time is not sent with a renewed link.
      aheadMs = 0;
      assertOk(await post(ask, { email }));
      aheadMs = minutes * MINUTE + 1000;
      const before = mailServer.received.length;
      expect(await deliver()).toBe(1);
      expect(mailServer.received).toHaveLength(before);
    },
  );

  test.each(uses)(
    '$purpose: only the newest works, and its token is kept as a hash',
    async ({ purpose, ask, use, body }) => {
      const email = await addressFor(purpose);
      const [older, newer] = [await mailed(ask, email), await mailed(ask, email)];
      const kept = await harness.db
        .collection('one_time_tokens')
        .find({ purpose, email })
        .toArray();
      expect(kept.map(({ tokenHash }) => tokenHash)).toEqual(
        Array(kept.length).fill(expect.stringMatching(/^[0-9a-f]{64}$/)),
      );
      expect((await post(use, body(older))).body.code).toBe('INVALID_TOKEN');
      expect((await post(use, body(newer))).status).toBeLessThan(300);
    },
  );

  test.each(uses)(
    '$purpose takes nothing but its own token',
    async ({ purpose, ask, use, body }) => {
      const token = await mailed(ask, await addressFor(purpose));
      for (const other of uses)
        if (other.purpose !== purpose)
          expect((await post(other.use, other.body(token))).body.code).toBe('INVALID_TOKEN');
      for (const odd of [null, ['a'], { $ne: null }, { $gt: '' }, 7, '', undefined])
        expect((await post(use, { ...body(token), token: odd })).status).toBe(400);
      expect((await post(use, body(generateHex(32)))).body.code).toBe('INVALID_TOKEN');
      expect((await post(use, body(token))).status).toBeLessThan(300);
    },
  );
});

test(
  'mails of one kind to one address are counted, whether it has an account or not, apart from sign-ins',
  { tags: ['long'] },
  async () => {
    const strict = await startHarness({
      ASSAY_LIMIT_MAIL: '2',
      ASSAY_LIMIT_MAIL_TOTAL: '3',
      ASSAY_TRUST_PROXY: 'loopback',
    });
    const ada = await createOwner(strict.app);
    const ask = (path: string, email: string, address: string) =>
      strict.app.call('POST', `/api/v1/auth/${path}`, {
        body: { email },
        headers: { 'x-forwarded-for': address },
      });
    for (const email of [ada.email, newEmail()]) {
      for (const path of ['magic-link', 'magic-link', 'forgot-password', 'request-signup'])
        expect((await ask(path, email, '192.0.2.1')).status).toBe(200);
      const limited = async (address: string, limit: number): Promise<void> => {
        const { status, body, headers } = await ask('magic-link', email.toUpperCase(), address);
        expect([status, body.code, body.data]).toEqual([
          429,
          'RATE_LIMIT_EXCEEDED',
          { limit, windowSeconds: 900 },
        ]);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      };
      await limited('192.0.2.1', 2);
      expect((await ask('magic-link', email, '192.0.2.2')).status).toBe(200);
      await limited('192.0.2.3', 3);
    }
    expect(
      (
        await strict.app.call('POST', '/api/v1/auth/login', {
          body: { email: ada.email, password: PASSWORD },
        })
      ).status,
    ).toBe(200);
    await strict.stop();
  },
);

test('a mail server that does not answer affects only the outbox', async () => {
  const lost = await startHarness({ SMTP_URL: 'smtp://127.0.0.1:1' });
  const { deliver: attempt } = await holdMail(lost);
  const ada = await createOwner(lost.app);
  expect(
    (await lost.app.call('POST', '/api/v1/auth/forgot-password', { body: { email: ada.email } }))
      .status,
  ).toBe(200);
  expect(await attempt()).toBe(1);
  const [row] = await lost.db.collection('outbox').find({ topic: 'mail' }).toArray();
  expect(row).toMatchObject({
    status: 'pending',
    attempts: 1,
    lastError: expect.stringContaining('ECONNREFUSED'),
  });
  await lost.stop();
});

describe('changing the password', () => {
  const change = (token: string, body: object): Promise<Answer> =>
    harness.app.call('POST', '/api/v1/auth/change-password', { token, body });

  test('needs the current one, keeps the session of the request, ends the others and revokes tokens in mails', async () => {
    const ada = await proved();
    const other = assertOk(await login(ada.email)).body.data.token;
    const reset = await mailed('forgot-password', ada.email);
    const { status, body } = await change(ada.token, {
      currentPassword: PASSWORD,
      newPassword: NEW_PASSWORD,
    });
    expect([status, body.data]).toEqual([200, { passwordChanged: true, sessionsEnded: 1 }]);
    expect([await verdict(ada.token), await verdict(other)]).toEqual(['ok', 'SESSION_REVOKED']);
    expect((await login(ada.email)).body.code).toBe('INVALID_CREDENTIALS');
    expect((await login(ada.email, NEW_PASSWORD)).status).toBe(200);
    expect((await post('reset-password', { token: reset, password: PASSWORD })).body.code).toBe(
      'INVALID_TOKEN',
    );
  });

  test('a wrong present password changes nothing and is recorded', async () => {
    const ada = await proved();
    const wrong = await change(ada.token, {
      currentPassword: 'Wrong-Horse-9',
      newPassword: NEW_PASSWORD,
    });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await login(ada.email)).status).toBe(200);
    expect(await listAuditEntries(harness.app, ada, 'action=auth.change_password')).toMatchObject([
      { status: 'failure', metadata: { code: 'INVALID_CREDENTIALS' } },
    ]);
  });

  test('the rule holds for the new one everywhere', async () => {
    const ada = await proved();
    const reset = await mailed('forgot-password', ada.email);
    for (const weak of [
      'short-1A',
      'lower-case-9',
      'UPPER-CASE-9',
      'No-digit-here',
      'Password123',
      `Aa1${'x'.repeat(126)}`,
    ])
      for (const refused of [
        await change(ada.token, { currentPassword: PASSWORD, newPassword: weak }),
        await post('reset-password', { token: reset, password: weak }),
      ])
        expect([refused.status, refused.body.code], weak).toEqual([400, 'VALIDATION_ERROR']);
    const long = `Aa1${'x'.repeat(125)}`;
    expect((await change(ada.token, { currentPassword: PASSWORD, newPassword: long })).status).toBe(
      200,
    );
    expect((await login(ada.email, long)).status).toBe(200);
  });

  test(
    'guesses of the present password are counted with the sign-ins of the account',
    { tags: ['long'] },
    async () => {
      const strict = await startHarness({ ASSAY_LIMIT_ACCOUNT: '2' });
      const ada = await createOwner(strict.app);
      const guess = () =>
        strict.app.call('POST', '/api/v1/auth/change-password', {
          token: ada.token,
          body: { currentPassword: 'Wrong-Horse-9', newPassword: NEW_PASSWORD },
        });
      const statuses = [(await guess()).status, (await guess()).status, (await guess()).status];
      expect(statuses).toEqual([401, 401, 429]);
      await strict.stop();
    },
  );
});

test(
  'a password that is changed while it is being checked opens nothing',
  { tags: ['long'] },
  async () => {
    const ada = await proved();
    const token = await mailed('forgot-password', ada.email);
    const [reset, ...logins] = await Promise.all([
      post('reset-password', { token, password: NEW_PASSWORD }),
      ...Array.from({ length: 6 }, () => login(ada.email)),
    ]);
    expect(reset.status).toBe(200);
    const opened = logins
      .filter(({ status }) => status === 200)
      .map(({ body }) => body.data.token as string);
    expect(await Promise.all(opened.map(verdict))).toEqual(opened.map(() => 'SESSION_REVOKED'));
    const open = await harness.db
      .collection('sessions')
      .countDocuments({ userId: toObjectId(ada.userId), revokedAt: null });
    expect(open).toBe(0);
  },
);
