// What waits or runs when a person stops it: its signal aborts, and only its own.
import { afterEach, beforeAll, expect, test } from 'vitest';
import { followHalts } from '../../../../packages/sdk-typescript/src/halts.ts';
import { type Assay, Halted } from '../../../../packages/sdk-typescript/src/index.ts';
import type { AssayOptions } from '../../../../packages/sdk-typescript/src/options.ts';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { createAgent } from '../../../setup/personas.ts';
import { useHalts } from '../halt-stage.ts';
import { useGuards } from '../sdk-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { agent, connect, findHeld, read, listExecutions, decideNext } = useGuards(harness, ada);
const { halt, letGoOn } = useHalts(harness, ada);
const refund = { order: 'A-17', amount: 90 };
let other: { id: string };
beforeAll(async () => {
  other = await createAgent(harness.app, ada);
});
let open: string[] = [];
const stop = async (target = agent.id, more = {}): Promise<void> =>
  void open.push(await halt(target, more));
const goOn = async (): Promise<void> => {
  for (const id of open.splice(0)) await letGoOn(id);
};
afterEach(goOn);

const catchError = (running: Promise<unknown>): Promise<unknown> =>
  running.then(
    (value) => value,
    (error: unknown) => error,
  );
/** Counts the streams of halts that are open. */
function follow(options: AssayOptions = {}) {
  const streams = { opened: 0, open: 0 };
  const assay = connect({
    halts: followHalts(),
    ...options,
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      if (!String(url).includes('/stream')) return answer;
      streams.opened += 1;
      streams.open += 1;
      init?.signal?.addEventListener('abort', () => (streams.open -= 1));
      return answer;
    },
  });
  return { assay, streams };
}
function defer<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((fulfil, refuse) => ([resolve, reject] = [fulfil, refuse]));
  return { promise, resolve, reject };
}
/** A guarded call that runs until its signal aborts, or `finish` is called. */
function runLong(assay: Assay, context = {}) {
  const begun = defer<AbortSignal>();
  const end = defer<string>();
  const work = assay.guard(
    'look_up',
    async () => {
      const { signal } = assay;
      begun.resolve(signal!);
      signal!.addEventListener('abort', () => end.reject(signal!.reason as Error));
      return end.promise;
    },
    { claim: 'always', context },
  );
  const ended = catchError(work());
  return { begun: begun.promise, ended, finish: () => end.resolve('found') };
}

test('a wait ends as soon as it is halted, and its request is withdrawn', async () => {
  const { assay } = follow();
  const waiting = catchError(assay.guard('issue_refund', async (_: typeof refund) => 1)(refund));
  const traceId = await findHeld();
  await stop();
  const failure = await waiting;
  expect(failure).toBeInstanceOf(Halted);
  expect(failure).toMatchObject({
    code: 'HALTED',
    traceId,
    message: expect.stringContaining('It pays twice'),
    halt: { scope: 'agent', state: 'halted', reason: 'It pays twice' },
  });
  expect((await read(traceId)).review.status).toBe('withdrawn');
});

test('what another process may wait for stays in the queue', async () => {
  const { assay } = follow({ onTimeout: 'leave' });
  const waiting = catchError(assay.guard('issue_refund', async (_: typeof refund) => 1)(refund));
  const traceId = await findHeld();
  await stop();
  expect(await waiting).toBeInstanceOf(Halted);
  expect((await read(traceId)).review.status).toBe('pending');
});

test('a running call has its signal aborted, and its end counts as unseen', async () => {
  const { assay, streams } = follow();
  const { begun, ended } = runLong(assay);
  const signal = await begun;
  expect(signal.aborted).toBe(false);
  await stop();
  const failure = await ended;
  expect(failure).toBeInstanceOf(Halted);
  const [execution] = await listExecutions((failure as Halted).traceId!);
  expect(execution.state).toBe('unknown');
  await expect.poll(() => streams, { timeout: 10_000 }).toEqual({ opened: 1, open: 0 });
});

test('a halt of a session aborts the calls of that session alone, and that of another agent none', async () => {
  const { assay } = follow();
  const [first, second] = ['one', 'two'].map((sessionId) => runLong(assay, { sessionId }));
  await Promise.all([first!.begun, second!.begun]);
  await stop(other.id);
  const decision = await harness.db.collection('ledger').findOne({ sessionId: 'one' });
  await stop(decision!['traceId'], { scope: 'session' });
  expect(await first!.ended).toBeInstanceOf(Halted);
  second!.finish();
  expect(await second!.ended).toBe('found');
});

test('a halt that ended before a call began does not abort it', async () => {
  const { assay, streams } = follow();
  const waiting = catchError(
    assay.guard('issue_refund', async (_: typeof refund) => 'paid')(refund),
  );
  const traceId = await findHeld();
  await expect.poll(() => streams.open).toBe(1);
  await stop(agent.id, { state: 'watched' });
  await goOn();
  await decideNext({ decision: 'approve' }, traceId);
  expect(await waiting).toBe('paid');
});

test('an endless event that another server sends is given up, and ends no call', async () => {
  const errors: unknown[] = [];
  let sent = 0;
  const endless = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      pull(body) {
        sent += 1;
        body.enqueue(new Uint8Array(16_384).fill(120));
      },
    });
  const assay = connect({
    halts: followHalts(),
    onError: (error) => void errors.push(error),
    fetch: async (url, init) =>
      String(url).includes('/stream')
        ? new Response(endless(), { headers: { 'content-type': 'text/event-stream' } })
        : fetch(url, init),
  });
  const { begun, ended, finish } = runLong(assay);
  await begun;
  await expect
    .poll(() => errors)
    .toMatchObject([{ message: expect.stringContaining('too large') }]);
  expect(sent).toBeLessThan(10);
  finish();
  expect(await ended).toBe('found');
});
