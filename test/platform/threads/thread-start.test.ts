// Threads load as fast as the process does, and step back only then; the process itself never does.
// On a busy machine a start at a low priority takes seconds, and callers wait for it.
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { basename } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, inject, test } from 'vitest';
import { THREADS } from '../../../src/platform/threads/threads.ts';

const listThreads = (): number[] => readdirSync('/proc/self/task').map(Number);

/** Zero for a thread that has ended. */
function readPriority(thread: number): number {
  try {
    return getPriority(thread);
  } catch {
    return 0;
  }
}

/** How often the thread was looked at while it loaded, and had a lower priority; and whether it has one soon afterwards. */
async function watchStart(script: string, workerData: object) {
  const before = new Set(listThreads());
  const usual = getPriority();
  const worker = new Worker(new URL(script, inject('built')), { workerData, execArgv: [] });
  let isReady = false;
  worker.once('message', () => (isReady = true));
  const isLow = (): boolean =>
    listThreads().some((thread) => !before.has(thread) && readPriority(thread) > usual);
  let [looks, lowered] = [0, 0];
  while (!isReady) {
    looks += 1;
    if (isLow()) lowered += 1;
    await turn();
  }
  const until = performance.now() + 500;
  while (!isLow() && performance.now() < until) await turn();
  const isLowAfterwards = isLow();
  await worker.terminate();
  expect(getPriority()).toBe(usual);
  return { looks, lowered, isLowAfterwards };
}

test.runIf(process.platform === 'linux').for(['ingestion', 'otlp', 'pdf', 'stamp'] as const)(
  'a thread of low priority: %s',
  async (name) => {
    const { source, priority } = THREADS[name];
    const start = await watchStart(`./${basename(source)}.mjs`, { priority });
    expect(start.looks).toBeGreaterThan(10);
    expect(start.lowered / start.looks).toBeLessThan(0.2);
    expect(start.isLowAfterwards).toBe(true);
  },
);

test.runIf(process.platform === 'linux')('a thread of usual priority', async () => {
  const { source, priority } = THREADS.saml;
  const data = { decryptionKey: null };
  const start = await watchStart(`./${basename(source)}.mjs`, { priority, data });
  expect([start.lowered, start.isLowAfterwards]).toEqual([0, false]);
});
