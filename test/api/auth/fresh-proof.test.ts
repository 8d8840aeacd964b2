// Fresh proofs: a session alone, which may be stolen, changes neither the second factor nor backup codes.
import { expect, test } from 'vitest';
import { useHarness } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { createOwner, assertOk, PASSWORD, type Owner } from '../../setup/personas.ts';
import { Authenticator, registerFactor, MovedClock } from '../../setup/second-factor.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

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
  (await harness.db.collection('users').findOne({ _id: toObjectId(userId) }))?.mfa as {
    enabled: boolean;
    pendingSecret: string | null;
    backupCodes: string[];
  };
const tempTokenOf = async ({ email }: Owner): Promise<string> =>
  assertOk(await post('login', undefined, { email, password: PASSWORD })).body.data
    .tempToken as string;

test('right after the sign-in no further proof is required', async () => {
  const ada = await createOwner(harness.app);
  const secret = assertOk(await post('mfa/setup', ada.token)).body.data.secret as string;
  assertOk(await post('backup-codes/generate', ada.token));
  const authenticator = new Authenticator(clock, secret);
  assertOk(await post('mfa/enable', ada.token, { code: authenticator.code() }));
  expect(assertOk(await post('backup-codes/generate', ada.token)).body.data.codes).toHaveLength(10);
});

test.for(['mfa/setup', 'backup-codes/generate'])(
  '%s: while the second factor is off, an older session needs the password',
  async (path) => {
    const ada = await createOwner(harness.app);
    later();
    expect(toOutcome(await post(path, ada.token))).toEqual(FORBIDDEN);
    expect(toOutcome(await post(path, ada.token, { code: '000000' }))).toEqual(FORBIDDEN);
    expect(toOutcome(await post(path, ada.token, { password: 'Wrong-Horse-9' }))).toEqual([
      401,
      'INVALID_CREDENTIALS',
    ]);
    expect(await mfaOf(ada)).toMatchObject({ pendingSecret: null, backupCodes: [] });
    expect(toOutcome(await post(path, ada.token, { password: PASSWORD }))).toEqual(DONE);
  },
);

test('a refreshed session is as old as the sign-in that began it', async () => {
  const ada = await createOwner(harness.app);
  later();
  const { token } = assertOk(await post('refresh', ada.token)).body.data;
  expect(toOutcome(await post('backup-codes/generate', token))).toEqual(FORBIDDEN);
});

test('while the second factor is on, an older session needs a code, and the password is not enough', async () => {
  const ada = await createOwner(harness.app);
  const authenticator = await registerFactor(harness.app, clock, ada.token);
  later();
  const generate = (body?: object): Promise<Answer> =>
    post('backup-codes/generate', ada.token, body);
  expect(toOutcome(await generate())).toEqual(FORBIDDEN);
  expect(toOutcome(await generate({ password: PASSWORD }))).toEqual(FORBIDDEN);
  expect(toOutcome(await generate({ code: authenticator.generateWrongCode() }))).toEqual([
    401,
    'INVALID_MFA_CODE',
  ]);
  const { codes } = assertOk(await generate({ code: authenticator.generateNextCode() })).body.data;
  expect(toOutcome(await generate({ code: authenticator.code() }))).toEqual([
    401,
    'INVALID_MFA_CODE',
  ]);
  expect(toOutcome(await generate({ code: codes[0] as string }))).toEqual(DONE);
});

test('a session without a code creates no backup codes, however young it is', async () => {
  const ada = await createOwner(harness.app);
  const { token } = assertOk(
    await post('login', undefined, { email: ada.email, password: PASSWORD }),
  ).body.data;
  const authenticator = await registerFactor(harness.app, clock, ada.token);
  expect(toOutcome(await post('backup-codes/generate', token))).toEqual(FORBIDDEN);
  const tempToken = await tempTokenOf(ada);
  const signedIn = assertOk(
    await post('mfa/login', undefined, { tempToken, code: authenticator.generateNextCode() }),
  );
  expect(toOutcome(await post('backup-codes/generate', signedIn.body.data.token))).toEqual(DONE);
});

test('backup codes from before the second factor was switched on do not work', async () => {
  const ada = await createOwner(harness.app);
  const { codes } = assertOk(await post('backup-codes/generate', ada.token)).body.data;
  await registerFactor(harness.app, clock, ada.token);
  expect((await mfaOf(ada)).backupCodes).toEqual([]);
  const tempToken = await tempTokenOf(ada);
  expect(
    toOutcome(await post('mfa/login', undefined, { tempToken, code: codes[0] as string })),
  ).toEqual([401, 'INVALID_MFA_CODE']);
});

test('a set-up that was begun ends with the password', async () => {
  const ada = await createOwner(harness.app);
  const { secret } = assertOk(await post('mfa/setup', ada.token)).body.data;
  const change = { currentPassword: PASSWORD, newPassword: 'Another-Horse-8' };
  assertOk(await post('change-password', ada.token, change));
  const authenticator = new Authenticator(clock, secret as string);
  expect(toOutcome(await post('mfa/enable', ada.token, { code: authenticator.code() }))).toEqual([
    400,
    'INVALID_OPERATION',
  ]);
});
