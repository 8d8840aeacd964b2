// Changes of policies and deadlines of incidents reach those who may act, and authors (docs/guides/notifications.md).
// @module-tag long
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember } from '../../setup/harness.ts';
import { assertOk, type Owner } from '../../setup/personas.ts';
import { holdMail, startMailServer } from '../../setup/providers/mail-server.ts';

const HOUR = 3_600_000;
let ahead = 0;

const mail = useFixture(startMailServer, (server) => server.close());
const harness = useHarness(() => ({ SMTP_URL: mail.url }), {
  clock: { now: () => new Date(Date.now() + ahead) },
});
const { app } = harness;
const ada = useOwner(harness);
const people = {} as Record<'author' | 'reviewer' | 'viewer', Owner>;
let deliver: () => Promise<number>;
beforeAll(async () => {
  people.author = await createMember(harness, ada, 'member');
  people.reviewer = await createMember(harness, ada, 'reviewer');
  people.viewer = await createMember(harness, ada, 'viewer');
  ({ deliver } = await holdMail(harness));
});
beforeEach(async () => {
  for (const name of ['notifications', 'outbox']) await harness.db.collection(name).deleteMany({});
  mail.received.length = 0;
});

async function post(who: Owner, path: string, body: object = {}) {
  const answer = await app.call('POST', `/api/v1/${path}`, { token: who.token, body });
  return assertOk(answer).body.data as { _id: string };
}
async function settle(): Promise<void> {
  await app.instance.runJobsOnce();
  await deliver();
}
async function listNotices({ token }: Owner) {
  const answer = await app.call('GET', '/api/v1/notifications?limit=100', { token });
  return (assertOk(answer).body.data as { event: string; title: string; body: string }[]).filter(
    ({ event }) => event !== undefined,
  );
}
const listEvents = async (who: Owner) => (await listNotices(who)).map(({ event }) => event);
const countMails = ({ email }: Owner): number =>
  mail.received.filter(({ recipients }) => recipients.includes(email)).length;

const policy = {
  name: 'Stop @here https://evil.example.com',
  conditions: [{ field: 'outputDecision.action', operator: 'equals', value: 'x' }],
  actions: [{ type: 'block' }],
};

test('a proposed change reaches those who may review it, then its enforcers, and its author hears the rest', async () => {
  const { author, reviewer, viewer } = people;
  const { _id: id } = await post(author, 'policies/approvals', { policy });
  await settle();
  expect(await listEvents(reviewer)).toEqual(['approval.waiting']);
  expect(await listEvents(ada)).toEqual(['approval.waiting']);
  expect([await listEvents(author), await listEvents(viewer)]).toEqual([[], []]);
  const listTitles = async (who: Owner) => (await listNotices(who)).map(({ title }) => title);
  expect(await listTitles(ada)).toEqual([expect.stringMatching(/^Waits for your review: “Stop /)]);
  expect(countMails(reviewer)).toBe(1);
  const [received] = mail.received;
  expect(received?.text).toContain(`/console/policies/approvals/${id}`);
  expect(received?.subject).not.toMatch(/@here|evil\.example/);
  const reason = 'Right, ask bob@example.com';
  await post(reviewer, `policies/approvals/${id}/reviewer-approve`, { reason });
  await post(ada, `policies/approvals/${id}/enforcer-promote`);
  await settle();
  expect(await listEvents(ada)).toEqual(['approval.waiting', 'approval.waiting']);
  expect(await listTitles(ada)).toContainEqual(
    expect.stringMatching(/^Waits to be put into force: “Stop /),
  );
  expect(await listEvents(reviewer)).toEqual(['approval.waiting']);
  const [promoted, approved] = await listNotices(author);
  expect(promoted?.title).toContain('Your change is in force');
  expect(approved?.body).toContain('Right, ask');
  expect(approved?.body).not.toContain('bob@example.com');
  expect(countMails(author)).toBe(2);
});

test('the author of a rejected change hears of it, with the reason', async () => {
  const { author, reviewer } = people;
  const { _id: id } = await post(author, 'policies/approvals', {
    policy: { ...policy, name: 'B' },
  });
  await post(reviewer, `policies/approvals/${id}/reviewer-reject`, { reason: 'Too wide' });
  const [notice] = await listNotices(author);
  expect(notice).toMatchObject({
    event: 'approval.decided',
    title: 'Your change is rejected: “B”',
    body: expect.stringContaining('Too wide'),
  });
});

test('a draft causes no notice', async () => {
  await post(people.author, 'policies/approvals', {
    policy: { ...policy, name: 'C' },
    submit: false,
  });
  expect(await listNotices(people.reviewer)).toEqual([]);
});

test('a report that is due soon, and one that is late, reach managers and the reporter, once each', async () => {
  const { author, reviewer } = people;
  await post(author, 'incidents', { title: 'Leak', regulators: [{ code: 'gdpr' }] });
  await settle();
  expect(await listEvents(ada)).toEqual([]);
  ahead += 55 * HOUR;
  await settle();
  await settle();
  expect(await listEvents(ada)).toEqual(['incident.due']);
  expect(await listEvents(author)).toEqual(['incident.due']);
  ahead += 18 * HOUR;
  await settle();
  await settle();
  expect(await listEvents(ada)).toEqual(['incident.breached', 'incident.due']);
  expect(await listEvents(author)).toEqual(['incident.breached', 'incident.due']);
  expect(await listEvents(reviewer)).toEqual([]);
  expect(countMails(ada)).toBe(2);
  expect(mail.findNewest(ada.email).subject).toContain('Report late');
});
