// Limits of invitation mails per address and organisation in a day, and names that are quoted in the mail.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import { createOwner, assertOk, type Owner } from '../../setup/personas.ts';
import { holdMail, startMailServer } from '../../setup/providers/mail-server.ts';
import { createAddress } from '../../setup/scim.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import type { Answer } from '../../setup/start-app.ts';

const DAY = 24 * 3600_000;
const clock = new MovedClock();

let ada: Owner;
let deliver: () => Promise<number>;
const office = useFixture(startMailServer, (started) => started.close());
const harness = useHarness(
  () => ({
    SMTP_URL: office.url,
    ASSAY_LIMIT_INVITATIONS: '4',
    ASSAY_LIMIT_INVITATIONS_TO_ONE: '3',
  }),
  { clock },
);
beforeAll(async () => {
  ({ deliver } = await holdMail(harness));
});
beforeEach(async () => {
  ada = await createOwner(harness.app);
});

const call = (method: string, path: string, body?: object): Promise<Answer> =>
  harness.app.call(method, `/api/v1/${path}`, { token: ada.token, ...(body && { body }) });
const invite = (email: string): Promise<Answer> => call('POST', 'team/invite', { email });
const resend = (id: string): Promise<Answer> => call('POST', `team/invites/${id}/resend`);
function limited({ status, body, headers }: Answer, limit: number): void {
  expect([status, body.code, body.data]).toEqual([
    429,
    'RATE_LIMIT_EXCEEDED',
    { limit, windowSeconds: 86_400 },
  ]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
}

test('to one address: first, repeated and new invitations count together, for a day', async () => {
  const email = createAddress();
  const { id } = assertOk(await invite(email)).body.data;
  assertOk(await resend(id as string));
  assertOk(await call('DELETE', `team/invites/${id}`));
  const again = assertOk(await invite(email)).body.data.id as string;
  limited(await resend(again), 3);
  await deliver();
  expect(office.received.filter(({ recipients }) => recipients.includes(email))).toHaveLength(1);
  clock.aheadMs += DAY;
  assertOk(await resend(again));
});

test('of one organisation: all recipients count together; another organisation is not affected', async () => {
  for (let sent = 1; sent <= 4; sent += 1) assertOk(await invite(createAddress()));
  limited(await invite(createAddress()), 4);
  ada = await createOwner(harness.app);
  assertOk(await invite(createAddress()));
});

test('simultaneous requests do not exceed the limit', { tags: ['long'] }, async () => {
  const { id } = assertOk(await invite(createAddress())).body.data;
  const answers = await Promise.all(Array.from({ length: 6 }, () => resend(id as string)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
});

test('the name of an organisation is quoted, one line, and no link', async () => {
  for (const name of ['Bank\nYour account is locked', 'Bank\u2028locked', 'Bank\u202Elocked'])
    expect((await call('PATCH', 'organization', { name })).status).toBe(400);
  assertOk(await call('PATCH', 'organization', { name: 'Bank. Locked, open https://evil.test/x' }));
  const email = createAddress();
  assertOk(await invite(email));
  await deliver();
  const { subject, text = '' } = office.findNewest(email);
  expect(subject).toBe('Invitation to “Bank. Locked, open https: / / evil. test/ x”');
  expect(text).not.toContain('evil.test');
});
