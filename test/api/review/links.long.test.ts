// One-time links decide held decisions where people are: once, by the right person, about what was shown (reviews.md).
// @module-tag long
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  changeMembership,
  createMember,
  listAuditEntries,
  verifyMailbox,
} from '../../setup/harness.ts';
import { assertOk, createFeedbackKey, type Owner, PASSWORD } from '../../setup/personas.ts';
import { holdMail, startMailServer } from '../../setup/providers/mail-server.ts';
import { MovedClock, registerFactor } from '../../setup/second-factor.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';

const DAY = 86_400_000;

const clock = new MovedClock();

const mail = useFixture(startMailServer, (server) => server.close());
const harness = useHarness(() => ({ SMTP_URL: mail.url }), {
  clock,
});
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
const { hold, list, decide, entriesOf, verify } = useReviews(harness, ada);
let people: Record<'reviewer' | 'viewer', Owner>;
let deliver: () => Promise<number>;

beforeAll(async () => {
  people = {
    reviewer: await createMember(harness, ada, 'reviewer'),
    viewer: await createMember(harness, ada, 'viewer'),
  };
  await verifyMailbox(harness, people.reviewer);
  await verifyMailbox(harness, ada);
  ({ deliver } = await holdMail(harness));
});
beforeEach(async () => {
  clock.aheadMs = 0;
  for (const name of ['notifications', 'notice_windows', 'outbox', 'review_links'])
    await harness.db.collection(name).deleteMany({});
  mail.received.length = 0;
  await allow('sign-in');
});

const allow = (reviewLinks: string) =>
  app.call('PATCH', `/api/v1/workspaces/${ada.workspaceId}`, {
    token: ada.token,
    body: { reviewLinks },
  });

interface Page {
  status: number;
  html: string;
  headers: Headers;
}
async function request(path: string, init: RequestInit = {}): Promise<Page> {
  const answer = await fetch(app.url + path, { redirect: 'manual', ...init });
  return { status: answer.status, html: await answer.text(), headers: answer.headers };
}
const show = (path: string, cookie = ''): Promise<Page> => request(path, { headers: { cookie } });
const submit = (
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Page> =>
  request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  });

/** A held decision, and the path of the link that a person was sent. */
async function holdAndMail(to: Owner, more: object = {}) {
  const held = await hold(more);
  await app.instance.consumers.runOnce();
  await deliver();
  const text = mail.findNewest(to.email).text ?? '';
  const path = /\/decide\/[\w-]{43}/.exec(text)?.[0];
  if (path === undefined) throw new Error('no link in the mail');
  return { ...held, path };
}
/** Signs in on the page of a link; returns the cookie. */
/** Without the random token of its link and the random id of its decision: any digits may stand in them. */
const omitRandom = (html: string, path: string): string =>
  html.replaceAll(path.split('/').at(-1) as string, '').replaceAll(/trc_[0-9a-f]+/g, '');

async function signIn(path: string, { email }: Owner, password = PASSWORD): Promise<string> {
  const { headers } = await submit(`${path}/sign-in`, { email, password });
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');
}
async function readStatus(traceId: string): Promise<string> {
  const answer = await app.call('GET', `/api/v1/traces/${traceId}`, { token: ada.token });
  return assertOk(answer).body.data.review.status as string;
}

describe('who is involved', () => {
  test.each(['token', 'sign-in'])(
    'does not decide by a link (%s), which stays usable for when no one else can',
    async (proof) => {
      await allow(proof);
      const { reviewer } = people;
      const actor = [{ type: 'user', id: reviewer.email }];
      const { path, traceId } = await holdAndMail(reviewer, { actor });
      const cookie = proof === 'token' ? '' : await signIn(path, reviewer);
      expect((await show(path, cookie)).html).toContain('You are involved in it');
      const refused = await submit(path, { decision: 'approve' }, { cookie });
      expect(refused.html).toContain('You are involved in it');
      expect(await readStatus(traceId)).toBe('pending');
      expect(await entriesOf(traceId)).toHaveLength(1);
      await changeMembership(harness, ada, { isActive: false });
      const decided = await submit(path, { decision: 'approve' }, { cookie });
      await changeMembership(harness, ada, { isActive: true });
      expect(decided.html).toContain('Approved by');
      expect(await readStatus(traceId)).toBe('approved');
    },
  );
});

describe('by the token alone, where the workspace says so', () => {
  test('a link shows the decision and decides it once, as the person, sealed as given by a link', async () => {
    await allow('token');
    const { traceId, id, path } = await holdAndMail(people.reviewer);
    const page = await show(path);
    expect(page.status).toBe(200);
    for (const text of ['refund', '120', 'Refunds are looked at', 'Approve', 'Reject'])
      expect(page.html).toContain(text);
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.html).not.toMatch(/<script|onclick|src=/i);
    const verdict = await submit(path, { decision: 'reject', reason: 'Ask bob@example.com' });
    expect([verdict.status, verdict.html]).toEqual([200, expect.stringContaining('Rejected by')]);
    expect(await readStatus(traceId)).toBe('rejected');
    const entry = (await entriesOf(traceId)).at(-1);
    const payload = JSON.parse(String(entry?.view));
    expect(payload).toMatchObject({
      kind: 'review',
      reviewId: id,
      decision: 'reject',
      actor: { kind: 'user', id: people.reviewer.userId },
    });
    expect(Object.keys(payload.commitments)).toEqual(expect.arrayContaining(['via', 'proof']));
    const [audited] = await listAuditEntries(app, ada, `action=review.decision&resourceId=${id}`);
    expect(audited).toMatchObject({
      status: 'success',
      userId: people.reviewer.userId,
      metadata: { traceId, via: 'link', proof: 'token' },
    });
    const { data } = assertOk(await list('status=rejected')).body;
    expect(data[0]).toMatchObject({ id, via: 'link', decidedBy: people.reviewer.userId });
    expect(await verify()).toBe(true);
    const again = await submit(path, { decision: 'approve' });
    expect(again.html).toContain('Rejected by');
    expect(await readStatus(traceId)).toBe('rejected');
    expect(await entriesOf(traceId)).toHaveLength(2);
    expect(JSON.stringify(entry)).not.toContain('bob@example.com');
  });

  test('of twenty submissions at once one decides', { tags: ['long'] }, async () => {
    await allow('token');
    const { traceId, path } = await holdAndMail(people.reviewer);
    const forms = Array.from({ length: 20 }, (_, index) =>
      submit(path, { decision: index % 2 === 0 ? 'approve' : 'reject' }),
    );
    const statuses = (await Promise.all(forms)).map(({ status }) => status);
    expect(statuses.every((status) => status < 500)).toBe(true);
    expect(await entriesOf(traceId)).toHaveLength(2);
  });

  test('opening it decides nothing, by GET or HEAD, however often', async () => {
    await allow('token');
    const { traceId, path } = await holdAndMail(people.reviewer);
    for (const method of ['GET', 'HEAD', 'GET'])
      expect((await request(`${path}?utm_source=mail&decision=approve`, { method })).status).toBe(
        200,
      );
    expect(await readStatus(traceId)).toBe('pending');
    expect((await submit(path, { decision: 'approve' })).status).toBe(200);
    expect(await readStatus(traceId)).toBe('approved');
  });

  test.each<[string, (held: { traceId: string; id: string }) => Promise<unknown>, string]>([
    ['after another verdict', ({ id }) => decide(id, { decision: 'approve' }), 'Approved by Ada'],
    ['after a week', async () => (clock.aheadMs = 7 * DAY + 1), 'expired'],
    [
      'after the person has left',
      () => changeMembership(harness, people.reviewer, { isActive: false, deactivatedBy: 'team' }),
      'cannot decide',
    ],
    [
      'after the role has changed',
      () => changeMembership(harness, people.reviewer, { role: 'viewer' }),
      'cannot decide',
    ],
    [
      'after the action was corrected',
      async ({ traceId }) => {
        const key = await createFeedbackKey(app, ada);
        const body = { traceId, correctedDecision: { tool: 'refund', amount: 1 } };
        assertOk(await app.call('POST', '/api/v1/cpi/ingest', { key, body }));
      },
      'has changed',
    ],
  ])('it decides nothing %s, and says why', async (_, happen, text) => {
    await allow('token');
    const { traceId, id, path } = await holdAndMail(people.reviewer);
    await happen({ traceId, id });
    const before = await harness.db.collection('ledger').countDocuments({ traceId });
    for (const page of [await show(path), await submit(path, { decision: 'reject' })])
      expect([page.status, page.html]).toEqual([200, expect.stringContaining(text)]);
    expect(await harness.db.collection('ledger').countDocuments({ traceId })).toBe(before);
    await changeMembership(harness, people.reviewer, { isActive: true, role: 'reviewer' });
  });

  test('it ends with the hold', async () => {
    await allow('token');
    const { traceId, path } = await holdAndMail(people.reviewer, { review: { expiresIn: 3600 } });
    clock.aheadMs = 3_601_000;
    const page = await submit(path, { decision: 'approve' });
    expect(page.status).toBeGreaterThanOrEqual(200);
    expect(page.html).toMatch(/expired/i);
    expect(await readStatus(traceId)).not.toBe('approved');
  });

  test('a form of another site is refused', async () => {
    await allow('token');
    const { traceId, path } = await holdAndMail(people.reviewer);
    const page = await submit(path, { decision: 'approve' }, { 'sec-fetch-site': 'cross-site' });
    expect(page.html).toContain('Decide on the page itself');
    expect(await readStatus(traceId)).toBe('pending');
  });

  test.each([
    [{}],
    [{ decision: 'maybe' }],
    [{ decision: 'approve', reason: 'x'.repeat(1001) }],
    [{ decision: ['approve', 'reject'] }],
  ])('a form of %j is refused', async (form) => {
    await allow('token');
    const { traceId, path } = await holdAndMail(people.reviewer);
    const page = await submit(path, form as Record<string, string>);
    expect(page.status).toBe(400);
    expect(await readStatus(traceId)).toBe('pending');
  });

  test('nothing that an agent or a policy says becomes markup, or hides', async () => {
    await allow('token');
    const attack = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>&lt;b&gt;\u202e\u0007';
    const { path } = await holdAndMail(people.reviewer, {
      agentId: attack,
      outputDecision: { action: { tool: 'refund', note: attack } },
      inputContext: { prompt: `Refund me ${attack}` },
      rationale: attack,
    });
    const { html } = await show(path);
    expect(html).toContain('&#60;script&#62;alert(1)');
    expect(html).toContain('Refund me');
    expect(html).not.toMatch(/<script|<img|onerror=alert\(1\)>|\u202e|\u0007/);
    expect(html).toContain('\\u{202e}');
  });

  test('what began a decision that no one asked for is shown in place of the prompt', async () => {
    await allow('token');
    const trigger = { kind: 'schedule', at: '03:00' };
    const { path } = await holdAndMail(people.reviewer, { inputContext: { trigger } });
    const { html } = await show(path);
    expect(html).toContain('<h2>Begun by</h2>');
    expect(html).toContain('03:00');
    expect(html).not.toContain('Prompt');
  });

  test('the token is stored as a digest alone, and erased with the decision', async () => {
    await allow('token');
    const { mongoId, traceId, path } = await holdAndMail(people.reviewer);
    const links = harness.db.collection('review_links');
    const stored = await links.find({ traceId }).toArray();
    expect(stored).toHaveLength(2);
    expect(JSON.stringify(stored)).not.toContain(path.slice('/decide/'.length));
    const body = { ids: [mongoId] };
    assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
    await app.instance.consumers.runOnce();
    expect(await links.countDocuments({ traceId })).toBe(0);
    expect((await show(path)).html).toContain('No such link');
  });

  test('of a mailbox that no one has proved it needs a sign-in', async () => {
    await allow('token');
    const bob = await createMember(harness, ada, 'reviewer');
    const { path } = await holdAndMail(bob);
    const page = await show(path);
    expect(page.html).toContain('Sign in');
    expect(page.html).not.toContain('refund');
    await changeMembership(harness, bob, { isActive: false });
  });
});

describe('signed in, which is the default', () => {
  test('a link shows nothing of the decision before its person has signed in', async () => {
    const { traceId, path } = await holdAndMail(people.reviewer);
    const page = await show(path);
    expect([page.status, page.html]).toEqual([200, expect.stringContaining('Sign in')]);
    expect(omitRandom(page.html, path)).not.toMatch(/refund|120/);
    const refused = await submit(path, { decision: 'approve' });
    expect(refused.html).toContain('Sign in');
    expect(await readStatus(traceId)).toBe('pending');
    const wrong = await submit(`${path}/sign-in`, {
      email: people.reviewer.email,
      password: 'wrong password',
    });
    expect([wrong.status, wrong.headers.get('location')]).toEqual([
      302,
      `${path}?problem=credentials`,
    ]);
    const cookie = await signIn(path, people.reviewer);
    expect((await show(path, cookie)).html).toContain('refund');
    const verdict = await submit(path, { decision: 'approve' }, { cookie });
    expect(verdict.html).toContain('Approved by');
    const [audited] = await listAuditEntries(app, ada, 'action=review.decision');
    expect(audited).toMatchObject({ metadata: { traceId, via: 'link', proof: 'sign-in' } });
  });

  test('the cookie goes to these pages alone, and no script reads it', async () => {
    const { path } = await holdAndMail(people.reviewer);
    const { email } = people.reviewer;
    const { headers } = await submit(`${path}/sign-in`, { email, password: PASSWORD });
    const [cookie] = headers.getSetCookie();
    expect(cookie).toMatch(/^assay_review=.+; Max-Age=900; Path=\/decide; .*HttpOnly/);
    expect(cookie).toContain('SameSite=Strict');
  });

  test('a person with a second factor gives its code on the page, and decides only then', async () => {
    const bob = await createMember(harness, ada, 'reviewer');
    await verifyMailbox(harness, bob);
    const authenticator = await registerFactor(app, clock, bob.token);
    const { traceId, path } = await holdAndMail(bob);
    const step = await signIn(path, bob);
    expect(step).toMatch(/^assay_review_step=/);
    const asked = await show(path, step);
    expect(asked.html).toContain('name="code"');
    expect(omitRandom(asked.html, path)).not.toMatch(/refund|120/);
    const early = await submit(path, { decision: 'approve' }, { cookie: step });
    expect(early.html).toContain('name="code"');
    const sendCode = (code: string, cookie: string) =>
      submit(`${path}/sign-in`, { code }, { cookie });
    const wrong = await sendCode(authenticator.generateWrongCode(), step);
    expect([wrong.status, wrong.headers.get('location')]).toEqual([302, `${path}?problem=code`]);
    expect(await readStatus(traceId)).toBe('pending');
    const code = authenticator.generateNextCode();
    const [withoutStep] = (await sendCode(code, '')).headers.getSetCookie();
    expect(withoutStep ?? '').not.toMatch(/^assay_review=./);
    const [session = '', ended = ''] = (await sendCode(code, step)).headers.getSetCookie();
    expect(session).toMatch(/^assay_review=.+HttpOnly/);
    expect(ended).toMatch(/^assay_review_step=;/);
    const cookie = session.split(';', 1)[0] ?? '';
    expect((await show(path, cookie)).html).toContain('refund');
    const verdict = await submit(path, { decision: 'reject' }, { cookie });
    expect(verdict.html).toContain('Rejected by');
    expect(await readStatus(traceId)).toBe('rejected');
    const again = await sendCode(code, step);
    expect(again.headers.getSetCookie().join()).not.toMatch(/assay_review=[^;]/);
    await changeMembership(harness, bob, { isActive: false });
  });

  test('another person cannot use it, and neither can a stranger', async () => {
    const { traceId, path } = await holdAndMail(people.reviewer);
    const other = await signIn(path, ada);
    const page = await submit(path, { decision: 'approve' }, { cookie: other });
    expect([page.status, page.html]).toEqual([200, expect.stringContaining('another person')]);
    const stranger = await signIn(path, eve);
    expect((await show(path, stranger)).html).toContain('Sign in');
    expect(await readStatus(traceId)).toBe('pending');
  });

  test('a person whose role no longer decides is refused', async () => {
    const { traceId, path } = await holdAndMail(people.reviewer);
    const cookie = await signIn(path, people.reviewer);
    await changeMembership(harness, people.reviewer, { role: 'viewer' });
    const page = await submit(path, { decision: 'approve' }, { cookie });
    expect([page.status, page.html]).toEqual([200, expect.stringContaining('cannot decide')]);
    expect(await readStatus(traceId)).toBe('pending');
    await changeMembership(harness, people.reviewer, { role: 'reviewer' });
  });
});

test('managers hear that links decide without a sign-in', async () => {
  assertOk(await allow('token'));
  assertOk(await allow('token'));
  const notices = await harness.db
    .collection('notifications')
    .find({ title: 'Links in mails decide held decisions without a sign-in' })
    .toArray();
  expect(notices.map(({ type, userId }) => [type, String(userId)])).toEqual([
    ['security', ada.userId],
  ]);
});

test('where links are off, mails lead to the console', async () => {
  await allow('off');
  const { traceId } = await hold();
  await app.instance.consumers.runOnce();
  await deliver();
  const { text } = mail.findNewest(people.reviewer.email);
  expect(text).toContain(`/console/review/${traceId}`);
  expect(text).not.toContain('/decide/');
});

test.each(['x', 'A'.repeat(43), '%00', '..%2f..', 'a'.repeat(64)])(
  'an unknown link %s is a page that says so, and decides nothing',
  async (token) => {
    const path = `/decide/${token}`;
    for (const page of [await show(path), await submit(path, { decision: 'approve' })]) {
      expect([200, 400]).toContain(page.status);
      expect(page.html).toMatch(/No such link|VALIDATION_ERROR/);
    }
    const signedIn = await submit(`${path}/sign-in`, { email: 'a@example.com', password: 'b' });
    expect([302, 400]).toContain(signedIn.status);
  },
);
