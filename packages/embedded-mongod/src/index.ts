// A real mongod inside a program: what the package offers.
export { type Database, type DatabaseOptions, openDatabase } from './database.ts';
export { type EmbeddedMongod, type EmbeddedOptions, startEmbedded } from './embedded-mongod.ts';
export {
  type DownloadOptions,
  findMongod,
  type FoundMongod,
  type MongodDownload,
  type MongodLookup,
} from './mongod-binary.ts';
export { findFreePort, MongodEnded, type MongodProcess, startMongod } from './mongod-process.ts';
