// Entry point of a build: its embedded database, if it has one, runs an installed mongod.
import { startServer } from './start-server.ts';

startServer();
