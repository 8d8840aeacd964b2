// Creates many organisations in a minute: copies the rows of one registration with new ids, addresses and keys.
import mongoose, { type mongo } from 'mongoose';
import { groupBy } from '../../src/domain/group-by.ts';
import { hashKey } from '../../src/domain/identity/key-hash.ts';
import type { Block } from '../processes.ts';
import { requireStatuses, type Scene } from '../stage.ts';
import type { Bench } from '../tenants.ts';
import type { Target } from '../wire.ts';

/** Organisations that are written at a time. */
const COPIED_AT_ONCE = 2_000;

type Document = Record<string, unknown>;
interface Row {
  collection: string;
  document: Document;
}

/** Copies an organisation without decisions in the database at `uri`; returns the keys of the copies. */
export async function createCopies(uri: string, { organizationId, key }: Bench, count: number) {
  const client = await mongoose.mongo.MongoClient.connect(uri);
  try {
    const rows = await readRows(client.db(), new mongoose.Types.ObjectId(organizationId));
    const keys: string[] = [];
    while (keys.length < count) {
      const some = Array.from({ length: Math.min(COPIED_AT_ONCE, count - keys.length) }, (_, at) =>
        createCopyKey(key, keys.length + at),
      );
      await insert(
        client.db(),
        some.flatMap((one) => copyRows(rows, one)),
      );
      keys.push(...some);
    }
    return keys;
  } finally {
    await client.close();
  }
}

/** Ingests decisions of several organisations in turns, by their keys. */
export async function runIngestionInTurns(scene: Scene, keys: readonly string[]): Promise<Block> {
  const path = '/api/v1/traces';
  const port = Number(new URL(scene.url).port);
  const target: Target = { port, method: 'POST', path, headers: {}, keys, connections: 64 };
  const block = await scene.stage.runLoad([target], { pids: [scene.pid] });
  return requireStatuses(block, ['201', '202', '403']);
}

/** Reads the stored rows of an organisation and of its owner. */
async function readRows(db: mongo.Db, _id: mongo.ObjectId): Promise<Row[]> {
  const rows: Row[] = [];
  const member = await db.collection('memberships').findOne({ organizationId: _id });
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    if (name.startsWith('system.')) continue;
    const filter = { $or: [{ organizationId: _id }, { _id }, { _id: member?.userId as never }] };
    for (const document of await db.collection(name).find(filter).toArray())
      rows.push({ collection: name, document });
  }
  return rows;
}

/** Creates a key of the same length as the minted one. */
function createCopyKey(key: string, number: number): string {
  const digits = number.toString(16).padStart(8, '0');
  return key.slice(0, -digits.length) + digits;
}

/** Copies the rows with new ids; `key` makes all other unique values differ between copies. */
function copyRows(rows: readonly Row[], key: string): Row[] {
  const ids = new Map<string, mongo.ObjectId>();
  for (const { document } of rows) ids.set(String(document['_id']), new mongoose.Types.ObjectId());
  const renewValue = (value: unknown): unknown =>
    value instanceof mongoose.Types.ObjectId ? (ids.get(value.toHexString()) ?? value) : value;
  const unlike: Document = {
    email: `${key.toLowerCase()}@example.com`,
    slug: key.toLowerCase(),
    jti: key,
    keyHash: hashKey(key),
  };
  return rows.map(({ collection, document }) => {
    const members = Object.entries(document).map(([name, value]) => [
      name,
      name in unlike ? unlike[name] : renewValue(value),
    ]);
    return { collection, document: Object.fromEntries(members) as Document };
  });
}

async function insert(db: mongo.Db, rows: readonly Row[]): Promise<void> {
  for (const [collection, some] of groupBy(rows, (row) => row.collection)) {
    const documents = some.map(({ document }) => document);
    await db.collection(collection).insertMany(documents, { ordered: false });
  }
}
