// A guarded function asks first, waits for a person, runs once, and says what became of it.
import { expect, test, vi } from 'vitest';
import {
  ActionChanged,
  AlreadyExecuted,
  Blocked,
  Held,
  Invalid,
  NotDecided,
  Rejected,
  Unauthorised,
  Unavailable,
} from '../../../packages/sdk-typescript/src/index.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createWorkspaceKey } from '../../setup/personas.ts';
import { useGuards } from './sdk-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { agent, connect, createPolicy, decideNext, read, listExecutions } = useGuards(harness, ada);

const refund = { order: 'A-17', to: 'jo.doe@example.com', amount: 90.0 };

test('what no policy holds runs at once', async () => {
  const run = vi.fn(async ({ order }: { order: string }) => `looked up ${order}`);
  expect(await connect().guard('look_up', run)({ order: 'A-17' })).toBe('looked up A-17');
  expect(run).toHaveBeenCalledOnce();
});

test('a run that no one asked for says what began it', async () => {
  const trigger = { kind: 'schedule', at: '03:00' };
  const assay = connect({ onHold: 'suspend' });
  const run = vi.fn();
  const failure = await assay
    .run({ trigger }, () => assay.guard('issue_refund', run)(refund))
    .catch((error: unknown) => error);
  const { traceId } = (failure as Held).toJSON();
  expect((await read(traceId)).inputContext).toEqual({ trigger });
});

test('what a policy blocks never runs', async () => {
  const run = vi.fn();
  const failure = await connect()
    .guard(
      'wire',
      run,
    )({ amount: 1 })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Blocked);
  expect(failure).toMatchObject({
    status: 403,
    policy: 'Wires',
    message: 'No wires',
    retryable: false,
  });
  expect(run).not.toHaveBeenCalled();
});

test('what a person approves runs once, with personal data in it, and its outcome is recorded', async () => {
  const run = vi.fn(async (given: typeof refund) => ({ paid: given.amount }));
  const running = connect().guard('issue_refund', run)(refund);
  const traceId = await decideNext({ decision: 'approve' });
  expect(await running).toEqual({ paid: 90 });
  expect(run).toHaveBeenCalledExactlyOnceWith(refund);
  expect(await listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
});

test('what a person rejects never runs', async () => {
  const run = vi.fn();
  const running = connect()
    .guard(
      'issue_refund',
      run,
    )(refund)
    .catch((error: unknown) => error);
  await decideNext({ decision: 'reject', reason: 'not this one' });
  expect(await running).toBeInstanceOf(Rejected);
  expect(run).not.toHaveBeenCalled();
});

test('arguments that change during the wait do not run', async () => {
  const given = { ...refund };
  const run = vi.fn();
  const running = connect()
    .guard(
      'issue_refund',
      run,
    )(given)
    .catch((error: unknown) => error);
  const pending = decideNext({ decision: 'approve' });
  given.amount = 820_000;
  await pending;
  expect(await running).toBeInstanceOf(ActionChanged);
  expect(run).not.toHaveBeenCalled();
});

test('a wait that ends withdraws the request, and says that no person decided', async () => {
  const run = vi.fn();
  const failure = await connect({ wait: 1000 })
    .guard(
      'issue_refund',
      run,
    )(refund)
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(NotDecided);
  const { traceId } = failure as NotDecided;
  expect((await read(traceId!)).review.status).toBe('withdrawn');
  expect(run).not.toHaveBeenCalled();
});

test('a claim that a policy asks for is made without a hold', async () => {
  await createPolicy('Once', 'ship', { type: 'approve', config: { singleUse: true } });
  const posted = vi.fn(globalThis.fetch);
  const ship = connect({ fetch: posted }).guard(
    'ship',
    async ({ order }: { order: string }) => order,
  );
  expect(await ship({ order: 'A-17' })).toBe('A-17');
  expect(posted.mock.calls.map(([url]) => String(url)).join()).toMatch(
    /\/executions,.*\/executions\//,
  );
});

test('observed calls run at once; a flush resolves when they are stored, and counts the lost ones', async () => {
  const assay = connect({ mode: 'observe' });
  const run = vi.fn(async (_: object) => 1);
  await assay.guard('wire', run)({ amount: 1 });
  await assay.guard('look_up', run)({ order: 'A-17' });
  await assay.flush();
  expect(run).toHaveBeenCalledTimes(2);
  await assay.guard('look_up', run, { context: { agentVersion: 'x'.repeat(200) } })({
    order: 'A-18',
  });
  await expect(assay.flush()).rejects.toThrow(/^1 observed/);
});

test('a held action is resumed by another client, once', async () => {
  const run = vi.fn(async (given: typeof refund) => given.order);
  const failure = await connect({ onHold: 'suspend' })
    .guard(
      'issue_refund',
      run,
    )(refund)
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Held);
  const held = JSON.parse(JSON.stringify(failure)) as Held['held'];
  expect(held.review).toMatch(/^http:.*\/console\/review\//);
  await expect(connect().resume(held, run)).rejects.toBeInstanceOf(NotDecided);
  await decideNext({ decision: 'approve' }, held.traceId);
  expect(await connect().resume(held, run)).toBe('A-17');
  await expect(connect().resume(held, run)).rejects.toBeInstanceOf(AlreadyExecuted);
  expect(run).toHaveBeenCalledOnce();
});

test('a held action whose amount was changed is refused', async () => {
  const failure = await connect({ onHold: 'suspend' })
    .guard(
      'issue_refund',
      async (_: typeof refund) => 1,
    )(refund)
    .catch((error: unknown) => error);
  const { held } = failure as Held;
  await decideNext({ decision: 'approve' }, held.traceId);
  held.action.arguments = { ...refund, amount: 91 };
  const run = vi.fn();
  await expect(connect().resume(held, run)).rejects.toBeInstanceOf(ActionChanged);
  // Without the binding, the service is asked, which knows it.
  await expect(connect().resume({ ...held, binding: null }, run)).rejects.toBeInstanceOf(
    ActionChanged,
  );
  expect(run).not.toHaveBeenCalled();
});

test('a reviewer edits the shown action, and the agent runs its raw one with the edit', async () => {
  const run = vi.fn(async (given: typeof refund) => given.amount);
  const running = connect().guard('issue_refund', run)(refund);
  await decideNext({ decision: 'approve', edits: { arguments: { amount: 45 } } });
  expect(await running).toBe(45);
  expect(run).toHaveBeenCalledExactlyOnceWith({ ...refund, amount: 45 });
});

test('what the function throws passes through, and the outcome is `failed`', async () => {
  const failure = new RangeError('no money left');
  const running = connect()
    .guard('issue_refund', (_: typeof refund) => Promise.reject(failure))(refund)
    .catch((error: unknown) => error);
  const traceId = await decideNext({ decision: 'approve' });
  expect(await running).toBe(failure);
  expect(await listExecutions(traceId)).toMatchObject([{ state: 'failed' }]);
});

test('the same call of the same run is one decision', async () => {
  const assay = connect({ onHold: 'suspend' });
  const ask = (callId: string) =>
    assay
      .guard('issue_refund', async (_: typeof refund) => 1, {
        context: { runId: 'run-1', callId },
      })(refund)
      .catch((error: Held) => error.traceId);
  const [first, again, other] = [await ask('call-1'), await ask('call-1'), await ask('call-2')];
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

test('a text of twenty kilobytes is bound by its digest', async () => {
  const content = 'x'.repeat(20_000);
  const run = vi.fn(async (given: { path: string; content: string }) => given.content.length);
  const running = connect().guard('issue_refund', run)({ path: '/a', content });
  const traceId = await decideNext({ decision: 'approve' });
  expect(await running).toBe(20_000);
  const { outputDecision } = await read(traceId);
  expect(outputDecision.action.arguments.content).toMatchObject({ $bytes: 20_000 });
});

test.each([
  ['no key', { key: 'nothing' }, Unauthorised],
  ['no service', { url: 'http://127.0.0.1:9', timeout: 500 }, Unavailable],
])('%s: nothing runs', async (_, options, kind) => {
  const run = vi.fn();
  const assay = connect(options);
  await expect(assay.guard('look_up', run)({})).rejects.toBeInstanceOf(kind);
  expect(run).not.toHaveBeenCalled();
});

test('a key of no agent asks for one', async () => {
  const { key } = await createWorkspaceKey(harness.app, ada);
  await expect(connect({ key }).guard('look_up', vi.fn())({})).rejects.toThrow(/set `agent`/);
  expect(await connect({ key, agent: agent.id }).guard('look_up', async (_: object) => 1)({})).toBe(
    1,
  );
});

test('what is no JSON is refused before anything is asked', async () => {
  const cycle: Record<string, unknown> = {};
  cycle.own = cycle;
  for (const amount of [NaN, Infinity, cycle, '\uD800'])
    await expect(connect().guard('look_up', vi.fn())({ amount })).rejects.toBeInstanceOf(Invalid);
});

test('asking first is the same decision as the call, and says where it stands', async () => {
  const assay = connect({ onHold: 'suspend' });
  const context = { runId: crypto.randomUUID(), callId: 'call-1' };
  const ask = () => assay.askFirst('issue_refund', [refund], { context });
  const { status, held } = await ask();
  expect(status).toBe('pending');
  const run = vi.fn(async (_: typeof refund) => 1);
  const guarded = assay.guard('issue_refund', run, { context });
  await expect(guarded(refund)).rejects.toMatchObject({ traceId: held?.traceId });
  await decideNext({ decision: 'approve' }, held?.traceId);
  expect(await ask()).toMatchObject({ status: 'approved', held: { traceId: held?.traceId } });
  expect(await guarded(refund)).toBe(1);
  await expect(guarded(refund)).rejects.toBeInstanceOf(AlreadyExecuted);
  expect(run).toHaveBeenCalledOnce();
});

test('asking first says what needs no person, and refuses what is forbidden or has no name', async () => {
  const context = { runId: crypto.randomUUID(), callId: 'call-1' };
  const free = connect().askFirst('look_up', [{}], { context });
  expect(await free).toEqual({ status: 'none', reason: null, held: null });
  const wire = { runId: crypto.randomUUID(), callId: 'call-1' };
  await expect(connect().askFirst('wire', [{}], { context: wire })).rejects.toBeInstanceOf(Blocked);
  await expect(connect().askFirst('look_up', [{}], {})).rejects.toThrow(/runId and callId/);
  const observed = connect({ mode: 'observe' }).askFirst('wire', [{}], { context: wire });
  expect(await observed).toMatchObject({ status: 'none' });
});

test('a name that comes back with other arguments runs nothing', async () => {
  const context = { runId: crypto.randomUUID(), callId: 'call-1' };
  const run = vi.fn(async (_: object) => 1);
  const look = connect().guard('look_up', run, { context });
  expect(await look({ order: 'A-17' })).toBe(1);
  await expect(look({ order: 'A-18' })).rejects.toBeInstanceOf(ActionChanged);
  expect(run).toHaveBeenCalledOnce();
});

test('a rejection has the words of the person', async () => {
  const running = connect().guard('issue_refund', vi.fn())(refund);
  const rejected = expect(running).rejects.toThrow('A person rejected it: not this one');
  await decideNext({ decision: 'reject', reason: 'not this one' });
  await rejected;
});
