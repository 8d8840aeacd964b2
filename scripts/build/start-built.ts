// Entry point of `assay dev` in a build: its embedded database may download a mongod.
import { resolve } from 'node:path';
import { startServer } from '../../src/start-server.ts';
import type * as Downloads from '../mongod/downloads.ts';

/** Compiled with its packages, on which a build does not depend. */
const DOWNLOADS = new URL('downloads.mjs', import.meta.url).href;

const { createDownloads } = (await import(DOWNLOADS)) as typeof Downloads;
startServer({ downloads: createDownloads(), cacheDir: resolve('data/mongod') });
