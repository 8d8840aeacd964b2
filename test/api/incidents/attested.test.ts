// Approvals of assessments and completions of checkpoints are entries of the decision ledger, once each, and verify with it.
import { createHash } from 'node:crypto';
import canonical from 'canonicalize';
import { expect, test } from 'vitest';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);

const call = async (method: string, path: string, body?: object): Promise<Answer['body']> =>
  assertOk(await app.call(method, `/api/v1${path}`, { token: ada.token, ...(body && { body }) }))
    .body.data;
const entriesAbout = async (traceId: string): Promise<Record<string, unknown>[]> => {
  const found = harness.db.collection('ledger').find({ traceId }).sort({ sequence: 1 });
  return (await found.toArray()).map(
    ({ view }) => JSON.parse(view as string) as Record<string, unknown>,
  );
};
const verified = () => call('POST', '/hash-chain/verify');

test('every approval of an assessment names its anchor, and the approval before', async () => {
  const { id } = await call('POST', '/fria', { systemName: 'Scoring', purpose: 'To score' });
  await call('POST', `/fria/${id}/submit`);
  const first = await call('POST', `/fria/${id}/approve`);
  await call('POST', `/fria/${id}/transition`, { status: 'draft' });
  await call('PATCH', `/fria/${id}`, { purpose: 'To rank' });
  await call('POST', `/fria/${id}/submit`);
  const second = await call('POST', `/fria/${id}/approve`);
  await app.instance.runJobsOnce();
  await expect
    .poll(async () => {
      await harness.db.collection('outbox').updateMany({}, { $set: { dueAt: new Date(0) } });
      await app.instance.runJobsOnce();
      return (await entriesAbout(`assessment:${id}`)).length;
    })
    .toBe(2);
  const [one, two] = await entriesAbout(`assessment:${id}`);
  const common = { kind: 'assessment', assessmentId: id, status: 'approved', workspaceId: null };
  const actor = { kind: 'user', id: ada.userId };
  expect(one).toMatchObject({ ...common, actor, digest: first.chainHash, after: null });
  expect(two).toMatchObject({ ...common, actor, digest: second.chainHash, after: { sequence: 1 } });
  expect(JSON.stringify([one, two])).not.toContain('To ');
  expect(await verified()).toMatchObject({ verified: true, totalChecked: 2 });
});

test('a completed checkpoint is an entry that names a digest of its record', async () => {
  const body = { title: 'Leak', regulators: [{ code: 'gdpr' }, { code: 'nis2' }] };
  const { id } = await call('POST', '/incidents', body);
  const evidence = {
    evidenceTraceId: 'trc_1',
    evidenceUrl: 'https://example.com/r',
    notes: 'Ünter',
  };
  const { clocks } = await call('POST', `/incidents/${id}/checkpoints/cp-1/complete`, evidence);
  await app.call('POST', `/api/v1/incidents/${id}/checkpoints/cp-1/complete`, {
    token: ada.token,
    body: {},
  });
  await app.instance.runJobsOnce();
  const [entry, ...more] = await entriesAbout(`checkpoint:${id}:nis2:early`);
  expect(more).toEqual([]);
  const [, { checkpoints, regulator, articleRef, ruleVersion, clockStartedAt }] = clocks;
  const { id: _, ...completed } = checkpoints[0];
  const record = {
    incidentId: id,
    regulator,
    articleRef,
    ruleVersion,
    clockStartedAt,
    ...completed,
  };
  expect(entry).toMatchObject({
    kind: 'checkpoint',
    incidentId: id,
    regulator: 'nis2',
    checkpoint: 'early',
    rulesVersion: 'nis2-2024-10-18',
    workspaceId: ada.workspaceId,
    actor: { kind: 'user', id: ada.userId },
    digest: createHash('sha256')
      .update(canonical(record) ?? '')
      .digest('hex'),
  });
  expect(Object.keys(entry?.commitments as object).sort()).toEqual(['completedBy', 'notes']);
  expect(await verified()).toMatchObject({ verified: true, totalChecked: 3 });
});
