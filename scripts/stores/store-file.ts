// Exports and imports a store file: documents and indexes of a database and its key store, as gzipped BSON.
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { mongo } from 'mongoose';

const { BSON } = mongo;
const LEVEL = { level: 9 };
const AS_STORED = { promoteValues: false, promoteBuffers: false, bsonRegExp: true };

/** One row of the file: a collection with its indexes, or a document of the collection before it. */
type Row =
  | { isKeys: boolean; collection: string; indexes: mongo.Document[] }
  | { document: object };

/** Lists the database and the key store that an instance creates beside it. */
function listDatabases(
  client: mongo.MongoClient,
  name: string,
): { isKeys: boolean; db: mongo.Db }[] {
  return [
    { isKeys: false, db: client.db(name) },
    { isKeys: true, db: client.db(`${name}-keys`) },
  ];
}

async function* readStoreRows(client: mongo.MongoClient, name: string): AsyncGenerator<Row> {
  for (const { isKeys, db } of listDatabases(client, name)) {
    const collections = await db.listCollections({}, { nameOnly: true }).toArray();
    for (const collection of collections.map((found) => found.name).toSorted()) {
      const indexes = (await db.collection(collection).indexes()) as mongo.Document[];
      yield { isKeys, collection, indexes: indexes.filter((index) => index['name'] !== '_id_') };
      for await (const document of db.collection(collection).find({}, AS_STORED))
        yield { document };
    }
  }
}

export async function exportStore(
  client: mongo.MongoClient,
  name: string,
  path: string,
): Promise<void> {
  const rows: Uint8Array[] = [];
  for await (const row of readStoreRows(client, name)) rows.push(BSON.serialize(row));
  await writeFile(path, await promisify(gzip)(Buffer.concat(rows), LEVEL));
}

/** Imports a store file; the databases must not exist. */
export async function restoreStore(
  client: mongo.MongoClient,
  name: string,
  path: string,
): Promise<void> {
  const bytes = await promisify(gunzip)(await readFile(path));
  const [data, keys] = listDatabases(client, name);
  let collection: mongo.Collection | undefined;
  let documents: mongo.Document[] = [];
  const store = async (): Promise<void> => {
    if (documents.length > 0) await collection?.insertMany(documents);
    documents = [];
  };
  for (const row of readRows(bytes)) {
    if ('document' in row) {
      documents.push(row.document);
      continue;
    }
    await store();
    const db = (row.isKeys ? keys : data)?.db as mongo.Db;
    collection = await db.createCollection(row.collection);
    for (const index of row.indexes) await db.command(toCreateCommand(row.collection, index));
  }
  await store();
}

/** Returns the keys to create an index: a text index is listed in its stored form; its weights name its fields. */
function toCreateCommand(collection: string, listed: mongo.Document): mongo.Document {
  const { v: _, textIndexVersion: __, ...index } = listed;
  const { key, weights } = index as { key: Record<string, unknown>; weights?: object };
  if (!weights) return { createIndexes: collection, indexes: [index] };
  const { _fts: ___, _ftsx: ____, ...rest } = key;
  const texts = Object.keys(weights).map((field) => [field, 'text']);
  const declared = Object.assign(rest, Object.fromEntries(texts));
  return { createIndexes: collection, indexes: [Object.assign(index, { key: declared })] };
}

function* readRows(bytes: Buffer): Generator<Row> {
  for (let at = 0; at < bytes.length;) {
    const size = bytes.readInt32LE(at);
    yield BSON.deserialize(bytes.subarray(at, at + size), AS_STORED) as Row;
    at += size;
  }
}
