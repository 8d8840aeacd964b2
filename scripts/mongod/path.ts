// Prints the path of the mongod that an instance would run, fetching it when this is the first time.
import { findMongod } from '../../src/embedded-db/mongod-binary.ts';
import { createDownloads } from './downloads.ts';

const { path } = await findMongod({
  binary: process.env.MONGOD_BINARY,
  env: process.env,
  downloads: createDownloads(),
  log: (line) => console.error(line),
});
console.log(path);
