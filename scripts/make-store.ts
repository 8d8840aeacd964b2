// Makes a store file with a version of Assay, for the upgrade tests (test/vectors/stores/README.md).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { mongo } from 'mongoose';
import { startEmbedded } from '@assay/embedded-mongod';
import { readCommandLine } from './command-line.ts';
import { createApi } from './demo/api.ts';
import { findOrFetchMongod } from './mongod/find-or-fetch.ts';
import { fillStore } from './stores/fill-store.ts';
import { exportStore } from './stores/store-file.ts';

const NAME = 'assay';
/** Secrets of the tests, which open the store with them. */
const SECRETS = {
  ASSAY_JWT_SECRET: 'a session secret for tests, long enough',
  ASSAY_LEDGER_KEY: 'a ledger key for tests, also long enough',
  ASSAY_ENCRYPTION_KEY: 'an encryption key for tests, long enough',
};
/** Time in which the consumers have caught up, also on a busy machine. */
const SETTLED_MS = 10_000;

interface Making {
  checkout: string;
  folder: string;
  decisions: string;
  limit: number;
}

const USAGE = `Usage: npx tsx scripts/make-store.ts CHECKOUT FOLDER [options]

Fills a store by a checked-out version of Assay and writes it to a folder.

  CHECKOUT           folder of the version, with its packages installed
  FOLDER             where store.bson.gz, facts.json and bundle.json.gz are written
  --decisions FILE   NDJSON, one decision a line; default: samples/decisions.ndjson
  --limit COUNT      maximum number of them; default: 60`;

function readArguments(): Making {
  return readCommandLine({
    usage: USAGE,
    options: {
      decisions: { type: 'string', default: 'samples/decisions.ndjson' },
      limit: { type: 'string', default: '60' },
    },
    read: ({ values: { decisions, limit }, positionals: [checkout, folder, ...others] }) => {
      if (checkout === undefined || folder === undefined || others.length > 0)
        throw new Error('give a checkout and a folder');
      return {
        checkout: resolve(checkout),
        folder: resolve(folder),
        decisions,
        limit: Number(limit),
      };
    },
  });
}

async function startVersion(checkout: string, uri: string, dataDir: string) {
  const env = {
    PATH: process.env.PATH,
    ...SECRETS,
    MONGODB_URI: uri,
    ASSAY_DATA_DIR: dataDir,
    PORT: '0',
  };
  const server = spawn('node', ['--import', 'tsx', 'src/server.ts'], {
    cwd: checkout,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(server.stdout)) {
    const [, url] = /API reference +(\S+)\/docs/.exec(line) ?? [];
    if (url !== undefined) return { server, url };
  }
  throw new Error('the version did not start');
}

async function fillInstance({ folder, decisions, limit }: Making, url: string): Promise<void> {
  const api = createApi(url);
  const facts = await fillStore(api, decisions, limit);
  await new Promise((done) => setTimeout(done, SETTLED_MS));
  const { email, password } = facts;
  const { token } = await api.post<{ token: string }>('/api/v1/auth/login', { email, password });
  const bundle = await fetch(`${url}/api/v1/hash-chain/bundle`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const bytes = Buffer.from(await bundle.arrayBuffer());
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`);
  await writeFile(join(folder, 'bundle.json.gz'), await promisify(gzip)(bytes));
}

async function runVersion(making: Making, uri: string, dataDir: string): Promise<void> {
  const { server, url } = await startVersion(making.checkout, uri, dataDir);
  server.stdout.resume();
  try {
    await fillInstance(making, url);
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

async function makeStoreFile(): Promise<void> {
  const making = readArguments();
  const scratch = await mkdtemp(join(tmpdir(), 'assay-store-'));
  const embedded = await startEmbedded({
    dataDir: join(scratch, 'mongod'),
    binary: await findOrFetchMongod(console.error),
    log: console.error,
    ephemeral: true,
  });
  const uri = new URL(embedded.uri);
  uri.pathname = `/${NAME}`;
  const client = await new mongo.MongoClient(uri.href).connect();
  try {
    await runVersion(making, uri.href, join(scratch, 'data'));
    await exportStore(client, NAME, join(making.folder, 'store.bson.gz'));
  } finally {
    await client.close();
    await embedded.stop();
    await rm(scratch, { recursive: true, force: true });
  }
}

await makeStoreFile();
