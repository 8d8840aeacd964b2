// Packs a release twice, once for the whole run, into folders outside of the checkout.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { findMongod, type FoundMongod } from '@assay/embedded-mongod';
import { createDownloads } from '../../scripts/mongod/downloads.ts';
import { MONGOD_CACHE } from '../../src/config/project-root.ts';
import { readJson, ROOT } from '../../scripts/release/owner.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folders of the first and the second packing, and how long the first took. */
    packed: { first: string; second: string; version: string; seconds: number };
    /** An empty folder; the other tests of the run have none. */
    outside: string;
    mongod: FoundMongod;
  }
}

const run = promisify(execFile);

async function pack(outdir: string): Promise<number> {
  const began = performance.now();
  const script = join(ROOT, 'scripts/release/pack.ts');
  await run(process.execPath, ['--import', 'tsx', script, outdir], { cwd: ROOT });
  return (performance.now() - began) / 1000;
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-test-release-'));
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  const seconds = await pack(first);
  await pack(second);
  const { MONGOD_BINARY: binary } = process.env;
  const lookup = {
    binary,
    env: process.env,
    cacheDir: MONGOD_CACHE,
    downloads: createDownloads(),
    log: console.log,
  };
  project.provide('mongod', await findMongod(lookup));
  const { version } = readJson<{ version: string }>(join(ROOT, 'package.json'));
  project.provide('packed', { first, second, version, seconds });
  project.provide('outside', folder);
  return () => rm(folder, { recursive: true, force: true });
}
