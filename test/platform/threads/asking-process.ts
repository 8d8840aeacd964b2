// A process that prints how large the young generation of its limited thread grows.
import { ThreadPool } from '../../../src/platform/threads/thread-pool.ts';
import type { Asked } from './asked-thread.ts';

const pool = new ThreadPool<Asked, unknown>({
  script: new URL('asked-thread.mjs', import.meta.url),
  priority: 'usual',
  youngMb: 24,
  oldMb: 256,
  threads: 1,
});
// A thread does not keep its process alive.
const alive = setInterval(() => undefined, 1000);
process.stdout.write(String(await pool.sendToLeastBusy('grow')));
await pool.close();
clearInterval(alive);
