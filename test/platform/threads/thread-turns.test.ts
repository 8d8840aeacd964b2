// Threads that answer in turn: organisations are served in rotation, the queue is bounded, and abandoned requests never begin.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type RequestOrigin, ThreadPool } from '../../../src/platform/threads/thread-pool.ts';

/** Answers each request with itself after some milliseconds; `throw` and `exit` end the thread, `hang` never answers, `id` answers with its id. */
const SCRIPT = `import { parentPort, threadId } from 'node:worker_threads';
  parentPort.on('message', ({ id, request }) => {
    const answer = (value) => parentPort.postMessage({ id, value });
    if (request === 'throw') throw new Error('broken');
    if (request === 'exit') return process.exit();
    if (request === 'id') return answer(String(threadId));
    if (request !== 'hang') setTimeout(() => answer(request), 2);
  });
  parentPort.postMessage('ready');`;

interface Limits {
  maxWaiting: number;
  timeoutMs?: number;
  restMs?: number;
  threads?: number;
  lateText?: string;
}
const threadsOf = (limits: Limits) =>
  new ThreadPool<string, string>({
    script: new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`),
    priority: 'usual',
    youngMb: 16,
    oldMb: 64,
    timeoutMs: 10_000,
    threads: 1,
    ...limits,
  });
let threads = threadsOf({ maxWaiting: 0 });
afterEach(() => threads.close());
const line = (tenant: string, more: Partial<RequestOrigin> = {}): RequestOrigin =>
  Object.assign({ tenant, client: '', isAbandoned: () => false }, more);

test('a request of one organisation waits for at most two requests of another', async () => {
  threads = threadsOf({ maxWaiting: 100 });
  const answered: string[] = [];
  const ask = (request: string, tenant: string) =>
    threads.sendInTurn(request, line(tenant)).then((answer) => answered.push(answer));
  const flood = Array.from({ length: 60 }, (_request, n) => ask(`flood ${n}`, 'mallory'));
  await ask('honest', 'ada');
  expect(answered.indexOf('honest')).toBeLessThanOrEqual(2);
  await Promise.all(flood);
  expect(answered).toHaveLength(61);
});

test('networks of one organisation are served in rotation, and the longest queue is cut when it is full', async () => {
  threads = threadsOf({ maxWaiting: 10 });
  const flood = Array.from({ length: 30 }, (_request, n) =>
    threads.sendInTurn(`flood ${n}`, line('ada', { client: 'network of mallory' })),
  );
  const honest = threads.sendInTurn('honest', line('ada', { client: 'network of ada' }));
  const results = await Promise.allSettled(flood);
  expect(await honest).toBe('honest');
  const refused = results.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(20);
  for (const one of refused)
    expect((one as PromiseRejectedResult).reason).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('a request whose caller has gone does not begin', async () => {
  threads = threadsOf({ maxWaiting: 10 });
  let hasLeft = false;
  const first = threads.sendInTurn('first', line('ada'));
  const left = threads.sendInTurn('hang', line('ada', { isAbandoned: () => hasLeft }));
  hasLeft = true;
  expect(await first).toBe('first');
  await expect(left).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await threads.sendInTurn('next', line('ada'))).toBe('next');
});

test(
  'a thread that throws or takes too long is replaced before the next request',
  { tags: ['long'] },
  async () => {
    threads = threadsOf({ maxWaiting: 10, timeoutMs: 1500 });
    const asked = ['throw', 'one', 'hang', 'two'].map((request) =>
      threads.sendInTurn(request, line('ada')),
    );
    const results = await Promise.allSettled(asked);
    expect(results.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
  },
);

test(
  'a request that ends its thread, or takes too long, is refused with its reason',
  { tags: ['long'] },
  async () => {
    threads = threadsOf({ maxWaiting: 10, timeoutMs: 1500, lateText: 'It takes too long' });
    await expect(threads.sendInTurn('throw', line('ada'))).rejects.toThrow('broken');
    await expect(threads.sendInTurn('exit', line('ada'))).rejects.toThrow('the thread has ended');
    await expect(threads.sendInTurn('hang', line('ada'))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'It takes too long',
    });
    expect(await threads.sendInTurn('next', line('ada'))).toBe('next');
  },
);

test('closing rejects what is under way and what waits', async () => {
  threads = threadsOf({ maxWaiting: 10 });
  const asked = ['hang', 'one'].map((request) => threads.sendInTurn(request, line('ada')));
  const results = Promise.allSettled(asked);
  await threads.close();
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test(
  'one tenant has at most one request under way, also with two threads',
  { tags: ['long'] },
  async () => {
    threads = threadsOf({ maxWaiting: 10, timeoutMs: 1500, threads: 2 });
    const hanging = ['hang', 'hang'].map((request) => threads.sendInTurn(request, line('mallory')));
    expect(await threads.sendInTurn('one', line('ada'))).toBe('one');
    expect(await threads.sendInTurn('two', line('ada'))).toBe('two');
    for (const one of hanging) await expect(one).rejects.toThrow();
  },
);

test('an idle thread ends, and no request is lost', { tags: ['long'] }, async () => {
  threads = threadsOf({ maxWaiting: 10, restMs: 5 });
  const first = await threads.sendInTurn('id', line('ada'));
  await expect.poll(() => threads.sendInTurn('id', line('ada')), { interval: 20 }).not.toBe(first);
  // The thread ends before, during and after a request.
  for (let n = 0; n < 40; n++) {
    await sleep(n % 4 === 0 ? 5 : 4 + (n % 3));
    expect(await threads.sendInTurn(`${n}`, line('ada'))).toBe(`${n}`);
  }
});
