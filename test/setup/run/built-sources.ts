// A Vite plugin by which tests load compiled sources: file by file through Vite they take several times as long.
import { rmSync } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin as EsbuildPlugin } from 'esbuild';
import type { Plugin } from 'vitest/config';
import { compilePrograms } from '../../../scripts/build/programs.ts';
import { compileFolder } from './compiled.ts';

const SOURCES = join(import.meta.dirname, '../../../src');
/** Looks for its data beside the sources. */
const AS_THEY_ARE = join(SOURCES, 'embedded-db');

/** What a file imports keeps its place, and is compiled too. */
const compiledImports: EsbuildPlugin = {
  name: 'compiled-imports',
  setup(builder) {
    builder.onResolve({ filter: /^\./ }, ({ path, kind }) =>
      kind === 'entry-point' ? null : { path: path.replace(/\.ts$/, '.js'), external: true },
    );
  },
};

async function compileAll(outdir: string): Promise<void> {
  await cp(SOURCES, outdir, { recursive: true, filter: (file) => !file.endsWith('.ts') });
  const files = await readdir(SOURCES, { recursive: true });
  await compile(
    files.filter((file) => file.endsWith('.ts')),
    outdir,
  );
}

async function compile(entryPoints: string[], outdir: string): Promise<void> {
  await compilePrograms({
    entryPoints,
    entryNames: '[dir]/[name]',
    absWorkingDir: SOURCES,
    outbase: SOURCES,
    outdir,
    plugins: [compiledImports],
  });
}

export interface BuiltSources extends Plugin {
  /** Compiles a changed file, named from the root; the next run of tests loads it. */
  recompile: (file: string) => Promise<void>;
}

export function createBuiltSources(): BuiltSources {
  let folder = '';
  let isOff = false;
  return {
    name: 'built-sources',
    enforce: 'pre',
    async recompile(file) {
      if (resolve(file).startsWith(`${SOURCES}/`)) await compile([resolve(file)], folder);
    },
    // Which tests a change concerns is seen where each source is itself.
    configureVitest({ vitest: { config } }) {
      isOff = config.changed !== undefined && config.changed !== false;
    },
    async buildStart() {
      folder = await compileFolder('assay-src-');
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
      await compileAll(folder);
    },
    resolveId(source, importer = '') {
      if (isOff || !/^[./]/.test(source) || importer.startsWith(SOURCES)) return null;
      const file = resolve(dirname(importer), source);
      if (!file.startsWith(`${SOURCES}/`) || file.startsWith(AS_THEY_ARE)) return null;
      return join(folder, relative(SOURCES, file)).replace(/\.ts$/, '.js');
    },
  };
}
