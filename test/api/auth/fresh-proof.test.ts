// Fresh proofs: a session alone, which may be stolen, changes neither the second factor nor backup codes.
import { expect, test } from 'vitest';
import { useHarness } from '../../setup/fixtures.ts';
import { objectId } from '../../setup/harness.ts';
import { createOwner, ok, PASSWORD, type Owner } from '../../setup/personas.ts';
import { Authenticator, enrol, MovedClock } from '../../setup/second-factor.ts';
import { outcome, type Answer } from '../../setup/start-app.ts';

const MINUTE = 60_000;
const clock = new MovedClock();

const harness = useHarness({ ASSAY_LIMIT_ACCOUNT: '1000' }, { clock });

const post = (path: string, token?: string, body?: object): Promise<Answer> =>
  harness.app.call('POST', `/api/v1/auth/${path}`, {
    ...(token !== undefined && { token }),
    ...(body && { body }),
  });
const FORBIDDEN = [403, 'FORBIDDEN'];
const DONE = [200, undefined];
/** The session is no longer the sign-in of a moment ago. */
const later = (): void => void (clock.aheadMs += 11 * MINUTE);
const mfaOf = async ({ userId }: Owner) =>
  (await harness.db.collection('users').findOne({ _id: objectId(userId) }))?.mfa as {
    enabled: boolean;
    pendingSecret: string | null;
    backupCodes: string[];
  };
const tempTokenOf = async ({ email }: Owner): Promise<string> =>
  ok(await post('login', undefined, { email, password: PASSWORD })).body.data.tempToken as string;

test('right after the sign-in no further proof is required', async () => {
  const ada = await createOwner(harness.app);
  const secret = ok(await post('mfa/setup', ada.token)).body.data.secret as string;
  ok(await post('backup-codes/generate', ada.token));
  const authenticator = new Authenticator(clock, secret);
  ok(await post('mfa/enable', ada.token, { code: authenticator.code() }));
  expect(ok(await post('backup-codes/generate', ada.token)).body.data.codes).toHaveLength(10);
});

test.for(['mfa/setup', 'backup-codes/generate'])(
  '%s: while the second factor is off, an older session needs the password',
  async (path) => {
    const ada = await createOwner(harness.app);
    later();
    expect(outcome(await post(path, ada.token))).toEqual(FORBIDDEN);
    expect(outcome(await post(path, ada.token, { code: '000000' }))).toEqual(FORBIDDEN);
    expect(outcome(await post(path, ada.token, { password: 'Wrong-Horse-9' }))).toEqual([
      401,
      'INVALID_CREDENTIALS',
    ]);
    expect(await mfaOf(ada)).toMatchObject({ pendingSecret: null, backupCodes: [] });
    expect(outcome(await post(path, ada.token, { password: PASSWORD }))).toEqual(DONE);
  },
);

test('a refreshed session is as old as the sign-in that began it', async () => {
  const ada = await createOwner(harness.app);
  later();
  const { token } = ok(await post('refresh', ada.token)).body.data;
  expect(outcome(await post('backup-codes/generate', token))).toEqual(FORBIDDEN);
});

test('while the second factor is on, an older session needs a code, and the password is not enough', async () => {
  const ada = await createOwner(harness.app);
  const authenticator = await enrol(harness.app, clock, ada.token);
  later();
  const generate = (body?: object): Promise<Answer> =>
    post('backup-codes/generate', ada.token, body);
  expect(outcome(await generate())).toEqual(FORBIDDEN);
  expect(outcome(await generate({ password: PASSWORD }))).toEqual(FORBIDDEN);
  expect(outcome(await generate({ code: authenticator.wrong() }))).toEqual([
    401,
    'INVALID_MFA_CODE',
  ]);
  const { codes } = ok(await generate({ code: authenticator.next() })).body.data;
  expect(outcome(await generate({ code: authenticator.code() }))).toEqual([
    401,
    'INVALID_MFA_CODE',
  ]);
  expect(outcome(await generate({ code: codes[0] as string }))).toEqual(DONE);
});

test('a session without a code creates no backup codes, however young it is', async () => {
  const ada = await createOwner(harness.app);
  const { token } = ok(await post('login', undefined, { email: ada.email, password: PASSWORD }))
    .body.data;
  const authenticator = await enrol(harness.app, clock, ada.token);
  expect(outcome(await post('backup-codes/generate', token))).toEqual(FORBIDDEN);
  const tempToken = await tempTokenOf(ada);
  const signedIn = ok(
    await post('mfa/login', undefined, { tempToken, code: authenticator.next() }),
  );
  expect(outcome(await post('backup-codes/generate', signedIn.body.data.token))).toEqual(DONE);
});

test('backup codes from before the second factor was switched on do not work', async () => {
  const ada = await createOwner(harness.app);
  const { codes } = ok(await post('backup-codes/generate', ada.token)).body.data;
  await enrol(harness.app, clock, ada.token);
  expect((await mfaOf(ada)).backupCodes).toEqual([]);
  const tempToken = await tempTokenOf(ada);
  expect(
    outcome(await post('mfa/login', undefined, { tempToken, code: codes[0] as string })),
  ).toEqual([401, 'INVALID_MFA_CODE']);
});

test('a set-up that was begun ends with the password', async () => {
  const ada = await createOwner(harness.app);
  const { secret } = ok(await post('mfa/setup', ada.token)).body.data;
  const change = { currentPassword: PASSWORD, newPassword: 'Another-Horse-8' };
  ok(await post('change-password', ada.token, change));
  const authenticator = new Authenticator(clock, secret as string);
  expect(outcome(await post('mfa/enable', ada.token, { code: authenticator.code() }))).toEqual([
    400,
    'INVALID_OPERATION',
  ]);
});
