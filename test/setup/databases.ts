// Databases on the run's one mongod: each test has its own, dropped when its file ends (drop-databases.ts).
import { mongo } from 'mongoose';
import { inject } from 'vitest';
import { randomHex } from '../../src/platform/ids.ts';

const made = new Set<string>();

/** A connection string for a database of one's own on the run's replica set. */
export function databaseUri(name = `t${randomHex(6)}`): string {
  const uri = new URL(inject('mongoUri'));
  uri.pathname = `/${name}`;
  made.add(name);
  return uri.href;
}

/** Drops them all: the TTL monitor visits whatever is left once a second, to the end of the run. */
export async function dropDatabases(): Promise<void> {
  if (made.size === 0) return;
  const client = await new mongo.MongoClient(inject('mongoUri')).connect();
  for (const name of made) await client.db(name).dropDatabase();
  made.clear();
  await client.close();
}
