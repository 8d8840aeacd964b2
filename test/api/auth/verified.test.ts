// Installations that require a proved mailbox: what an unproved account may not do, and how it gives the proof.
import { createEmailLinkMails } from '../../../src/identity/auth/email-links/email-links.service.ts';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import { startHarness } from '../../setup/harness.ts';
import { createOwner, assertOk, PASSWORD, type Owner } from '../../setup/personas.ts';
import { holdMail, startMailServer, extractToken } from '../../setup/providers/mail-server.ts';
import { createAddress } from '../../setup/scim.ts';
import type { Answer } from '../../setup/start-app.ts';

let deliver: () => Promise<number>;
let ada: Owner;
const office = useFixture(startMailServer, (started) => started.close());
const harness = useHarness(() => ({
  SMTP_URL: office.url,
  ASSAY_REQUIRE_VERIFIED_EMAIL: 'true',
  ASSAY_OUTBOUND_ALLOW: 'login.example.com',
}));
beforeAll(async () => {
  ({ deliver } = await holdMail(harness));
});
beforeEach(async () => {
  ada = await createOwner(harness.app);
});

const call = (method: string, path: string, token?: string, body?: object): Promise<Answer> =>
  harness.app.call(method, `/api/v1/${path}`, {
    ...(token !== undefined && { token }),
    ...(body && { body }),
  });
const oidc = { issuer: 'https://login.example.com', clientId: 'assay', clientSecret: 'secret' };
const powers: [string, string, object?][] = [
  ['POST', 'team/invite', { email: createAddress() }],
  ['POST', 'auth/keys', { name: 'first' }],
  ['POST', 'agents', { name: 'bot' }],
  ['POST', 'organization/scim-token'],
  ['POST', 'organization/sso/domains', { domain: 'corp.example.com' }],
  ['PUT', 'organization/sso', { provider: 'oidc', oidc }],
  ['PUT', 'organization/role-mapping', { rules: [] }],
];

describe('before the proof', () => {
  test.for(powers)('%s %s is refused, and goes after it', async ([method, path, body]) => {
    const refused = await call(method, path, ada.token, body);
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
    expect(refused.body.error).toContain('Confirm your e-mail address');
    await deliver();
    const token = extractToken(office.findNewest(ada.email));
    assertOk(
      await call('POST', 'auth/magic-link/verify', undefined, { token, password: PASSWORD }),
    );
    expect((await call(method, path, ada.token, body)).status).toBeLessThan(300);
  });

  test('a user reads, and changes their own profile', async () => {
    for (const path of ['auth/me', 'agents', 'team/members', 'organization'])
      expect((await call('GET', path, ada.token)).status, path).toBe(200);
    expect((await call('PATCH', 'auth/profile', ada.token, { name: 'Countess' })).status).toBe(200);
  });
});

describe('the mail that asks for the proof', () => {
  test('comes with the registration, and says what to do', async () => {
    await deliver();
    const mail = office.findNewest(ada.email);
    expect(mail.subject).toBe('Confirm your address for Assay');
    expect(mail.text).toContain('/magic-link#token=');
  });

  test('is not sent when the mailbox has been proved since', async () => {
    assertOk(await call('POST', 'auth/magic-link', undefined, { email: ada.email }));
    const rows = harness.db.collection('outbox');
    const confirming = { 'payload.kind': 'confirm', 'payload.email': ada.email };
    await rows.updateOne(confirming, { $set: { nextAttemptAt: new Date(Date.now() + 3600_000) } });
    const due = await rows.findOne(confirming);
    await rows.deleteOne(confirming);
    await deliver();
    const token = extractToken(office.findNewest(ada.email));
    assertOk(
      await call('POST', 'auth/magic-link/verify', undefined, { token, password: PASSWORD }),
    );
    const before = office.received.length;
    const compose = createEmailLinkMails(harness.app.instance.platform).confirm;
    expect(await compose(due as never)).toBeNull();
    expect(office.received).toHaveLength(before);
  });

  test('of a first link, says what ends', async () => {
    await deliver();
    assertOk(await call('POST', 'auth/magic-link', undefined, { email: ada.email }));
    assertOk(await call('POST', 'auth/forgot-password', undefined, { email: ada.email }));
    await deliver();
    const texts = office.received
      .filter(({ recipients }) => recipients.includes(ada.email))
      .map(({ text }) => text ?? '');
    expect(
      texts.filter((text) => text.includes('This address has not been confirmed yet')),
    ).toHaveLength(2);
  });
});

test('other installations ask for no proof', async () => {
  const open = await startHarness();
  const { token } = await createOwner(open.app);
  assertOk(await open.app.call('POST', '/api/v1/auth/keys', { token, body: { name: 'first' } }));
  expect(await open.db.collection('outbox').countDocuments()).toBe(0);
  await open.stop();
});
