// The worker thread: organisations are served in rotation, the queue is bounded, and nobody's request begins after they have left.
import { afterEach, expect, test } from 'vitest';
import {
  createWorkerThread,
  type WaitingLine,
} from '../../../src/platform/concurrency/worker-thread.ts';

/** Answers each request with itself after some milliseconds; `throw` ends the thread, `hang` never answers. */
const SCRIPT = `import { parentPort } from 'node:worker_threads';
  parentPort.on('message', (request) => {
    if (request === 'throw') throw new Error('broken');
    if (request !== 'hang') setTimeout(() => parentPort.postMessage(request), 2);
  });
  parentPort.postMessage('ready');`;

const threadOf = (maxWaiting: number, timeoutMs = 10_000) =>
  createWorkerThread<string, string>({
    script: new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`),
    resourceLimits: {},
    timeoutMs,
    maxWaiting,
  });
let thread = threadOf(0);
afterEach(() => thread.close());
const line = (share: string, more: Partial<WaitingLine> = {}): WaitingLine =>
  Object.assign({ share, client: '', isAbandoned: () => false }, more);

test('a request of one organisation waits for two requests of another at most, not for all', async () => {
  thread = threadOf(100);
  const answered: string[] = [];
  const ask = (request: string, share: string) =>
    thread.ask(request, line(share)).then((answer) => answered.push(answer));
  const flood = Array.from({ length: 60 }, (_request, n) => ask(`flood ${n}`, 'mallory'));
  await ask('honest', 'ada');
  expect(answered.indexOf('honest')).toBeLessThanOrEqual(2);
  await Promise.all(flood);
  expect(answered).toHaveLength(61);
});

test('so do the networks of one organisation, and the longest line gives way when too many wait', async () => {
  thread = threadOf(10);
  const flood = Array.from({ length: 30 }, (_request, n) =>
    thread.ask(`flood ${n}`, line('ada', { client: 'network of mallory' })),
  );
  const honest = thread.ask('honest', line('ada', { client: 'network of ada' }));
  const results = await Promise.allSettled(flood);
  expect(await honest).toBe('honest');
  const refused = results.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(20);
  for (const one of refused)
    expect((one as PromiseRejectedResult).reason).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('what nobody waits for any more does not begin', async () => {
  thread = threadOf(10);
  let hasLeft = false;
  const first = thread.ask('first', line('ada'));
  const left = thread.ask('hang', line('ada', { isAbandoned: () => hasLeft }));
  hasLeft = true;
  expect(await first).toBe('first');
  await expect(left).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await thread.ask('next', line('ada'))).toBe('next');
});

test('one that throws or takes too long is replaced before the next', async () => {
  thread = threadOf(10, 400);
  const asked = ['throw', 'one', 'hang', 'two'].map((request) => thread.ask(request, line('ada')));
  const results = await Promise.allSettled(asked);
  expect(results.map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
});
