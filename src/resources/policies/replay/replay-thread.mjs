// Starts the replay thread, of less priority before it loads anything: from TypeScript in development, from JavaScript after the build.
import { existsSync } from 'node:fs';

const isSource = existsSync(new URL('./replay-thread.ts', import.meta.url));
if (isSource) (await import('tsx/esm/api')).register();
const ending = isSource ? 'ts' : 'js';
const { lowerThreadPriority } = await import(`../../../platform/thread-priority.${ending}`);
lowerThreadPriority();
await import(`./replay-thread.${ending}`);
