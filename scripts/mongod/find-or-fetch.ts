// The mongod that this checkout runs: found as an instance finds it, or fetched once into its cache.
import { findMongod, type FoundMongod } from '@assay/embedded-mongod';
import { MONGOD_CACHE } from '../../src/config/project-root.ts';
import { createDownloads } from './downloads.ts';

export const findOrFetchMongod = (log: (line: string) => void): Promise<FoundMongod> =>
  findMongod({
    binary: process.env.MONGOD_BINARY,
    env: process.env,
    cacheDir: MONGOD_CACHE,
    downloads: createDownloads(),
    log,
  });
