// Which connections a worker lets go, and when: those over which one organisation of another worker posts a great deal.
import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as step } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { Handle } from '../../src/platform/handed-connections.ts';
import { WorkerConnections } from '../../src/workers/connections.ts';

afterEach(() => void vi.useRealTimers());

/** Worker 1 of two, where some organisations have their home at the other. */
function worker(
  homes: Readonly<Record<string, number>>,
  move: () => Promise<boolean> = () => Promise.resolve(true),
) {
  const asked: string[] = [];
  const moved: number[] = [];
  const served: Handle[] = [];
  const connections = new WorkerConnections(1, {
    home(organizationId) {
      asked.push(organizationId);
      return Promise.resolve(homes[organizationId] ?? 1);
    },
    move(to) {
      moved.push(to);
      return move();
    },
  });
  const listener = { onconnection: (_status: number, handle: Handle) => void served.push(handle) };
  const server = { _handle: listener, maxConnections: 0, _connections: 1 };
  connections.servedBy(server as unknown as Server);
  return { connections, asked, moved, served, server };
}

function idle() {
  const handle = { readStop: vi.fn(), close: vi.fn() };
  const parts = { _handle: handle, parser: { duration: () => 0 } };
  return { socket: Object.assign(new Socket(), parts), handle };
}

async function answer(
  { connections }: ReturnType<typeof worker>,
  socket: Socket,
  organizations: readonly string[],
): Promise<void> {
  for (const one of organizations) {
    connections.answered(socket, one);
    await step();
  }
}

const eight = (name: string): string[] => Array.from({ length: 8 }, () => name);

test('goes to the home of the organisation that posts, once that is known', async () => {
  const here = worker({ theirs: 2 });
  const { socket, handle } = idle();
  await answer(here, socket, eight('theirs'));
  expect([here.asked, here.moved]).toEqual([['theirs'], []]);
  await answer(here, socket, ['theirs']);
  expect([here.moved, socket.destroyed]).toEqual([[2], true]);
  expect(handle.close).toHaveBeenCalledOnce();
  // What is known is not asked again.
  const other = idle();
  await answer(here, other.socket, eight('theirs'));
  expect([here.asked, here.moved]).toEqual([['theirs'], [2, 2]]);
});

test('stays with an organisation of this worker, of several organisations, and of one that posts little', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const here = worker({ theirs: 2 });
  await answer(here, idle().socket, [...eight('ours'), ...eight('ours')]);
  await answer(
    here,
    idle().socket,
    Array.from({ length: 20 }, (_, at) => (at % 7 ? 'theirs' : 'ours')),
  );
  const { socket } = idle();
  for (let turn = 0; turn < 20; turn++) {
    vi.advanceTimersByTime(150);
    await answer(here, socket, ['theirs']);
  }
  expect([here.asked, here.moved]).toEqual([['ours'], []]);
});

test('that the other does not take is served here, and its organisation is left alone', async () => {
  const here = worker({ theirs: 2 }, () => Promise.resolve(false));
  const { socket, handle } = idle();
  await answer(here, socket, [...eight('theirs'), 'theirs']);
  expect([here.moved, here.served, handle.close.mock.calls]).toEqual([[2], [handle], []]);
  await answer(here, idle().socket, eight('theirs'));
  expect([here.asked, here.moved]).toEqual([['theirs'], [2]]);
});

test('ends with a worker that may have taken it, and with whatever that had read', async () => {
  const here = worker({ theirs: 2 }, () => Promise.reject(new Error('the other process is gone')));
  const { socket, handle } = idle();
  await answer(here, socket, [...eight('theirs'), 'theirs']);
  expect([here.moved, here.served]).toEqual([[2], []]);
  expect(handle.close).toHaveBeenCalledOnce();
  // Others are not tried for a while.
  await answer(here, idle().socket, eight('theirs'));
  expect(here.moved).toEqual([2]);
});

test('from another worker is served, or let go of where there are as many as there may be', () => {
  const { connections, served, server } = worker({});
  const [one, other] = [idle().handle, idle().handle];
  expect([connections.take(one), served]).toEqual([true, [one]]);
  server.maxConnections = 1;
  expect([connections.take(other), served]).toEqual([false, [one]]);
  expect([one.close.mock.calls.length, other.close.mock.calls.length]).toEqual([0, 1]);
});
