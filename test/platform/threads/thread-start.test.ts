// The thread of large decisions starts as fast as the process does, and steps back only then.
// On a busy machine a start at a low priority takes seconds, and callers with a deadline wait for it.
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, inject, test } from 'vitest';

const listThreads = (): number[] => readdirSync('/proc/self/task').map(Number);

/** Zero for a thread that has ended. */
function readPriority(thread: number): number {
  try {
    return getPriority(thread);
  } catch {
    return 0;
  }
}

test.runIf(process.platform === 'linux')('the thread of large decisions', async () => {
  const before = new Set(listThreads());
  const usual = getPriority();
  const worker = new Worker(new URL('./ingestion-thread.mjs', inject('built')), { execArgv: [] });
  let isReady = false;
  worker.once('message', () => (isReady = true));
  const isLowered = (thread: number): boolean =>
    !before.has(thread) && readPriority(thread) > usual;
  let [looks, lowered] = [0, 0];
  while (!isReady) {
    looks += 1;
    if (listThreads().some(isLowered)) lowered += 1;
    await turn();
  }
  expect(looks).toBeGreaterThan(10);
  expect(lowered / looks).toBeLessThan(0.2);
  expect(listThreads().some(isLowered)).toBe(true);
  await worker.terminate();
});
