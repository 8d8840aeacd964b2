// Databases on the run's one mongod. Those of apps are reused: creating their hundreds of files takes too long.
import { mongo } from 'mongoose';
import { inject } from 'vitest';
import { AUDIT, DECISIONS } from '../../src/ledger/chains.ts';
import { generateHex } from '../../src/platform/ids.ts';
import { betweenFiles } from './run/between-files.ts';

/** The collection that an emptied database keeps: it records which migrations have run. */
const KEPT = 'migrations';
/** Above this number of documents it is faster to recreate a database than to empty it. */
const QUICKLY_DELETED = 5000;

const CHAINS: ReadonlySet<string> = new Set([DECISIONS.collection, AUDIT.collection]);

/** One connection for all files of a worker; it ends with the worker. */
let connected: Promise<mongo.MongoClient> | undefined;

/** The database of each app that runs. */
const apps = new Map<symbol, string>();
const own = new Set<string>();
const inUse = new Set<string>();
const idle: string[] = [];
/** Those of apps that outlive a file. */
const shared = new Set<string>();

function buildUri(name: string): string {
  const uri = new URL(inject('mongoUri'));
  uri.pathname = `/${name}`;
  return uri.href;
}

const toName = (uri: string): string => new URL(uri).pathname.slice(1);

/** A connection string for a new database of one's own on the run's replica set, dropped after the file. */
export function createDatabaseUri(name = `t${generateHex(6)}`): string {
  own.add(name);
  return buildUri(name);
}

/** A connection string for an empty database, perhaps with an app's indexes; for apps that change no index. */
export function reserveDatabaseUri(): string {
  const name = idle.pop() ?? `t${generateHex(6)}`;
  inUse.add(name);
  return buildUri(name);
}

/** A connection string for an empty database that stays until the end of the run. */
export function createSharedUri(): string {
  const name = `t${generateHex(6)}`;
  shared.add(name);
  return buildUri(name);
}

/** Connects to a database of the run's replica set, for data that no operation shows. */
export async function connectDatabase(uri: string): Promise<mongo.Db> {
  connected ??= new mongo.MongoClient(inject('mongoUri')).connect();
  return (await connected).db(toName(uri));
}

/** Notes that an app runs on a database; returns the function that notes its end. */
export function noteApp(uri: string): () => void {
  const app = Symbol();
  if (!shared.has(toName(uri))) apps.set(app, toName(uri));
  return () => void apps.delete(app);
}

/**
 * Frees the databases of the file before: each has hundreds of files.
 * @throws Error where an app still runs: what it writes would stand in the database of another file
 */
async function freeDatabases(): Promise<void> {
  const busy = new Set(apps.values());
  apps.clear();
  for (const name of own) if (!busy.has(name)) await dropBoth(name);
  for (const name of inUse) if (!busy.has(name)) await emptyBoth(name);
  own.clear();
  inUse.clear();
  if (busy.size > 0) throw new Error(`the file before left apps on ${[...busy].join(', ')}`);
}

betweenFiles.push(freeDatabases);

/** Frees a reserved database before the end of the file, when nothing reads it any more. */
export async function releaseDatabase(uri: string): Promise<void> {
  const name = toName(uri);
  if (inUse.delete(name)) await emptyBoth(name);
}

/** Keeps an emptied database for the next app. */
async function emptyBoth(name: string): Promise<void> {
  const areEmptied = [
    await clearDatabase(await openNamed(name)),
    await clearDatabase(await openNamed(toKeyStoreName(name))),
  ];
  if (areEmptied.every(Boolean)) idle.push(name);
  else await dropBoth(name);
}

/** The key store that an app makes beside its data. */
const toKeyStoreName = (name: string): string => `${name}-keys`;

const openNamed = (name: string): Promise<mongo.Db> => connectDatabase(buildUri(name));

async function dropBoth(name: string): Promise<void> {
  await (await openNamed(name)).dropDatabase();
  await (await openNamed(toKeyStoreName(name))).dropDatabase();
}

/** Empties a database; false when it was dropped instead. */
async function clearDatabase(db: mongo.Db): Promise<boolean> {
  const filled = await listFilledCollections(db);
  const documents = filled.reduce((sum, { count }) => sum + count, 0);
  const chains = filled.filter(({ name }) => CHAINS.has(name));
  const areSpoilt = await Promise.all(chains.map(({ name }) => isSpoilt(db, name)));
  if (documents > QUICKLY_DELETED || areSpoilt.includes(true)) {
    await db.dropDatabase();
    return false;
  }
  const deletions = filled.map(({ name }) => db.collection(name).deleteMany({}));
  await Promise.all(deletions);
  return true;
}

/** Whether the index of a chain has held a list: its ranges are read whole from then on, even when it is emptied. */
async function isSpoilt(db: mongo.Db, chain: string): Promise<boolean> {
  const plan = await db.collection(chain).find().hint('chain').explain('queryPlanner');
  return JSON.stringify(plan).includes('"isMultiKey":true');
}

interface Filled {
  name: string;
  count: number;
}

async function listFilledCollections(db: mongo.Db): Promise<Filled[]> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray())
    .map(({ name }) => name)
    .filter((name) => name !== KEPT && !name.startsWith('system.'));
  const count = (name: string): mongo.Document[] => [
    { $collStats: { count: {} } },
    { $match: { count: { $gt: 0 } } },
    { $project: { _id: 0, name: { $literal: name }, count: 1 } },
  ];
  const [first, ...others] = names;
  if (first === undefined) return [];
  const unions = others.map((name) => ({ $unionWith: { coll: name, pipeline: count(name) } }));
  return db
    .collection(first)
    .aggregate<Filled>([...count(first), ...unions])
    .toArray();
}
