// Builds dist/: one bundled module an entry, and the declarations.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ENTRIES } from './entries.mjs';

const here = dirname(fileURLToPath(import.meta.url));
rmSync(join(here, 'dist'), { recursive: true, force: true });
await build({
  entryPoints: ENTRIES.map((entry) => join(here, 'src', `${entry}.ts`)),
  outdir: join(here, 'dist'),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'neutral',
  external: ['node:*'],
  target: 'es2023',
  logLevel: 'warning',
});
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', join(here, 'tsconfig.json')], { stdio: 'inherit' });
