// Prints the size of the main module, minified and compressed, and fails above 12 KiB or with a dependency.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const LIMIT = 12 * 1024;
const here = dirname(fileURLToPath(import.meta.url));
const { outputFiles } = await build({
  entryPoints: [join(here, 'src/index.ts')],
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'neutral',
  external: ['node:*'],
  target: 'es2023',
  write: false,
});
const size = gzipSync(outputFiles[0].contents, { level: 9 }).length;
const { dependencies = {} } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const count = Object.keys(dependencies).length;
console.log(`${size} bytes gzip of ${LIMIT}, ${count} dependencies`);
process.exitCode = size <= LIMIT && count === 0 ? 0 : 1;
