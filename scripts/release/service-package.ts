// The package of all that runs: server, threads, console, command line, verifier and custodian, built.
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileWhole } from '../build/compile.ts';
import { compileBuild } from '../build/programs.ts';
import { appendNotices, formatNotices, joinNotices, listCompiled, type Notice } from './notices.ts';
import { LICENCE_OF_NPM, OWNER, readJson, ROOT } from './owner.ts';
import { packForNpm, run } from './run.ts';

interface Manifest {
  version: string;
  description: string;
  engines: Record<string, string>;
}

interface Lock {
  /** By folder: the checkout (``), its workspaces, and what is installed. */
  packages: Record<string, { version?: string; dependencies?: Record<string, string> }>;
}

/** npm reads it in a package too: what is installed is what was tested. */
const LOCK = 'npm-shrinkwrap.json';
const NOTICES = 'THIRD_PARTY_NOTICES.txt';

/** Names on the path, and what they start. */
const PROGRAMS = {
  assay: 'dist/assay.js',
  'assay-server': 'dist/server.js',
  'assay-custodian': 'dist/custodian.js',
  'assay-release': 'dist/release.js',
};

/** What is compiled in: all together, and into the programs that run alone. */
interface Compiled {
  notices: Notice[];
  verifier: Notice[];
}

/** Packs a fresh compilation of all into a package for npm, and leaves the verifier beside it. */
export async function packService(
  stage: string,
  outdir: string,
): Promise<Compiled & { file: string }> {
  const dist = join(stage, 'dist');
  mkdirSync(dist, { recursive: true });
  const compiled = await compileInto(dist);
  copyFileSync(join(dist, 'verify-bundle.mjs'), join(outdir, 'verify-bundle.mjs'));
  copyFileSync(join(ROOT, 'NOTICE'), join(stage, 'NOTICE'));
  writeFileSync(join(stage, NOTICES), formatNotices(compiled.notices));
  copyFileSync(join(import.meta.dirname, 'PACKAGE.md'), join(stage, 'README.md'));
  const manifest = makeManifest(dist);
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  // What only the checkout needs falls out of its lock.
  copyFileSync(join(ROOT, 'package-lock.json'), join(stage, LOCK));
  run('npm', ['install', '--silent', '--package-lock-only', '--offline'], { cwd: stage });
  return { ...compiled, file: packForNpm(stage, outdir) };
}

/** Compiles programs, verifier and console. */
async function compileInto(dist: string): Promise<Compiled> {
  const results = await compileBuild({ outdir: dist, metafile: true });
  run('npm', ['run', '--silent', 'build:verifier']);
  run('npm', ['run', '--silent', 'build:console']);
  cpSync(join(ROOT, 'dist/console'), join(dist, 'console'), { recursive: true });
  copyFileSync(join(ROOT, 'dist/verify-bundle.mjs'), join(dist, 'verify-bundle.mjs'));
  const verifier = await listOf(['scripts/verify-bundle.ts']);
  appendNotices(join(dist, 'verify-bundle.mjs'), verifier);
  appendNotices(join(dist, 'hook.mjs'), await listOf(['packages/cli/src/hook.ts']));
  const ofConsole = ['licences.json', 'licences-verify.json'].map((name) =>
    readJson<Notice[]>(join(dist, 'console/.vite', name)),
  );
  const programs = listCompiled(results.map(({ metafile }) => metafile!));
  const ofThread = await listOf(THREAD, 'browser');
  return { notices: joinNotices(programs, verifier, ofThread, ...ofConsole), verifier };
}

/** Sources of the thread of the console's verifier, of which Vite lists nothing. */
const THREAD = ['worker.ts', 'primitives.ts'].map((name) => `console/verifier/${name}`);

/** What sources are compiled with when they are to run alone. */
async function listOf(
  entryPoints: string[],
  platform: 'node' | 'browser' = 'node',
): Promise<Notice[]> {
  const options = { outdir: 'none', write: false, metafile: true, absWorkingDir: ROOT };
  const { metafile } = await compileWhole({
    ...options,
    platform,
    external: ['node:*'],
    entryPoints,
  });
  return joinNotices(listCompiled([metafile!]));
}

function makeManifest(dist: string): object {
  const { version, description, engines } = readJson<Manifest>(join(ROOT, 'package.json'));
  const programs = readdirSync(dist).filter((name) => /\.m?js$/.test(name));
  const text = programs.map((name) => readFileSync(join(dist, name), 'utf8')).join('\n');
  const { service } = OWNER.names;
  return {
    name: service,
    version,
    description,
    ...LICENCE_OF_NPM,
    type: 'module',
    engines,
    // npx starts the program that has the name of its package.
    bin: { [service.replace(/^@.*\//, '')]: PROGRAMS.assay, ...PROGRAMS },
    files: ['dist', 'NOTICE', NOTICES, LOCK],
    dependencies: listLoaded(text),
  };
}

/** Returns what compiled programs load themselves, of all that the checkout and its workspaces depend on. */
function listLoaded(text: string): Record<string, string> {
  const { packages } = readJson<Lock>(join(ROOT, 'package-lock.json'));
  const names = Object.entries(packages)
    .filter(([folder]) => !folder.includes('node_modules/'))
    .flatMap(([, { dependencies }]) => Object.keys(dependencies ?? {}))
    .filter((name) => isLoaded(name, text));
  const versions = names.sort().map((name) => [name, packages[`node_modules/${name}`]?.version]);
  return Object.fromEntries(versions) as Record<string, string>;
}

/** The compiler of sources is for the checkout alone. */
const isLoaded = (name: string, text: string): boolean =>
  name !== 'tsx' && new RegExp(`["']${name}(/[^"']*)?["']`).test(text);
