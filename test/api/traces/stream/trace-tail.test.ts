// The shared tail of an organisation: each new entry is read once for all followers, without gaps or repeats.
// @module-tag varied
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatEventFrame, type EventChannel } from '../../../../src/domain/event-stream.ts';
import { yieldToEventLoop } from '../../../../src/platform/concurrency/event-loop.ts';
import type {
  FrameReader,
  FrameRun,
} from '../../../../src/decisions/traces/stream/trace-frames.ts';
import { type Follower, TraceTail } from '../../../../src/decisions/traces/stream/trace-tail.ts';
import { chooseRuns } from '../../../setup/runs.ts';

const RUN = 4;
const handling = { readNew: () => Promise.resolve([]) };
/** Yields to the event loop at every opportunity. */
const pace = { begin: () => undefined, pauseWhenDue: yieldToEventLoop };

/** A chain of decisions; every read takes a turn of the event loop. */
class Chain implements FrameReader {
  head = 0;
  readonly reads: number[] = [];
  readonly #size: number;
  constructor(size = 10) {
    this.#size = size;
  }

  async readAfter(_organizationId: string, from: number): Promise<FrameRun> {
    this.reads.push(from);
    const to = Math.min(this.head, from + RUN);
    await new Promise((resolve) => setImmediate(resolve));
    const frames = Array.from({ length: to - from }, (_one, at) => ({
      sequence: from + at + 1,
      workspaceId: 'w',
      agentId: 'a',
      traceId: `t${from + at + 1}`,
      bytes: formatEventFrame('trace', JSON.stringify('x'.repeat(this.#size)), from + at + 1),
    }));
    return { frames, erased: [], to, isFull: to - from === RUN };
  }
}

function follower(at: number): Follower & { ids: number[] } {
  const ids: number[] = [];
  const channel: EventChannel = {
    isOpen: true,
    send: (frame) => void ids.push(Number(/id: (\d+)/.exec(frame.toString())?.[1])),
    waitForDrain: () => Promise.resolve(),
    disconnect: () => undefined,
    revoke: () => undefined,
  };
  return { channel, workspaceId: null, agentIds: null, personIds: null, at, ids };
}
const upTo = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_one, at) => from + at + 1);

test('a thousand followers share one read of each new entry', async () => {
  const chain = new Chain();
  const tail = new TraceTail('o', { reader: chain, handling, pace }, 0);
  const followers = Array.from({ length: 1000 }, () => follower(0));
  await Promise.all(followers.map((one) => tail.follow(one)));
  for (; chain.head < 20;) {
    chain.head += 1;
    await tail.readToHead();
  }
  for (const { ids } of followers) expect(ids).toEqual(upTo(0, 20));
  expect(chain.reads).toEqual(upTo(-1, 19));
});

test('sends to many followers in steps that yield to the event loop, and a follower that joins in between misses nothing', async () => {
  const chain = new Chain();
  const tail = new TraceTail('o', { reader: chain, handling, pace }, 0);
  let [inTurn, most] = [0, 0];
  const followers = Array.from({ length: 1000 }, () => {
    const one = follower(0);
    const { send } = one.channel;
    one.channel.send = (frame) => {
      inTurn += 1;
      most = Math.max(most, inTurn);
      send(frame);
    };
    return one;
  });
  await Promise.all(followers.map((one) => tail.follow(one)));
  const late: ReturnType<typeof follower>[] = [];
  let pending: Promise<unknown> = Promise.resolve();
  let watching = setImmediate(function turn() {
    inTurn = 0;
    if (late.length < 5) {
      late.push(follower(0));
      pending = Promise.all([pending, tail.follow(late.at(-1) as Follower)]);
    }
    watching = setImmediate(turn);
  });
  for (; chain.head < 3;) {
    chain.head += 1;
    await tail.readToHead();
  }
  clearImmediate(watching);
  await pending;
  expect(most).toBeLessThanOrEqual(16);
  expect(late).toHaveLength(5);
  for (const { ids } of [...followers, ...late]) expect(ids).toEqual([1, 2, 3]);
});

test('a follower that reconnects soon is served from memory, without erased decisions', async () => {
  const chain = new Chain();
  const tail = new TraceTail('o', { reader: chain, handling, pace }, 0);
  chain.head = 3;
  await tail.readToHead();
  const reads = chain.reads.length;
  const late = follower(1);
  await tail.follow(late);
  expect([late.ids, chain.reads.length]).toEqual([[2, 3], reads]);
  chain.readAfter = async (_organizationId, from) => {
    chain.reads.push(from);
    return Promise.resolve({ frames: [], erased: ['t2'], to: 4, isFull: false });
  };
  await tail.readToHead();
  const later = follower(0);
  await tail.follow(later);
  expect(later.ids).toEqual([1, 3]);
});

test('followers that missed decisions read them one at a time, and one that has left reads nothing', async () => {
  const chain = new Chain();
  chain.head = 3 * RUN;
  const tail = new TraceTail('o', { reader: chain, handling, pace }, chain.head);
  const [first, second, left] = [follower(0), follower(0), follower(0)];
  let [reading, most] = [0, 0];
  const { readAfter } = chain;
  chain.readAfter = async (organizationId, from) => {
    most = Math.max(most, (reading += 1));
    const run = await readAfter.call(chain, organizationId, from);
    reading -= 1;
    return run;
  };
  const following = [first, second, left].map((one) => tail.follow(one));
  Object.assign(left.channel, { isOpen: false });
  await Promise.all(following);
  expect([first.ids, second.ids, left.ids]).toEqual([upTo(0, 12), upTo(0, 12), []]);
  expect([most, chain.reads.length]).toEqual([1, 6]);
});

test('followers get no gap and no repeat, whenever they join, wherever they start and however much is buffered', async () => {
  const event = fc.oneof(
    fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ kind: fc.constant('follow' as const), at: fc.nat(30) }),
    fc.record({ kind: fc.constant('turn' as const) }),
  );
  const sizes = fc.constantFrom(10, 300_000);
  await fc.assert(
    fc.asyncProperty(sizes, fc.array(event, { maxLength: 30 }), async (size, events) => {
      const chain = new Chain(size);
      const tail = new TraceTail('o', { reader: chain, handling, pace }, 0);
      const pending: Promise<void>[] = [];
      const followers: { from: number; one: ReturnType<typeof follower> }[] = [];
      for (const step of events) {
        if (step.kind === 'turn') await new Promise((resolve) => setImmediate(resolve));
        if (step.kind === 'append') {
          chain.head += step.count;
          pending.push(tail.readToHead());
        }
        if (step.kind === 'follow') {
          const from = Math.min(step.at, chain.head);
          const one = follower(from);
          followers.push({ from, one });
          pending.push(tail.follow(one));
        }
      }
      await Promise.all(pending);
      await tail.readToHead();
      for (const { from, one } of followers) expect(one.ids).toEqual(upTo(from, chain.head));
    }),
    { numRuns: chooseRuns(60, 300) },
  );
});
