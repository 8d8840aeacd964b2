// A Vite plugin: tests load the sources compiled, by Node.js itself; file by file through Vite they would take each process several times as long.
import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { build, type Plugin as EsbuildPlugin } from 'esbuild';
import type { Plugin } from 'vitest/config';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCES = join(ROOT, 'src');
/** Below the packages, which the sources load as they are. */
const CACHE = join(ROOT, 'node_modules/.cache');
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

async function compile(outdir: string): Promise<void> {
  await cp(SOURCES, outdir, { recursive: true, filter: (file) => !file.endsWith('.ts') });
  const files = await readdir(SOURCES, { recursive: true });
  await build({
    entryPoints: files.filter((file) => file.endsWith('.ts')),
    absWorkingDir: SOURCES,
    outbase: SOURCES,
    outdir,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    plugins: [compiledImports],
    logLevel: 'warning',
  });
}

export function builtSources(): Plugin {
  let folder = '';
  return {
    name: 'built-sources',
    enforce: 'pre',
    async buildStart() {
      await mkdir(CACHE, { recursive: true });
      folder = await mkdtemp(join(CACHE, 'assay-src-'));
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
      await compile(folder);
    },
    resolveId(source, importer = '') {
      if (!/^[./]/.test(source) || importer.startsWith(SOURCES)) return null;
      const file = resolve(dirname(importer), source);
      if (!file.startsWith(`${SOURCES}/`) || file.startsWith(AS_THEY_ARE)) return null;
      return join(folder, relative(SOURCES, file)).replace(/\.ts$/, '.js');
    },
  };
}
