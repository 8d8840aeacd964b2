// The user of the embedded database: its password is derived from a key file that only the owner can read.
import { createHmac, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import mongoose from 'mongoose';

/** mongod's `--keyFile` accepts 6 to 1024 characters of the base64 alphabet. */
const KEY_BYTES = 96;
const AUTHENTICATION_FAILED = 18;

export interface DatabaseUser {
  /** Path for `--keyFile`, which enables authentication. */
  keyFile: string;
  name: string;
  password: string;
}

/** Reads the user of a data folder, and creates its key at the first start. */
export async function loadDatabaseUser(dataDir: string): Promise<DatabaseUser> {
  const keyFile = join(dataDir, 'mongod.key');
  const made = randomBytes(KEY_BYTES).toString('base64');
  await writeFile(keyFile, made, { flag: 'wx', mode: 0o600 }).catch(ignoreExisting);
  const key = await readFile(keyFile, 'utf8');
  const password = createHmac('sha256', key).update('embedded database user').digest('hex');
  return { keyFile, name: 'assay', password };
}

/**
 * Creates the user where the database has none yet: mongod lets the loopback do that once.
 * @throws Error when the data belongs to another key
 */
export async function ensureUser(port: number, { name, password }: DatabaseUser): Promise<void> {
  if (await maySignIn(port, { name, password })) return;
  await withMongod(port, async (client) => {
    const roles = [{ role: 'root', db: 'admin' }];
    await client.db('admin').command({ createUser: name, pwd: password, roles });
  }).catch((error: unknown) => {
    throw new Error('The embedded database has a user of another key: restore mongod.key', {
      cause: error,
    });
  });
}

async function maySignIn(
  port: number,
  user: Pick<DatabaseUser, 'name' | 'password'>,
): Promise<boolean> {
  try {
    await withMongod(port, (client) => client.db('admin').command({ usersInfo: 1 }), user);
    return true;
  } catch (error) {
    const isRefused =
      error instanceof mongoose.mongo.MongoServerError && error.code === AUTHENTICATION_FAILED;
    if (isRefused) return false;
    throw error;
  }
}

const TIMEOUT_MS = 20_000;

/** Runs work with a client of the mongod on a loopback port, with or without a user. */
export async function withMongod<T>(
  port: number,
  work: (client: mongoose.mongo.MongoClient) => Promise<T>,
  user?: Pick<DatabaseUser, 'name' | 'password'>,
): Promise<T> {
  const client = new mongoose.mongo.MongoClient(
    `mongodb://127.0.0.1:${port}/?directConnection=true`,
    {
      serverSelectionTimeoutMS: TIMEOUT_MS,
      maxPoolSize: 1,
      ...(user && { auth: { username: user.name, password: user.password } }),
    },
  );
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
