// Two ends of a channel, one of which starts later: Node drops messages to a worker that does not listen yet.
import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import type { Handle } from '../../src/platform/handed-connections.ts';
import { type Answers, Channel, type ChannelEnd } from '../../src/workers/channel.ts';

interface Asked {
  double: { payload: number; result: number };
  refuse: { payload: null; result: null };
}

const answers: Answers<Asked> = {
  double: (number) => number * 2,
  refuse() {
    throw new Error('not today');
  },
};

/** Two connected ends: a message arrives a moment later, if the other end listens. */
function ends(): [ChannelEnd, ChannelEnd] {
  const both = [new EventEmitter(), new EventEmitter()] as const;
  const endOf = (own: number): ChannelEnd => ({
    on: (event, listener) => both[own]?.on(event, listener),
    send(message, handle, _options, callback) {
      setImmediate(() => both[1 - own]?.emit('message', structuredClone(message), handle));
      callback(null);
    },
  });
  return [endOf(0), endOf(1)];
}

const connection = (): Handle => ({ readStop: () => null, close: () => undefined });

const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test('a request sent before the worker listens is answered when it does', async () => {
  const [there, here] = ends();
  const primary = new Channel<Asked, Asked>(there, answers);
  const early = [primary.sendRequest('double', 4), primary.sendRequest('double', 5)];
  await moment();
  const worker = new Channel<Asked, Asked>(here, answers, { speaksFirst: true });
  expect(await worker.sendRequest('double', 1)).toBe(2);
  expect(await Promise.all(early)).toEqual([8, 10]);
  await expect(primary.sendRequest('refuse', null)).rejects.toThrow('not today');
  const unknown = primary.sendRequest('another' as 'refuse', null);
  await expect(unknown).rejects.toThrow('no answer is defined for another');
});

test('a request is rejected when the worker ends before it listens', async () => {
  const [there] = ends();
  const primary = new Channel<Asked, Asked>(there, answers);
  const early = primary.sendRequest('double', 4);
  primary.close();
  await expect(early).rejects.toThrow('the other process is gone');
  await expect(primary.sendRequest('double', 5)).rejects.toThrow('the other process is gone');
});

test('a request with a connection is rejected after five seconds when the other process cannot open it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const [there, here] = ends();
  const primary = new Channel<Asked, Asked>(there, answers, { speaksFirst: true });
  const refused = vi.fn();
  primary.sendRequest('double', 4, connection()).catch(refused);
  await vi.advanceTimersByTimeAsync(4_900);
  expect(refused).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(refused).toHaveBeenCalledWith(new Error('it does not answer'));
  vi.useRealTimers();
  const worker = new Channel<Asked, Asked>(here, answers, { speaksFirst: true });
  expect(
    await Promise.all([primary.sendRequest('double', 5), worker.sendRequest('double', 6)]),
  ).toEqual([10, 12]);
});

test('a connection that cannot be sent is refused and the channel stays open', async () => {
  const [there, here] = ends();
  const sends: ChannelEnd = {
    ...there,
    send: (message, handle, options, callback) =>
      handle ? callback(new Error('write EBADF')) : there.send(message, handle, options, callback),
  };
  const primary = new Channel<Asked, Asked>(sends, answers, { speaksFirst: true });
  const worker = new Channel<Asked, Asked>(here, answers, { speaksFirst: true });
  await expect(primary.sendRequest('double', 4, connection())).rejects.toThrow('write EBADF');
  expect(
    await Promise.all([primary.sendRequest('double', 5), worker.sendRequest('double', 6)]),
  ).toEqual([10, 12]);
});
