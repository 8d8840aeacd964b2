// The package of all that runs: server, threads, console, command line, verifier and custodian, built.
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileBuild } from '../build/programs.ts';
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

/** Names on the path, and what they start. */
const PROGRAMS = {
  assay: 'dist/assay.js',
  'assay-server': 'dist/server.js',
  'assay-custodian': 'dist/custodian.js',
  'assay-release': 'dist/release.js',
};

/** Packs what stands in `dist/console` and `dist/verify-bundle.mjs` with a fresh compilation of the rest. */
export async function packService(stage: string, outdir: string): Promise<void> {
  const dist = join(stage, 'dist');
  mkdirSync(dist, { recursive: true });
  await compileBuild({ outdir: dist });
  run('npm', ['run', '--silent', 'build:verifier']);
  run('npm', ['run', '--silent', 'build:console']);
  cpSync(join(ROOT, 'dist/console'), join(dist, 'console'), { recursive: true });
  const verifier = join(ROOT, 'dist/verify-bundle.mjs');
  copyFileSync(verifier, join(dist, 'verify-bundle.mjs'));
  copyFileSync(verifier, join(outdir, 'verify-bundle.mjs'));
  copyFileSync(join(ROOT, 'NOTICE'), join(stage, 'NOTICE'));
  copyFileSync(join(import.meta.dirname, 'README.md'), join(stage, 'README.md'));
  const manifest = makeManifest(dist);
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  // What only the checkout needs falls out of its lock.
  copyFileSync(join(ROOT, 'package-lock.json'), join(stage, LOCK));
  run('npm', ['install', '--silent', '--package-lock-only', '--offline'], { cwd: stage });
  packForNpm(stage, outdir);
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
    files: ['dist', 'NOTICE'],
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
