// Starts the proof worker: from TypeScript in development and tests, from JavaScript after the build.
import { existsSync } from 'node:fs';

const source = new URL('./proof-worker.ts', import.meta.url);
if (existsSync(source)) (await import('tsx/esm/api')).register();
await import(existsSync(source) ? source.href : new URL('./proof-worker.js', import.meta.url).href);
