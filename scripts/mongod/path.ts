// Prints the path of the mongod that an instance would run, fetching it when this is the first time.
import { findMongod } from '@assay/embedded-mongod';
import { MONGOD_CACHE } from '../../src/config/project-root.ts';
import { createDownloads } from './downloads.ts';

const { path } = await findMongod({
  binary: process.env.MONGOD_BINARY,
  env: process.env,
  cacheDir: MONGOD_CACHE,
  downloads: createDownloads(),
  log: (line) => console.error(line),
});
console.log(path);
