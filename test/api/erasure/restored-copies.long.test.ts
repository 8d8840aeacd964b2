// Whole copies from before an erasure, restored: they open with the custodian of then, and not with the one of now.
// @module-tag long
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { mongo } from 'mongoose';
import { beforeAll, expect, inject, test } from 'vitest';
import { createFileCustodian } from '../../../src/platform/custodian/file-custodian.ts';
import { generateHex } from '../../../src/platform/ids.ts';
import { connectDatabase, createDatabaseUri } from '../../setup/databases.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createWorkspaceKey } from '../../setup/personas.ts';
import { startApp } from '../../setup/start-app.ts';
import { holdJobs } from '../log/log-steps.ts';

const folder = join(inject('scratch'), `custodian-${generateHex(6)}`);
const environment = { ASSAY_ERASURE_ROLL_MINUTES: '0' };
const harness = useHarness(environment, { custodian: createFileCustodian(folder) });
const { app } = harness;
const ada = useOwner(harness);

/** The documents of a database, by collection. */
type Copy = Map<string, mongo.Document[]>;

/** The key store is beside the data. */
function toKeysUri(uri: string): string {
  const beside = new URL(uri);
  beside.pathname += '-keys';
  return beside.href;
}

async function copyDatabase(uri: string): Promise<Copy> {
  const database = await connectDatabase(uri);
  const collections = await database.listCollections({ type: 'collection' }).toArray();
  const names = collections.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
  const contents = names.map(
    async (name) => [name, await database.collection(name).find().toArray()] as const,
  );
  return new Map(await Promise.all(contents));
}

async function fillDatabase(uri: string, copy: Copy): Promise<void> {
  const database = await connectDatabase(uri);
  for (const [name, documents] of copy)
    if (documents.length > 0) await database.collection(name).insertMany(documents);
}

/** Restores copies of the data and of the key store beside it; returns where. */
async function restore(data: Copy, keys: Copy): Promise<string> {
  const name = `t${generateHex(6)}`;
  const uri = createDatabaseUri(name);
  await fillDatabase(uri, data);
  await fillDatabase(createDatabaseUri(`${name}-keys`), keys);
  return uri;
}

const copyKeys = (): Promise<Copy> => copyDatabase(toKeysUri(harness.mongoUri));

interface Posted {
  id: string;
  traceId: string;
}

async function post(key: string, prompt: string): Promise<Posted> {
  const body = buildDecision('clerk', { inputContext: { prompt } });
  const { traceId } = assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body.data;
  const found = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  return { traceId, id: String(found?._id) };
}

let [gone, stays]: Posted[] = [];
/** From before the erasure. */
let then: { data: Copy; keys: Copy; custodian: string };
let keysNow: Copy;
beforeAll(async () => {
  await holdJobs(harness, 'erasure.epochs');
  const { key } = await createWorkspaceKey(app, ada);
  gone = await post(key, 'words of the erased');
  stays = await post(key, 'words that stay');
  await app.instance.runJobsOnce();
  const custodian = `${folder}-before`;
  await cp(folder, custodian, { recursive: true });
  then = { data: await copyDatabase(harness.mongoUri), keys: await copyKeys(), custodian };
  const { token } = ada;
  const about = { traceIds: [gone.traceId], reason: 'asked for' };
  const path = '/api/v1/erasure';
  const impact = await app.call('POST', `${path}/acknowledge`, { token, body: about });
  const { acknowledgementId, impactDigest } = assertOk(impact).body.data;
  const body = { acknowledgementId, impactDigest, roll: true };
  assertOk(await app.call('POST', `${path}/execute`, { token, body }));
  await app.instance.runJobsOnce();
  const erasure = assertOk(await app.call('GET', `${path}/${acknowledgementId}`, ada)).body.data;
  expect(erasure.destruction.status).toBe('destroyed');
  keysNow = await copyKeys();
});

/** Reads both decisions from an installation on restored copies. */
async function readBoth(mongoUri: string, custodian: string): Promise<[string, string]> {
  const restored = await startApp(environment, {
    mongoUri,
    custodian: createFileCustodian(custodian),
  });
  try {
    const read = async ({ id }: Posted): Promise<string> =>
      assertOk(await restored.call('GET', `/api/v1/traces/${id}`, ada)).text;
    return [await read(gone!), await read(stays!)];
  } finally {
    await restored.stop();
  }
}

test('with the custodian of then, a whole copy shows what was erased', async () => {
  const [erased, kept] = await readBoth(await restore(then.data, then.keys), then.custodian);
  expect(erased).toContain('words of the erased');
  expect(kept).toContain('words that stay');
});

test('with the custodian of now, or without one, no installation starts on it', async () => {
  const uri = await restore(then.data, then.keys);
  await expect(readBoth(uri, folder)).rejects.toThrow(/the custodian has no key of epoch 1/);
  await expect(startApp({}, { mongoUri: uri })).rejects.toThrow(/ASSAY_ERASURE_CUSTODIAN names/);
});

test('with the key store of now, the data of then show what was erased to none', async () => {
  const uri = await restore(then.data, keysNow);
  const [erased, kept] = await readBoth(uri, folder);
  expect(erased).not.toContain('words of the erased');
  expect(kept).toContain('words that stay');
  await expect(readBoth(uri, then.custodian)).rejects.toThrow(
    /the custodian has no key of epoch 2/,
  );
});
