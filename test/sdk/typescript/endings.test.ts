// What became of a call is what happened after its last step: generators, streams, promises of others, and what is cut off.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AlreadyExecuted, NotDecided } from '../../../packages/sdk-typescript/src/index.ts';
import { countWaiting } from '../../../src/decisions/traces/review/callers/review-waiting.service.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { useGuards } from './sdk-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const stage = useGuards(harness, ada);
const { connect } = stage;
const refund = { order: 'A-17', amount: 90 };

/** Names a call, so that it is claimed; and finds its decision. */
function name() {
  const context = { runId: crypto.randomUUID(), callId: '1' };
  return {
    options: { context },
    async readStates(): Promise<string[]> {
      const assay = connect({ onHold: 'suspend' });
      await assay.flush();
      const found = await fetch(`${harness.app.url}/api/v1/traces?limit=1`, {
        headers: { authorization: `Bearer ${ada.token}` },
      });
      const { data } = (await found.json()) as { data: { traceId: string }[] };
      const executions = await stage.listExecutions(data[0]!.traceId);
      return executions.map(({ state }: { state: string }) => state);
    },
  };
}

async function* count(last: number, fails = false): AsyncGenerator<number, string> {
  for (let value = 1; value <= last; value++) yield value;
  if (fails) throw new Error('broken');
  return 'end';
}
function* countAtOnce(last: number, fails = false): Generator<number, string> {
  for (let value = 1; value <= last; value++) yield value;
  if (fails) throw new Error('broken');
  return 'end';
}
async function collect(values: AsyncIterable<number> | Iterable<number>, most = Infinity) {
  const seen: number[] = [];
  for await (const value of values) {
    seen.push(value);
    if (seen.length === most) break;
  }
  return seen;
}
function createStream(last: number, fails = false): ReadableStream<number> {
  let value = 0;
  return new ReadableStream({
    pull(controller) {
      if (++value <= last) controller.enqueue(value);
      else if (fails) controller.error(new Error('broken'));
      else controller.close();
    },
  });
}
const createNodeStream = (last: number, fails = false): Readable =>
  Readable.from(count(last, fails));
/** An async iterable that is no iterator. */
const createIterable = (last: number, fails = false): AsyncIterable<number> => ({
  [Symbol.asyncIterator]: () => count(last, fails),
});

describe.each([
  ['an async generator', count],
  ['a generator', countAtOnce],
  [
    'a function that returns an async generator',
    (last: number, fails?: boolean) => count(last, fails),
  ],
  ['a promise of a generator', async (last: number, fails?: boolean) => countAtOnce(last, fails)],
  ['a stream', createStream],
  ['a stream of Node.js', createNodeStream],
  ['an async iterable', createIterable],
] as const)('%s', (_, run: (last: number, fails?: boolean) => unknown) => {
  const begin = async (fails: boolean) => {
    const assay = connect();
    const { options, readStates } = name();
    const values = await assay.guard('look_up', run, options)(3, fails);
    const settle = () => expect.poll(readStates);
    return { values: values as AsyncIterable<number>, readStates, settle };
  };

  test('ends after its last step', async () => {
    const { values, settle } = await begin(false);
    expect(await collect(values)).toEqual([1, 2, 3]);
    await settle().toEqual(['succeeded']);
  });

  test('fails where it fails', async () => {
    const { values, settle } = await begin(true);
    await expect(collect(values)).rejects.toThrow('broken');
    await settle().toEqual(['failed']);
  });

  test('left early is unknown', async () => {
    const { values, settle } = await begin(false);
    expect(await collect(values, 2)).toEqual([1, 2]);
    await settle().toEqual(['unknown']);
  });
});

test('an async generator is claimed at its first step, and passes on what it gets', async () => {
  const heard: unknown[] = [];
  async function* echo(): AsyncGenerator<string, string, string> {
    heard.push(yield 'first');
    return 'end';
  }
  const { options, readStates } = name();
  const values = (await connect().guard('look_up', echo, options)()) as ReturnType<typeof echo>;
  expect(await readStates()).toEqual([]);
  expect(await values.next('lost')).toEqual({ value: 'first', done: false });
  expect(await readStates()).toEqual(['claimed']);
  expect(await values.next('heard')).toEqual({ value: 'end', done: true });
  expect(heard).toEqual(['heard']);
  await expect.poll(readStates).toEqual(['succeeded']);
});

test('a generator that is never begun claims nothing', async () => {
  const { options, readStates } = name();
  const values = await connect().guard('look_up', count, options)(3);
  await values.return('end');
  expect(await readStates()).toEqual([]);
});

const stop = (name: string): Promise<never> => Promise.reject(new DOMException('stopped', name));
const thenable = (end: 'done' | 'failed'): PromiseLike<number> => ({
  // oxlint-disable-next-line unicorn/no-thenable -- a promise of another library
  then: (done, fail) => Promise.resolve(end === 'done' ? done?.(1) : fail?.(1)) as never,
});
/** A service that a tool calls, and that does its work before the connection is lost. */
const remote = { url: '', closedUrl: '', server: createServer() };
beforeAll(async () => {
  remote.server.on('request', (req, res) => {
    if (req.url === '/lost') req.socket.destroy();
    else res.writeHead(200, { 'content-length': 100 });
    if (req.url === '/html') res.end('<html>'.padEnd(100));
    else if (req.url === '/cut') res.write('{', () => setImmediate(() => req.socket.destroy()));
  });
  remote.url = await listen(remote.server);
  const closed = createServer();
  remote.closedUrl = await listen(closed);
  closed.close();
});
afterAll(() => remote.server.close());
async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const fetchText = async (path: string) => (await fetch(remote.url + path)).text();
const fetchJson = async (path: string) => (await fetch(remote.url + path)).json();
const wrap = (work: Promise<unknown>) =>
  work.catch((cause: unknown) => {
    throw new Error('the payment service failed', { cause });
  });
const endings: [name: string, run: () => unknown, outcome: string][] = [
  ['a result that says so', () => ({ isError: true }), 'failed'],
  ['a promise of another library', () => thenable('done'), 'succeeded'],
  ['a failed one', () => thenable('failed'), 'failed'],
  ['a time-out', () => stop('TimeoutError'), 'unknown'],
  ['a connection that is lost', () => fetch(`${remote.url}/lost`), 'unknown'],
  ['one that is lost within the answer', () => fetchText('/cut'), 'unknown'],
  ['an answer that cannot be read', () => fetchJson('/html'), 'unknown'],
  ['a lost connection as a cause', () => wrap(fetch(`${remote.url}/lost`)), 'unknown'],
  ['a connection that nobody takes', () => fetch(remote.closedUrl), 'failed'],
  ['an error of the tool', () => Promise.reject(new TypeError('no such order')), 'failed'],
  ['what was cancelled', () => stop('AbortError'), 'unknown'],
  ['nothing', () => undefined, 'succeeded'],
];
test.each(endings)('%s is recorded as such', async (_, run, outcome) => {
  const { options, readStates } = name();
  const call = connect().guard('look_up', run, options);
  await call().catch(() => undefined);
  await expect.poll(readStates).toEqual([outcome]);
});

test('a run that is aborted while it runs is unknown', async () => {
  const stop = new AbortController();
  const { options, readStates } = name();
  const context = { ...options.context, signal: stop.signal };
  const run = () =>
    new Promise((_, fail) => {
      stop.signal.addEventListener('abort', () => fail(new Error('half done')));
      stop.abort();
    });
  await expect(connect().guard('look_up', run, { context })()).rejects.toThrow('half done');
  await expect.poll(readStates).toEqual(['unknown']);
});

test('what is approved without a claim, and each step of a generator, is the parent of what runs in it', async () => {
  const assay = connect();
  const inner = assay.guard('look_up', (_: object) => 1);
  const readParent = async () => {
    const url = `${harness.app.url}/api/v1/traces?limit=2`;
    const found = await fetch(url, { headers: { authorization: `Bearer ${ada.token}` } });
    const { data } = (await found.json()) as { data: { traceId: string }[] };
    const [child, parent] = await Promise.all(data.map(({ traceId }) => stage.read(traceId)));
    return { said: child.parentTraceId, is: parent.traceId };
  };
  await assay.guard('plan', () => inner({ of: 'plan' }))();
  const one = await readParent();
  expect(one.said).toBe(one.is);
  async function* plan() {
    yield await inner({ of: 'steps' });
  }
  for await (const _ of await assay.guard('plan', plan)());
  const other = await readParent();
  expect(other.said).toBe(other.is);
});

describe('the same name', () => {
  test('runs once, with or without a person', async () => {
    const run = vi.fn();
    const { options } = name();
    const call = connect().guard('look_up', run, options);
    await call({ a: 1 });
    await expect(call({ a: 1 })).rejects.toBeInstanceOf(AlreadyExecuted);
    await expect(connect().guard('look_up', run, options)({ a: 1 })).rejects.toBeInstanceOf(
      AlreadyExecuted,
    );
    await expect(call({ a: 2 })).rejects.toMatchObject({ code: 'ACTION_CHANGED' });
    expect(run).toHaveBeenCalledOnce();
  });

  test('at the same moment runs once', async () => {
    const run = vi.fn();
    const { options } = name();
    const call = connect().guard('look_up', run, options);
    const ends = await Promise.allSettled(Array.from({ length: 5 }, () => call({ a: 1 })));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(run).toHaveBeenCalledOnce();
  });
});

describe('a caller that leaves', () => {
  /** The id of what is held, as soon as its caller waits. */
  const findWaiting = async (): Promise<string> => {
    const traceId = await stage.findHeld();
    await expect.poll(() => countWaiting(harness.app.instance.platform)).toBe(1);
    return traceId;
  };
  const readStatus = async (traceId: string): Promise<string> =>
    (await stage.read(traceId)).review.status;

  test('withdraws on abort', async () => {
    const stop = new AbortController();
    const run = vi.fn();
    const context = { signal: stop.signal };
    const asked = connect().guard('issue_refund', run, { context })(refund);
    const [traceId] = await Promise.all([
      findWaiting().then((id) => (stop.abort(new Error('stopped')), id)),
      expect(asked).rejects.toThrow('stopped'),
    ]);
    expect(await readStatus(traceId)).toBe('withdrawn');
    expect(run).not.toHaveBeenCalled();
  });

  test('withdraws what it asked for while it left', async () => {
    const stop = new AbortController();
    const late: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      if (String(input).endsWith('/traces')) stop.abort(new Error('stopped'));
      return answer;
    };
    const call = connect({ fetch: late }).guard('issue_refund', vi.fn(), {
      context: { signal: stop.signal },
    });
    await expect(call(refund)).rejects.toThrow('stopped');
    const url = `${harness.app.url}/api/v1/traces?limit=1`;
    const found = await fetch(url, { headers: { authorization: `Bearer ${ada.token}` } });
    const { data } = (await found.json()) as { data: { traceId: string }[] };
    await expect.poll(() => readStatus(data[0]!.traceId)).toBe('withdrawn');
  });

  test('withdraws when the client is closed', async () => {
    const assay = connect();
    const asked = assay.guard('issue_refund', vi.fn())(refund);
    const [traceId] = await Promise.all([
      findWaiting().then(async (id) => (await assay.close(), id)),
      expect(asked).rejects.toBeInstanceOf(NotDecided),
    ]);
    expect(await readStatus(traceId)).toBe('withdrawn');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'withdraws on %s, and ends',
    { tags: ['long'] },
    async (signal) => {
      const program = `
      import { Assay } from '${process.cwd()}/packages/sdk-typescript/src/index.ts';
      await new Assay().guard('issue_refund', () => console.log('ran'))({ order: 'A-17' });`;
      const child = spawn(
        process.execPath,
        ['--import', 'tsx', '--input-type=module', '-e', program],
        {
          env: { ...process.env, ASSAY_URL: harness.app.url, ASSAY_KEY: stage.agent.key },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      const traceId = await findWaiting();
      child.kill(signal);
      const [, endedBy] = await once(child, 'exit');
      expect(endedBy).toBe(signal);
      expect(await readStatus(traceId)).toBe('withdrawn');
      expect(child.stdout.read()).toBeNull();
    },
  );
});
