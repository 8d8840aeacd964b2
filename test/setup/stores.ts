// Stores that versions of Assay left behind (test/vectors/stores/README.md), each in a database of its own.
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { mongo } from 'mongoose';
import { inject } from 'vitest';
import type { StoreFacts } from '../../scripts/stores/fill-store.ts';
import { restoreStore } from '../../scripts/stores/store-file.ts';
import { createDatabaseUri } from './databases.ts';

const STORES = 'test/vectors/stores';

/** The commits whose stores are kept. */
export const STORE_VERSIONS = readdirSync(STORES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

export interface RestoredStore {
  mongoUri: string;
  facts: StoreFacts;
  /** The bundle that its version exported. */
  bundle: string;
}

export async function restoreVersion(version: string): Promise<RestoredStore> {
  const folder = `${STORES}/${version}`;
  const mongoUri = createDatabaseUri();
  const client = await new mongo.MongoClient(inject('mongoUri')).connect();
  try {
    await restoreStore(client, new URL(mongoUri).pathname.slice(1), `${folder}/store.bson.gz`);
  } finally {
    await client.close();
  }
  const facts = JSON.parse(readFileSync(`${folder}/facts.json`, 'utf8')) as StoreFacts;
  const bundle = gunzipSync(readFileSync(`${folder}/bundle.json.gz`)).toString();
  return { mongoUri, facts, bundle };
}
