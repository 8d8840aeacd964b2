// The engines: packages of this repository whose sources are compiled into whatever imports them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

interface Manifest {
  name: string;
  exports?: Record<string, unknown>;
  /** The sources that do something when they are loaded; false: none does. */
  sideEffects?: string[] | false;
}

interface Source {
  path: string;
  sideEffects?: boolean;
}

/**
 * What each name that an engine is imported by is resolved to. `sideEffects` is what the compiler reads for imports
 * within the engine: a module that is reached both ways would be left out or not, by which way was first.
 */
const SOURCES: ReadonlyMap<string, Source> = new Map(
  readdirSync(join(ROOT, 'packages')).flatMap((folder) => {
    const file = join(ROOT, 'packages', folder, 'package.json');
    if (!existsSync(file)) return [];
    const { name, exports = {}, sideEffects } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    return Object.entries(exports).flatMap(([entry, source]) => {
      if (typeof source !== 'string' || !source.startsWith('./src/')) return [];
      const isPure = sideEffects === false || sideEffects?.includes(source) === false;
      const path = join(ROOT, 'packages', folder, source);
      return [[join(name, entry), { path, ...(isPure && { sideEffects: false }) }]] as const;
    });
  }),
);

/** The source of each name that an engine is imported by: `@assay/saml` is `/.../packages/saml/src/index.ts`. */
export const ENGINE_SOURCES: ReadonlyMap<string, string> = new Map(
  [...SOURCES].map(([name, { path }]) => [name, path]),
);

/** The folders of their sources. */
export const ENGINE_FOLDERS: readonly string[] = [
  ...new Set(
    [...ENGINE_SOURCES.keys()].map((name) =>
      join(ROOT, 'packages', name.split('/')[1] ?? '', 'src'),
    ),
  ),
];

/** Compiles in the engines beside this file, even where packages are left out or linked from another checkout. */
export const enginesInside: Plugin = {
  name: 'engines-inside',
  setup(builder) {
    builder.onResolve({ filter: /^@assay\// }, ({ path }) => SOURCES.get(path) ?? null);
  },
};
