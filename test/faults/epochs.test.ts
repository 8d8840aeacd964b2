// A process killed before each step of a roll of epochs: all that was answered opens, and older copies open nothing.
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFileCustodian } from '../../src/platform/custodian/file-custodian.ts';
import { EPOCH_STEPS } from '../../src/platform/key-store/epochs/epochs.ts';
import { copyKeyStore, type KeyStoreCopy, openCopy } from '../api/erasure/key-store-copy.ts';
import { createDatabaseUri } from '../setup/databases.ts';
import { assertOk } from '../setup/personas.ts';
import { type Answer, sendRequest } from '../setup/start-app.ts';
import { App } from './apps.ts';
import { type Acknowledged, Load, post } from './load.ts';
import { registerSealed, SEALING } from './sealing.ts';

const CLIENTS = 4;
/** A roll waits for the turn of its job, and on a slow machine for the load beside it. */
const SOON = { timeout: 150_000, interval: 200 };
const HELD = { _id: 'job:erasure.epochs', holder: 'a test', until: new Date('2999-01-01') };

type Owner = Awaited<ReturnType<typeof registerSealed>>;

const uri = createDatabaseUri();
let client: mongo.MongoClient;
let folder: string;
let app: App;
let ada: Owner;
let load: Load;
/** Organisations that were made while epochs rolled, each with a decision. */
const newcomers: { owner: Owner; decision: Acknowledged }[] = [];
beforeAll(async () => {
  client = await mongo.MongoClient.connect(uri);
  folder = await mkdtemp(join(tmpdir(), 'assay-epochs-'));
  const environment = {
    ...SEALING,
    ASSAY_ERASURE_CUSTODIAN: 'file',
    ASSAY_ERASURE_CUSTODIAN_FOLDER: join(folder, 'now'),
    ASSAY_ERASURE_ROLL_MINUTES: '0',
  };
  app = new App({ mongoUri: uri, environment });
  await app.start();
  ada = await registerSealed(app.url as string);
  load = new Load({ apps: [app], apiKey: ada.apiKey, agentId: ada.agentId, clients: CLIENTS });
});
afterAll(async () => {
  load.abandon();
  await app.kill();
  await client.db().dropDatabase();
  await client.db(`${client.options.dbName}-keys`).dropDatabase();
  await client.close();
  await rm(folder, { recursive: true, force: true });
});

const call = (path: string, method: string, more: object): Promise<Answer> =>
  sendRequest(`${app.url}/api/v1/${path}`, method, more);

const leases = () => client.db().collection<typeof HELD>('leases');

/** Kills the process; what it held is free at once, and no roll waits until its heartbeats are over. */
async function killApp(): Promise<void> {
  await app.kill();
  await leases().deleteMany({});
  await client.db().collection('instances').deleteMany({});
}

/** Starts a process in which no epoch rolls until the lease of the job is free. */
async function startHeld(): Promise<void> {
  await killApp();
  await leases().insertOne(HELD);
  await app.start();
}

/** Erases a decision and asks for the roll; the answer may be lost with the process. */
async function erase({ traceId }: Acknowledged): Promise<string> {
  const { token } = ada;
  const body = { traceIds: [traceId], reason: 'asked for' };
  const made = assertOk(await call('erasure/acknowledge', 'POST', { token, body })).body.data;
  const { acknowledgementId, impactDigest } = made;
  const given = { acknowledgementId, impactDigest, roll: true };
  assertOk(await call('erasure/execute', 'POST', { token, body: given }));
  return acknowledgementId;
}

const readDestruction = async (id: string) =>
  assertOk(await call(`erasure/${id}`, 'GET', { token: ada.token })).body.data.destruction;

/** Makes organisations, each with a decision, one after the other; the returned function ends it. */
function addNewcomers(): () => Promise<void> {
  let isOver = false;
  const addOne = async (url: string): Promise<void> => {
    const owner = await registerSealed(url, `${randomBytes(6).toString('hex')}@example.com`);
    const body = {
      agentId: owner.agentId,
      inputContext: { prompt: 'The first of its organisation' },
      outputDecision: { action: 'reply', rationale: 'It came while an epoch rolled.' },
    };
    const decision = await post(url, owner.apiKey, { key: 'first', body });
    if (decision) newcomers.push({ owner, decision });
  };
  const adding = (async () => {
    // What a killed process did not answer is not asked for again.
    for (; !isOver; await sleep(100)) if (app.url) await addOne(app.url).catch(() => undefined);
  })();
  return () => {
    isOver = true;
    return adding;
  };
}

interface Round {
  gone: Acknowledged;
  stays: Acknowledged;
  /** The key store and the keys of its epochs, from before the erasure. */
  copy: KeyStoreCopy;
  keysThen: string;
}

/** Reads from a copy of the key store: `null` for an erased key, `closed` where an epoch seals it whose key is gone. */
async function readCopy(copy: KeyStoreCopy, keys: string, decisions: readonly Acknowledged[]) {
  const opened = await openCopy(copy, createFileCustodian(keys));
  try {
    const found: ('open' | 'closed' | null)[] = [];
    for (const { receipt } of decisions)
      found.push(
        await opened.readLeaf(ada.organizationId, receipt.sequence).then(
          (key) => key && 'open',
          () => 'closed',
        ),
      );
    return found;
  } finally {
    await opened.close();
  }
}

/** Asserts that the copy of before is of no use any more, and that the key store of today lacks what was erased only. */
async function assertCopies({ gone, stays, copy, keysThen }: Round): Promise<void> {
  const keysNow = join(folder, 'now');
  const both = [gone, stays];
  expect(await readCopy(copy, keysThen, both)).toEqual(['open', 'open']);
  expect(await readCopy(copy, keysNow, both)).toEqual(['closed', 'closed']);
  const today = await copyKeyStore(uri);
  expect(await readCopy(today, keysNow, both)).toEqual([null, 'open']);
  const newest = today.epochs.at(-1) as unknown as { _id: number };
  expect(today.epochs.map(({ state }) => state as string)).toEqual([
    ...today.epochs.slice(1).map(() => 'destroyed'),
    'current',
  ]);
  expect([...new Set(today.rows.map(({ epoch }) => epoch as number))]).toEqual([newest._id]);
  const kept = (await readdir(keysNow)).filter((name) => name.startsWith('epoch-'));
  expect(kept).toEqual([`epoch-${newest._id}.key`]);
}

/** Asserts that every value of an organisation's chain opens and is what the chain commits to. */
async function assertChain(token: string): Promise<void> {
  const { data } = assertOk(await call('hash-chain/verify', 'POST', { token, body: {} })).body;
  expect(data).toMatchObject({ verified: true, payload: { mismatched: [], missing: [] } });
}

test('the first epoch begins', async () => {
  load.start();
  const isComplete = async () => (await copyKeyStore(uri)).epochs.at(-1)?.completedAt !== undefined;
  await expect.poll(isComplete, SOON).toBe(true);
  await load.progress(20);
  await load.stop();
});

test.each(EPOCH_STEPS)('killed before %s', async (step) => {
  await startHeld();
  load.start();
  const stopAdding = addNewcomers();
  const before = load.acknowledged.length;
  await load.progress(20);
  const [gone, stays] = load.acknowledged.slice(before) as [Acknowledged, Acknowledged];
  const keysThen = join(folder, `before ${step}`);
  await cp(join(folder, 'now'), keysThen, { recursive: true });
  const round = { gone, stays, copy: await copyKeyStore(uri), keysThen };
  const id = await erase(gone);
  expect(await readDestruction(id)).toMatchObject({ status: 'pending' });

  await killApp();
  // It may die before it listens.
  await app.start({ dieAt: { step, nth: 1 } }).catch(() => undefined);
  await app.ended();
  await killApp();
  const keysNow = join(folder, 'now');
  expect(await readCopy(await copyKeyStore(uri), keysNow, [gone, stays])).toEqual([null, 'open']);

  await app.start();
  await load.progress(20);
  const isDestroyed = async () => (await readDestruction(id)).status as string;
  await expect.poll(isDestroyed, SOON).toBe('destroyed');
  await stopAdding();
  await load.stop();
  await assertCopies(round);
  await assertChain(ada.token);
  // Words and vectors go by consumers, which a killed transaction may hold up.
  const readCopies = async () =>
    assertOk(await call(`erasure/${id}`, 'GET', { token: ada.token })).body.data.copies as object;
  const none = { data: 0, searchWords: 0, vectors: 0, keyStore: 0 };
  await expect.poll(readCopies, SOON).toMatchObject(none);
});

test('what was answered while epochs rolled is there, and opens', async () => {
  expect(newcomers.length).toBeGreaterThan(EPOCH_STEPS.length);
  for (const { owner, decision } of newcomers) {
    await assertChain(owner.token);
    const path = `hash-chain/entry/${decision.traceId}`;
    assertOk(await call(path, 'GET', { token: owner.token }));
  }
  const stored = await client.db().collection('ledger').distinct('traceId', { kind: 'trace' });
  const known = new Set(stored as string[]);
  const lost = load.acknowledged.filter(({ traceId }) => !known.has(traceId));
  expect(lost).toEqual([]);
});
