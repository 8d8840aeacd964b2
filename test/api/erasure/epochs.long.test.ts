// Epochs of the key store: after a roll, older copies of it open nothing; a roll may end anywhere and goes on.
// @module-tag long
import { createHash } from 'node:crypto';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { readPin, verifyBundle } from '@assay/verifier';
import { isSignedBy, parseNote, parseVerifierKey } from '@assay/tlog';
import { parseDestruction } from '../../../src/domain/erasure/destruction.ts';
import { toLeaf } from '../../../src/domain/keys/key-tree.ts';
import type { Custodian } from '../../../src/platform/custodian/custodian.ts';
import { createFileCustodian } from '../../../src/platform/custodian/file-custodian.ts';
import { generateHex } from '../../../src/platform/ids.ts';
import { createEpochFollower } from '../../../src/platform/key-store/epochs/epoch-follower.ts';
import { EPOCH_STEPS, type EpochStep } from '../../../src/platform/key-store/epochs/epochs.ts';
import { openKeyStore } from '../../../src/platform/key-store/open-key-store.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { copyKeyStore, openCopy } from './key-store-copy.ts';
import { assertOk, buildDecision, createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import { SECRETS, startApp, toOutcome } from '../../setup/start-app.ts';
import { rollDue } from '../../../src/evidence/erasure/destruction/epoch-roll.service.ts';

const folder = join(inject('scratch'), `custodian-${generateHex(6)}`);
const kept = createFileCustodian(folder);
/** What happens at the calls of the custodian. */
let before = (): Promise<void> => Promise.resolve();
const custodian: Custodian = {
  ...kept,
  makeEpoch: (epoch) => before().then(() => kept.makeEpoch(epoch)),
  destroyBefore: (epoch, ticket) => before().then(() => kept.destroyBefore(epoch, ticket)),
};
/** The step before which a roll ends, once. */
let endBefore: EpochStep | null = null;
const passed: EpochStep[] = [];
function epochProbe(step: EpochStep): void {
  passed.push(step);
  if (step !== endBefore) return;
  endBefore = null;
  throw new Error(`ended before ${step}`);
}

let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };
const environment = { ASSAY_ERASURE_ROLL_MINUTES: '0' };
const harness = useHarness(environment, { custodian, epochProbe, clock });
const { app } = harness;
const ada = useOwner(harness);
let key: string;
let earlier: Posted;
beforeAll(async () => {
  // Rolls begin when a test says so.
  const lease = { holder: 'a test', until: new Date('2999-01-01') };
  const leases = harness.db.collection<{ _id: string }>('leases');
  await leases.updateOne({ _id: 'job:erasure.epochs' }, { $set: lease }, { upsert: true });
  ({ key } = await createWorkspaceKey(app, ada));
});

const roll = (): Promise<number> => rollDue(app.instance.platform);
const listEpochs = () => app.instance.platform.epochs.store.listEpochs();
const readStates = async () => (await listEpochs()).map(({ state }) => state);
const copyKeys = () => copyKeyStore(harness.mongoUri);
const keyRows = async () => (await copyKeys()).rows;

interface Posted {
  traceId: string;
  id: string;
  sequence: number;
}

async function post(word: string): Promise<Posted> {
  const body = buildDecision('clerk', { inputContext: { prompt: word } });
  const { traceId, hashChain } = assertOk(await app.call('POST', '/api/v1/traces', { key, body }))
    .body.data;
  const found = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  return { traceId, id: String(found?._id), sequence: hashChain.sequence };
}

const read = async ({ id }: Posted): Promise<string> =>
  assertOk(await app.call('GET', `/api/v1/traces/${id}`, ada)).text;

async function erase({ traceId }: Posted, extra: object = { roll: true }) {
  const { token } = ada;
  const body = { traceIds: [traceId], reason: 'asked for' };
  const made = assertOk(await app.call('POST', '/api/v1/erasure/acknowledge', { token, body }));
  const { acknowledgementId, impactDigest } = made.body.data;
  const given = { acknowledgementId, impactDigest, ...extra };
  return assertOk(await app.call('POST', '/api/v1/erasure/execute', { token, body: given })).body
    .data;
}

const readErasure = async (id: string) =>
  assertOk(await app.call('GET', `/api/v1/erasure/${id}`, ada)).body.data;

test('the first epoch seals every key that is there, and those of new organisations', async () => {
  earlier = await post('before the first epoch');
  await app.instance.runJobsOnce();
  expect(await readStates()).toEqual(['current']);
  expect((await keyRows()).map(({ epoch }) => epoch)).toEqual([1, 1]);
  expect(await read(earlier)).toContain('before the first epoch');
  expect(await read(await post('in the first epoch'))).toContain('in the first epoch');
  expect(await readdir(folder)).toEqual(['epoch-1.key']);
});

test('after the roll that an erasure asks for, older copies of the key store open nothing', async () => {
  const [gone, stays] = [await post('words of the erased'), await post('words that stay')];
  await app.instance.runJobsOnce();
  const copyBefore = await copyKeys();
  const custodianBefore = `${folder}-before`;
  await cp(folder, custodianBefore, { recursive: true });

  const done = await erase(gone);
  expect(done).toMatchObject({
    status: 'executed',
    destruction: { status: 'pending', epoch: 1, statement: null, destroyedAt: null },
  });
  await app.instance.runJobsOnce();
  expect(await readStates()).toEqual(['destroyed', 'current']);
  expect(new Set((await keyRows()).map(({ epoch }) => epoch))).toEqual(new Set([2]));
  expect(await readdir(folder)).toEqual(['epoch-2.key', 'statements.pem']);
  expect(await read(stays)).toContain('words that stay');
  expect(
    assertOk(await app.call('POST', '/api/v1/hash-chain/verify', ada)).body.data,
  ).toMatchObject({ verified: true });

  // The copy opens with the custodian of then: it holds what was erased.
  const then = await openCopy(copyBefore, createFileCustodian(custodianBefore));
  expect(await then.readLeaf(ada.organizationId, gone.sequence)).toHaveLength(32);
  await then.close();
  const now = await openCopy(copyBefore, createFileCustodian(folder));
  for (const { sequence } of [gone, stays])
    await expect(now.readLeaf(ada.organizationId, sequence)).rejects.toThrow(
      /encrypted under epoch 1/,
    );
  await now.close();
  const today = await openCopy(await copyKeys(), createFileCustodian(folder));
  expect(await today.readLeaf(ada.organizationId, gone.sequence)).toBeNull();
  expect(await today.readLeaf(ada.organizationId, stays.sequence)).toHaveLength(32);
  await today.close();

  const erasure = await readErasure(done.acknowledgementId);
  await checkStatement(erasure);
  await checkEntries(erasure);
  expect(erasure.copies).toEqual({
    data: 0,
    searchWords: 0,
    vectors: 0,
    outbox: 0,
    mails: 0,
    keyStore: 0,
    backups: [
      { epoch: 1, from: expect.any(String), until: expect.any(String), openedBy: 'nothing' },
    ],
    exports: [],
  });
});

test('copies from before the first epoch are named, with what opens them', async () => {
  const { copies } = await erase(earlier, {});
  expect(copies.backups.map(({ epoch, openedBy }: typeof copies) => [epoch, openedBy])).toEqual([
    [0, 'encryption-key'],
    [1, 'nothing'],
    [2, 'custodian'],
  ]);
});

/** The note is signed by the named key, and its digest is that of the rows. */
async function checkStatement({ destruction }: Awaited<ReturnType<typeof readErasure>>) {
  const note = parseNote(destruction.statement)!;
  const key = parseVerifierKey(destruction.verifierKey)!;
  expect(isSignedBy(note, key)).toBe(true);
  const rows = (await keyRows()).toSorted((a, b) =>
    `${a['organizationId']} ${a['place']}` < `${b['organizationId']} ${b['place']}` ? -1 : 1,
  );
  const digest = createHash('sha256');
  for (const row of rows)
    digest.update(`${row['organizationId']} ${row['place']} ${row['epoch']} ${row['key']}\n`);
  expect(parseDestruction(note.text)).toEqual({
    origin: expect.stringMatching(/\/log\/heads$/),
    epoch: 1,
    destroyedAt: expect.any(Date),
    rowsDigest: digest.digest(),
  });
}

/** The ledger has a second certificate, which commits to the statement. */
async function checkEntries({
  acknowledgementId,
  destruction,
}: Awaited<ReturnType<typeof readErasure>>) {
  await app.instance.runJobsOnce();
  const traceId = `certificate:${acknowledgementId}`;
  const organizationId = toObjectId(ada.organizationId);
  const entries = await harness.db
    .collection('ledger')
    .find({ organizationId, traceId })
    .sort({ sequence: 1 })
    .toArray();
  const views = entries.map(({ view }) => JSON.parse(view));
  expect(views.map(({ commitments }) => Object.keys(commitments))).toEqual([
    ['reason'],
    ['destruction'],
  ]);
  expect(views[1]).toMatchObject({
    actor: { kind: 'system', id: null },
    digest: views[0].digest,
    after: { sequence: entries[0]?.['sequence'] },
  });
  await checkOffline(destruction.verifierKey, acknowledgementId);
  const chain = assertOk(await app.call('POST', '/api/v1/hash-chain/verify', ada)).body.data;
  expect(chain).toMatchObject({ verified: true, payload: { mismatched: [], missing: [] } });
}

/** The stand-alone verifier finds the destruction in a bundle that shows it, and nowhere else. */
async function checkOffline(verifierKey: string, erasureId: string): Promise<void> {
  const { text: answer } = await app.call('GET', `/api/v1/erasure/${erasureId}`, ada);
  const status = assertOk(await app.call('GET', '/api/v1/hash-chain/status', ada)).body.data;
  const pins = [readPin(status)!];
  const verify = async (query: string, custodianKeys: string[]) => {
    const path = `/api/v1/hash-chain/export?fromSequence=1${query}`;
    const { text } = assertOk(await app.call('GET', path, ada));
    const lines = (async function* () {
      yield* text.trimEnd().split('\n');
    })();
    return verifyBundle(lines, { pins, destruction: { answer, custodianKeys } });
  };
  const shown = await verify('&disclose=destruction', [verifierKey]);
  expect(shown).toMatchObject({
    verdict: 'intact',
    destruction: { erasureId, epoch: 1, signedBy: expect.stringMatching(/\/custodian$/) },
  });
  for (const [query, keys, message] of [
    ['', [verifierKey], /withheld/],
    ['&disclose=destruction', [], /no key given has signed/],
  ] as const)
    expect(await verify(query, [...keys])).toMatchObject({
      verdict: 'cannot tell',
      destruction: null,
      problems: [{ code: 'destruction-unseen', message: expect.stringMatching(message) }],
    });
}

/** A key of the key store, as an instance reads it that has just started. */
async function readFresh({ sequence }: Posted): Promise<Buffer | null> {
  const { connection, epochs } = app.instance.platform;
  const { encryptionKey, formerEncryption } = SECRETS;
  const access = { uri: null, secrets: { encryptionKey, formerEncryption } };
  const opened = await openKeyStore(access, { connection, database: connection.name });
  const announce = () => Promise.resolve();
  const { epochKeys, keyStore } = opened;
  await createEpochFollower({
    epochStore: epochs.store,
    epochKeys,
    custodian,
    announce,
  }).followEpochs();
  const leaf = toLeaf(sequence);
  return (await keyStore.loadLeafKeys(ada.organizationId, [leaf])).deriveKey(leaf);
}

test('a roll that ends before any of its steps goes on, and everything is read all the time', async () => {
  const stays = await post('words that outlast every roll');
  const { acknowledgementId } = await erase(await post('erased'), {});
  const erasures = harness.db.collection('erasures');
  const where = { _id: toObjectId(acknowledgementId) };
  const key = await readFresh(stays);
  passed.length = 0;
  for (const step of EPOCH_STEPS) {
    const epoch = (await listEpochs()).at(-1)!._id;
    const again = {
      'destruction.status': 'pending',
      'destruction.isAsked': true,
      'destruction.epoch': epoch,
    };
    await erasures.updateOne(where, { $set: again });
    endBefore = step;
    await roll();
    expect([step, endBefore]).toEqual([step, null]);
    expect([step, (await readFresh(stays))?.equals(key!)]).toEqual([step, true]);
    await roll();
    expect([step, (await readFresh(stays))?.equals(key!)]).toEqual([step, true]);
    const { destruction } = (await erasures.findOne(where))!;
    expect([step, destruction.status]).toEqual([step, 'destroyed']);
    expect((await readStates()).slice(-2)).toEqual(['destroyed', 'current']);
    expect((await listEpochs()).at(-1)!._id).toBe(epoch + 1);
  }
  expect([...new Set(passed)].sort()).toEqual([...EPOCH_STEPS].sort());
  expect(await read(stays)).toContain('words that outlast every roll');
});

test('while the custodian is silent nothing else waits, and the destruction is pending', async () => {
  const gone = await post('erased while the custodian is silent');
  let answer = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    before = () => {
      resolve();
      return new Promise((end) => (answer = end));
    };
  });
  const { acknowledgementId, destruction } = await erase(gone);
  const rolling = roll();
  await asked;
  expect(destruction.status).toBe('pending');
  expect(await read(await post('posted meantime'))).toContain('posted meantime');
  expect((await readErasure(acknowledgementId)).destruction.status).toBe('pending');
  before = () => Promise.reject(new Error('the custodian is down'));
  answer();
  await rolling;
  expect((await readErasure(acknowledgementId)).destruction.status).toBe('pending');
  expect(app.logged.join()).toContain('its destruction is pending');
  before = () => Promise.resolve();
  await roll();
  expect((await readErasure(acknowledgementId)).destruction.status).toBe('destroyed');
});

test('an epoch seals only when every living instance has its key', async () => {
  const second = await startApp(environment, { mongoUri: harness.mongoUri, custodian });
  const stays = await post('read by two instances');
  const { acknowledgementId } = await erase(await post('erased by one of two'));
  const third = await startApp(environment, { mongoUri: harness.mongoUri, custodian });
  await roll();
  expect((await readStates()).slice(-1)).toEqual(['made']);
  await second.instance.platform.epochs.follower.followEpochs();
  await roll();
  expect((await readStates()).slice(-1)).toEqual(['made']);
  // One that has ended is not waited for.
  await third.stop();
  await Promise.all([roll(), rollDue(second.instance.platform)]);
  await roll();
  expect((await readErasure(acknowledgementId)).destruction.status).toBe('destroyed');
  await second.instance.platform.epochs.follower.followEpochs();
  const shown = await second.call('GET', `/api/v1/traces/${stays.id}`, ada);
  expect(assertOk(shown).text).toContain('read by two instances');
  await second.stop();
});

test('an erasure whose keys are destroyed asks for no further roll', async () => {
  const { acknowledgementId } = await erase(await post('erased and destroyed'));
  await roll();
  const newest = (await listEpochs()).at(-1)!._id;
  const where = { _id: toObjectId(acknowledgementId), 'destruction.status': 'destroyed' };
  const change = { $set: { 'destruction.epoch': newest } };
  const { matchedCount } = await harness.db.collection('erasures').updateOne(where, change);
  expect(matchedCount).toBe(1);
  await roll();
  expect((await listEpochs()).at(-1)!._id).toBe(newest);
});

test('an epoch ends by itself when its time is over', async () => {
  const newest = (await listEpochs()).at(-1)!._id;
  const { acknowledgementId } = await erase(await post('erased without haste'), {});
  await roll();
  expect((await readErasure(acknowledgementId)).destruction).toMatchObject({
    status: 'pending',
    epoch: newest,
  });
  aheadMs = 24 * 3_600_000;
  await roll();
  aheadMs = 0;
  expect((await readErasure(acknowledgementId)).destruction.status).toBe('destroyed');
});

test('without the custodian of the key store no instance starts', async () => {
  const { mongoUri } = harness;
  await expect(startApp({}, { mongoUri })).rejects.toThrow(/ASSAY_ERASURE_CUSTODIAN names none/);
  const empty = createFileCustodian(`${folder}-empty`);
  await expect(startApp({}, { mongoUri, custodian: empty })).rejects.toThrow(
    /the custodian has no key of epoch/,
  );
});

test('no roll can be asked for where no custodian is configured', async () => {
  const plain = await startApp();
  const body = { acknowledgementId: '0'.repeat(24), impactDigest: '0'.repeat(64), roll: true };
  const { token } = await createOwner(plain, 'Bob');
  const answer = await plain.call('POST', '/api/v1/erasure/execute', { token, body });
  expect(toOutcome(answer)).toEqual([400, 'INVALID_OPERATION']);
  expect(answer.text).toContain('ASSAY_ERASURE_CUSTODIAN');
  await plain.stop();
});
