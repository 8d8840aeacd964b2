// Writers of the key store while its epochs roll: no key is lost, and none stays under an epoch that is gone.
// @module-tag varied
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { toLeaf } from '../../../src/domain/keys/key-tree.ts';
import { generateId } from '../../../src/platform/ids.ts';
import { EpochKeys } from '../../../src/platform/key-store/epochs/epoch-keys.ts';
import {
  createEpochStore,
  type EpochStore,
} from '../../../src/platform/key-store/epochs/epoch-store.ts';
import { createKeyStore, type KeyStore } from '../../../src/platform/key-store/key-store.ts';
import { createVault } from '../../../src/platform/secrets/vault.ts';
import { createDatabaseUri } from '../../setup/databases.ts';
import { chooseRuns } from '../../setup/runs.ts';

const vault = createVault({ key: 'a key outside of the database', formerKeys: [] });
const leaf = toLeaf(1);
/** Organisations that are made until the next roll begins, at most. */
const MOST_A_ROLL = 20;
let client: mongo.MongoClient;
let database: string;
beforeAll(async () => {
  client = await new mongo.MongoClient(inject('mongoUri')).connect();
  database = new URL(createDatabaseUri()).pathname.slice(1);
});
afterAll(async () => {
  await client.db(database).dropDatabase();
  await client.close();
});

const listRows = () => client.db(database).collection('keys').find().toArray();

/** An instance with keys of its own; `learn` gives it the key of an epoch. */
function openInstance(): { keyStore: KeyStore; epochs: EpochStore; epochKeys: EpochKeys } {
  const epochKeys = new EpochKeys(EpochKeys.allocateMemory());
  const parts = { client, database, vault, epochKeys };
  return { keyStore: createKeyStore(parts), epochs: createEpochStore(parts), epochKeys };
}

test('the memory of keys keeps the newest, and nothing of those that are forgotten', () => {
  const memory = EpochKeys.allocateMemory();
  const [one, thread] = [new EpochKeys(memory), new EpochKeys(memory)];
  expect([one.isActive(), one.findKey(1)]).toEqual([false, null]);
  const keys = Array.from({ length: 6 }, () => randomBytes(32));
  for (const [index, key] of keys.entries()) one.addKey(index + 1, key);
  expect(thread.getNewest()).toBe(6);
  expect(thread.findKey(2)).toBeNull();
  for (const epoch of [3, 4, 5, 6]) expect(thread.findKey(epoch)).toEqual(keys[epoch - 1]);
  thread.keepOnly([6]);
  expect([one.findKey(5), one.findKey(6)]).toEqual([null, keys[5]]);
  const bytes = Buffer.from(memory);
  expect(keys.map((key) => bytes.includes(key))).toEqual([false, false, false, false, false, true]);
  expect(() => one.addKey(7, Buffer.alloc(16))).toThrow(/32 bytes/);
});

test(
  'organisations are made and keys destroyed while epochs roll, by two instances',
  { tags: ['long'] },
  async () => {
    const [one, other] = [openInstance(), openInstance()];
    const kept = new Map<string, Buffer>();
    const gone = new Set<string>();
    let isOver = false;
    let rolled = 0;

    async function writeAll(keyStore: KeyStore): Promise<void> {
      while (!isOver) {
        // Each roll seals all of them again.
        if (kept.size >= rolled * MOST_A_ROLL) {
          await setTimeout(1);
          continue;
        }
        const organizationId = generateId();
        await keyStore.ensure(organizationId);
        const [keptLeaf, goneLeaf] = [toLeaf(2), leaf];
        const keys = await keyStore.loadLeafKeys(organizationId, [keptLeaf, goneLeaf]);
        kept.set(organizationId, keys.deriveKey(keptLeaf)!);
        await keyStore.destroy(organizationId, [goneLeaf]);
        gone.add(organizationId);
      }
    }

    async function rollOnce(epoch: number): Promise<void> {
      const key = randomBytes(32);
      for (const { epochKeys } of [one, other]) epochKeys.addKey(epoch, key);
      const row = { _id: epoch, custodian: 'a test', ticket: '', createdAt: new Date() };
      await one.epochs.addEpoch(row);
      await one.epochs.switchTo(epoch);
      while ((await one.epochs.reencryptRows(epoch)) > 0);
      // The keys of the epochs before the last one are gone at once, for everybody.
      for (const { epochKeys } of [one, other]) epochKeys.keepOnly([epoch - 1, epoch]);
      rolled = epoch;
    }

    await rollOnce(1);
    const writers = [one, other, one, other].map(({ keyStore }) => writeAll(keyStore));
    const rolls = chooseRuns(6, 10);
    for (let epoch = 2; epoch <= rolls; epoch++) await rollOnce(epoch);
    isOver = true;
    await Promise.all(writers);
    await rollOnce(rolls + 1);

    expect(new Set((await listRows()).map(({ epoch }) => epoch))).toEqual(new Set([rolls + 1]));
    const fresh = openInstance();
    fresh.epochKeys.addKey(rolls + 1, one.epochKeys.findKey(rolls + 1)!);
    expect(kept.size).toBeGreaterThan(3);
    for (const [organizationId, key] of kept) {
      const keys = await fresh.keyStore.loadLeafKeys(organizationId, [toLeaf(2), leaf]);
      expect(keys.deriveKey(toLeaf(2))).toEqual(key);
      expect(keys.deriveKey(leaf)).toBeNull();
    }
    expect(gone.size).toBe(kept.size);
  },
);
