// Compiles once per run the programs and threads that tests start, so that none needs a compiler of its own.
import { rm } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { compilePrograms, compileWhole } from '../../../scripts/build/compile.ts';
import { copyFiles, THREAD_SOURCES } from '../../../scripts/build/programs.ts';
import { compileFolder } from './compiled.ts';
import { isNeeded } from './needs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the folder with the compiled programs and threads. */
    built: string;
  }
}

const PROGRAMS = [
  'src/server.ts',
  'scripts/release.ts',
  'scripts/custodian/start-custodian.ts',
  'scripts/verify-bundle.ts',
  'packages/embedded-mongod/test/embedded-app.ts',
  'test/platform/threads/asking-process.ts',
];
const WHOLE = [
  ...THREAD_SOURCES,
  'packages/cli/src/assay.ts',
  'test/fixtures/mcp/shop.ts',
  'test/platform/threads/asked-thread.ts',
];

/** Packages that read files beside their scripts. */
const BESIDE = ['@node-rs/argon2', 'swagger-ui-dist'];

/** Compiles the programs and threads into a folder; only those that contain `changed`, if it is given. */
export type CompilePrograms = (changed?: string) => Promise<void>;

/** Compiles `more` too, one file each with all that it needs. */
export function createPrograms(outdir: string, more: readonly string[] = []): CompilePrograms {
  const sets = [
    { programs: PROGRAMS, compile: compilePrograms },
    { programs: [...WHOLE, ...more], compile: compileWhole },
  ];
  /** The sources of each, from its first compilation. */
  const sources = new Map<string, ReadonlySet<string>>();
  const isAffected = (program: string, changed: string | undefined): boolean =>
    changed === undefined || sources.get(program)?.has(changed) === true;

  return async (changed) => {
    for (const { programs, compile } of sets) {
      const entryPoints = programs.filter((one) => isAffected(one, changed));
      if (entryPoints.length === 0) continue;
      const outExtension = { '.js': '.mjs' };
      const { metafile } = await compile({
        outdir,
        entryPoints,
        outExtension,
        metafile: true,
        external: BESIDE,
      });
      for (const { entryPoint, inputs } of Object.values(metafile?.outputs ?? {}))
        if (entryPoint !== undefined) sources.set(entryPoint, new Set(Object.keys(inputs)));
    }
    if (changed === undefined) await copyFiles(outdir);
  };
}

export async function setup(
  project: TestProject,
  more: readonly string[] = [],
): Promise<(() => Promise<void>) | void> {
  if (!isNeeded(project, ['built'])) return;
  const outdir = await compileFolder('assay-test-');
  await createPrograms(outdir, more)();
  project.provide('built', pathToFileURL(`${outdir}/`).href);
  return () => rm(outdir, { recursive: true, force: true });
}
