// Prints the sizes of the modules, minified and compressed, and fails where one is too large or there is a dependency.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { ADAPTERS, ENTRIES, OPTIONS } from './entries.mjs';

/** With all that is loaded with it, and what it loads where it is needed. */
const MAIN_MAX = 12 * 1024;
const LATER_MAX = 1024;
/** What an adapter adds to the main module; that of Claude names calls as the hooks do. */
const ADAPTER_MAX = 2.5 * 1024;
/** What the tracker of origins adds: it splits texts into whole tokens, in counted steps. */
const ORIGINS_MAX = 4.5 * 1024;
/** What the follower of halts adds. */
const HALTS_MAX = 2.5 * 1024;
const here = dirname(fileURLToPath(import.meta.url));

/** Bytes of what is loaded with the entries, and of what they load where it is needed. */
async function measure(entryPoints) {
  const options = { ...OPTIONS, minify: true, write: false, outdir: 'dist', absWorkingDir: here };
  const { outputFiles, metafile } = await build({ ...options, metafile: true, entryPoints });
  const entries = Object.values(entryPoints);
  const loaded = new Set(
    Object.keys(metafile.outputs).filter((path) =>
      entries.includes(metafile.outputs[path].entryPoint),
    ),
  );
  for (const path of loaded)
    for (const { path: other, kind } of metafile.outputs[path].imports)
      if (kind === 'import-statement' && other in metafile.outputs) loaded.add(other);
  const sizes = { now: 0, later: 0 };
  for (const { path, contents } of outputFiles)
    sizes[loaded.has(relative(here, path)) ? 'now' : 'later'] += gzipSync(contents, {
      level: 9,
    }).length;
  return sizes;
}

let isFit = true;
function report(name, size, limit) {
  console.log(`${name}: ${size} bytes gzip of ${limit}`);
  isFit &&= size <= limit;
}

const main = await measure({ index: ENTRIES.index });
report('main module', main.now, MAIN_MAX);
report('what it loads later', main.later, LATER_MAX);
for (const name of [...ADAPTERS, 'origins', 'halts'])
  report(
    name,
    (await measure({ index: ENTRIES.index, [name]: ENTRIES[name] })).now - main.now,
    { origins: ORIGINS_MAX, halts: HALTS_MAX }[name] ?? ADAPTER_MAX,
  );
const { dependencies = {} } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const count = Object.keys(dependencies).length;
console.log(`${count} dependencies`);
process.exitCode = isFit && count === 0 ? 0 : 1;
