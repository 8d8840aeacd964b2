// Starts a worker thread from its source in TypeScript; the build compiles each thread to a file of its own.
import { workerData } from 'node:worker_threads';
import { register } from 'tsx/esm/api';

register();
await import(workerData.sourceUrl);
