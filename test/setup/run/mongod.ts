// Starts the one mongod that a test run shares, found as an instance finds its own; its data goes with the run.
import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { startEmbedded, type FoundMongod } from '@assay/embedded-mongod';
import { findOrFetchMongod } from '../../../scripts/mongod/find-or-fetch.ts';
import { isNeeded } from './needs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of the run's replica set; use a database of your own on it. */
    mongoUri: string;
    /** The program itself, for tests that start a mongod of their own. */
    mongod: FoundMongod;
    /** An existing folder, in memory where possible, for data folders of a test's own. */
    scratch: string;
  }
}

/** Expired documents stay: the monitor looks at the real time, and the clocks of tests may be in the past. */
const PARAMETERS = { ttlMonitorEnabled: false, minSnapshotHistoryWindowInSeconds: 10 };
const FILES = 'file_manager=(close_idle_time=30,close_scan_interval=10,close_handle_minimum=250)';

/**
 * Databases of apps are hundreds of files each: those at rest are closed in half a minute instead of ten, and dropped ones are not
 * kept for readers of the past. Without it a quick run passes the limit of open files.
 */
async function applyFastSettings(uri: string): Promise<void> {
  const client = await new mongo.MongoClient(uri).connect();
  const admin = client.db('admin');
  await admin.command({ setParameter: 1, wiredTigerEngineRuntimeConfig: FILES });
  await client.close();
}

/** Uses memory instead of a disk if there is enough; containers often have 64 MB, which a journal fills. */
async function createScratchFolder(): Promise<string> {
  const memory = '/dev/shm';
  const room = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return room > 2e9 ? memory : tmpdir();
}

/** Tests of pure rules begin without it. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | void> {
  if (isNeeded(project, ['mongoUri', 'mongod'])) return startMongod(project);
  project.provide('scratch', await createScratchFolder());
}

export async function startMongod(project: TestProject): Promise<() => Promise<void>> {
  const mongod = await findOrFetchMongod(console.log);
  const scratch = await createScratchFolder();
  const embedded = await startEmbedded({
    dataDir: await mkdtemp(join(scratch, 'assay-test-')),
    binary: mongod,
    log: console.log,
    parameters: PARAMETERS,
    ephemeral: true,
    // The data goes with the process, so that nothing is gained by the journal.
    waitsForJournal: false,
    onLost: (reason) => console.error(reason),
  });
  await applyFastSettings(embedded.uri);
  project.provide('mongoUri', embedded.uri);
  project.provide('mongod', mongod);
  project.provide('scratch', scratch);
  return () => embedded.stop();
}
