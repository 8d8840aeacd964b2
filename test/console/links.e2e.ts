// Every link that leaves the service, in an answer, a mail, a chat or a notice, opens what it is about.
import { resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { groupBy } from '../../src/domain/group-by.ts';
import { useFixture, useHarness } from '../setup/fixtures.ts';
import { createMember } from '../setup/harness.ts';
import { assertOk, type Owner } from '../setup/personas.ts';
import { holdMail, startMailServer } from '../setup/providers/mail-server.ts';
import { startReceiver } from '../setup/providers/receiver.ts';
import { useChromium } from './setup/chromium.ts';
import { useCompany } from './setup/company.ts';
import { settlePage } from './setup/page-checks.ts';
import { createRefund, postDecision } from './setup/shop.ts';
import { openConsole } from './setup/visit.ts';

const DAY = 86_400_000;
let ahead = 0;
const receiver = useFixture(startReceiver, (one) => one.close());
const mail = useFixture(startMailServer, (server) => server.close());
const settings = () => ({ ASSAY_OUTBOUND_ALLOW: receiver.host, SMTP_URL: mail.url });
const harness = useHarness(settings, {
  consoleFolder: resolve('dist/console'),
  clock: { now: () => new Date(Date.now() + ahead) },
});
const { app } = harness;
const company = useCompany(harness, receiver);
const chromium = useChromium();
let reviewer: Owner;
let deliver: () => Promise<number>;

const post = async (path: string, body: object, { token }: { token: string } = company) =>
  assertOk(await app.call('POST', path, { token, body })).body.data;
/** With the key of an agent. */
const ask = (path: string, body: object) => app.call('POST', path, { key: company.key, body });

beforeAll(async () => {
  ({ deliver } = await holdMail(harness));
  reviewer = await createMember(harness, company, 'reviewer');
  await post('/api/v1/alerts', {
    name: 'Something is held',
    severity: 'critical',
    condition: { field: 'status', operator: 'eq', value: 'flagged' },
    actions: [
      { type: 'chat', target: `${receiver.url}/chat` },
      { type: 'email', target: company.email },
    ],
  });
  await post('/api/v1/alerts', {
    name: 'Something is approved',
    severity: 'info',
    condition: { field: 'status', operator: 'eq', value: 'approved' },
    actions: [{ type: 'chat', target: `${receiver.url}/approved` }],
  });
});

/** What a page says that leads nowhere. */
const DEAD = /There is no such page|is not in the list|does not exist|NOT_FOUND|not found/i;

/** Opens an address as the owner; returns its text. */
async function open(url: string): Promise<{ text: string; path: string }> {
  const { page, close } = await openConsole(chromium.browser, app, { token: company.token });
  // The installation's own name stands for the instance of the test.
  const { pathname, search, hash } = new URL(url, app.url);
  const answer = await page.goto(`${pathname}${search}${hash}`);
  expect(answer?.status(), url).toBeLessThan(400);
  if (new URL(page.url()).pathname.startsWith('/console')) await settlePage(page);
  const text = await page.innerText('body');
  const path = new URL(page.url()).pathname;
  await close();
  expect(text, url).not.toMatch(DEAD);
  return { text, path };
}

const findLinks = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/https?:\/\/[^\s"'<>()|\\]+/g)]
      .map(([url]) => url.replaceAll('&amp;', '&'))
      .filter((url) => !url.startsWith(receiver.url) && !/\.(example|org)\b/.test(url)),
  ),
];

const HOLDS: Readonly<Record<string, () => Promise<string>>> = {
  'POST /traces': async () =>
    (await ask('/api/v1/traces', createRefund())).body.data.links.review as string,
  'a batch': async () =>
    (await ask('/api/v1/traces/batch', { decisions: [createRefund()] })).body.data.results[0].data
      .links.review as string,
  AuthZEN: async () =>
    (
      await ask('/access/v1/evaluation', {
        subject: { type: 'user', id: 'alice' },
        action: { name: 'refund_payment', properties: { amount: 12 } },
        resource: { type: 'order', id: 'SO-1' },
      })
    ).body.context.review.page as string,
};
test.each(Object.entries(HOLDS))('the answer of %s leads to the hold', async (_name, hold) => {
  const { text } = await open(await hold());
  expect(text).toContain('refund_payment');
  expect(text).toContain('Approve');
});

test('mails, chats and notices about holds lead to them', async () => {
  const { traceId } = await postDecision(app, company.key, createRefund());
  await postDecision(app, company.key, {
    agentId: 'shop-support',
    inputContext: { prompt: 'Where is my parcel?' },
    outputDecision: { action: { tool: 'get_order', arguments: { order_id: 'SO-47110' } } },
  });
  const { review } = (await app.call('GET', `/api/v1/traces/${traceId}`, { token: company.token }))
    .body.data;
  await app.instance.runJobsOnce();
  const path = `/api/v1/review-queue/${review._id}`;
  const call = (below: string, method: 'PATCH' | 'POST', body: object) =>
    app.call(method, path + below, { token: reviewer.token, body }).then(assertOk);
  await call('/assign', 'PATCH', { assignedTo: company.userId });
  await call('/escalate', 'POST', { escalateTo: company.userId, reason: 'A large one' });
  ahead = 3 * DAY;
  await app.instance.runJobsOnce();
  while ((await deliver()) > 0) await app.instance.runJobsOnce();
  ahead = 0;
  const { body } = await app.call('GET', '/api/v1/notifications?limit=100', {
    token: company.token,
  });
  const notices = (body.data as { link: string | null; event?: string }[]).filter(
    ({ event }) => event,
  );
  expect(notices.length).toBeGreaterThan(2);
  expect(notices.filter(({ link }) => link === null)).toEqual([]);
  const mails = mail.received.flatMap(({ text = '', html = '' }) => findLinks(text + html));
  const cards = receiver.received.flatMap(({ text }) => findLinks(text));
  expect(mails.length).toBeGreaterThan(3);
  expect(cards.length).toBeGreaterThan(1);
  const links = [...notices.map(({ link }) => link ?? ''), ...mails, ...cards];
  const kinds = groupBy(new Set(links), (link) => link.replaceAll(/[\w-]{20,}/g, 'ID'));
  expect(kinds.size).toBeGreaterThan(4);
  for (const [, [newest = '', ...older]] of kinds)
    for (const link of [newest, ...older.slice(-1)]) await open(link);
});

test('mails about accounts lead to their pages', async () => {
  mail.received.length = 0;
  for (const path of ['forgot-password', 'magic-link'])
    assertOk(await app.call('POST', `/api/v1/auth/${path}`, { body: { email: company.email } }));
  await post('/api/v1/team/invite', { email: 'grace@guests.test', role: 'member' });
  while ((await deliver()) > 0) await app.instance.runJobsOnce();
  const links = mail.received.flatMap(({ text = '', html = '' }) => findLinks(text + html));
  expect(new Set(links.map((link) => new URL(link).pathname)).size).toBeGreaterThanOrEqual(3);
  for (const link of new Set(links)) await open(link);
});

test.each([
  ['/keep-organization#organization=0123456789abcdef01234567', '/console/settings/organization'],
  ['/console/review', '/console/review'],
  ['/console/policies', '/console/policies'],
  ['/console/incidents', '/console/incidents'],
  ['/console/device', '/console/device'],
])('%s leads to a page', async (link, page) => {
  const { path } = await open(link);
  expect(path).toBe(page);
});
