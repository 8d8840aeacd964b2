// The life cycle of the embedded database: persistent data and port, folder lock, and no mongod after a killed app.
// @module-tag long
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mongoose from 'mongoose';
import { inject, test, vi, type TestContext } from 'vitest';
import {
  startEmbedded,
  type EmbeddedMongod,
  type EmbeddedOptions,
} from '../src/embedded-mongod.ts';
import { loadDatabaseUser, withMongod } from '../src/database-user.ts';
import { startMongod } from '../src/mongod-process.ts';
import { ensureReplicaSetOfOne } from '../src/replica-set.ts';
import { isAlive } from '../../../test/embedded-db/server-process.ts';

const binary = inject('mongod');
const patience = { timeout: 15_000, interval: 20 };

interface World {
  dataDir: string;
  start(changes?: Partial<EmbeddedOptions>): Promise<EmbeddedMongod>;
  /** Runs a small app in a process of its own; returns it with its connection string. */
  startApp(...args: string[]): Promise<{ app: ChildProcess; uri: string }>;
}

/** A data folder and what runs on it, for one test. */
async function world({ onTestFinished }: TestContext): Promise<World> {
  const dataDir = await mkdtemp(join(inject('scratch'), 'assay-embedded-'));
  const running: EmbeddedMongod[] = [];
  const apps: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const app of apps) app.kill('SIGKILL');
    await Promise.all(running.map((embedded) => embedded.stop()));
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    dataDir,
    async start(changes = {}) {
      const embedded = await startEmbedded({ dataDir, binary, log: () => undefined, ...changes });
      running.push(embedded);
      return embedded;
    },
    async startApp(...args) {
      const script = fileURLToPath(new URL('embedded-app.mjs', inject('built')));
      const argv = [script, dataDir, binary.path, binary.version, ...args];
      const app = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
      apps.push(app);
      const [uri] = (await once(createInterface({ input: app.stdout }), 'line')) as [string];
      return { app, uri };
    },
  };
}

async function withDb<T>(uri: string, work: (db: mongoose.mongo.Db) => Promise<T>): Promise<T> {
  const client = new mongoose.mongo.MongoClient(uri, { serverSelectionTimeoutMS: 5000 });
  try {
    return await work(client.db());
  } finally {
    await client.close();
  }
}

function insert(uri: string, _id: number): Promise<unknown> {
  const majority = { writeConcern: { w: 'majority' as const } };
  return withDb(uri, (db) => db.collection<{ _id: number }>('kept').insertOne({ _id }, majority));
}

function ids(uri: string): Promise<number[]> {
  return withDb(uri, async (db) => {
    const rows = await db.collection<{ _id: number }>('kept').find().sort({ _id: 1 }).toArray();
    return rows.map((row) => row._id);
  });
}

function pidOf(uri: string): Promise<number> {
  return withDb(uri, async (db) => Number((await db.admin().serverStatus()).pid));
}

test.concurrent('a replica set of one on the loopback, with transactions', async (context) => {
  const { expect } = context;
  const { start } = await world(context);
  const { uri, port } = await start();
  expect(uri.replace(/assay:[0-9a-f]{64}@/, '')).toBe(
    `mongodb://127.0.0.1:${port}/assay?replicaSet=assay&authSource=admin`,
  );
  await withDb(uri, async (db) => {
    const { parsed } = await db.admin().command({ getCmdLineOpts: 1 });
    expect(parsed.net.bindIp).toBe('127.0.0.1');
    const session = db.client.startSession();
    await session.withTransaction(() => db.collection('t').insertOne({ a: 1 }, { session }));
    await session.endSession();
    expect(await db.collection('t').countDocuments()).toBe(1);
  });
});

test.concurrent('reading requires the password, and other users cannot read the files', async (context) => {
  const { expect } = context;
  const { dataDir, start } = await world(context);
  const { uri, port } = await start();
  const open = new URL(uri);
  [open.username, open.password] = ['', ''];
  open.searchParams.delete('authSource');
  await expect(ids(open.href)).rejects.toThrow(/requires authentication/);
  open.username = 'assay';
  open.password = 'a'.repeat(64);
  open.searchParams.set('authSource', 'admin');
  await expect(ids(open.href)).rejects.toThrow(/Authentication failed/);
  expect(port).toBeGreaterThan(0);
  const modes = ['mongod.key', 'mongod.log', 'db', 'db/WiredTiger'].map(async (name) => {
    const { mode } = await stat(join(dataDir, name));
    return (mode & 0o777).toString(8);
  });
  expect(await Promise.all(modes)).toEqual(['600', '600', '700', '600']);
});

test.concurrent('data without a password is accepted and gets one; data of another key is refused', async (context) => {
  const { expect } = context;
  const { dataDir, start } = await world(context);
  const first = await start();
  await insert(first.uri, 1);
  await withDb(first.uri, (db) => db.client.db('admin').command({ dropAllUsersFromDatabase: 1 }));
  await first.stop();
  const second = await start();
  expect(await ids(second.uri)).toEqual([1]);
  await second.stop();
  await rm(join(dataDir, 'mongod.key'));
  await expect(start()).rejects.toThrow('restore mongod.key');
});

test.concurrent('data and port are kept over a restart', async (context) => {
  const { expect } = context;
  const { start } = await world(context);
  const first = await start();
  await insert(first.uri, 1);
  await first.stop();
  const second = await start();
  expect(second.uri).toBe(first.uri);
  expect(await ids(second.uri)).toEqual([1]);
});

test.concurrent('the database moves to another port when another program has taken its own', async (context) => {
  const { expect } = context;
  const { start } = await world(context);
  const first = await start();
  await insert(first.uri, 1);
  await first.stop();
  const stranger = createServer().listen(first.port, '127.0.0.1');
  await once(stranger, 'listening');
  context.onTestFinished(() => void stranger.close());
  const log = vi.fn();
  const second = await start({ log, exitTimeoutMs: 0 });
  expect(second.port).not.toBe(first.port);
  expect(log).toHaveBeenCalledWith(
    `The embedded database moves to port ${second.port}: another program listens on ${first.port}`,
  );
  await insert(second.uri, 2);
  await second.stop();

  const third = await start();
  expect(third.port).toBe(second.port);
  expect(await ids(third.uri)).toEqual([1, 2]);
});

test.concurrent('a folder without its stored port is accepted', async (context) => {
  const { expect } = context;
  const { dataDir, start } = await world(context);
  const first = await start();
  await insert(first.uri, 1);
  await first.stop();
  await rm(join(dataDir, 'mongod.json'));
  const second = await start();
  expect(await ids(second.uri)).toEqual([1]);
});

test.concurrent('a mongod that answers before it has read its set is waited for', async (context) => {
  const { expect } = context;
  const { dataDir, start } = await world(context);
  const first = await start();
  await first.stop();
  const alone = { binary: binary.path, port: first.port, logFile: join(dataDir, 'alone.log') };
  const dbpath = ['--dbpath', join(dataDir, 'db')];
  const bare = await startMongod({ ...alone, args: dbpath });
  const set = await takeSetAway(first.port);
  await bare.stop();
  const keyFile = join(dataDir, 'mongod.key');
  const unread = await startMongod({
    ...alone,
    args: [...dbpath, '--replSet', 'assay', '--keyFile', keyFile],
  });
  context.onTestFinished(() => unread.stop());
  const waiting = ensureReplicaSetOfOne({ name: 'assay', port: first.port });
  await expect(Promise.race([waiting, setTimeout(500, 'still waiting')])).resolves.toBe(
    'still waiting',
  );
  const owner = await loadDatabaseUser(dataDir);
  await withMongod(
    first.port,
    (client) => client.db('admin').command({ replSetInitiate: set }),
    owner,
  );
  await waiting;
});

/** Removes and returns the stored configuration of a mongod that runs outside of its set. */
function takeSetAway(port: number): Promise<{ _id: string; members: object[] }> {
  return withMongod(port, async (client) => {
    const sets = client
      .db('local')
      .collection<{ _id: string; members: object[] }>('system.replset');
    const { _id, members } = (await sets.findOne({ _id: 'assay' })) ?? { _id: '', members: [] };
    await sets.deleteMany({});
    return { _id, members };
  });
}

test.concurrent('a folder in use is refused without disturbing its instance', async (context) => {
  const { expect } = context;
  const { dataDir, start } = await world(context);
  const first = await start();
  await expect(start({ exitTimeoutMs: 0 })).rejects.toThrow(
    `The data folder ${dataDir} is in use by another instance (its database listens on port ${first.port}). Stop it`,
  );
  await insert(first.uri, 1);
  await first.stop();
  const second = await start();
  expect(second.uri).toBe(first.uri);
  expect(await ids(second.uri)).toEqual([1]);
});

test.concurrent('a folder of a newer MongoDB is refused and left untouched', async (context) => {
  const { expect } = context;
  const { dataDir, start } = await world(context);
  await writeFile(join(dataDir, 'mongod.json'), '{"port":27017,"format":"99.0"}');
  await expect(start()).rejects.toThrow(
    `${dataDir} was written by MongoDB 99.0, which mongod ${binary.version}`,
  );
  expect(await readdir(join(dataDir, 'db'))).toEqual([]);
});

test.concurrent('the error of a failed start contains the errors of mongod', async (context) => {
  const { expect } = context;
  const { dataDir, start } = await world(context);
  const first = await start();
  await first.stop();
  await writeFile(join(dataDir, 'db', 'WiredTiger.turtle'), 'not what it was');
  await expect(start()).rejects.toThrow(
    /^mongod (was ended by SIGABRT|ended with exit code \d+)\n.*"s":"[EF]".*turtle/,
  );
});

test.concurrent('a program that cannot be run is reported', async (context) => {
  const { expect } = context;
  const { dataDir, start } = await world(context);
  await expect(
    start({ binary: { path: join(dataDir, 'none'), version: '8.0.4' } }),
  ).rejects.toThrow('ENOENT');
});

test.concurrent('kill -9 of the app leaves no mongod, and the next start finds all data', async (context) => {
  const { expect } = context;
  const { start, startApp } = await world(context);
  const { app, uri } = await startApp();
  const pid = await pidOf(uri);
  await insert(uri, 1);
  app.kill('SIGKILL');
  const next = await start();
  expect(isAlive(pid)).toBe(false);
  expect(next.uri).toBe(uri);
  expect(await ids(next.uri)).toEqual([1]);
});

test.concurrent('a watchdog starts nothing when its app has died during its start', async (context) => {
  const { expect } = context;
  const { dataDir } = await world(context);
  const order = {
    binary: binary.path,
    args: ['--dbpath', dataDir],
    logFile: join(dataDir, 'mongod.log'),
  };
  const watchdog = fileURLToPath(new URL('../src/mongod-watchdog.mjs', import.meta.url));
  const child = fork(watchdog, [JSON.stringify(order)], { execArgv: [], stdio: 'ignore' });
  child.disconnect();
  await once(child, 'exit');
  expect(await readdir(dataDir)).toEqual([]);
});

test.concurrent('the data of a test run is removed, also after kill -9', async (context) => {
  const { dataDir, startApp } = await world(context);
  const { app, uri } = await startApp('ephemeral');
  const pid = await pidOf(uri);
  app.kill('SIGKILL');
  await vi.waitUntil(() => !isAlive(pid), patience);
  await vi.waitUntil(
    async () => !(await readdir(dirname(dataDir))).some((name) => dataDir.endsWith(name)),
    patience,
  );
});

test.concurrent('a terminated app stops its mongod', async (context) => {
  const { startApp } = await world(context);
  const { app, uri } = await startApp();
  const pid = await pidOf(uri);
  app.kill('SIGTERM');
  await once(app, 'exit');
  await vi.waitUntil(() => !isAlive(pid), patience);
});

test.concurrent('the app is notified when mongod dies', async (context) => {
  const { expect } = context;
  const { start } = await world(context);
  const onLost = vi.fn();
  const { uri } = await start({ onLost });
  process.kill(await pidOf(uri), 'SIGKILL');
  await vi.waitUntil(() => onLost.mock.calls.length > 0, patience);
  expect(onLost).toHaveBeenCalledWith('mongod was ended by SIGKILL');
});

test
  .skipIf(process.platform !== 'linux')
  .concurrent('a mongod whose watchdog is killed goes too', async (context) => {
    const { expect } = context;
    const { start } = await world(context);
    const onLost = vi.fn();
    const { uri } = await start({ onLost });
    const pid = await pidOf(uri);
    const parent = /^PPid:\s*(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
    process.kill(Number(parent), 'SIGKILL');
    await vi.waitUntil(() => !isAlive(pid), patience);
    expect(onLost.mock.calls[0]?.[0]).toContain('its watchdog process has ended');
  });
