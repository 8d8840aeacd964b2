// Builds dist/: one bundled module an entry, and the declarations.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ENTRIES, OPTIONS } from './entries.mjs';

const here = dirname(fileURLToPath(import.meta.url));
rmSync(join(here, 'dist'), { recursive: true, force: true });
await build({ ...OPTIONS, entryPoints: ENTRIES, outdir: 'dist', absWorkingDir: here });
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
for (const project of ['tsconfig.json', 'tsconfig.verify.json'])
  execFileSync(process.execPath, [compiler, '-p', join(here, project)], { stdio: 'inherit' });
