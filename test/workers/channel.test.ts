// Two ends of a channel, one of which starts later: Node drops messages to a worker that does not listen yet.
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
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
    send(message, callback) {
      setImmediate(() => both[1 - own]?.emit('message', structuredClone(message)));
      callback(null);
    },
  });
  return [endOf(0), endOf(1)];
}

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

test('a request that cannot be sent is rejected and the channel is closed', async () => {
  const [there] = ends();
  const broken: ChannelEnd = {
    ...there,
    send: (_message, callback) => callback(new Error('EPIPE')),
  };
  const primary = new Channel<Asked, Asked>(broken, answers, { speaksFirst: true });
  await expect(primary.sendRequest('double', 4)).rejects.toThrow('the other process is gone');
  await expect(primary.sendRequest('double', 5)).rejects.toThrow('the other process is gone');
});
