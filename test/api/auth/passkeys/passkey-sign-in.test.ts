// Signing in with a passkey: as the second factor, as both factors; what does not hold, and what is revoked.
import { beforeAll, expect, test } from 'vitest';
import { useHarness } from '../../../setup/fixtures.ts';
import type { Passkey } from '../../../setup/passkeys/authenticator.ts';
import { callCredentials, enrol } from '../../../setup/passkeys/enrolled.ts';
import { assertOk, createOwner, type Owner, PASSWORD } from '../../../setup/personas.ts';
import { MovedClock, registerFactor } from '../../../setup/second-factor.ts';
import { type Answer, toOutcome } from '../../../setup/start-app.ts';

const clock = new MovedClock();
const harness = useHarness({ ASSAY_PUBLIC_URL: 'https://assay.example' }, { clock });
const { app } = harness;
let ada: Owner;
let passkey: Passkey;
let id = '';

beforeAll(async () => {
  ada = await createOwner(app);
  ({ passkey, id } = await enrol(app, ada));
  await registerFactor(app, clock, ada.token, { password: PASSWORD });
});

const post = (path: string, body: object): Promise<Answer> =>
  app.call('POST', `/api/v1/auth/${path}`, { body });

async function ask(tempToken?: string) {
  const body = tempToken === undefined ? {} : { tempToken };
  return assertOk(await post('credentials/login-options', body)).body.data as {
    token: string;
    options: { challenge: string; allowCredentials?: { id: string }[] };
  };
}

async function signIn(tempToken?: string, given: object = {}, by = passkey): Promise<Answer> {
  const { token, options } = await ask(tempToken);
  const signature = by.sign({ challenge: options.challenge, ...given });
  return post('credentials/login', { token, signature, ...(tempToken && { tempToken }) });
}

const beginSignIn = async (): Promise<string> =>
  assertOk(await post('login', { email: ada.email, password: PASSWORD })).body.data.tempToken;

test('a passkey is the second factor behind the password, once', async () => {
  const tempToken = await beginSignIn();
  const { options } = await ask(tempToken);
  expect(options.allowCredentials?.map((each) => each.id)).toEqual([passkey.credentialId]);
  const done = assertOk(await signIn(tempToken)).body.data;
  expect(done.user).toMatchObject({ email: ada.email, mfaEnabled: true });
  assertOk(await app.call('GET', '/api/v1/auth/me', { token: done.token }));
  expect(toOutcome(await signIn(tempToken))).toEqual([401, 'TOKEN_REVOKED']);
});

test('a passkey with its person verified is both factors', async () => {
  const { token } = assertOk(await signIn()).body.data;
  assertOk(await app.call('GET', '/api/v1/auth/me', { token }));
});

test('what does not hold signs no one in', async () => {
  const other = await createOwner(app, 'Olga');
  const { passkey: hers } = await enrol(app, other);
  const refused = [403, 'SIGNATURE_INVALID'];
  expect(toOutcome(await signIn(undefined, { isVerified: false }))).toEqual(refused);
  expect(toOutcome(await signIn(undefined, { origin: 'https://evil.example' }))).toEqual(refused);
  expect(toOutcome(await signIn(undefined, { challenge: 'AAAA' }))).toEqual(refused);
  expect(toOutcome(await signIn(await beginSignIn(), {}, hers))).toEqual(refused);
  const { token, options } = await ask();
  const body = { token, signature: passkey.sign({ challenge: options.challenge }) };
  assertOk(await post('credentials/login', body));
  expect(toOutcome(await post('credentials/login', body))).toEqual([400, 'INVALID_TOKEN']);
});

test('a revoked passkey signs no one in', async () => {
  const path = `/${id}`;
  assertOk(await callCredentials(app, ada, { path, method: 'DELETE', body: {} }));
  expect(toOutcome(await signIn())).toEqual([403, 'SIGNATURE_INVALID']);
});
