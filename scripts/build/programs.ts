// How Assay's programs and threads are compiled for Node.js, by the build and by a run of tests.
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BuildResult } from 'esbuild';
import { THREADS } from '../../src/platform/threads/threads.ts';
import { type Compilation, compilePrograms, compileWhole, REQUIRE } from './compile.ts';

/** By the names that they get in a build; they share what they have in common. */
const PROGRAMS = {
  server: 'src/server.ts',
  start: 'scripts/build/start-built.ts',
  release: 'scripts/release.ts',
  custodian: 'scripts/custodian/start-custodian.ts',
};

/** The command line, with its packages. Each command is a file of its own, so that none loads what others need. */
const COMMAND_LINE = { assay: 'packages/cli/src/assay.ts' };

/** `assay hook` alone, a file that runs wherever it is copied to, and the downloads of a mongod. */
const WHOLE = ['packages/cli/src/hook.ts', 'scripts/mongod/downloads.ts'];

/** Each becomes one file that holds its packages too: a thread starts in a quarter of the time. */
export const THREAD_SOURCES = Object.values(THREADS).map(({ source }) => `src/${source}.ts`);

/** Files that programs and threads look for beside themselves: the watchdog of a database, and data. */
const FILES = [
  'packages/embedded-mongod/src/mongod-watchdog.mjs',
  'src/domain/identity/common-passwords.txt',
  'src/platform/embedding/words.txt',
  'src/platform/embedding/word-vectors.bin',
];

/** Systems start a program by it. */
const SHEBANG = '#!/usr/bin/env node';

/** Compiles all that a build consists of, but for the verifier and the console. */
export async function compileBuild(options: Compilation): Promise<BuildResult[]> {
  const apart = { ...options, splitting: true };
  const programs = await compilePrograms({
    ...apart,
    entryPoints: PROGRAMS,
    banner: { js: SHEBANG },
  });
  const commandLine = await compileWhole({
    ...apart,
    entryPoints: COMMAND_LINE,
    chunkNames: 'assay-[name]-[hash]',
    outExtension: {},
    banner: { js: `${SHEBANG}\n${REQUIRE}` },
  });
  const whole = await compileWhole({ ...options, entryPoints: [...WHOLE, ...THREAD_SOURCES] });
  await copyFiles(options.outdir);
  return [programs, commandLine, whole];
}

/** Copies what the compiled programs look for beside themselves. */
export async function copyFiles(outdir: string): Promise<void> {
  for (const file of FILES) await copyFile(file, join(outdir, basename(file)));
}
