// Compiles TypeScript for Node.js, with the engines in it and with or without the packages of others.
import { build, type BuildOptions, type BuildResult } from 'esbuild';
import { enginesInside } from './engines.ts';

/** Compiler options for Node.js modules. */
const NODE_MODULES: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
  plugins: [enginesInside],
};

/** Packages in CommonJS call it. */
export const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

export type Compilation = BuildOptions & { outdir: string };

/** Compiles sources to one file each, without the packages of others, which are loaded from `node_modules`. */
export function compilePrograms(options: Compilation): Promise<BuildResult> {
  return build({
    ...NODE_MODULES,
    packages: 'external',
    entryNames: '[name]',
    ...options,
  });
}

/** Compiles sources to one `.mjs` file each, with all that it needs. */
export function compileWhole(options: Compilation): Promise<BuildResult> {
  return build({
    ...NODE_MODULES,
    banner: { js: REQUIRE },
    entryNames: '[name]',
    outExtension: { '.js': '.mjs' },
    ...options,
  });
}
