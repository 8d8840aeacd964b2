// `npm run build`: compiles the server and its threads into dist, one file each, since hundreds of modules load slowly.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compilePrograms, compileWhole, copyFiles, THREAD_SOURCES } from './build/programs.ts';

const outdir = 'dist';

mkdirSync(outdir, { recursive: true });
// The console has a build of its own, which swaps it in whole.
for (const name of readdirSync(outdir))
  if (name !== 'console') rmSync(join(outdir, name), { recursive: true });
const withMaps = { outdir, sourcemap: true, sourcesContent: false } as const;
await compilePrograms({ ...withMaps, entryPoints: ['src/server.ts'] });
await compileWhole({ ...withMaps, entryPoints: THREAD_SOURCES });
await copyFiles(outdir);
