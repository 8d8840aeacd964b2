// The story of notifications over HTTP (document 3, section 4.10): broadcast, listed, read, deleted, each person's own.
import { beforeAll, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  listAuditEntries,
  changeMembership,
  createMember,
  toObjectId,
} from '../../setup/harness.ts';
import { assertOk, type Owner } from '../../setup/personas.ts';
import { holdMail, startMailServer } from '../../setup/providers/mail-server.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const path = '/api/v1/notifications';
const DAY = 86_400_000;

const mail = useFixture(startMailServer, (server) => server.close());
const harness = useHarness(() => ({ SMTP_URL: mail.url }));
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
let bob: Owner;
let deliver: () => Promise<number>;
beforeAll(async () => {
  bob = await createMember(harness, ada, 'viewer');
  ({ deliver } = await holdMail(harness));
});

const list = (query = '', { token } = bob): Promise<Answer> =>
  app.call('GET', `${path}?${query}`, { token });
const broadcast = (body: object, { token } = ada): Promise<Answer> =>
  app.call('POST', `${path}/broadcast`, { token, body });
const patch = (below: string, { token } = bob): Promise<Answer> =>
  app.call('PATCH', `${path}/${below}`, { token });
const remove = (below: string, { token } = bob): Promise<Answer> =>
  app.call('DELETE', `${path}${below}`, { token });

test('a broadcast reaches every active member of the organisation, and no other user', async () => {
  const gone = await createMember(harness, ada, 'member');
  await changeMembership(harness, gone, { isActive: false, deactivatedBy: 'scim' });
  const offered = await createMember(harness, ada, 'member');
  await changeMembership(harness, offered, { isPending: true });
  const sent = await broadcast({ title: ' Maintenance ', body: 'Tonight.\n\nIt takes an hour.' });
  expect([sent.status, sent.body.data]).toEqual([201, { recipients: 2, emails: 0 }]);
  const rows = await harness.db.collection('notifications').find().toArray();
  expect(rows.map(({ userId }) => String(userId)).sort()).toEqual([ada.userId, bob.userId].sort());
  const { body } = await list();
  expect(body).toMatchObject({ count: 1, total: 1, unreadCount: 1 });
  const [first] = body.data;
  expect(first).toEqual({
    _id: first.id,
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    userId: bob.userId,
    organizationId: ada.organizationId,
    type: 'broadcast',
    title: 'Maintenance',
    body: 'Tonight.\n\nIt takes an hour.',
    isRead: false,
    link: '/notifications',
    sentBy: ada.userId,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect((await list('', eve)).body.total).toBe(0);
  const [entry] = await listAuditEntries(app, ada, 'action=notification.broadcast');
  expect(entry).toMatchObject({ status: 'success', metadata: { recipients: 2, emails: 0 } });
});

test('a repeated broadcast is stored twice; unreadOnly filters the list, the unread count covers all', async () => {
  await broadcast({ title: 'Again', body: 'b' });
  await broadcast({ title: 'Again', body: 'b' });
  const [newest] = (await list()).body.data;
  const read = assertOk(await patch(`${newest.id}/read`)).body.data;
  expect(read).toMatchObject({ id: newest.id, isRead: true });
  const unread = (await list('unreadOnly=true&limit=1')).body;
  expect(unread).toMatchObject({ count: 1, total: 2, unreadCount: 2 });
  expect(unread.pagination).toMatchObject({ page: 1, limit: 1, total: 2, pages: 2 });
  expect(unread.data[0].id).not.toBe(newest.id);
  expect((await list('unreadOnly=false')).body.total).toBe(3);
  expect(assertOk(await patch('read-all')).body.data).toEqual({ updated: 2 });
  expect((await list()).body.unreadCount).toBe(0);
  expect((await list('', ada)).body.unreadCount).toBe(3);
});

test('a user cannot read or delete another user’s notifications', async () => {
  const [hers] = (await list('', ada)).body.data;
  expect(toOutcome(await patch(`${hers.id}/read`))).toEqual([404, 'NOT_FOUND']);
  expect(toOutcome(await remove(`/${hers.id}`))).toEqual([404, 'NOT_FOUND']);
  expect((await list('', ada)).body.unreadCount).toBe(3);
});

test('a user deletes one notification, then all of their own in this organisation', async () => {
  const elsewhere = {
    organizationId: toObjectId(eve.organizationId),
    userId: toObjectId(bob.userId),
  };
  const at = { createdAt: new Date(), updatedAt: new Date() };
  await harness.db
    .collection('notifications')
    .insertOne({ ...elsewhere, type: 'info', title: 'Elsewhere', isRead: false, ...at });
  const [newest] = (await list()).body.data;
  expect(assertOk(await remove(`/${newest.id}`)).body.data).toEqual({ deleted: 1 });
  expect(toOutcome(await remove(`/${newest.id}`))).toEqual([404, 'NOT_FOUND']);
  expect(assertOk(await remove('')).body.data).toEqual({ deleted: 2 });
  expect((await list()).body.total).toBe(0);
  expect((await list('', ada)).body.total).toBe(3);
  expect(await harness.db.collection('notifications').countDocuments(elsewhere)).toBe(1);
});

test('a broadcast with mail reaches users who opted out in the dashboard only', async () => {
  const optOuts = { notificationOptOuts: { email: ['broadcast'], inApp: ['broadcast'] } };
  assertOk(
    await app.call('PATCH', '/api/v1/auth/me/preferences', { token: bob.token, body: optOuts }),
  );
  const before = mail.received.length;
  const text = { title: 'New <b>terms</b>', body: 'Please read.\n\nSecond part', sendEmail: true };
  expect((await broadcast(text)).body.data).toEqual({ recipients: 2, emails: 2 });
  await deliver();
  expect(mail.received.length - before).toBe(1);
  const received = mail.findNewest(ada.email);
  expect(received.subject).toBe('“Ada Ltd”: New <b>terms</b>');
  expect(received.text).toContain('Second part');
  expect(received.html).toContain('New &lt;b&gt;terms');
  expect((await list()).body.data[0].title).toBe('New <b>terms</b>');
});

test.each([
  ['no title', { body: 'b' }],
  ['a title of two lines', { title: 'a\nb', body: 'b' }],
  ['a title that is too long', { title: 'x'.repeat(201), body: 'b' }],
  ['no body', { title: 'a' }],
  ['an empty body', { title: 'a', body: ' ' }],
  ['a body that is too long', { title: 'a', body: 'x'.repeat(1001) }],
  ['a body with a bell', { title: 'a', body: '\u0007' }],
  ['another member', { title: 'a', body: 'b', userId: 'c' }],
])('a broadcast with %s is refused', async (_, body) => {
  expect(toOutcome(await broadcast(body))).toEqual([400, 'VALIDATION_ERROR']);
});

test('notifications expire after ninety days', async () => {
  const indexes = await harness.db.collection('notifications').indexes();
  const expiry = indexes.find(({ name }) => name === 'expiry');
  expect(expiry).toMatchObject({ key: { createdAt: 1 }, expireAfterSeconds: (90 * DAY) / 1000 });
});
