// The engines: packages of this repository whose sources are compiled into whatever imports them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

interface Manifest {
  name: string;
  exports?: Record<string, unknown>;
}

/** The source of each name that an engine is imported by: `@assay/saml` is `/.../packages/saml/src/index.ts`. */
export const ENGINE_SOURCES: ReadonlyMap<string, string> = new Map(
  readdirSync(join(ROOT, 'packages')).flatMap((folder) => {
    const file = join(ROOT, 'packages', folder, 'package.json');
    if (!existsSync(file)) return [];
    const { name, exports = {} } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    return Object.entries(exports).flatMap(([entry, source]) =>
      typeof source === 'string' && source.startsWith('./src/')
        ? [[join(name, entry), join(ROOT, 'packages', folder, source)] as const]
        : [],
    );
  }),
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
    builder.onResolve({ filter: /^@assay\// }, ({ path }) => {
      const source = ENGINE_SOURCES.get(path);
      return source === undefined ? null : { path: source };
    });
  },
};
