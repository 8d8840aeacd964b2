// The key store on a real database: a destroyed key is gone for all instances within seconds, also under concurrency.
import { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { toLeaf } from '../../../src/domain/keys/key-tree.ts';
import { generateId } from '../../../src/platform/ids.ts';
import { createKeyStore, type KeyStore } from '../../../src/platform/key-store/key-store.ts';
import { createVault } from '../../../src/platform/secrets/vault.ts';
import { createDatabaseUri } from '../../setup/databases.ts';

const FIRST = 'the first key outside of the database';
const SECOND = 'the second key outside of the database';
let client: mongo.MongoClient;
let database: string;
beforeAll(async () => {
  client = await new mongo.MongoClient(inject('mongoUri')).connect();
  database = new URL(createDatabaseUri()).pathname.slice(1);
});
afterAll(() => client.close());

const storeWith = (key: string, formerKeys: string[] = []): KeyStore =>
  createKeyStore({ client, database, vault: createVault({ key, formerKeys }) });
const rows = (organizationId: string) =>
  client.db(database).collection('keys').find({ organizationId }).toArray();

async function keyOf(store: KeyStore, organizationId: string, sequence: number) {
  const leaf = toLeaf(sequence);
  return (
    (await store.loadLeafKeys(organizationId, [leaf])).deriveKey(leaf)?.toString('hex') ?? null
  );
}

test('concurrent creations give one tree, the same for all', async () => {
  const organizationId = generateId();
  const stores = Array.from({ length: 4 }, () => storeWith(FIRST));
  await Promise.all(stores.map((store) => store.ensure(organizationId)));
  expect(await rows(organizationId)).toHaveLength(2);
  const keys = await Promise.all(stores.map((store) => keyOf(store, organizationId, 1)));
  expect(new Set(keys).size).toBe(1);
  expect(await stores[0]?.ensure(organizationId)).toBe(false);
  expect(await stores[0]?.loadOrganizationKey(organizationId)).toHaveLength(32);
});

test('concurrent destructions remove exactly the destroyed keys', { tags: ['long'] }, async () => {
  const organizationId = generateId();
  const [one, other] = [storeWith(FIRST), storeWith(FIRST)];
  await one.ensure(organizationId);
  const before = new Map<number, string | null>();
  for (let at = 1; at <= 60; at++) before.set(at, await keyOf(one, organizationId, at));
  const destroy = (store: KeyStore, at: number) => store.destroy(organizationId, [toLeaf(at)]);
  const gone = Array.from({ length: 20 }, (_, at) => at * 3 + 1);
  await Promise.all(gone.flatMap((at) => [destroy(one, at), destroy(other, at), destroy(one, at)]));
  const fresh = storeWith(FIRST);
  for (const [at, key] of before)
    expect(await keyOf(fresh, organizationId, at)).toBe(gone.includes(at) ? null : key);
  const places = (await rows(organizationId)).map(({ place }) => String(place));
  expect(new Set(places).size).toBe(places.length);
});

test('another instance forgets a destroyed key within seconds', { tags: ['long'] }, async () => {
  const organizationId = generateId();
  const [one, other] = [storeWith(FIRST), storeWith(FIRST)];
  await one.ensure(organizationId);
  expect(await keyOf(other, organizationId, 5)).not.toBeNull();
  await one.destroy(organizationId, [toLeaf(5)]);
  expect(await keyOf(one, organizationId, 5)).toBeNull();
  const found = () => keyOf(other, organizationId, 5);
  await expect.poll(found, { interval: 200 }).toBeNull();
});

test('an organisation whose keys were all destroyed has none, and new keys differ', async () => {
  const organizationId = generateId();
  const store = storeWith(FIRST);
  await store.ensure(organizationId);
  const [key, own] = [
    await keyOf(store, organizationId, 1),
    await store.loadOrganizationKey(organizationId),
  ];
  await store.destroyAll(organizationId);
  expect(await keyOf(store, organizationId, 1)).toBeNull();
  expect(await store.loadOrganizationKey(organizationId)).toBeNull();
  await store.ensure(organizationId);
  expect(await keyOf(store, organizationId, 1)).not.toBe(key);
  expect(await store.loadOrganizationKey(organizationId)).not.toEqual(own);
});

test('a stored key opens only in its own place, and with a new vault key after renewal', async () => {
  const organizationId = generateId();
  await storeWith(FIRST).ensure(organizationId);
  const key = await keyOf(storeWith(FIRST), organizationId, 1);
  await expect(keyOf(storeWith(SECOND), organizationId, 1)).rejects.toThrow();
  await storeWith(SECOND, [FIRST]).renew();
  expect(await keyOf(storeWith(SECOND), organizationId, 1)).toBe(key);
  const keys = client.db(database).collection('keys');
  const stranger = generateId();
  const [root] = (await rows(organizationId)).filter(({ place }) => place === '');
  await keys.insertOne({ organizationId: stranger, place: '', key: root?.['key'] as string });
  await expect(keyOf(storeWith(SECOND), stranger, 1)).rejects.toThrow();
});
