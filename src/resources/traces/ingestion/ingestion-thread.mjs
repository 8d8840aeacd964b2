// Starts the ingestion thread: from TypeScript in development, from JavaScript after the build.
import { existsSync } from 'node:fs';

const source = new URL('./ingestion-thread.ts', import.meta.url);
if (existsSync(source)) (await import('tsx/esm/api')).register();
await import(
  existsSync(source) ? source.href : new URL('./ingestion-thread.js', import.meta.url).href
);
