// Lowering the priority affects the calling thread only.
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

const STEP_BACK = `
  const { readlinkSync } = require('node:fs');
  const { getPriority } = require('node:os');
  const { parentPort, workerData } = require('node:worker_threads');
  import('tsx/esm/api').then(async ({ register }) => {
    register();
    const { lowerThreadPriority } = await import(workerData);
    lowerThreadPriority();
    parentPort.postMessage(getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))));
  });
`;

test.runIf(process.platform === 'linux')('a worker steps back, the process does not', async () => {
  const before = getPriority();
  const script = new URL('../../src/platform/thread-priority.ts', import.meta.url).href;
  const worker = new Worker(STEP_BACK, { eval: true, workerData: script, execArgv: [] });
  const [priority] = (await once(worker, 'message')) as [number];
  await worker.terminate();
  expect(priority).toBeGreaterThan(before);
  expect(getPriority()).toBe(before);
});
