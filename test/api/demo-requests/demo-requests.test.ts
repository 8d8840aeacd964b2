// The demo-request form (document 1, section 8): public, limited to five an hour, and delivered by mail.
import { expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, toObjectId } from '../../setup/harness.ts';
import { createOwner } from '../../setup/personas.ts';
import { holdMail, startMailServer } from '../../setup/providers/mail-server.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const mail = useFixture(startMailServer, (server) => server.close());
const harness = useHarness(() => ({
  SMTP_URL: mail.url,
  ASSAY_DEMO_REQUESTS_TO: 'sales@example.com',
  ASSAY_LIMIT_DEMO: '5',
}));
const { app } = harness;
const ada = useOwner(harness);
/** An administrator of the installation. */
const root = useFixture(async () => {
  const person = await createOwner(app, 'Root');
  await harness.db
    .collection('users')
    .updateOne({ _id: toObjectId(person.userId) }, { $set: { systemRole: 'admin' } });
  return person;
});
const form = {
  name: 'Grace',
  email: 'Grace@Example.com',
  company: 'Cobol, Inc.',
  message: 'We run many agents.\n\nWhen could you show us?',
};
const send = (body: object = form, call: object = {}): Promise<Answer> =>
  app.call('POST', '/api/v1/demo-requests', { body, ...call });

test('a request goes out by mail to the configured address', async () => {
  const { deliver } = await holdMail(harness);
  const sent = await send();
  expect([sent.status, sent.body]).toEqual([201, { success: true, data: { received: true } }]);
  await deliver();
  const received = mail.findNewest('sales@example.com');
  expect(received.subject).toContain('Cobol, Inc.');
  expect(received.text).toContain('grace@example.com');
  expect(received.text).toContain('When could you show us?');
});

test.each([
  ['no name', { name: undefined }],
  ['a name of two lines', { name: 'a\nBcc: b' }],
  ['no address', { email: 'grace' }],
  ['a company that is too long', { company: 'x'.repeat(201) }],
  ['a message that is too long', { message: 'x'.repeat(2001) }],
])('%s is refused', async (_, change) => {
  const call = { token: root.token };
  expect(toOutcome(await send({ ...form, ...change }, call))).toEqual([400, 'VALIDATION_ERROR']);
});

test('administrators of the installation are not counted; everybody else, also an owner, may send five an hour from one address', async () => {
  const member = await createMember(harness, ada, 'member');
  for (let time = 0; time < 6; time += 1)
    expect((await send(form, { token: root.token })).status).toBe(201);
  const statuses: number[] = [];
  for (const call of [{}, { token: member.token }, { token: 'forged' }, { token: ada.token }, {}])
    statuses.push((await send(form, call)).status);
  expect(statuses).toEqual([201, 201, 201, 201, 429]);
  const refused = await send();
  expect(toOutcome(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  expect(refused.body.data).toEqual({ limit: 5, windowSeconds: 3600 });
  expect((await send(form, { token: root.token })).status).toBe(201);
});
