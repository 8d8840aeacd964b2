// Compiles once per run the programs and threads that tests start, so that none needs a compiler of its own.
import { copyFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type BuildOptions } from 'esbuild';
import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { COMPILED, compileFolder } from './compiled.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the folder with the compiled programs and threads. */
    built: string;
  }
}

const PROGRAMS = [
  'src/server.ts',
  'scripts/release.ts',
  'scripts/verify-bundle.ts',
  'test/embedded-db/embedded-app.ts',
  'test/faults/app-process.ts',
  'test/faults/one-for-all/attacker.ts',
  'test/platform/threads/asking-process.ts',
];
/** One file each with all that it needs: a thread starts in a quarter of the time, a command in half of it. */
const WHOLE = [
  'packages/cli/src/assay.ts',
  'test/fixtures/mcp/shop.ts',
  'src/resources/traces/ingestion/ingestion-thread.ts',
  'src/resources/otlp/otlp-thread.ts',
  'src/resources/traces/memory/memory-thread.ts',
  'src/resources/policies/replay/replay-thread.ts',
  'src/resources/hash-chain/verification-thread.ts',
  'src/platform/pdf/pdf-thread.ts',
  'src/platform/saml/saml-reader-thread.ts',
  'test/platform/threads/asked-thread.ts',
];
/** Files that programs look for beside themselves: the watchdog of a database, and data. */
const FILES = [
  'src/embedded-db/mongod-watchdog.mjs',
  'src/domain/identity/common-passwords.txt',
  'src/platform/embedding/words.txt',
  'src/platform/embedding/word-vectors.bin',
];
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

/** Compiles the programs and threads into a folder; only those that contain `changed`, if it is given. */
export type CompilePrograms = (changed?: string) => Promise<void>;

export function createPrograms(outdir: string): CompilePrograms {
  const sets: BuildOptions[] = [
    { entryPoints: PROGRAMS, packages: 'external' },
    { entryPoints: WHOLE, banner: { js: REQUIRE } },
  ];
  /** The sources of each, from its first compilation. */
  const sources = new Map<string, ReadonlySet<string>>();
  const isAffected = (program: string, changed: string | undefined): boolean =>
    changed === undefined || sources.get(program)?.has(changed) === true;

  return async (changed) => {
    for (const set of sets) {
      const entryPoints = (set.entryPoints as string[]).filter((one) => isAffected(one, changed));
      if (entryPoints.length === 0) continue;
      const { metafile } = await build({
        ...COMPILED,
        ...set,
        outdir,
        entryPoints,
        entryNames: '[name]',
        outExtension: { '.js': '.mjs' },
        metafile: true,
      });
      for (const { entryPoint, inputs } of Object.values(metafile.outputs))
        if (entryPoint !== undefined) sources.set(entryPoint, new Set(Object.keys(inputs)));
    }
    if (changed === undefined)
      for (const file of FILES) await copyFile(file, join(outdir, basename(file)));
  };
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const outdir = await compileFolder('assay-test-');
  await createPrograms(outdir)();
  project.provide('built', pathToFileURL(`${outdir}/`).href);
  return () => rm(outdir, { recursive: true, force: true });
}
