// Entry point of `assay dev` in a build: its embedded database may download a mongod.
import { resolve } from 'node:path';
import { startServer } from '../src/start-server.ts';
import { createDownloads } from './mongod/downloads.ts';

startServer({ downloads: createDownloads(), cacheDir: resolve('data/mongod') });
