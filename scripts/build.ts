// `npm run build`: compiles the programs and threads into dist, since hundreds of modules load slowly, while the verifier and the console have builds of their own.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compileBuild } from './build/programs.ts';

const outdir = 'dist';

mkdirSync(outdir, { recursive: true });
// The console has a build of its own, which swaps it in whole.
for (const name of readdirSync(outdir))
  if (name !== 'console') rmSync(join(outdir, name), { recursive: true });
await compileBuild({ outdir, sourcemap: true, sourcesContent: false });
