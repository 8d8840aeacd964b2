// Who hears of a decision that several people have to approve: those whose step is open, and after a vote those of the next.
// @module-tag long
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../../setup/fixtures.ts';
import { createMember } from '../../../setup/harness.ts';
import {
  assertOk,
  buildDecision,
  createWorkspaceKey,
  type Owner,
} from '../../../setup/personas.ts';
import { holdMail, startMailServer } from '../../../setup/providers/mail-server.ts';

const HOUR = 3_600_000;
let ahead = 0;

const mail = useFixture(startMailServer, (server) => server.close());
const harness = useHarness(() => ({ SMTP_URL: mail.url }), {
  clock: { now: () => new Date(Date.now() + ahead) },
});
const { app } = harness;
const ada = useOwner(harness);

const people = {} as Record<'rita' | 'rolf' | 'adam', Owner>;
let key = '';
let deliver: () => Promise<number>;

beforeAll(async () => {
  people.rita = await createMember(harness, ada, 'reviewer');
  people.rolf = await createMember(harness, ada, 'reviewer');
  people.adam = await createMember(harness, ada, 'admin');
  ({ key } = await createWorkspaceKey(app, ada));
  ({ deliver } = await holdMail(harness));
});
beforeEach(clear);

async function clear(): Promise<void> {
  for (const name of ['notifications', 'notice_windows', 'outbox'])
    await harness.db.collection(name).deleteMany({});
  mail.received.length = 0;
}

let tools = 0;

async function hold(approvals: object): Promise<{ id: string; traceId: string }> {
  const tool = `tool-${++tools}`;
  const conditions = [{ field: 'outputDecision.action.tool', operator: 'equals', value: tool }];
  const actions = [{ type: 'flag_for_review', config: { approvals } }];
  const policy = { name: tool, conditions, actions };
  assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body: policy }));
  const body = buildDecision('till', { outputDecision: { action: { tool } } });
  const { data } = assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body;
  return { id: data.reviewId, traceId: data.traceId };
}

const approve = async (id: string, { token }: Owner, more: object = {}) => {
  const body = { decision: 'approve', ...more };
  assertOk(await app.call('POST', `/api/v1/review-queue/${id}/decision`, { token, body }));
};
const listNotices = async ({ token }: Owner) =>
  assertOk(await app.call('GET', '/api/v1/notifications?limit=100', { token })).body.data as Record<
    string,
    unknown
  >[];
const listMails = ({ email }: Owner) =>
  mail.received.filter(({ recipients }) => recipients.includes(email));
async function settle(): Promise<void> {
  await app.instance.runJobsOnce();
  await deliver();
}
/** What each of the team has not read, and how many mails they got. */
async function look() {
  const seen = await Promise.all(
    Object.entries({ ada, ...people }).map(async ([name, person]) => {
      const unread = (await listNotices(person)).filter(({ isRead }) => !isRead);
      return [name, [unread.map(({ body }) => body), listMails(person).length]] as const;
    }),
  );
  return Object.fromEntries(seen);
}

const IN_ORDER = () => ({
  steps: [
    { roles: ['reviewer'], count: 2 },
    { name: 'Finance', people: [people.adam.userId] },
  ],
  inOrder: true,
});

test('in order: the first group hears of it, then the second; who has approved has nothing unread', async () => {
  const { id } = await hold(IN_ORDER());
  await settle();
  const first =
    'Held by the policy “tool-1”. Approvals: 0 of 3, waits for 2 of reviewer, and Finance.';
  const none = [[], 0];
  const asked = [[first], 1];
  expect(await look()).toEqual({ ada: none, adam: none, rita: asked, rolf: asked });
  expect(listMails(people.rita)[0]?.text).toContain(
    'Approvals: 0 of 3, waits for 2 of reviewer, and Finance',
  );
  await approve(id, people.rita);
  await settle();
  expect(await look()).toEqual({ ada: none, adam: none, rita: [[], 1], rolf: asked });
  await approve(id, people.rolf);
  await settle();
  const last = 'Held by the policy “tool-1”. Approvals: 2 of 3, waits for Finance.';
  expect(await look()).toEqual({ ada: none, adam: [[last], 1], rita: [[], 1], rolf: [[], 1] });
  expect(listMails(people.adam)[0]?.text).toContain('Approvals: 2 of 3, waits for Finance');
  await approve(id, people.adam);
  await settle();
  expect(await look()).toMatchObject({ adam: [[], 1] });
});

test('who approved something else than the newest vote is asked again', async () => {
  const { id } = await hold({ steps: [{ roles: ['reviewer'], count: 2 }] });
  await settle();
  await approve(id, people.rita);
  await settle();
  await clear();
  const item = assertOk(await app.call('GET', `/api/v1/review-queue/${id}`, { token: ada.token }));
  const { actionDigest } = item.body.data;
  await approve(id, people.rolf, { edits: { amount: 1 }, actionDigest });
  await settle();
  expect(await look()).toMatchObject({ ada: [[], 0], adam: [[], 0], rolf: [[], 0] });
  expect((await look())['rita']).toMatchObject([[expect.stringContaining('1 of 2')], 1]);
});

test('the deadline is brought up to those who may approve by then, and an assignment says how far it is', async () => {
  const at = `/api/v1/workspaces/${ada.workspaceId}`;
  const settings = { reviewSla: { medium: 4 } };
  assertOk(await app.call('PATCH', at, { token: ada.token, body: settings }));
  const { id } = await hold(IN_ORDER());
  for (const one of [people.rita, people.rolf]) await approve(id, one);
  await settle();
  await clear();
  ahead += 3.1 * HOUR;
  await settle();
  const { adam, ...others } = await look();
  expect(adam).toMatchObject([[expect.stringContaining('2 of 3, waits for Finance')], 1]);
  expect(Object.values(others)).toEqual([
    [[], 0],
    [[], 0],
    [[], 0],
  ]);
  await clear();
  const body = { assignedTo: people.rita.userId };
  const path = `/api/v1/review-queue/${id}/assign`;
  assertOk(await app.call('PATCH', path, { token: ada.token, body }));
  expect((await look())['rita']).toMatchObject([
    [expect.stringContaining('2 of 3, waits for Finance')],
    0,
  ]);
});
