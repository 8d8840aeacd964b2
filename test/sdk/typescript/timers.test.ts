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

test('it ends at its limit, or before as its caller leaves', async () => {
  const asked = {
    'its limit': ask(400),
    'its limit before that of its caller': ask(400, AbortSignal.timeout(60_000)),
    'the time-out of its caller': ask(60_000, AbortSignal.timeout(400)),
    'the end of its caller': ask(60_000, leaveSoon()),
    'a caller that has left already': ask(60_000, AbortSignal.abort()),
  };
  for (let at = 0; at < 2; at++) {
    await sleep(50);
    collectGarbage();
  }
  const ends = Object.values(asked).map((end) => Promise.race([end, sleep(5_000, 'never')]));
  const names = await Promise.all(ends);
  expect(Object.fromEntries(Object.keys(asked).map((name, at) => [name, names[at]]))).toEqual({
    'its limit': 'TimeoutError',
    'its limit before that of its caller': 'TimeoutError',
    'the time-out of its caller': 'TimeoutError',
    'the end of its caller': 'AbortError',
    'a caller that has left already': 'AbortError',
  });
});
