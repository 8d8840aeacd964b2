// `npm run build:console`: builds the console into dist/console, with each file also compressed, and swaps it in whole.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { checkLibraryStyles } from './library-styles.ts';
import { CONSOLE_SOURCES, LICENCES, ROOT } from './sources.ts';
import { buildVerifier } from './verify-page.ts';

const COMPRESSIBLE = /\.(css|js|json|svg)$/;
const BUILT = join(ROOT, 'dist/console');
const NEXT = join(ROOT, `dist/.console-${process.pid}`);

function compressFile(path: string): void {
  const bytes = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}

// Whatever the surroundings are, such as tests: React for development is several times as large and slow.
process.env['NODE_ENV'] = 'production';
await build({
  root: CONSOLE_SOURCES,
  logLevel: 'warn',
  build: { outDir: NEXT, emptyOutDir: true, license: { fileName: LICENCES } },
});
await buildVerifier(NEXT);
checkLibraryStyles(NEXT);
const assets = join(NEXT, 'assets');
for (const name of readdirSync(assets))
  if (COMPRESSIBLE.test(name)) compressFile(join(assets, name));
mkdirSync(join(ROOT, 'dist'), { recursive: true });
rmSync(BUILT, { recursive: true, force: true });
renameSync(NEXT, BUILT);
