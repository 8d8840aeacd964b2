// A request before a server that never answers: it ends at its limit or as its caller leaves, whatever is collected as garbage.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { limitTime } from '../../../packages/sdk-typescript/src/timers.ts';
import { useFixture } from '../../setup/fixtures.ts';
import { collectGarbage } from '../../setup/runtime.ts';

const silent = useFixture(
  async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  },
  async ({ server }) => {
    server.closeAllConnections();
    server.close();
  },
);

const ask = (ms: number, signal?: AbortSignal): Promise<unknown> =>
  limitTime(ms, signal, (limit) => fetch(silent.url, { signal: limit })).catch(
    (error: Error) => error.name,
  );

/** Aborts after some time. */
function leaveSoon(): AbortSignal {
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(), 400);
  return leaving.signal;
}

test.each([
  ['its limit', () => ask(400), 'TimeoutError'],
  [
    'its limit before its caller leaves',
    () => ask(400, AbortSignal.timeout(60_000)),
    'TimeoutError',
  ],
  ['the time-out of its caller', () => ask(60_000, AbortSignal.timeout(400)), 'TimeoutError'],
  ['the end of its caller', () => ask(60_000, leaveSoon()), 'AbortError'],
  [
    'the end of a caller that has left already',
    () => ask(60_000, AbortSignal.abort()),
    'AbortError',
  ],
])('it ends at %s', async (_, begin, name) => {
  const ended = begin();
  for (let at = 0; at < 5; at++) {
    await sleep(20);
    collectGarbage();
  }
  expect(await Promise.race([ended, sleep(3_000, 'never')])).toBe(name);
});
