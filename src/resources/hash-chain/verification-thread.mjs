// Starts the verification thread: from TypeScript in development and tests, from JavaScript after the build.
import { existsSync } from 'node:fs';

const source = new URL('./verification-thread.ts', import.meta.url);
if (existsSync(source)) (await import('tsx/esm/api')).register();
await import(
  existsSync(source) ? source.href : new URL('./verification-thread.js', import.meta.url).href
);
