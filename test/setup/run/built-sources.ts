// A Vite plugin by which tests load compiled sources: file by file through Vite they take several times as long.
import { rmSync } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin as EsbuildPlugin } from 'esbuild';
import type { Plugin } from 'vitest/config';
import { compilePrograms } from '../../../scripts/build/compile.ts';
import { ENGINE_FOLDERS, ENGINE_SOURCES } from '../../../scripts/build/engines.ts';
import { compileFolder } from './compiled.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The sources of the service, and of each engine. */
const FOLDERS = [join(ROOT, 'src'), ...ENGINE_FOLDERS];

const isSource = (file: string): boolean => FOLDERS.some((folder) => file.startsWith(`${folder}/`));

/** What a file imports keeps its place, and is compiled too. */
const compiledImports: EsbuildPlugin = {
  name: 'compiled-imports',
  setup(builder) {
    builder.onResolve({ filter: /^(\.|@assay\/)/ }, ({ path, kind, importer }) => {
      if (kind === 'entry-point') return null;
      const engine = ENGINE_SOURCES.get(path);
      const name = engine === undefined ? path : relative(dirname(importer), engine);
      return { path: name.replace(/\.ts$/, '.js'), external: true };
    });
  },
};

async function compileAll(outdir: string): Promise<void> {
  const files: string[] = [];
  for (const folder of FOLDERS) {
    await cp(folder, join(outdir, relative(ROOT, folder)), {
      recursive: true,
      filter: (file) => !file.endsWith('.ts'),
    });
    const found = await readdir(folder, { recursive: true });
    files.push(...found.filter((file) => file.endsWith('.ts')).map((file) => join(folder, file)));
  }
  await compile(files, outdir);
}

async function compile(entryPoints: string[], outdir: string): Promise<void> {
  await compilePrograms({
    entryPoints,
    entryNames: '[dir]/[name]',
    outbase: ROOT,
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
      if (isSource(resolve(file))) await compile([resolve(file)], folder);
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
      if (isOff || isSource(importer)) return null;
      const file = ENGINE_SOURCES.get(source) ?? resolve(dirname(importer), source);
      const isPath = /^([./]|@assay\/)/.test(source);
      if (!isPath || !isSource(file)) return null;
      return join(folder, relative(ROOT, file)).replace(/\.ts$/, '.js');
    },
  };
}
