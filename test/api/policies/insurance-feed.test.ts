// The insurance feed over HTTP: the month in counts, released by organisations that opted in (document 2, section 4.2).
import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { canonicalize } from '@assay/json';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import {
  createFeedbackKey,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const path = '/api/v1/policies/insurance-feed';
const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
let key: string;
let feedbackKey: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  feedbackKey = await createFeedbackKey(app, ada);
});

const generate = ({ token }: Owner = ada): Promise<Answer> => app.call('GET', path, { token });
const release = ({ token }: Owner = ada): Promise<Answer> => app.call('POST', path, { token });
const optIn = (enabled: boolean): Promise<Answer> =>
  app.call('PATCH', '/api/v1/organization', {
    token: ada.token,
    body: { insuranceFeed: { enabled } },
  });
async function post(action: string): Promise<string> {
  const body = buildDecision('till', { outputDecision: { action } });
  return (await app.call('POST', '/api/v1/traces', { key, body })).body.data.traceId;
}

test('the feed of a new organisation has only zeros', async () => {
  expect(assertOk(await generate(eve)).body.data).toMatchObject({
    format: 'assay-insurance-feed',
    version: 1,
    organizationId: eve.organizationId,
    decisions: { total: 0, approved: 0, flagged: 0, blocked: 0 },
    oversight: { judged: 0, pendingReviews: 0 },
    policies: { enabled: 0, changes: 0, approvalRequired: false, unreviewed: 0 },
    incidents: { opened: 0, closed: 0, open: 0, breached: 0 },
    record: { chainHash: null, verifiedAt: null, isWhole: null },
  });
});

test('the feed has the counts of the month, the head of the chain, and a digest', async () => {
  for (const [action, type] of [
    ['hold', 'flag_for_review'],
    ['stop', 'block'],
  ]) {
    const conditions = [{ field: 'outputDecision.action', operator: 'equals', value: action }];
    const body = { name: action, conditions, actions: [{ type }] };
    assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body }));
  }
  await post('reply');
  const missed = await post('reply');
  await post('hold');
  await post('stop');
  const verdict = { traceId: missed, correctedDecision: 'ask' };
  assertOk(await app.call('POST', '/api/v1/cpi/ingest', { key: feedbackKey, body: verdict }));
  const incident = { title: 'Leak', severity: 'high', category: 'other' };
  assertOk(await app.call('POST', '/api/v1/incidents', { token: ada.token, body: incident }));
  await app.instance.runJobsOnce();
  const { data } = assertOk(await generate()).body;
  const now = new Date();
  const month = now.toISOString().slice(0, 7);
  expect(data).toMatchObject({
    organizationId: ada.organizationId,
    period: { month, from: `${month}-01T00:00:00.000Z` },
    decisions: { total: 4, approved: 2, flagged: 1, blocked: 1 },
    oversight: { judged: 1, misses: 1, overridden: 1, pendingReviews: 1 },
    policies: { enabled: 2, changes: 2 },
    incidents: { opened: 1, closed: 0, open: 1, breached: 0 },
    record: { chainHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  const { digest, generatedAt, ...facts } = data;
  expect(Date.parse(generatedAt)).toBeLessThanOrEqual(Date.now());
  expect(digest).toBe(createHash('sha256').update(canonicalize(facts)).digest('hex'));
  expect(assertOk(await generate()).body.data.digest).toBe(digest);
  const organizationId = toObjectId(ada.organizationId);
  const last = { organizationId, createdAt: new Date(now.getTime() - 40 * 86_400_000) };
  await harness.db.collection('policy_revisions').insertOne(last);
  expect(assertOk(await generate()).body.data.policies.changes).toBe(2);
});

test('releasing requires an opt-in and is audited; looking is not audited', async () => {
  expect(await release()).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  expect(assertOk(await optIn(true)).body.data.insuranceFeed).toEqual({ enabled: true });
  const before = await listAuditEntries(app, ada, 'limit=200');
  assertOk(await generate());
  expect(await listAuditEntries(app, ada, 'limit=200')).toHaveLength(before.length);
  const { data } = assertOk(await release()).body;
  const [entry, refused] = await listAuditEntries(app, ada, 'action=policy.insurance_feed');
  expect(entry).toMatchObject({
    status: 'success',
    metadata: { month: data.period.month, digest: data.digest },
  });
  expect(refused).toMatchObject({ status: 'failure' });
  assertOk(await optIn(false));
  expect((await release()).status).toBe(403);
});

test('only owners and admins see the feed', async () => {
  for (const role of ['member', 'viewer', 'auditor']) {
    const who = await createMember(harness, ada, role);
    expect((await generate(who)).status).toBe(403);
    expect((await release(who)).status).toBe(403);
  }
  expect((await generate(await createMember(harness, ada, 'admin'))).status).toBe(200);
});
