// Erasure on request over HTTP: acknowledged, executed once, certified; values are gone and chains still verify.
// @module-tag long
import { createHash, createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { readLines, verifyBundle } from '@assay/verifier';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import {
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';
import { resumeInterrupted } from '../../../src/evidence/erasure/erasure-execution.service.ts';

const at = '/api/v1/erasure';
const CANARY = 'canary-of-the-erased';
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };
const harness = useHarness(
  { ASSAY_ERASURE_MAX: '3' },
  { clock, subscribesToEvents: () => Promise.resolve(true) },
);
const { app } = harness;
const ada = useOwner(harness);

const call = (path: string, body: object, { token } = ada): Promise<Answer> =>
  app.call('POST', `${at}/${path}`, { token, body });
const acknowledge = (traceIds: string[], who?: Owner): Promise<Answer> =>
  call('acknowledge', { traceIds, reason: `${CANARY} asked for it` }, who);
const execute = ({ body }: Answer, who?: Owner): Promise<Answer> => {
  const { acknowledgementId, impactDigest } = body.data;
  return call('execute', { acknowledgementId, impactDigest }, who);
};

/** A decision that is held for review and full of the mark; its answer. */
async function marked(who = ada): Promise<{ traceId: string; id: string }> {
  const { key } = await createWorkspaceKey(app, who);
  const body = buildDecision(`${CANARY}-agent`, {
    inputContext: { prompt: CANARY, n: Math.random() },
    outputDecision: { action: 'refund', rationale: CANARY },
    triggeringCondition: CANARY,
    metadata: { note: CANARY },
  });
  const { traceId } = assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body.data;
  const found = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  return { traceId, id: String(found?._id) };
}

const hold = ({ token }: Owner): Promise<Answer> =>
  app.call('POST', '/api/v1/policies', {
    token,
    body: {
      name: 'Hold',
      conditions: [{ field: 'outputDecision.action', operator: 'equals', value: 'refund' }],
      actions: [{ type: 'flag_for_review', config: { reason: 'refunds are looked at' } }],
    },
  });

/** The collections that contain a decision's mark, except those that store the reason of an erasure. */
async function remains(traceId: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await harness.db.listCollections().toArray()) {
    const rows = await harness.db.collection(name).find().toArray();
    const about = rows.filter((row) => JSON.stringify(row).includes(traceId));
    const telling = about.filter((row) => JSON.stringify(row).includes(CANARY));
    if (telling.length > 0) found.push(name);
  }
  return found.filter((name) => name !== 'erasures');
}

async function exported(): Promise<string> {
  const path = '/api/v1/hash-chain/export?fromSequence=1&disclose=inputContext,outputDecision';
  return assertOk(await app.call('GET', path, ada)).text;
}
const verified = async (text: string) => verifyBundle(readLines(chunksOf(text)));
async function* chunksOf(text: string): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from(text));
}

test('erases what was acknowledged, everywhere, and certifies it', async () => {
  assertOk(await hold(ada));
  const { traceId, id } = await marked();
  const other = await marked();
  await app.instance.runJobsOnce();
  expect(await remains(traceId)).toEqual(expect.arrayContaining(['ledger', 'outbox']));
  const before = await exported();
  expect(before).toContain(CANARY);

  const acknowledged = assertOk(await acknowledge([traceId, traceId]));
  expect(acknowledged.body.data).toEqual({
    acknowledgementId: expect.stringMatching(/^[0-9a-f]{24}$/),
    impactDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
    expiresAt: expect.any(String),
    // The event, and the mail to those who may decide.
    counts: { decisions: 1, values: expect.any(Number), reviewItems: 1, outboxRows: 2 },
    found: null,
  });
  const done = assertOk(await execute(acknowledged)).body.data;
  expect(done).toMatchObject({ status: 'executed', executedBy: ada.userId });
  expect(await remains(traceId)).toEqual([]);
  await app.instance.runJobsOnce();

  expect(await remains(traceId)).toEqual([]);
  expect(await remains(other.traceId)).toContain('ledger');
  expect(toOutcome(await app.call('GET', `/api/v1/traces/${id}`, ada))).toEqual([404, 'NOT_FOUND']);
  const search = await app.call('GET', `/api/v1/traces?search=${CANARY}`, ada);
  expect(assertOk(search).body.data.map((one: { traceId: string }) => one.traceId)).toEqual([
    other.traceId,
  ]);
  const queue = assertOk(await app.call('GET', '/api/v1/review-queue', ada)).text;
  expect([queue.includes(traceId), queue.includes(other.traceId)]).toEqual([false, true]);

  const chain = assertOk(await app.call('POST', '/api/v1/hash-chain/verify', ada)).body.data;
  expect(chain).toMatchObject({ verified: true, payload: { mismatched: [], missing: [] } });
  for (const text of [before, await exported()]) {
    const { verdict, problems } = await verified(text);
    expect([verdict, problems.map(({ code }) => code)]).toEqual(['cannot tell', ['not-vouched']]);
  }
});

test('the certificate is signed, names the tombstones, and is an entry of the ledger', async () => {
  const { traceId } = await marked();
  const done = assertOk(await execute(assertOk(await acknowledge([traceId])))).body.data;
  await app.instance.runJobsOnce();
  const [header, payload, signature] = done.signature.split('.') as [string, string, string];
  expect(Buffer.from(payload, 'base64url').toString()).toBe(done.certificate);
  const { keys } = (await app.call('GET', '/.well-known/jwks.json')).body;
  const jwk = keys.find(({ kid }: { kid: string }) => kid === done.signerKid);
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const bytes = Buffer.from(`${header}.${payload}`);
  const signed = Buffer.from(signature, 'base64url');
  expect(verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, signed)).toBe(true);

  const tombstone = await harness.db.collection('ledger').findOne({ traceId, kind: 'erasure' });
  const { sequence, chainHash } = tombstone!;
  expect(JSON.parse(tombstone!.view)).toMatchObject({ cause: 'request' });
  const list = JSON.stringify([{ chainHash, sequence, traceId }]);
  expect(JSON.parse(done.certificate)).toEqual({
    format: 'assay-erasure-certificate',
    version: 1,
    organizationId: ada.organizationId,
    erasureId: done.acknowledgementId,
    impactDigest: done.impactDigest,
    executedAt: done.executedAt,
    decisions: 1,
    firstSequence: sequence,
    lastSequence: sequence,
    tombstonesDigest: createHash('sha256').update(list).digest('hex'),
  });
  const entry = await harness.db
    .collection('ledger')
    .findOne({ traceId: `certificate:${done.acknowledgementId}` });
  const view = JSON.parse(entry!.view);
  const digest = createHash('sha256').update(done.certificate).digest('hex');
  expect([view.kind, view.digest, Object.keys(view.commitments)]).toEqual([
    'certificate',
    digest,
    ['reason'],
  ]);
  const read = assertOk(await app.call('GET', `${at}/${done.acknowledgementId}`, ada)).body.data;
  // The words are gone when the search has followed.
  const left = {
    data: 0,
    searchWords: 0,
    vectors: 0,
    outbox: 0,
    mails: 0,
    keyStore: 0,
    exports: [],
  };
  const openedBy = { epoch: 0, from: null, until: null, openedBy: 'encryption-key' };
  expect(read).toEqual({ ...done, copies: { ...left, backups: [openedBy] } });
  for (const action of ['erasure.acknowledge', 'erasure.execute'])
    expect((await listAuditEntries(app, ada, `action=${action}`))[0]).toMatchObject({
      status: 'success',
      resourceId: done.acknowledgementId,
      metadata: { impactDigest: done.impactDigest },
    });
});

test(
  'an erasure is executed once, also by two concurrent requests',
  { tags: ['long'] },
  async () => {
    const { traceId } = await marked();
    const acknowledged = assertOk(await acknowledge([traceId]));
    const answers = await Promise.all([execute(acknowledged), execute(acknowledged)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(toOutcome(await execute(acknowledged))).toEqual([400, 'INVALID_OPERATION']);
    const where = { traceId, kind: 'erasure' };
    expect(await harness.db.collection('ledger').countDocuments(where)).toBe(1);
  },
);

test('changed decisions, another digest and a late execution are refused', async () => {
  const { traceId } = await marked();
  const acknowledged = assertOk(await acknowledge([traceId]));
  const { acknowledgementId } = acknowledged.body.data;
  const impactDigest = 'a'.repeat(64);
  const other = await call('execute', { acknowledgementId, impactDigest });
  expect(toOutcome(other)).toEqual([400, 'INVALID_OPERATION']);
  const body = { ids: [await idOf(traceId)], status: 'approved' };
  assertOk(await app.call('POST', '/api/v1/traces/bulk-status', { token: ada.token, body }));
  expect(toOutcome(await execute(acknowledged))).toEqual([409, 'CONFLICT']);
  const again = assertOk(await acknowledge([traceId]));
  aheadMs = 15 * 60_000;
  expect(toOutcome(await execute(again))).toEqual([400, 'INVALID_OPERATION']);
  aheadMs = 0;
  expect(await remains(traceId)).toContain('ledger');
});

test('one unknown, deleted or foreign decision refuses the whole erasure', async () => {
  const { traceId } = await marked();
  const bob = await createOwner(app, 'Bob');
  const foreign = await marked(bob);
  const deleted = await marked();
  const body = { ids: [await idOf(deleted.traceId)] };
  assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
  for (const bad of ['trc_unknown', foreign.traceId, deleted.traceId])
    expect(toOutcome(await acknowledge([traceId, bad])), bad).toEqual([404, 'NOT_FOUND']);
  const theirs = assertOk(await acknowledge([foreign.traceId], bob));
  expect(toOutcome(await execute(theirs))).toEqual([404, 'NOT_FOUND']);
  expect(await remains(foreign.traceId)).toContain('ledger');
});

test('a caller who chose a workspace erases its decisions, and those of no other', async () => {
  const { token } = ada;
  const made = await app.call('POST', '/api/v1/workspaces', { token, body: { name: 'Other' } });
  const other = assertOk(made).body.data._id as string;
  const { traceId } = await marked();
  const body = { traceIds: [traceId], reason: 'asked for' };
  const acknowledgeIn = (workspaceId: string): Promise<Answer> =>
    app.call('POST', `${at}/acknowledge`, {
      token,
      body,
      headers: { 'x-workspace-id': workspaceId },
    });
  expect(toOutcome(await acknowledgeIn(other))).toEqual([404, 'NOT_FOUND']);
  assertOk(await acknowledgeIn(ada.workspaceId));
});

test('an erasure has a maximum size, and needs the owner', async () => {
  const ids = ['a', 'b', 'c', 'd'];
  expect(toOutcome(await acknowledge(ids))).toEqual([400, 'ERASURE_BATCH_TOO_LARGE']);
  expect(toOutcome(await acknowledge(ids.slice(0, 3)))).toEqual([404, 'NOT_FOUND']);
  expect(toOutcome(await acknowledge([]))).toEqual([400, 'VALIDATION_ERROR']);
  const admin = await createMember(harness, ada, 'admin');
  expect(toOutcome(await acknowledge(['a'], admin))).toEqual([403, 'FORBIDDEN']);
});

test(
  'an erasure interrupted by a crash is finished and certified',
  { tags: ['long'] },
  async () => {
    const { traceId } = await marked();
    const { acknowledgementId } = assertOk(await acknowledge([traceId])).body.data;
    const _id = toObjectId(acknowledgementId);
    const left = {
      status: 'executing',
      executingSince: new Date(Date.now() - 3_600_000),
      executedBy: toObjectId(ada.userId),
    };
    await harness.db.collection('erasures').updateOne({ _id }, { $set: left });
    await app.instance.runJobsOnce();
    await app.instance.runJobsOnce();
    expect(await remains(traceId)).toEqual([]);
    const { data } = assertOk(await app.call('GET', `${at}/${acknowledgementId}`, ada)).body;
    expect(data).toMatchObject({ status: 'executed', signature: expect.any(String) });
    const certificates = { traceId: `certificate:${acknowledgementId}` };
    expect(await harness.db.collection('ledger').countDocuments(certificates)).toBe(1);
  },
);

test('an interrupted erasure is finished at once if its instance is gone, and left alone if it is alive', async () => {
  const instances = harness.db.collection<{ _id: string }>('instances');
  const beat = (_id: string, until: number) =>
    instances.updateOne({ _id }, { $set: { until: new Date(until) } }, { upsert: true });
  const { traceId } = await marked();
  const { acknowledgementId } = assertOk(await acknowledge([traceId])).body.data;
  const left = {
    status: 'executing',
    executingSince: new Date(),
    executedBy: toObjectId(ada.userId),
    executingInstance: 'another',
  };
  const where = { _id: toObjectId(acknowledgementId) };
  await harness.db.collection('erasures').updateOne(where, { $set: left });
  const statusOf = async () =>
    (
      assertOk(await app.call('GET', `${at}/${acknowledgementId}`, ada)).body.data as {
        status: string;
      }
    ).status;
  const { platform } = app.instance;
  await beat('another', Date.now() + 60_000);
  await resumeInterrupted(platform);
  expect(await statusOf()).toBe('executing');
  await beat('another', Date.now() - 1);
  await resumeInterrupted(platform);
  expect(await statusOf()).toBe('executed');
});

test('each of two erasures gets its own certificate, and a failing one delays no other', async () => {
  const erasures = harness.db.collection('erasures');
  const [first, second, third] = [await marked(), await marked(), await marked()];
  await app.instance.runJobsOnce();
  const acknowledged = [
    assertOk(await acknowledge([first.traceId])),
    assertOk(await acknowledge([second.traceId])),
    assertOk(await acknowledge([third.traceId])),
  ] as const;
  const [other, own, last] = acknowledged.map(({ body }) => body.data.acknowledgementId as string);
  const where = { _id: toObjectId(other!) };
  const left = {
    status: 'executing',
    executingSince: new Date(),
    executedBy: toObjectId(ada.userId),
  };
  const others = { _id: { $in: [toObjectId(other!), toObjectId(last!)] } };
  await erasures.updateMany(others, { $set: left });
  const done = assertOk(await execute(acknowledged[1])).body.data;
  expect([done.acknowledgementId, JSON.parse(done.certificate).erasureId]).toEqual([own, own]);
  const read = async () => assertOk(await app.call('GET', `${at}/${other}`, ada)).body.data;
  expect(await read()).toMatchObject({ status: 'executing' });
  expect(await erasures.countDocuments({ ...others, status: 'executing' })).toBe(2);

  // An erasure acknowledged before the other, of a decision that does not exist.
  const failing = Object.assign({}, await erasures.findOne(where), {
    _id: toObjectId('000000000000000000000001'),
    traceIds: ['trc_unknown'],
  });
  await erasures.insertOne(failing);
  const { platform } = app.instance;
  aheadMs = 9 * 60_000;
  await resumeInterrupted(platform);
  expect(await read()).toMatchObject({ status: 'executing' });
  aheadMs = 11 * 60_000;
  await resumeInterrupted(platform);
  aheadMs = 0;
  const finished = await read();
  expect(finished).toMatchObject({ status: 'executed', executedBy: ada.userId });
  expect(JSON.parse(finished.certificate).erasureId).toBe(other);
  expect(await remains(first.traceId)).toEqual([]);
  expect(await erasures.findOne({ _id: failing._id })).toMatchObject({ status: 'executing' });
  await erasures.deleteOne({ _id: failing._id });
});

async function idOf(traceId: string): Promise<string> {
  const found = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  return String(found?._id);
}

test('mails in files are counted as copies until they are gone', async () => {
  const eve = await createOwner(app, 'Eve');
  assertOk(await hold(eve));
  const { traceId } = await marked(eve);
  await app.instance.runJobsOnce();
  await app.instance.runJobsOnce();
  const asked = assertOk(await acknowledge([traceId], eve));
  assertOk(await execute(asked, eve));
  const { acknowledgementId: id } = asked.body.data;
  const countMails = async (): Promise<number> =>
    assertOk(await app.call('GET', `${at}/${id}`, eve)).body.data.copies.mails;
  expect(await countMails()).toBeGreaterThan(0);
  aheadMs += 25 * 3600_000;
  await app.instance.runJobsOnce();
  await expect.poll(countMails).toBe(0);
});
