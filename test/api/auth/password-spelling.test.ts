// All Unicode spellings of a password are the same password: composed, decomposed, full-width or with ligatures.
import { hash } from '@node-rs/argon2';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import { toObjectId, verifyMailbox } from '../../setup/harness.ts';
import { createOwner, assertOk, PASSWORD, type Owner } from '../../setup/personas.ts';
import { holdMail, startMailServer, extractToken } from '../../setup/providers/mail-server.ts';
import { createAddress } from '../../setup/scim.ts';
import { registerFactor, MovedClock } from '../../setup/second-factor.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const COMPOSED = 'Stra\u00dfenl\u00e4rm-\ufb01-2026';
const DECOMPOSED = 'Stra\u00dfenla\u0308rm-\ufb01-2026';
const COMPATIBLE = '\uff33tra\u00dfenl\u00e4rm-fi-\uff12026';
const SPELLINGS = [COMPOSED, DECOMPOSED, COMPATIBLE];
const clock = new MovedClock();

let deliver: () => Promise<number>;
let ada: Owner;
const office = useFixture(startMailServer, (started) => started.close());
const harness = useHarness(() => ({ SMTP_URL: office.url, ASSAY_LIMIT_ACCOUNT: '1000' }), {
  clock,
});
beforeAll(async () => {
  ({ deliver } = await holdMail(harness));
});
beforeEach(async () => {
  ada = await verifyMailbox(harness, await createOwner(harness.app));
});

const post = (path: string, body: object, token?: string): Promise<Answer> =>
  harness.app.call('POST', `/api/v1/${path}`, { ...(token !== undefined && { token }), body });
const login = (email: string, password: string): Promise<Answer> =>
  post('auth/login', { email, password });
async function mailed(path: string, email: string): Promise<string> {
  assertOk(await post(path, { email }));
  await deliver();
  return extractToken(office.findNewest(email));
}
/** Every spelling opens the account, and another password does not. */
async function opensBySpellings(email: string): Promise<void> {
  for (const password of SPELLINGS)
    expect(toOutcome(await login(email, password)), password).toEqual([200, undefined]);
  expect((await login(email, 'Strassenlarm-fi-2026')).status).toBe(401);
}
const storedHash = async ({ userId }: Owner): Promise<string> =>
  (await harness.db.collection('users').findOne({ _id: toObjectId(userId) }))?.passwordHash;
const storeHash = async ({ userId }: Owner, password: string): Promise<void> => {
  const passwordHash = await hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
  await harness.db
    .collection('users')
    .updateOne({ _id: toObjectId(userId) }, { $set: { passwordHash } });
};

describe('the spellings of one password', () => {
  test('open what was registered with one of them', async () => {
    const email = createAddress();
    const person = { name: 'Own', email, organizationName: 'Own' };
    assertOk(await post('auth/register', { ...person, password: DECOMPOSED }));
    await opensBySpellings(email);
  });

  test('are one for a sign-up by mail, a reset, a change and an invitation', async () => {
    const email = createAddress();
    const token = await mailed('auth/request-signup', email);
    const person = { name: 'Own', organizationName: 'Own', token };
    assertOk(await post('auth/complete-signup', { ...person, password: COMPATIBLE }));
    await opensBySpellings(email);
    const reset = await mailed('auth/forgot-password', ada.email);
    assertOk(await post('auth/reset-password', { token: reset, password: COMPOSED }));
    await opensBySpellings(ada.email);
    const session = assertOk(await login(ada.email, DECOMPOSED)).body.data.token as string;
    const change = { currentPassword: COMPATIBLE, newPassword: DECOMPOSED };
    assertOk(await post('auth/change-password', change, session));
    await opensBySpellings(ada.email);
    const guest = createAddress();
    assertOk(await post('team/invite', { email: guest }, session));
    await deliver();
    const invitation = extractToken(office.findNewest(guest));
    const guestName = { name: 'Guest', password: DECOMPOSED };
    assertOk(await post(`team/invites/${invitation}/accept`, guestName));
    await opensBySpellings(guest);
  });

  test('give a fresh proof of identity, and confirm a mailbox', async () => {
    const fresh = await createOwner(harness.app);
    await storeHash(fresh, COMPOSED.normalize('NFKC'));
    const token = await mailed('auth/magic-link', fresh.email);
    assertOk(await post('auth/magic-link/verify', { token, password: DECOMPOSED }));
    clock.aheadMs += 3600_000;
    await registerFactor(harness.app, clock, fresh.token, { password: COMPATIBLE });
  });
});

describe('a hash of an earlier version, made from the text as it was typed', () => {
  test.each([
    [DECOMPOSED, COMPOSED],
    [DECOMPOSED, DECOMPOSED],
    [COMPOSED, COMPOSED],
    [COMPOSED, DECOMPOSED],
    [COMPATIBLE, COMPATIBLE],
  ])('of %j opens by %j, and then by every spelling', async (before, typed) => {
    await storeHash(ada, before);
    const old = await storedHash(ada);
    expect(toOutcome(await login(ada.email, typed))).toEqual([200, undefined]);
    expect(await storedHash(ada)).not.toBe(old);
    await opensBySpellings(ada.email);
  });

  test('in ASCII stays as it is', async () => {
    const old = await storedHash(ada);
    assertOk(await login(ada.email, PASSWORD));
    expect(await storedHash(ada)).toBe(old);
  });
});

test('the rule looks at the one spelling: a decomposed password is as long as a composed one', async () => {
  const register = (password: string): Promise<Answer> =>
    post('auth/register', { name: 'O', email: createAddress(), organizationName: 'O', password });
  expect((await register(`Aa1${'a\u0308'.repeat(125)}`)).status).toBe(201);
  expect((await register(`Aa1${'a\u0308'.repeat(126)}`)).status).toBe(400);
  expect((await register('A\u0308a\u03081-o\u0308u\u0308')).status).toBe(400);
  expect((await register('\uff30assword123')).status).toBe(400);
});
