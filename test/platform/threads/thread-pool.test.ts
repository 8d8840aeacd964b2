// Threads with many requests each: errors, idle end and restart, aborted requests, and memory limits independent of process flags.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { ThreadPool } from '../../../src/platform/threads/thread-pool.ts';
import type { Asked } from './asked-thread.ts';

const open = (limits: { restMs?: number; threads?: number } = {}) =>
  new ThreadPool<Asked, unknown>({
    script: new URL('asked-thread.mjs', inject('built')),
    priority: 'usual',
    youngMb: 16,
    oldMb: 64,
    threads: 1,
    ...limits,
  });

test('an aborted request ends, and the thread answers the next one', async () => {
  const pool = open();
  const leaving = new AbortController();
  const waits = pool.sendToLeastBusy('wait', leaving.signal);
  const who = await pool.sendToLeastBusy('who');
  leaving.abort();
  await expect(waits).rejects.toThrow('aborted');
  expect(await pool.sendToLeastBusy('who', new AbortController().signal)).toBe(who);
  await expect(pool.sendToLeastBusy('who', leaving.signal)).rejects.toThrow('aborted');
  await pool.close();
});

test('what a thread throws arrives as it was, and the thread goes on', async () => {
  const pool = open();
  const who = await pool.sendToLeastBusy('who');
  const refusal = await pool.sendToLeastBusy('refuse').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(AppError);
  expect(refusal).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'no',
    data: { at: 1 },
    headers: { 'Retry-After': '5' },
  });
  await expect(pool.sendToLeastBusy('fail')).rejects.toMatchObject({
    name: 'MongoError',
    message: 'lost',
    errorLabels: ['Retryable'],
  });
  expect(await pool.sendToLeastBusy('who')).toBe(who);
  await pool.close();
});

test('a request goes to the thread with the least under way', async () => {
  const pool = open({ threads: 2 });
  const slot = pool.acquireSlot();
  const first = await slot.send('who');
  const second = await pool.sendToLeastBusy('who');
  expect(second).not.toBe(first);
  slot.release();
  expect(await pool.sendToLeastBusy('who')).toBe(first);
  await pool.close();
});

test('an idle thread ends; the next request starts another one', async () => {
  const pool = open({ restMs: 1 });
  const first = await pool.sendToLeastBusy('who');
  await expect.poll(() => pool.sendToLeastBusy('who'), { interval: 50 }).not.toBe(first);
  await pool.close();
});

test('a thread that is held or working does not end', async () => {
  const pool = open({ restMs: 1 });
  const held = pool.acquireSlot();
  const first = await held.send('who');
  const leaving = new AbortController();
  const waits = pool.sendToLeastBusy('wait', leaving.signal);
  await new Promise((resolve) => void setTimeout(resolve, 20));
  expect(await held.send('who')).toBe(first);
  held.release();
  await new Promise((resolve) => void setTimeout(resolve, 20));
  expect(await pool.sendToLeastBusy('who')).toBe(first);
  leaving.abort();
  await expect(waits).rejects.toThrow('aborted');
  await pool.close();
});

test('a thread starts from its source where none is compiled', { tags: ['long'] }, async () => {
  const program = 'test/platform/threads/source-process.ts';
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program]);
  expect(stdout).toBe('[]');
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
