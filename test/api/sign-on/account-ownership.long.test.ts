// Accounts that a directory created and that became their users' own: no provider signs in to them any more.
// @module-tag long
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { generateHex } from '../../../src/platform/ids.ts';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { readCookie, parseLanding, SESSION } from '../../setup/browser.ts';
import { listAuditEntries } from '../../setup/harness.ts';
import { startHandmadeProvider } from '../../setup/providers/identity-provider.ts';
import { holdMail, startMailServer, extractToken } from '../../setup/providers/mail-server.ts';
import { assertOk, PASSWORD } from '../../setup/personas.ts';
import { createDirectory, type Directory } from '../../setup/scim.ts';
import {
  createSsoOrganization,
  readSession,
  signOn,
  type SsoOrganization,
} from '../../setup/providers/sso.ts';
import type { Answer } from '../../setup/start-app.ts';

let deliver: () => Promise<number>;
/** The organisation whose directory and provider speak of people outside its domain. */
let first: SsoOrganization;
let scim: Directory;
/** Where these people go on to. */
/** An address that is of no proved domain. */
let email: string;
let id: string;
const office = useFixture(startMailServer, (started) => started.close());
const provider = useFixture(startHandmadeProvider, (started) => started.stop());
const harness = useHarness(() => ({ ASSAY_OUTBOUND_ALLOW: '127.0.0.1', SMTP_URL: office.url }));
const corp = useOwner(harness, 'Corp');
beforeAll(async () => {
  ({ deliver } = await holdMail(harness));
  first = await createSsoOrganization(harness, provider.createRealm());
  scim = await createDirectory(harness.app, first.owner);
});
beforeEach(async () => {
  email = `contractor-${generateHex(5)}@outside.example.net`;
  ({ id } = await scim.provision({ userName: email, externalId: email, displayName: 'As Sent' }));
});

const post = (path: string, body: object, token?: string): Promise<Answer> =>
  harness.app.call('POST', `/api/v1/${path}`, { body, ...(token !== undefined && { token }) });
/** Signs on by the name that the directory gave. */
const arrive = async (): Promise<string | undefined> => {
  const { answer } = await signOn(harness, first, { sub: email });
  return readCookie(answer, SESSION) === null ? parseLanding(answer).query.error : 'signed on';
};
async function mailed(path: string): Promise<string> {
  assertOk(await post(`auth/${path}`, { email }));
  await deliver();
  return extractToken(office.findNewest(email));
}
const accept = async (): Promise<Answer> => {
  assertOk(await post('team/invite', { email, role: 'admin' }, corp.token));
  await deliver();
  const token = extractToken(office.findNewest(email));
  return post(`team/invites/${token}/accept`, { name: 'Theirs', password: PASSWORD });
};
const reset = async (): Promise<Answer> =>
  post('auth/reset-password', { token: await mailed('forgot-password'), password: PASSWORD });
const rename = (displayName: string): Promise<Answer> =>
  scim.patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value: displayName });
const nameOf = async (): Promise<unknown> =>
  (await harness.db.collection('users').findOne({ email }))?.name;

test('while it belongs to one organisation, its provider signs in to it, and its directory names it', async () => {
  expect(await arrive()).toBe('signed on');
  assertOk(await rename('Renamed'));
  expect(await nameOf()).toBe('Renamed');
  expect(await arrive()).toBe('signed on');
});

describe('no provider opens it once', () => {
  const ways: [string, () => Promise<unknown>][] = [
    ['a password is set by mail', reset],
    [
      'its mailbox is proved by a link',
      async () => post('auth/magic-link/verify', { token: await mailed('magic-link') }),
    ],
    [
      'it belongs to another organisation as well',
      async () => {
        assertOk(await reset());
        return assertOk(await accept());
      },
    ],
  ];
  test.for(ways)('%s, signed on before or not', async ([, way]) => {
    await way();
    expect(await arrive()).toBe('FORBIDDEN');
    const [entry] = await listAuditEntries(harness.app, first.owner, 'action=auth.sso.failure');
    expect(entry).toMatchObject({ status: 'failure', metadata: { code: 'FORBIDDEN' } });
    const before = await nameOf();
    assertOk(await rename('Renamed by the directory'));
    expect(await nameOf()).toBe(before);
  });

  test.for(ways)('%s, although the provider opened it before', async ([, way]) => {
    expect(await arrive()).toBe('signed on');
    await way();
    expect(await arrive()).toBe('FORBIDDEN');
  });
});

test('an account of a proved domain is opened all the same', async () => {
  const covered = `p${generateHex(4)}@${first.domain}`;
  await scim.provision({ userName: covered, externalId: covered });
  email = covered;
  expect(await arrive()).toBe('signed on');
  assertOk(await reset());
  expect(await arrive()).toBe('signed on');
  assertOk(await accept());
  const { answer } = await signOn(harness, first, { sub: covered });
  const { data } = assertOk(
    await harness.app.call('GET', '/api/v1/auth/me', { token: readSession(answer) }),
  ).body;
  expect(data.organization._id).toBe(first.owner.organizationId);
});
