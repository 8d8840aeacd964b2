// All spellings of an address mean one mailbox: for accounts, invitations, sign-on and directories.
import { beforeAll, describe, expect, test } from 'vitest';
import { normalizeEmailAddresses } from '../../../src/identity/auth/accounts/email-addresses.migration.ts';
import { Browser } from '../../setup/browser.ts';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { createOwner, assertOk, PASSWORD } from '../../setup/personas.ts';
import { startHandmadeProvider } from '../../setup/providers/identity-provider.ts';
import { claimDomain, setSsoConfig, beginLogin, readSession } from '../../setup/providers/sso.ts';
import { createDirectory, USER_URN, type Directory } from '../../setup/scim.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const UNICODE = 'b\u00fccher.example.org';
const DECOMPOSED = 'BU\u0308CHER.example.org';
const ASCII = 'xn--bcher-kva.example.org';
const SPELLINGS = [UNICODE, DECOMPOSED, ASCII, `${ASCII.toUpperCase()}.`];

let scim: Directory;
const provider = useFixture(startHandmadeProvider, (started) => started.stop());
const harness = useHarness({
  ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
  ASSAY_PUBLIC_URL: 'https://assay.example.com',
  ASSAY_RETURN_URLS: 'https://app.example.com/',
  ASSAY_LIMIT_ACCOUNT: '1000',
});
const ada = useOwner(harness);
beforeAll(async () => {
  scim = await createDirectory(harness.app, ada);
});

const post = (path: string, body: object, token?: string): Promise<Answer> =>
  harness.app.call('POST', `/api/v1/${path}`, { ...(token !== undefined && { token }), body });
const register = (email: string): Promise<Answer> =>
  post('auth/register', { name: 'Own', email, password: PASSWORD, organizationName: 'Own' });
const login = (email: string): Promise<Answer> => post('auth/login', { email, password: PASSWORD });
const filtered = async (filter: string): Promise<{ id: string; userName: string }[]> =>
  assertOk(await scim.call('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body.Resources;

describe('an account', () => {
  test('is registered once, and opened by every spelling', async () => {
    const made = assertOk(await register(`Reg@${UNICODE}`)).body.data;
    expect(made.user.email).toBe(`reg@${ASCII}`);
    for (const domain of SPELLINGS) {
      expect(toOutcome(await login(` REG@${domain} `)), domain).toEqual([200, undefined]);
      expect(toOutcome(await register(`reg@${domain}`))).toEqual([409, 'ALREADY_EXISTS']);
    }
  });

  test('is invited once', async () => {
    const invite = (email: string): Promise<Answer> => post('team/invite', { email }, ada.token);
    expect(assertOk(await invite(`guest@${UNICODE}`)).body.data.email).toBe(`guest@${ASCII}`);
    expect((await invite(`guest@${ASCII}`)).body.code).toBe('ALREADY_MEMBER');
  });
});

describe('a bad address', () => {
  test.each([
    'ada',
    'ada@',
    'ada@example',
    'j\u00fcrgen@example.com',
    '"a"@example.com',
    'a@[::1]',
  ])('%j is distinguished by its parts in every input', async (email) => {
    const answers = [
      await register(email),
      await login(email),
      await post('auth/forgot-password', { email }),
      await post('team/invite', { email }, ada.token),
      await post('auth/sso/initiate', { email }),
    ];
    for (const { status, body } of answers) {
      expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(body.error).toMatch(/^email: must (be|have) /);
    }
    const provisioned = await scim.call('POST', '/Users', { schemas: [USER_URN], userName: email });
    expect([provisioned.status, provisioned.body.scimType]).toEqual([400, 'invalidValue']);
  });
});

test('a sign-on begins at every spelling of the domain, and takes a newcomer with any of them', async () => {
  const home = { owner: await createOwner(harness.app), realm: provider.createRealm() };
  const domain = 'b\u00fcro.example.org';
  const proved = 'xn--bro-hoa.example.org';
  await claimDomain(harness, home.owner, proved);
  await setSsoConfig(harness, home);
  const members = [];
  for (const [sub, email] of [
    ['first', `First@${domain}`],
    ['second', `second@${proved}`],
    ['third', 'third@BU\u0308RO.example.org'],
  ] as const) {
    const browser = new Browser(harness.app);
    const begun = assertOk(await beginLogin(browser, email)).body.data.redirectUrl as string;
    const back = home.realm.authorizePerson(begun, { sub, email });
    const answer = await browser.returnFromProvider(
      `sso/callback/${home.owner.organizationId}`,
      back,
    );
    const me = await harness.app.call('GET', '/api/v1/auth/me', { token: readSession(answer) });
    members.push(assertOk(me).body.data.user.email);
  }
  expect(members).toEqual([`first@${proved}`, `second@${proved}`, `third@${proved}`]);
});

test('a directory has one user per mailbox, and finds the user by every spelling', async () => {
  const { id } = await scim.provision({ userName: `Scim@${UNICODE}` });
  for (const domain of SPELLINGS) {
    const again = await scim.call('POST', '/Users', {
      schemas: [USER_URN],
      userName: `scim@${domain}`,
    });
    expect([again.status, again.body.scimType], domain).toEqual([409, 'uniqueness']);
    for (const path of ['userName', 'emails.value'])
      expect((await filtered(`${path} eq "SCIM@${domain}"`)).map((one) => one.id)).toEqual([id]);
  }
});

describe('what an earlier version stored', () => {
  const users = () => harness.db.collection('users');

  test('is rewritten, so that its owner signs in as before', async () => {
    const person = await createOwner(harness.app, 'Old');
    const mine = { _id: toObjectId(person.userId) };
    await users().updateOne(mine, { $set: { email: `old@${UNICODE}` } });
    await normalizeEmailAddresses(harness.app.instance.platform.connection);
    expect((await users().findOne(mine))?.email).toBe(`old@${ASCII}`);
    expect(toOutcome(await login(`old@${UNICODE}`))).toEqual([200, undefined]);
  });

  test('of two accounts of one mailbox the one in the right form keeps the address', async () => {
    const [first, second] = [await createOwner(harness.app), await createOwner(harness.app)];
    const address = `twin@${ASCII}`;
    await users().updateOne({ _id: toObjectId(first.userId) }, { $set: { email: address } });
    const other = { _id: toObjectId(second.userId) };
    await users().updateOne(other, { $set: { email: `twin@${UNICODE}` } });
    await normalizeEmailAddresses(harness.app.instance.platform.connection);
    expect((await users().findOne(other))?.email).toBe(`twin@${UNICODE}`);
    expect(assertOk(await login(address)).body.data.user._id).toBe(first.userId);
  });
});
