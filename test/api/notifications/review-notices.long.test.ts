// Reviewers hear of held decisions, assignments, escalations and deadlines, and of storms once (docs/guides/notifications.md).
// @module-tag long
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { changeMembership, createMember } from '../../setup/harness.ts';
import { assertOk, buildDecision, createWorkspaceKey, type Owner } from '../../setup/personas.ts';
import { holdMail, startMailServer } from '../../setup/providers/mail-server.ts';
import type { Answer } from '../../setup/start-app.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
let ahead = 0;

const mail = useFixture(startMailServer, (server) => server.close());
const harness = useHarness(() => ({ SMTP_URL: mail.url }), {
  clock: { now: () => new Date(Date.now() + ahead) },
});
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
const { hold, decide } = useReviews(harness, ada);
let people: Record<'reviewer' | 'member' | 'viewer' | 'auditor', Owner>;
let deliver: () => Promise<number>;

beforeAll(async () => {
  people = {
    reviewer: await createMember(harness, ada, 'reviewer'),
    member: await createMember(harness, ada, 'member'),
    viewer: await createMember(harness, ada, 'viewer'),
    auditor: await createMember(harness, ada, 'auditor'),
  };
  ({ deliver } = await holdMail(harness));
});
beforeEach(async () => {
  for (const name of ['notifications', 'notice_windows', 'outbox'])
    await harness.db.collection(name).deleteMany({});
  mail.received.length = 0;
});

/** Runs what follows decisions; no mail leaves. */
const follow = (): Promise<void> => app.instance.consumers.runOnce();
async function settle(): Promise<void> {
  await app.instance.runJobsOnce();
  await deliver();
}
async function listNotices({ token }: Owner) {
  const answer = await app.call('GET', '/api/v1/notifications?limit=100', { token });
  return assertOk(answer).body.data as Record<string, unknown>[];
}
const listMails = ({ email }: Owner) =>
  mail.received.filter(({ recipients }) => recipients.includes(email));
const prefer = (body: object, { token }: Owner): Promise<Answer> =>
  app.call('PATCH', '/api/v1/auth/me/preferences', { token, body });
const change = (below: string, method: string, body: object, { token } = ada): Promise<Answer> =>
  app.call(method as 'POST', `/api/v1/review-queue/${below}`, { token, body });

describe('a held decision', () => {
  test('reaches those who may decide it, in the dashboard and by mail, and no one else', async () => {
    const { traceId } = await hold({ agentId: 'till' });
    await settle();
    for (const person of [ada, people.reviewer]) {
      expect(await listNotices(person)).toEqual([
        expect.objectContaining({
          type: 'info',
          event: 'review.held',
          title: 'Waits for a person: a decision of “till”',
          body: 'Held by the policy “Refunds”.',
          link: `/console/review/${traceId}`,
          isRead: false,
        }),
      ]);
      const [received, ...more] = listMails(person);
      expect(more).toEqual([]);
      expect(received?.subject).toBe('“Ada Ltd”: Waits for a person: a decision of “till”');
      for (const line of [
        'Action: {"amount":120,"tool":"refund"}',
        'Confidence: ',
        'Policy: “Refunds”',
        'Reason: Refunds are looked at',
        '/decide/',
      ])
        expect(received?.text).toContain(line);
    }
    for (const person of [people.member, people.viewer, people.auditor, eve]) {
      expect(await listNotices(person)).toEqual([]);
      expect(listMails(person)).toEqual([]);
    }
  });

  test('of an agent without a name is described in words that carry no link, markup or mention', async () => {
    const agentId = '<img src=x> @here https://evil.example.com/a?b=1';
    const action = { tool: 'refund', note: '[x](javascript:alert(1)) www.evil.example <b>' };
    await hold({ agentId, outputDecision: { action } });
    await settle();
    const [received] = listMails(ada);
    for (const text of [received?.subject, received?.text, received?.html]) {
      expect(text).not.toMatch(/evil\.example|@here|:\/\/evil/);
    }
    expect(received?.html).not.toMatch(/<img|<b>/);
    const [notice] = await listNotices(ada);
    expect(notice?.title).not.toMatch(/evil\.example|@here/);
  });

  test('that is decided before the mail leaves causes no mail, and its notices are read', async () => {
    const { id } = await hold();
    await follow();
    expect((await listNotices(people.reviewer))[0]).toMatchObject({ isRead: false });
    assertOk(await decide(id, { decision: 'approve' }));
    await settle();
    expect((await listNotices(people.reviewer))[0]).toMatchObject({ isRead: true });
    expect(mail.received).toEqual([]);
  });

  test('that is erased leaves no notice and no mail', async () => {
    const { traceId, mongoId } = await hold();
    await follow();
    const body = { ids: [mongoId] };
    assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
    await settle();
    expect(await harness.db.collection('notifications').countDocuments({ subject: traceId })).toBe(
      0,
    );
    expect(mail.received).toEqual([]);
  });

  test('reaches no one who opted out, and no one who has left by the time the mail is sent', async () => {
    assertOk(
      await prefer({ notificationOptOuts: { email: ['review.held'], inApp: [] } }, people.reviewer),
    );
    const gone = await createMember(harness, ada, 'admin');
    await hold();
    await follow();
    await changeMembership(harness, gone, { isActive: false, deactivatedBy: 'team' });
    await deliver();
    expect(listMails(people.reviewer)).toEqual([]);
    expect(await listNotices(people.reviewer)).toHaveLength(1);
    expect(listMails(gone)).toEqual([]);
    expect(listMails(ada)).toHaveLength(1);
    assertOk(
      await prefer({ notificationOptOuts: { email: [], inApp: ['info'] } }, people.reviewer),
    );
    await hold();
    await settle();
    expect(await listNotices(people.reviewer)).toHaveLength(1);
    expect(listMails(people.reviewer)).toHaveLength(1);
    assertOk(await prefer({ notificationOptOuts: { email: [], inApp: [] } }, people.reviewer));
  });
});

describe('a storm', () => {
  test(
    'of two hundred held decisions in a minute is five notices and a digest',
    { tags: ['long'] },
    async () => {
      const { key } = await createWorkspaceKey(app, ada);
      const outputDecision = { action: { tool: 'refund', amount: 1 } };
      const body = buildDecision('till', { outputDecision });
      const posted = Array.from({ length: 200 }, () =>
        app.call('POST', '/api/v1/traces', {
          key,
          body: { ...body, rationale: String(Math.random()) },
        }),
      );
      for (const answer of await Promise.all(posted)) assertOk(answer);
      await settle();
      const shown = await listNotices(people.reviewer);
      expect(shown).toHaveLength(6);
      expect(shown.filter(({ count }) => count !== undefined)).toEqual([
        expect.objectContaining({
          count: 195,
          title: '195 more: held decisions wait for a person',
          link: '/console/review',
        }),
      ]);
      expect(listMails(people.reviewer)).toHaveLength(5);
      ahead += 10 * MINUTE;
      await settle();
      expect(listMails(people.reviewer)).toHaveLength(6);
      expect(mail.findNewest(people.reviewer.email).subject).toContain('195 more');
      await settle();
      expect(listMails(people.reviewer)).toHaveLength(6);
      await hold();
      await settle();
      expect(listMails(people.reviewer)).toHaveLength(6);
      ahead += 10 * MINUTE;
      await settle();
      expect(mail.findNewest(people.reviewer.email).subject).toContain('1 more');
    },
  );

  test('begins after as many as each person says', async () => {
    const set = await prefer({ noticeDigest: { after: 1, minutes: 60 } }, people.reviewer);
    expect(assertOk(set).body.data.noticeDigest).toEqual({ after: 1, minutes: 60 });
    for (let times = 0; times < 3; times++) await hold();
    await settle();
    expect(listMails(people.reviewer)).toHaveLength(1);
    expect(listMails(ada)).toHaveLength(3);
    const shown = await listNotices(people.reviewer);
    expect(shown.map(({ count }) => count ?? 1).sort()).toEqual([1, 2]);
    assertOk(await prefer({ noticeDigest: { after: 5, minutes: 10 } }, people.reviewer));
  });

  test.each([
    [{ after: -1 }],
    [{ after: 51 }],
    [{ minutes: 0 }],
    [{ minutes: 1441 }],
    [{ after: 1.5 }],
    [{ within: 3 }],
  ])('is not set to %j', async (noticeDigest) => {
    expect((await prefer({ noticeDigest }, ada)).status).toBe(400);
  });
});

describe('an item', () => {
  test('that is assigned or escalated reaches its receiver alone, and not to who did it', async () => {
    const { id } = await hold();
    await settle();
    await harness.db.collection('notifications').deleteMany({});
    mail.received.length = 0;
    assertOk(await change(`${id}/assign`, 'PATCH', { assignedTo: people.member.userId }));
    assertOk(await change(`${id}/escalate`, 'POST', { escalateTo: people.reviewer.userId }));
    assertOk(await change(`${id}/assign`, 'PATCH', { assignedTo: ada.userId }));
    await settle();
    const events = async (who: Owner) => (await listNotices(who)).map(({ event }) => event);
    expect(await events(people.member)).toEqual(['review.assigned']);
    expect(await events(people.reviewer)).toEqual(['review.escalated']);
    expect(await events(ada)).toEqual([]);
    expect(mail.received.flatMap(({ recipients }) => recipients).sort()).toEqual(
      [people.member.email, people.reviewer.email].sort(),
    );
  });

  test('with a deadline is brought up again when it is near and when it has passed, once each', async () => {
    const settings = { reviewSla: { medium: 4 } };
    const at = `/api/v1/workspaces/${ada.workspaceId}`;
    assertOk(await app.call('PATCH', at, { token: ada.token, body: settings }));
    const { id } = await hold();
    const decided = await hold();
    await settle();
    assertOk(await decide(decided.id, { decision: 'reject' }));
    assertOk(await change(`${id}/assign`, 'PATCH', { assignedTo: people.member.userId }));
    await harness.db.collection('notifications').deleteMany({});
    const events = async (who: Owner) => (await listNotices(who)).map(({ event }) => event);
    ahead += 2.9 * HOUR;
    await settle();
    expect(await events(people.member)).toEqual([]);
    ahead += 0.2 * HOUR;
    await settle();
    await settle();
    expect(await events(people.member)).toEqual(['review.due']);
    expect(await events(people.reviewer)).toEqual([]);
    ahead += HOUR;
    await settle();
    await settle();
    expect(await events(people.reviewer)).toEqual(['review.overdue']);
    expect(mail.findNewest(people.reviewer.email).subject).toContain('Review overdue');
    expect(await harness.db.collection('review_deadlines').countDocuments()).toBe(0);
  });
});
