// Alerts in chats and mails say what, who, how sure and which policy, and lead to where it is decided (reviews.md).
import { beforeAll, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, listAuditEntries } from '../../setup/harness.ts';
import { assertOk, type Owner, PASSWORD } from '../../setup/personas.ts';
import { holdMail, startMailServer } from '../../setup/providers/mail-server.ts';
import { startReceiver } from '../../setup/providers/receiver.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';

const receiver = useFixture(startReceiver, (one) => one.close());
const mail = useFixture(startMailServer, (server) => server.close());
const harness = useHarness(() => ({ ASSAY_OUTBOUND_ALLOW: receiver.host, SMTP_URL: mail.url }));
const { app } = harness;
const ada = useOwner(harness);
const { hold, decide, entriesOf, list, verify } = useReviews(harness, ada);
let reviewer: Owner;
let deliver: () => Promise<number>;
beforeAll(async () => {
  reviewer = await createMember(harness, ada, 'reviewer');
  ({ deliver } = await holdMail(harness));
});

const createRule = async (name: string, actions: object[]) => {
  const condition = { field: 'status', operator: 'eq', value: 'flagged' };
  const body = { name, condition, actions, severity: 'critical' };
  const answer = await app.call('POST', '/api/v1/alerts', { token: ada.token, body });
  return assertOk(answer).body.data as { id: string };
};
const remove = (id: string) => app.call('DELETE', `/api/v1/alerts/${id}`, { token: ada.token });
async function settle(): Promise<void> {
  await app.instance.consumers.runOnce();
  await deliver();
}
const listCards = (path: string) =>
  receiver.listMessages(path).map(({ body }) => body as { text: string; blocks: object[] });

test('a chat hears of a held decision, decides by the link once signed in, and hears of the verdict', async () => {
  const rule = await createRule('Refunds *<!channel>*', [
    { type: 'chat', target: `${receiver.url}/chat` },
  ]);
  const action = { tool: 'refund', note: '<!channel> @here https://evil.example.com' };
  const { traceId } = await hold({ agentId: 'till', outputDecision: { action } });
  await settle();
  const [card] = listCards('/chat');
  for (const text of [
    'Alert (critical): “Refunds *&lt;!channel&gt;*”',
    'Agent: “till”',
    'Policy: “Refunds”',
    'Reason: Refunds are looked at',
    'Confidence: ',
  ])
    expect(card?.text).toContain(text);
  const shown = JSON.stringify(card);
  expect(shown).not.toMatch(/evil\.example|@here|"mrkdwn":true|"type":"mrkdwn"/);
  expect(card?.text).not.toContain('<!channel>');
  const path = /\/decide\/[\w-]{43}/.exec(shown)?.[0] ?? '';
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const post = (below: string, body: Record<string, string>, cookie = '') =>
    fetch(app.url + path + below, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...form, cookie },
      body: new URLSearchParams(body).toString(),
    });
  expect(await (await post('', { decision: 'approve' })).text()).toContain('Sign in');
  const signedIn = await post('/sign-in', { email: reviewer.email, password: PASSWORD });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';', 1)[0];
  const verdict = await post('', { decision: 'approve' }, cookie);
  expect(await verdict.text()).toContain('Approved by');
  const [audited] = await listAuditEntries(app, ada, 'action=review.decision');
  expect(audited).toMatchObject({
    userId: reviewer.userId,
    metadata: { traceId, via: 'card', proof: 'sign-in' },
  });
  const { commitments } = JSON.parse(String((await entriesOf(traceId)).at(-1)?.view));
  expect(Object.keys(commitments)).toEqual(expect.arrayContaining(['via', 'proof']));
  expect(assertOk(await list('status=approved')).body.data[0]).toMatchObject({ via: 'card' });
  expect(await verify()).toBe(true);
  await settle();
  const [, followUp, ...more] = listCards('/chat');
  expect(more).toEqual([]);
  expect(followUp?.text).toContain('Review ended: approved by “reviewer”');
  expect(followUp?.text).toContain(traceId);
  expect(JSON.stringify(followUp)).not.toContain('/decide/');
  assertOk(await remove(rule.id));
});

test('a verdict by the API reaches the chat, too, once for each decision', async () => {
  const rule = await createRule('Refunds', [{ type: 'chat', target: `${receiver.url}/again` }]);
  const { id } = await hold();
  await settle();
  assertOk(await decide(id, { decision: 'reject' }));
  await settle();
  await settle();
  expect(listCards('/again').map(({ text }) => text.split('\n', 1)[0])).toEqual([
    'Alert (critical): “Refunds”',
    'Review ended: rejected by “Ada”',
  ]);
  assertOk(await remove(rule.id));
});

test('a mail of an alert leads a reviewer to the decision, and a viewer to the console', async () => {
  const viewer = await createMember(harness, ada, 'viewer');
  const rule = await createRule('Mailed', [
    { type: 'email', target: reviewer.email },
    { type: 'email', target: viewer.email },
  ]);
  const { traceId } = await hold();
  await settle();
  const find = ({ email }: Owner) =>
    mail.received.find(
      ({ recipients, subject = '' }) => recipients.includes(email) && subject.includes('Mailed'),
    )?.text;
  expect(find(reviewer)).toMatch(/\/decide\/[\w-]{43}/);
  expect(find(reviewer)).toContain('Action: {"amount":120,"tool":"refund"}');
  expect(find(viewer)).toContain(`/console/review/${traceId}`);
  expect(find(viewer)).not.toContain('/decide/');
  assertOk(await remove(rule.id));
});

test('a test says that it is one, in the chat, by mail and in the event', async () => {
  const rule = await createRule('Tried', [
    { type: 'chat', target: `${receiver.url}/try` },
    { type: 'webhook', target: `${receiver.url}/try-event` },
    { type: 'email', target: ada.email },
  ]);
  assertOk(await app.call('POST', `/api/v1/alerts/${rule.id}/test`, { token: ada.token }));
  const [card] = listCards('/try');
  expect(card?.text).toContain('Test alert (critical): “Tried”');
  expect(card?.text).toContain('This is a test of the alert rule. Nothing has happened.');
  expect(receiver.listMessages('/try-event')[0]?.body).toMatchObject({ data: { test: true } });
  const received = mail.findNewest(ada.email);
  expect(received.subject).toBe('Test alert (critical): “Tried”');
  expect(received.text).toContain('Nothing has happened');
  assertOk(await remove(rule.id));
});

test('a card about a decision that is erased before it leaves says nothing of it', async () => {
  const rule = await createRule('Erased', [{ type: 'chat', target: `${receiver.url}/erased` }]);
  const { mongoId } = await hold();
  await app.instance.consumers.runOnce();
  const body = { ids: [mongoId] };
  assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
  await settle();
  expect(listCards('/erased')).toEqual([]);
  assertOk(await remove(rule.id));
});
