// Installs the frameworks, and the SDK as its package has it; compiles the programs that tests start.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const run = promisify(execFile);
const here = join(import.meta.dirname, '..');
const sdk = join(here, '../packages/sdk-typescript');
const modules = join(here, 'node_modules');
export const PROGRAMS = join(modules, '.cache/programs');

/** Unpacks what `npm pack` makes, so that the frameworks are the SDK's neighbours as in an application. */
async function unpackSdk(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-sdk-'));
  const place = join(modules, '@assay/sdk');
  try {
    await run(process.execPath, [join(sdk, 'build.mjs')]);
    await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: sdk });
    const [archive = ''] = await readdir(folder);
    await rm(place, { recursive: true, force: true });
    await mkdir(place, { recursive: true });
    await run('tar', ['-xzf', join(folder, archive), '-C', place, '--strip-components=1']);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compilePrograms(): Promise<void> {
  const folder = join(here, 'programs');
  const programs = (await readdir(folder)).map((file) => join(folder, file));
  await build({
    entryPoints: programs,
    outdir: PROGRAMS,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
}

export async function setup(): Promise<void> {
  if (!existsSync(modules)) await run('npm', ['ci', '--ignore-scripts'], { cwd: here });
  await Promise.all([unpackSdk(), compilePrograms()]);
}
