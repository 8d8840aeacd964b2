// What agents' code meets while a person has stopped it: nothing runs, and what was approved runs once it goes on.
import { afterEach, expect, test, vi } from 'vitest';
import { Blocked, Halted, type Held } from '../../../../packages/sdk-typescript/src/index.ts';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { useHalts } from '../halt-stage.ts';
import { useGuards } from '../sdk-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { agent, connect, decideNext, listExecutions } = useGuards(harness, ada);
const { halt, letGoOn } = useHalts(harness, ada);
const refund = { order: 'A-17', amount: 90 };
const named = { context: { runId: 'run-1', callId: 'call-1' } };
const catchError = (running: Promise<unknown>): Promise<unknown> =>
  running.then(
    () => null,
    (error: unknown) => error,
  );

let open: string[] = [];
const stop = async (more?: object): Promise<void> => void open.push(await halt(agent.id, more));
const goOn = async (): Promise<void> => {
  for (const id of open.splice(0)) await letGoOn(id);
};
afterEach(goOn);

test('a halted agent runs nothing, and its code reads who stopped it and why', async () => {
  const run = vi.fn(async (_: typeof refund) => undefined);
  const look = connect().guard('look_up', run);
  await stop();
  const failure = await catchError(look(refund));
  expect(failure).toBeInstanceOf(Halted);
  expect(failure).toBeInstanceOf(Blocked);
  expect(failure).toMatchObject({
    status: 403,
    code: 'SVC_BLOCKED_BY_POLICY',
    message: expect.stringContaining('It pays twice'),
    halt: {
      scope: 'agent',
      state: 'halted',
      reason: 'It pays twice',
      sequence: expect.any(Number),
    },
    traceId: expect.stringMatching(/^trc_/),
    retryable: false,
  });
  expect(Date.parse((failure as Halted).halt!.since)).toBeLessThanOrEqual(Date.now());
  expect(run).not.toHaveBeenCalled();
  await goOn();
  await look(refund);
  expect(run).toHaveBeenCalledOnce();
});

test('what was approved before is claimed by no one while it is halted, and runs once afterwards', async () => {
  const run = vi.fn(async (_: typeof refund) => 'paid');
  const assay = connect({ onHold: 'suspend' });
  const { held } = (await catchError(assay.guard('issue_refund', run)(refund))) as Held;
  await decideNext({ decision: 'approve' }, held.traceId);
  await stop();
  const failure = await catchError(assay.resume(held, run));
  expect(failure).toBeInstanceOf(Halted);
  expect(failure).toMatchObject({
    code: 'HALTED',
    traceId: held.traceId,
    halt: { scope: 'agent' },
  });
  expect(run).not.toHaveBeenCalled();
  expect(await listExecutions(held.traceId)).toEqual([]);
  await goOn();
  expect(await assay.resume(held, run)).toBe('paid');
  expect(run).toHaveBeenCalledOnce();
});

test('a request that is repeated while it is halted is refused, and so is the call', async () => {
  const body = {
    inputContext: { prompt: 'Look' },
    outputDecision: { action: { tool: 'look_up', arguments: refund } },
  };
  const first = await connect().decisions.create(body, 'same-key');
  await stop();
  const failure = await catchError(connect().decisions.create(body, 'same-key'));
  expect(failure).toBeInstanceOf(Halted);
  expect(failure).toMatchObject({ code: 'HALTED', halt: { scope: 'agent', state: 'halted' } });
  await goOn();
  expect((await connect().decisions.create(body, 'same-key')).traceId).toBe(first.traceId);
});

test('a named call of before the halt does not run behind it', async () => {
  const run = vi.fn();
  const ending = new AbortController();
  const ends = connect({
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      ending.abort(new Error('the process ended here'));
      return answer;
    },
  });
  const context = { ...named.context, signal: ending.signal };
  await catchError(ends.guard('look_up', run, { context })(refund));
  const look = () => connect().guard('look_up', run, named)(refund);
  await stop();
  expect(await catchError(look())).toBeInstanceOf(Halted);
  expect(run).not.toHaveBeenCalled();
  await goOn();
  await look();
  expect(run).toHaveBeenCalledOnce();
});

test('watched: the call is held for a person, and runs when one approves', async () => {
  const run = vi.fn(async (_: typeof refund) => 'found');
  await stop({ state: 'watched' });
  const running = connect().guard('look_up', run)(refund);
  await decideNext({ decision: 'approve' });
  expect(await running).toBe('found');
});
