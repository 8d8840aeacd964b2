// The second factor over HTTP (document 1, sections 3 and 4.1): enrolment, sign-in, backup codes, limits on guessing.
import { settleSignInFailures } from '../../../src/identity/auth/accounts/sign-in-failures.service.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import {
  listAuditEntries,
  changeMembership,
  toObjectId,
  verifyMailbox,
} from '../../setup/harness.ts';
import { assertOk, createOwner, PASSWORD, type Owner } from '../../setup/personas.ts';
import { holdMail, startMailServer, extractToken } from '../../setup/providers/mail-server.ts';
import { Authenticator, registerFactor, MovedClock } from '../../setup/second-factor.ts';
import { startApp, type Answer } from '../../setup/start-app.ts';

const NEW_PASSWORD = 'Another-Horse-8';
const clock = new MovedClock();

let deliver: () => Promise<number>;
const mailServer = useFixture(startMailServer, (started) => started.close());
const harness = useHarness(() => ({ SMTP_URL: mailServer.url, ASSAY_LIMIT_ACCOUNT: '1000' }), {
  clock,
});
const { app } = harness;
beforeAll(async () => {
  ({ deliver } = await holdMail(harness));
});

const post = (path: string, body?: object, token?: string): Promise<Answer> =>
  app.call('POST', `/api/v1/auth/${path}`, {
    ...(body && { body }),
    ...(token !== undefined && { token }),
  });
const me = (token: string): Promise<Answer> => app.call('GET', '/api/v1/auth/me', { token });
const login = (email: string, password = PASSWORD): Promise<Answer> =>
  post('login', { email, password });
const pending = async (email: string): Promise<string> =>
  assertOk(await login(email)).body.data.tempToken;
const finish = (tempToken: string, code: string): Promise<Answer> =>
  post('mfa/login', { tempToken, code });
const codeOf = ({ body }: Answer): string => (body.code as string | undefined) ?? 'ok';
const many = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));

async function enrolled(): Promise<{ person: Owner; authenticator: Authenticator }> {
  const person = await verifyMailbox(harness, await createOwner(app));
  return { person, authenticator: await registerFactor(app, clock, person.token) };
}
const backupCodes = async ({ token }: Owner): Promise<string[]> =>
  assertOk(await post('backup-codes/generate', undefined, token)).body.data.codes;
const security = async ({ token }: Owner) =>
  assertOk(await app.call('GET', '/api/v1/auth/security-settings', { token })).body.data;
async function mailed(path: string, email: string): Promise<string> {
  assertOk(await post(path, { email }));
  await deliver();
  return extractToken(mailServer.findNewest(email));
}

test('a set-up shows the secret in three ways, and changes no sign-in until a code proves it', async () => {
  const ada = await createOwner(app);
  const { data } = assertOk(await post('mfa/setup', undefined, ada.token)).body;
  expect(data).toEqual({
    secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
    otpauthUrl: expect.stringMatching(/^otpauth:\/\/totp\/Assay:/),
    qrCode: expect.stringMatching(/^data:image\/png;base64,/),
  });
  expect(new URL(data.otpauthUrl).searchParams.get('secret')).toBe(data.secret);
  expect(assertOk(await login(ada.email)).body.data.token).toEqual(expect.any(String));
  const authenticator = new Authenticator(clock, data.secret);
  const wrong = await post('mfa/enable', { code: authenticator.generateWrongCode() }, ada.token);
  expect([wrong.status, wrong.body.code]).toEqual([401, 'INVALID_MFA_CODE']);
  expect((await security(ada)).mfa.enabled).toBe(false);
  const right = await post('mfa/enable', { code: authenticator.code() }, ada.token);
  expect([right.status, right.body.data]).toEqual([200, { mfaEnabled: true }]);
  expect((await me(ada.token)).body.data.user.mfaEnabled).toBe(true);
  expect((await post('mfa/setup', undefined, ada.token)).body.code).toBe('INVALID_OPERATION');
  expect(
    (await post('mfa/enable', { code: authenticator.generateNextCode() }, ada.token)).body.code,
  ).toBe('INVALID_OPERATION');
  expect(await listAuditEntries(app, ada, 'action=auth.mfa_enable&status=success')).toMatchObject([
    { resourceId: ada.userId },
  ]);
});

test('a second set-up replaces the first', async () => {
  const ada = await createOwner(app);
  const [first, second] = [
    assertOk(await post('mfa/setup', undefined, ada.token)),
    assertOk(await post('mfa/setup', undefined, ada.token)),
  ];
  const [old, current] = [first, second].map(
    ({ body }) => new Authenticator(clock, body.data.secret),
  );
  expect(codeOf(await post('mfa/enable', { code: old!.code() }, ada.token))).toBe(
    'INVALID_MFA_CODE',
  );
  expect(codeOf(await post('mfa/enable', { code: current!.code() }, ada.token))).toBe('ok');
});

test('without a set-up there is nothing to enable or disable', async () => {
  const ada = await createOwner(app);
  expect(codeOf(await post('mfa/enable', { code: '000000' }, ada.token))).toBe('INVALID_OPERATION');
  expect(codeOf(await post('mfa/disable', { code: '000000' }, ada.token))).toBe(
    'INVALID_OPERATION',
  );
});

test('a password leads to the second step, and its code to a session', async () => {
  const { person, authenticator } = await enrolled();
  const first = await login(person.email);
  expect([first.status, first.body]).toEqual([
    200,
    { success: true, data: { mfaRequired: true, tempToken: expect.any(String) } },
  ]);
  const { tempToken } = first.body.data;
  const code = authenticator.generateNextCode();
  // As people type it.
  const second = await finish(tempToken, `${code.slice(0, 3)} ${code.slice(3)}`);
  expect([second.status, second.body.data.user._id]).toEqual([200, person.userId]);
  expect((await me(second.body.data.token)).status).toBe(200);
  expect(codeOf(await finish(tempToken, authenticator.generateNextCode()))).toBe('TOKEN_REVOKED');
  const [success, challenge] = await listAuditEntries(app, person, 'resource=session');
  expect(success).toMatchObject({
    action: 'auth.login',
    status: 'success',
    metadata: { method: 'password', secondFactor: 'totp' },
  });
  expect(challenge).toMatchObject({
    action: 'auth.mfa_challenge',
    status: 'success',
    userId: person.userId,
    metadata: { method: 'password' },
  });
});

test('a temp token is no session, and a session token no temp token', async () => {
  const { person, authenticator } = await enrolled();
  const tempToken = await pending(person.email);
  expect(codeOf(await me(tempToken))).toBe('TOKEN_VERIFICATION_FAILED');
  for (const token of [person.token, 'x', `${tempToken.slice(0, -3)}abc`])
    expect(codeOf(await finish(token, authenticator.generateNextCode()))).toBe(
      'TOKEN_VERIFICATION_FAILED',
    );
  for (const odd of [null, ['a'], { $ne: null }, 7])
    expect((await post('mfa/login', { tempToken: odd, code: '000000' })).status).toBe(400);
});

test('a temp token ends after five minutes', async () => {
  const { person, authenticator } = await enrolled();
  const tempToken = await pending(person.email);
  clock.aheadMs += 5 * 60_000;
  expect(codeOf(await finish(tempToken, authenticator.generateNextCode()))).toBe('TOKEN_EXPIRED');
});

test('a change of the password between the steps ends the second step', async () => {
  const { person, authenticator } = await enrolled();
  const tempToken = await pending(person.email);
  assertOk(
    await post(
      'change-password',
      { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
      person.token,
    ),
  );
  expect(codeOf(await finish(tempToken, authenticator.generateNextCode()))).toBe('TOKEN_REVOKED');
});

test('a suspension between the steps is refused at the second step', async () => {
  const { person, authenticator } = await enrolled();
  const tempToken = await pending(person.email);
  await changeMembership(harness, person, { isActive: false, deactivatedBy: 'team' });
  expect(codeOf(await finish(tempToken, authenticator.generateNextCode()))).toBe(
    'ACCOUNT_DEACTIVATED',
  );
});

describe('a code works once', () => {
  test('also the one that switched the second factor on', async () => {
    const ada = await createOwner(app);
    const authenticator = await registerFactor(app, clock, ada.token);
    expect(codeOf(await finish(await pending(ada.email), authenticator.code()))).toBe(
      'INVALID_MFA_CODE',
    );
    const code = authenticator.generateNextCode();
    expect(codeOf(await finish(await pending(ada.email), code))).toBe('ok');
    expect(codeOf(await finish(await pending(ada.email), code))).toBe('INVALID_MFA_CODE');
  });

  test('a code of an earlier step is refused after a later one', async () => {
    const { person, authenticator } = await enrolled();
    const earlier = authenticator.generateNextCode();
    expect(
      codeOf(await finish(await pending(person.email), authenticator.generateNextCode())),
    ).toBe('ok');
    expect(codeOf(await finish(await pending(person.email), earlier))).toBe('INVALID_MFA_CODE');
  });

  test('20 times in parallel, over temp tokens of its own each', { tags: ['long'] }, async () => {
    const { person, authenticator } = await enrolled();
    const tempTokens = await many(20, () => pending(person.email));
    const code = authenticator.generateNextCode();
    const codes = (await Promise.all(tempTokens.map((tempToken) => finish(tempToken, code)))).map(
      codeOf,
    );
    expect(codes.filter((found) => found === 'ok')).toHaveLength(1);
    expect(
      codes.filter((found) => !['ok', 'INVALID_MFA_CODE', 'RATE_LIMIT_EXCEEDED'].includes(found)),
    ).toEqual([]);
  });

  test('20 times in parallel over one temp token', { tags: ['long'] }, async () => {
    const { person, authenticator } = await enrolled();
    const tempToken = await pending(person.email);
    const code = authenticator.generateNextCode();
    const codes = (await many(20, () => finish(tempToken, code))).map(codeOf);
    expect(codes.filter((found) => found === 'ok')).toHaveLength(1);
    expect(
      codes.filter((found) => !['ok', 'INVALID_MFA_CODE', 'TOKEN_REVOKED'].includes(found)),
    ).toEqual([]);
  });
});

describe('guessing', () => {
  test('five wrong codes burn the temp token, also in parallel', async () => {
    const { person, authenticator } = await enrolled();
    const [one, other] = [await pending(person.email), await pending(person.email)];
    for (let guess = 1; guess <= 5; guess += 1)
      expect(codeOf(await finish(one, authenticator.generateWrongCode()))).toBe('INVALID_MFA_CODE');
    expect(codeOf(await finish(one, authenticator.generateNextCode()))).toBe('TOKEN_REVOKED');
    assertOk(await finish(other, authenticator.generateNextCode()));
    const third = await pending(person.email);
    const codes = (await many(12, () => finish(third, authenticator.generateWrongCode())))
      .map(codeOf)
      .sort();
    expect(codes).toEqual([
      ...Array(5).fill('INVALID_MFA_CODE'),
      ...Array(7).fill('TOKEN_REVOKED'),
    ]);
    expect(codeOf(await finish(third, authenticator.generateNextCode()))).toBe('TOKEN_REVOKED');
  });

  test(
    'twenty wrong codes at sign-ins stop a user for a day, over new temp tokens and addresses',
    { tags: ['long'] },
    async () => {
      const { person, authenticator } = await enrolled();
      for (let round = 1; round <= 4; round += 1) {
        const tempToken = await pending(person.email);
        for (let guess = 1; guess <= 5; guess += 1)
          await finish(tempToken, authenticator.generateWrongCode());
      }
      const stopped = await finish(await pending(person.email), authenticator.generateNextCode());
      expect([stopped.status, stopped.body.code, stopped.body.data]).toEqual([
        429,
        'RATE_LIMIT_EXCEEDED',
        { limit: 20, windowSeconds: 86_400 },
      ]);
      const wait = Number(stopped.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(86_000);
      clock.aheadMs += wait * 1000;
      expect(
        codeOf(await finish(await pending(person.email), authenticator.generateNextCode())),
      ).toBe('ok');
    },
  );

  test(
    'guesses at sign-ins do not block sessions, and a new password resets the count',
    { tags: ['long'] },
    async () => {
      const [{ person, authenticator }, other] = [await enrolled(), await enrolled()];
      for (const { email } of [person, other.person])
        for (let round = 1; round <= 4; round += 1) {
          const tempToken = await pending(email);
          for (let guess = 1; guess <= 5; guess += 1)
            await finish(tempToken, authenticator.generateWrongCode());
        }
      expect(
        codeOf(await finish(await pending(person.email), authenticator.generateNextCode())),
      ).toBe('RATE_LIMIT_EXCEEDED');
      const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
      assertOk(await post('change-password', change, person.token));
      const { tempToken } = assertOk(await login(person.email, NEW_PASSWORD)).body.data;
      expect(codeOf(await finish(tempToken, authenticator.generateNextCode()))).toBe('ok');
      const off = { code: other.authenticator.generateNextCode() };
      expect(codeOf(await post('mfa/disable', off, other.person.token))).toBe('ok');
    },
  );

  test(
    'twenty wrong codes within a session stop it there, and no sign-in',
    { tags: ['long'] },
    async () => {
      const { person, authenticator } = await enrolled();
      const disable = (code: string) => post('mfa/disable', { code }, person.token);
      for (let guess = 1; guess <= 20; guess += 1)
        expect(codeOf(await disable(authenticator.generateWrongCode()))).toBe('INVALID_MFA_CODE');
      expect(codeOf(await disable(authenticator.generateNextCode()))).toBe('RATE_LIMIT_EXCEEDED');
      expect(
        codeOf(await finish(await pending(person.email), authenticator.generateNextCode())),
      ).toBe('ok');
    },
  );

  test('the owner is notified by mail after five, once', { tags: ['long'] }, async () => {
    const { person, authenticator } = await enrolled();
    const warnings = async (): Promise<number> => {
      await deliver();
      return mailServer.received.filter(
        ({ recipients, subject }) =>
          recipients.includes(person.email) && subject === 'Wrong codes for your Assay account',
      ).length;
    };
    const tempToken = await pending(person.email);
    for (let guess = 1; guess <= 4; guess += 1)
      await finish(tempToken, authenticator.generateWrongCode());
    expect(await warnings()).toBe(0);
    await finish(tempToken, authenticator.generateWrongCode());
    for (let guess = 1; guess <= 3; guess += 1)
      await finish(await pending(person.email), authenticator.generateWrongCode());
    expect(await warnings()).toBe(1);
  });

  test('a right code ends the count', { tags: ['long'] }, async () => {
    const { person, authenticator } = await enrolled();
    for (let round = 1; round <= 4; round += 1) {
      const tempToken = await pending(person.email);
      for (let guess = 1; guess <= 4; guess += 1)
        expect(codeOf(await finish(tempToken, authenticator.generateWrongCode()))).toBe(
          'INVALID_MFA_CODE',
        );
      expect(codeOf(await finish(tempToken, authenticator.generateNextCode()))).toBe('ok');
    }
  });

  test('wrong codes are recorded where the account is', async () => {
    const { person, authenticator } = await enrolled();
    await finish(await pending(person.email), authenticator.generateWrongCode());
    await expect
      .poll(async () =>
        (await listAuditEntries(app, person, 'action=auth.login&status=failure')).map(
          ({ detail }) => detail,
        ),
      )
      .toEqual(['INVALID_MFA_CODE']);
  });
});

describe('backup codes', () => {
  test('ten are shown once, each signs in once, and a new set voids the old one', async () => {
    const { person } = await enrolled();
    const codes = await backupCodes(person);
    expect(codes).toEqual(
      Array(10).fill(expect.stringMatching(/^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/)),
    );
    expect(new Set(codes).size).toBe(10);
    const [first = '', second = '', third = ''] = codes;
    expect(codeOf(await finish(await pending(person.email), first))).toBe('ok');
    expect(codeOf(await finish(await pending(person.email), first))).toBe('INVALID_MFA_CODE');
    expect(
      codeOf(await finish(await pending(person.email), second.toUpperCase().replace('-', ' '))),
    ).toBe('ok');
    expect((await security(person)).mfa).toEqual({ enabled: true, backupCodesLeft: 8 });
    const [entry] = await listAuditEntries(app, person, 'action=auth.login&status=success');
    expect(entry?.metadata).toMatchObject({ secondFactor: 'backup_code' });
    const [fresh = ''] = await backupCodes(person);
    expect(codeOf(await finish(await pending(person.email), third))).toBe('INVALID_MFA_CODE');
    expect(codeOf(await finish(await pending(person.email), fresh))).toBe('ok');
  });

  test('one used 20 times in parallel works once', { tags: ['long'] }, async () => {
    const { person } = await enrolled();
    const [code = ''] = await backupCodes(person);
    const tempTokens = await many(20, () => pending(person.email));
    const codes = (await Promise.all(tempTokens.map((tempToken) => finish(tempToken, code)))).map(
      codeOf,
    );
    expect(codes.filter((found) => found === 'ok')).toHaveLength(1);
  });

  test('another user’s are none', async () => {
    const [{ person }, { person: other }] = [await enrolled(), await enrolled()];
    const [code = ''] = await backupCodes(other);
    expect(codeOf(await finish(await pending(person.email), code))).toBe('INVALID_MFA_CODE');
    expect(codeOf(await finish(await pending(other.email), code))).toBe('ok');
  });
});

describe('switching it off', () => {
  test('needs a code of the authenticator, and leaves nothing behind', async () => {
    const { person, authenticator } = await enrolled();
    await backupCodes(person);
    expect(
      codeOf(await post('mfa/disable', { code: authenticator.generateWrongCode() }, person.token)),
    ).toBe('INVALID_MFA_CODE');
    const off = await post('mfa/disable', { code: authenticator.generateNextCode() }, person.token);
    expect([off.status, off.body.data]).toEqual([200, { mfaEnabled: false }]);
    expect(assertOk(await login(person.email)).body.data.token).toEqual(expect.any(String));
    const notices = harness.db.collection('notifications');
    expect(await notices.find({ userId: toObjectId(person.userId) }).toArray()).toMatchObject([
      { type: 'security', title: expect.stringContaining('without a second factor') },
    ]);
    const kept = await harness.db.collection('users').findOne({ _id: toObjectId(person.userId) });
    expect(kept?.mfa).toMatchObject({
      enabled: false,
      secret: null,
      pendingSecret: null,
      backupCodes: [],
    });
  });

  test('a backup code stands in for a lost authenticator only together with the password', async () => {
    const { person } = await enrolled();
    const [code = ''] = await backupCodes(person);
    for (const password of [undefined, 'Wrong-Horse-9'])
      expect(codeOf(await post('mfa/disable', { code, password }, person.token))).toBe(
        'INVALID_MFA_CODE',
      );
    expect(codeOf(await post('mfa/disable', { code, password: PASSWORD }, person.token))).toBe(
      'ok',
    );
    expect((await security(person)).mfa).toEqual({ enabled: false, backupCodesLeft: 0 });
  });
});

describe('the second factor cannot be bypassed by', () => {
  test('a magic link', async () => {
    const { person, authenticator } = await enrolled();
    const { body } = assertOk(
      await post('magic-link/verify', { token: await mailed('magic-link', person.email) }),
    );
    expect(body.data).toEqual({ mfaRequired: true, tempToken: expect.any(String) });
    expect(codeOf(await me(body.data.tempToken))).toBe('TOKEN_VERIFICATION_FAILED');
    const signedIn = await finish(body.data.tempToken, authenticator.generateNextCode());
    const [entry] = await listAuditEntries(
      app,
      { ...person, token: signedIn.body.data.token },
      'action=auth.login&status=success',
    );
    expect(entry?.metadata).toMatchObject({ method: 'magic_link', secondFactor: 'totp' });
  });

  test('a reset', async () => {
    const { person } = await enrolled();
    const { body } = assertOk(
      await post('reset-password', {
        token: await mailed('forgot-password', person.email),
        password: NEW_PASSWORD,
      }),
    );
    expect(JSON.stringify(body)).not.toMatch(/token/i);
    expect(assertOk(await login(person.email, NEW_PASSWORD)).body.data).toEqual({
      mfaRequired: true,
      tempToken: expect.any(String),
    });
  });

  test('signing up again', async () => {
    const { person } = await enrolled();
    assertOk(await post('request-signup', { email: person.email }));
    await deliver();
    expect(mailServer.findNewest(person.email).subject).toBe('You have an account with Assay');
    const body = {
      name: 'Eve',
      email: person.email,
      password: PASSWORD,
      organizationName: 'Eve Ltd',
    };
    expect(codeOf(await post('register', body))).toBe('ALREADY_EXISTS');
  });
});

test('the secret is sealed for its user: in another’s record it does not open', async () => {
  const [{ person, authenticator }, { person: victim }] = [await enrolled(), await enrolled()];
  const users = harness.db.collection('users');
  const [own] = await users.find({ _id: toObjectId(person.userId) }).toArray();
  await users.updateOne(
    { _id: toObjectId(victim.userId) },
    { $set: { 'mfa.secret': own?.mfa.secret } },
  );
  const refused = await finish(await pending(victim.email), authenticator.generateNextCode());
  expect([refused.status, refused.body.code]).toEqual([500, 'INTERNAL_ERROR']);
});

test('no secret is in the database, a log line or an audit entry', { tags: ['long'] }, async () => {
  const { person, authenticator } = await enrolled();
  const setUp = await createOwner(app);
  const { data: shown } = assertOk(await post('mfa/setup', undefined, setUp.token)).body;
  const codes = await backupCodes(person);
  const tempToken = await pending(person.email);
  const used = assertOk(await finish(await pending(person.email), authenticator.generateNextCode()))
    .body.data.token;
  const { streamToken } = assertOk(await post('stream-token', undefined, person.token)).body.data;
  const links = [
    await mailed('magic-link', person.email),
    await mailed('forgot-password', person.email),
  ];
  await post('mfa/login', { tempToken, code: codes[0]! });
  const jti = JSON.parse(Buffer.from(tempToken.split('.')[1]!, 'base64url').toString())
    .jti as string;
  await app.instance.runJobsOnce();
  await settleSignInFailures(app.instance.platform);
  const dump = [app.logged.join('')];
  for (const { collectionName } of await harness.db.collections())
    dump.push(JSON.stringify(await harness.db.collection(collectionName).find().toArray()));
  const text = dump.join('\n');
  expect(text).toContain(person.email);
  const canaries = [
    ...[
      authenticator.secret,
      shown.secret,
      shown.otpauthUrl,
      tempToken,
      jti,
      used,
      streamToken,
      PASSWORD,
    ],
    ...links,
    ...codes.flatMap((code) => [code, code.replace('-', '')]),
  ];
  expect(canaries.filter((canary) => text.includes(canary))).toEqual([]);
});

test('a user of an earlier version is completed before the first request, and can switch it on', async () => {
  const person = await createOwner(app);
  const old = {
    $set: { mfa: { enabled: false } },
    $unset: { preferences: '', emailVerifiedAt: '' },
  };
  await harness.db.collection('users').updateOne({ _id: toObjectId(person.userId) }, old);
  await harness.db
    .collection<{ _id: string }>('migrations')
    .deleteOne({ _id: 'users-second-factor' });
  const second = await startApp({}, { clock, mongoUri: harness.mongoUri });
  expect((await security(person)).mfa).toEqual({ enabled: false, backupCodesLeft: 0 });
  const authenticator = await registerFactor(second, clock, person.token);
  expect(codeOf(await finish(await pending(person.email), authenticator.generateNextCode()))).toBe(
    'ok',
  );
  await second.stop();
});
