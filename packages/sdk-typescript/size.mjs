// Prints the sizes of the modules, minified and compressed, and fails where one is too large or there is a dependency.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { ADAPTERS, ENTRIES, OPTIONS } from './entries.mjs';

/** With all that it needs. */
const MAIN_MAX = 12 * 1024;
/** What an adapter adds to the main module; that of Claude names calls as the hooks do. */
const ADAPTER_MAX = 2.5 * 1024;
const here = dirname(fileURLToPath(import.meta.url));

async function measure(entryPoints) {
  const options = { ...OPTIONS, minify: true, write: false, outdir: 'dist', absWorkingDir: here };
  const { outputFiles } = await build({ ...options, entryPoints });
  return outputFiles.reduce(
    (sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length,
    0,
  );
}

let isFit = true;
function report(name, size, limit) {
  console.log(`${name}: ${size} bytes gzip of ${limit}`);
  isFit &&= size <= limit;
}

const main = await measure({ index: ENTRIES.index });
report('main module', main, MAIN_MAX);
for (const name of ADAPTERS)
  report(
    name,
    (await measure({ index: ENTRIES.index, [name]: ENTRIES[name] })) - main,
    ADAPTER_MAX,
  );
const { dependencies = {} } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const count = Object.keys(dependencies).length;
console.log(`${count} dependencies`);
process.exitCode = isFit && count === 0 ? 0 : 1;
