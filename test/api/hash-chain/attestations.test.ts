// Attestations: queued with a change, appended to the ledger in order and once, and verified like everything in it.
import {
  deliverAttestation,
  queueAttestation,
} from '../../../src/evidence/hash-chain/attestations.service.ts';
import { mongo } from 'mongoose';
import { expect, it } from 'vitest';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { startApp } from '../../setup/start-app.ts';

const harness = useOwnHarness();
const ada = useOwner(harness);

const ASSESSMENT = '65f0000000000000000000c1';
const TRACE_ID = `assessment:${ASSESSMENT}`;
const about = (status: 'review' | 'approved', digit: string) => ({
  kind: 'assessment' as const,
  organizationId: ada.organizationId,
  workspaceId: null,
  actor: { kind: 'user' as const, id: ada.userId },
  assessmentId: ASSESSMENT,
  status,
  digest: digit.repeat(64),
});
const outbox = () => harness.db.collection('outbox');
const entries = () =>
  harness.db.collection('ledger').find({ traceId: TRACE_ID }).sort({ sequence: 1 }).toArray();
const get = async (path: string) =>
  assertOk(await harness.app.call('GET', `/api/v1/hash-chain${path}`, ada)).body.data;

it('attestations are appended once, in the order of the changes, and each names the one before', async () => {
  await harness.app.instance.platform.transaction(async () => {
    await queueAttestation(harness.app.instance.platform, about('review', 'a'), {
      approver: 'ada@example.com',
      none: null,
    });
    await queueAttestation(harness.app.instance.platform, about('approved', 'b'));
  });
  const rows = await outbox().find({ topic: 'attestation' }).sort({ _id: 1 }).toArray();
  const waiting = { topic: 'attestation', status: 'pending' };
  const run = () => harness.app.instance.runJobsOnce();
  await expect.poll(() => run().then(() => outbox().countDocuments(waiting))).toBe(0);
  expect(await outbox().countDocuments({ topic: 'attestation', attempts: 1 })).toBe(2);
  for (const row of rows) await deliverAttestation(harness.app.instance.platform, row as never);

  const [first, second, ...more] = await entries();
  expect(more).toEqual([]);
  expect(JSON.parse(first!.view)).toMatchObject({ status: 'review', after: null });
  expect(Object.keys(JSON.parse(first!.view).commitments)).toEqual(['approver']);
  expect(first!.view).not.toContain('ada@');
  const { sequence, chainHash } = first!;
  expect(JSON.parse(second!.view).after).toEqual({ sequence, chainHash });
});

it('attestations are shown with their record, and verify', async () => {
  const { entry, related } = await get(`/entry/${TRACE_ID}`);
  expect([entry.traceId, related.length]).toEqual([TRACE_ID, 1]);
  const verified = await harness.app.call('POST', '/api/v1/hash-chain/verify', ada);
  expect(assertOk(verified).body.data).toMatchObject({ verified: true, totalChecked: 2 });
});

it('attestations that an earlier version delayed or gave up are appended after the upgrade', async () => {
  const done = await outbox().findOne({ topic: 'attestation', status: 'done' });
  const stalled = (['pending', 'dead'] as const).map((status, n) => {
    const attested = { ...about('review', 'c'), assessmentId: `65f0000000000000000000d${n}` };
    const lane = `stalled ${status}`;
    const later = { status, attempts: 12, dueAt: new Date('2999-01-01'), lane };
    return Object.assign({}, done, later, {
      _id: new mongo.ObjectId(),
      payload: { attested, values: {} },
    });
  });
  await outbox().insertMany(stalled);
  await harness.db
    .collection<{ _id: string }>('migrations')
    .deleteOne({ _id: 'outbox-internal-rows-due' });
  const second = await startApp({}, { mongoUri: harness.mongoUri });
  const ids = stalled.map(({ payload }) => `assessment:${payload.attested.assessmentId}`);
  const appended = () => harness.db.collection('ledger').countDocuments({ traceId: { $in: ids } });
  await expect.poll(appended).toBe(2);
  await second.stop();
});

it('an attestation that names another entry than the newest is a break', async () => {
  const [, second] = await entries();
  const { _id } = second!;
  const forged = second!.view.replace(/"after":\{[^}]*\}/, '"after":null');
  await harness.db.collection('ledger').updateOne({ _id }, { $set: { view: forged } });
  const verified = await harness.app.call('POST', '/api/v1/hash-chain/verify', ada);
  expect(assertOk(verified).body.data).toMatchObject({ verified: false, brokenAtSequence: 2 });
  await harness.db.collection('ledger').updateOne({ _id }, { $set: { view: second!.view } });
});

it(
  'many attestations of one record are all appended, in order, within seconds',
  { tags: ['long'] },
  async () => {
    const app = harness.app;
    const path = '/api/v1/compliance/mapping';
    const statuses = ['covered', 'partial', 'gap'] as const;
    const attest = async (n: number) => {
      const body = {
        framework: 'iso-42001',
        clauseId: '4.1',
        status: statuses[n % 3],
        evidence: `${n}`,
      };
      return assertOk(await app.call('PATCH', path, { token: ada.token, body })).body.data.note;
    };
    const answered: { status: string; reviewedAt: string }[] = [];
    for (let n = 0; n < 20; n++) answered.push(await attest(n));
    const chain = () =>
      harness.db
        .collection('ledger')
        .find({ kind: 'compliance' })
        .sort({ sequence: 1 })
        .toArray()
        .then((found) => found.map(({ view }) => JSON.parse(view as string).status as string));
    await expect.poll(chain).toHaveLength(20);
    expect(await chain()).toEqual(answered.map(({ status }) => status));
  },
);

it('an attestation that cannot be appended delays later ones of its record, and none of another', async () => {
  const other = '65f0000000000000000000c2';
  const { ledger, transaction } = harness.app.instance.platform;
  const append = ledger.attestations.append;
  let fails = true;
  ledger.attestations.append = (attested, ...rest) =>
    fails && 'assessmentId' in attested && attested.assessmentId === ASSESSMENT
      ? Promise.reject(new Error('no database'))
      : append(attested, ...rest);
  const run = () => harness.app.instance.outboxWorkers.internal.deliverDue();
  const waiting = { topic: 'attestation', status: 'pending' };
  await transaction(async () => {
    for (const digit of ['c', 'd', 'e'])
      await queueAttestation(harness.app.instance.platform, about('review', digit));
    await queueAttestation(
      harness.app.instance.platform,
      Object.assign(about('review', 'f'), { assessmentId: other }),
    );
  });
  await expect.poll(() => run().then(() => outbox().countDocuments(waiting))).toBe(3);
  expect(await entries()).toHaveLength(2);
  fails = false;
  await expect.poll(() => run().then(() => outbox().countDocuments(waiting))).toBe(0);
  ledger.attestations.append = append;
  const digests = (await entries()).slice(2).map(({ view }) => JSON.parse(view).digest[0]);
  expect(digests).toEqual(['c', 'd', 'e']);
});
