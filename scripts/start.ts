// Entry point of `npm start`: its embedded database may download a mongod, and the console is built beside the running server.
import { startServer } from '../src/start-server.ts';
import { buildStaleConsole } from './console/build-stale.ts';
import { createDownloads } from './mongod/downloads.ts';

startServer({
  downloads: createDownloads(),
  onListening(config, log) {
    if (config.ASSAY_CONSOLE === 'on') buildStaleConsole(log);
  },
});
