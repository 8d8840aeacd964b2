// Starts the thread of large exports: from TypeScript in development, from JavaScript after the build.
import { existsSync } from 'node:fs';

const source = new URL('./otlp-thread.ts', import.meta.url);
if (existsSync(source)) (await import('tsx/esm/api')).register();
await import(existsSync(source) ? source.href : new URL('./otlp-thread.js', import.meta.url).href);
