// Purging: permissions, what is erased, what stays, and the audit entry (document 2, section 4.1).
import { beforeEach, expect, test } from 'vitest';
import { toWordSegment } from '../../../src/decisions/traces/search/word-segments.ts';
import type { WordSegmentDocument } from '../../../src/decisions/traces/search/word-segments.model.ts';
import { unpackDecisions } from '../../../src/domain/search/word-segment.ts';
import { useHarness } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import {
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../setup/personas.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import { type Answer, toOutcome } from '../../setup/start-app.ts';

const clock = new MovedClock();
const harness = useHarness({}, { clock });
const { app } = harness;
const DAY_MS = 24 * 3600 * 1000;
let ada: Owner;
let key: string;
beforeEach(async () => {
  clock.aheadMs = 0;
  ada = await createOwner(app);
  ({ key } = await createWorkspaceKey(app, ada));
});

const post = async (by = key): Promise<string> =>
  assertOk(await app.call('POST', '/api/v1/traces', { key: by, body: buildDecision('x') })).body
    .data.traceId;
const purge = (before: unknown, { token } = ada, headers = {}): Promise<Answer> =>
  app.call('POST', '/api/v1/traces/purge', { token, headers, body: { before } });
const left = async (): Promise<string[]> => {
  const { data } = assertOk(await app.call('GET', '/api/v1/traces', { token: ada.token })).body;
  return (data as { traceId: string }[]).map(({ traceId }) => traceId);
};
const createdAt = async (traceId: string): Promise<Date> =>
  (await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' }))?.createdAt as Date;

test('erases the content of decisions recorded before the date, keeps later ones, and the chain verifies', async () => {
  const early = [await post(), await post()];
  const late = await post();
  const before = (await createdAt(late)).toISOString();
  expect(assertOk(await purge(before)).body.data).toEqual({ before, purged: 2, hasMore: false });
  expect(await left()).toEqual([late]);
  for (const traceId of early) {
    const row = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
    expect(row).toMatchObject({ sealed: { inputContext: null, outputDecision: null } });
    expect(row).not.toHaveProperty('content');
  }
  await app.instance.runJobsOnce();
  const found = await app.instance.platform.models.wordSegments
    .find({ organizationId: ada.organizationId })
    .lean<WordSegmentDocument[]>();
  const searched = found.flatMap((segment) => [...unpackDecisions(toWordSegment(segment))]);
  const kept = await harness.db.collection('ledger').findOne({ traceId: late, kind: 'trace' });
  expect(searched.map(({ sequence }) => sequence)).toEqual([kept?.sequence]);
  const verified = await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token });
  expect(assertOk(verified).body.data).toMatchObject({ ok: true, totalChecked: 5 });
  expect(assertOk(await purge(before)).body.data.purged).toBe(0);
  const [again, first] = await listAuditEntries(app, ada, 'action=trace.purge');
  expect(first).toMatchObject({ userId: ada.userId, metadata: { before, purged: 2 } });
  expect(again).toMatchObject({ metadata: { purged: 0 } });
});

test('purges only the chosen workspace, and no other organisation', async () => {
  const { data: other } = assertOk(
    await app.call('POST', '/api/v1/workspaces', { token: ada.token, body: { name: 'other' } }),
  ).body;
  const { key: others } = await createWorkspaceKey(app, ada, { workspaceId: other._id });
  const eve = await createOwner(app, 'Eve');
  const { key: eves } = await createWorkspaceKey(app, eve);
  const [home, away] = [await post(), await post(others)];
  await post(eves);
  const before = clock.now().toISOString();
  const narrow = await purge(before, ada, { 'x-workspace-id': other._id });
  expect(assertOk(narrow).body.data.purged).toBe(1);
  expect(await left()).toEqual([home]);
  expect(away).not.toBe(home);
  expect(assertOk(await purge(before)).body.data.purged).toBe(1);
  const organizationId = toObjectId(eve.organizationId);
  const kept = await harness.db.collection('ledger').findOne({ organizationId, kind: 'trace' });
  expect(kept?.deletedAt ?? null).toBeNull();
  expect(kept?.sealed.inputContext).not.toBeNull();
});

test('a bare date means its beginning; days to come and other values are refused', async () => {
  const early = await post();
  const today = (await createdAt(early)).toISOString().slice(0, 10);
  expect(assertOk(await purge(today)).body.data.purged).toBe(0);
  for (const before of [
    new Date(clock.now().getTime() + DAY_MS).toISOString(),
    '2062-01-01',
    'yesterday',
    17,
    null,
    undefined,
  ])
    expect(toOutcome(await purge(before)), String(before)).toEqual([400, 'VALIDATION_ERROR']);
  expect(await left()).toEqual([early]);
});

test('only the owner may purge; a refusal is audited', async () => {
  const admin = await createMember(harness, ada, 'admin');
  expect(toOutcome(await purge('2020-01-01', admin))).toEqual([403, 'FORBIDDEN']);
  const [refused] = await listAuditEntries(app, ada, 'action=trace.purge');
  expect(refused).toMatchObject({ status: 'failure', userId: admin.userId });
});
