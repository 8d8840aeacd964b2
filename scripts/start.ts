// Entry point of `npm start`: its embedded database, if it has one, may download a mongod.
import { startServer } from '../src/start-server.ts';
import { createDownloads } from './mongod/downloads.ts';

startServer(createDownloads());
