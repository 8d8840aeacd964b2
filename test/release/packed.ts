// Packs a release twice, once for the whole run, into folders outside of the checkout.
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import type { FoundMongod } from '@assay/embedded-mongod';
import { findOrFetchMongod } from '../../scripts/mongod/find-or-fetch.ts';
import { readJson, ROOT } from '../../scripts/release/owner.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folders of the first and the second packing, and how long the first took. */
    packed: {
      first: string;
      second: string;
      version: string;
      /** Of the key that signed both, in PEM. */
      publicKey: string;
      seconds: number;
    };
    /** An empty folder; the other tests of the run have none. */
    outside: string;
    mongod: FoundMongod;
  }
}

const run = promisify(execFile);

async function pack(outdir: string, key: string): Promise<number> {
  const began = performance.now();
  const script = join(ROOT, 'scripts/release/pack.ts');
  const env = { ...process.env, ASSAY_RELEASE_KEY: key };
  await run(process.execPath, ['--import', 'tsx', script, outdir], { cwd: ROOT, env });
  return (performance.now() - began) / 1000;
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-test-release-'));
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const seconds = await pack(first, privateKey);
  await pack(second, privateKey);
  project.provide('mongod', await findOrFetchMongod(console.log));
  const { version } = readJson<{ version: string }>(join(ROOT, 'package.json'));
  project.provide('packed', { first, second, version, publicKey, seconds });
  project.provide('outside', folder);
  return () => rm(folder, { recursive: true, force: true });
}
