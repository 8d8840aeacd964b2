// Starts the one mongod that a test run shares, found as an instance finds its own; its data goes with the run.
import { access, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../src/infra/embedded-mongod.ts';
import { findMongod, type FoundMongod } from '../../src/infra/mongod-binary.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of the run's replica set; use a database of your own on it. */
    mongoUri: string;
    /** The program itself, for tests that start a mongod of their own. */
    mongod: FoundMongod;
  }
}

const memory = '/dev/shm';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { MONGOD_BINARY: binary } = process.env;
  const mongod = await findMongod({ binary, env: process.env, log: console.log });
  const base = await access(memory).then(
    () => memory,
    () => tmpdir(),
  );
  const embedded = await startEmbedded({
    dataDir: await mkdtemp(join(base, 'assay-test-')),
    binary: mongod,
    log: console.log,
    parameters: { ttlMonitorSleepSecs: 1 },
    ephemeral: true,
    onLost: (reason) => console.error(reason),
  });
  project.provide('mongoUri', embedded.uri);
  project.provide('mongod', mongod);
  return () => embedded.stop();
}
