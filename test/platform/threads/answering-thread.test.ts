// Answering threads: idle end and restart, aborted requests, and memory limits independent of process flags.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { createLastingThread } from '../../../src/platform/answering-thread.ts';
import type { Asked } from './asked-thread.ts';

const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 64 };

const start = (restMs?: number) =>
  createLastingThread<Asked>({
    script: new URL('asked-thread.mjs', inject('built')),
    workerData: null,
    resourceLimits: RESOURCE_LIMITS,
    restMs,
  });

test('an aborted request ends, and the thread answers the next one', async () => {
  const thread = start();
  const leaving = new AbortController();
  const waits = thread.sendRequest('wait', leaving.signal);
  const who = await thread.sendRequest('who');
  leaving.abort();
  await expect(waits).rejects.toThrow('aborted');
  expect(await thread.sendRequest('who', new AbortController().signal)).toBe(who);
  await expect(thread.sendRequest('who', leaving.signal)).rejects.toThrow('aborted');
  await thread.close();
});

test('an idle thread ends; the next request starts another one', async () => {
  const thread = start(1);
  const first = await thread.sendRequest('who');
  await expect.poll(() => thread.sendRequest('who'), { interval: 50 }).not.toBe(first);
  await thread.close();
});

test('a thread that is held or working does not end', async () => {
  const thread = start(1);
  const held = thread.holdThread();
  const first = await held.sendRequest('who');
  const leaving = new AbortController();
  const waits = thread.sendRequest('wait', leaving.signal);
  await new Promise((resolve) => void setTimeout(resolve, 20));
  expect(await held.sendRequest('who')).toBe(first);
  held.release();
  await new Promise((resolve) => void setTimeout(resolve, 20));
  expect(await thread.sendRequest('who')).toBe(first);
  leaving.abort();
  await expect(waits).rejects.toThrow('aborted');
  await thread.close();
});

test(
  'a thread keeps its limits when the process was started with a larger young generation',
  { tags: ['long'] },
  async () => {
    const program = fileURLToPath(new URL('asking-process.mjs', inject('built')));
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--max-semi-space-size=128',
      program,
    ]);
    const megabytes = Number(stdout);
    expect(megabytes).toBeGreaterThan(0);
    expect(megabytes).toBeLessThanOrEqual(24);
  },
);
