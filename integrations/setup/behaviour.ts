// What every adapter does, whatever its framework: the same tests for each.
import type { AdapterOptions } from '@assay/sdk/ai';
import { expect, test } from 'vitest';
import type { useStage } from './stage.ts';
import { type Plan, type Planned, planRefund, refund } from './tools.ts';

/** Runs an agent whose fake model makes the planned calls. Returns what the model heard from its tools, in order. */
export type RunAgent = (plan: Plan, options: AdapterOptions) => Promise<string[]>;

type Stage = ReturnType<typeof useStage>;

/** @param secondId the id of a second call: the first one again, unless the framework refuses that itself */
export function testGuarding(runAgent: RunAgent, stage: Stage, secondId = 'call-1'): void {
  const { connect, createPolicy, decideNext, done, listExecutions, read } = stage;

  test('what no policy holds runs at once', async () => {
    const plan: Plan = [[{ id: 'call-1', tool: 'look_up', args: { order: 'A-17' } }]];
    const [told] = await runAgent(plan, { assay: connect() });
    expect(told).toContain('done: look_up');
    expect(done).toEqual([{ tool: 'look_up', args: { order: 'A-17' } }]);
  });

  test('a held call waits, runs once when approved, and its outcome is recorded', async () => {
    const running = runAgent([[planRefund()]], { assay: connect() });
    const traceId = await decideNext({ decision: 'approve' });
    const [told] = await running;
    expect(told).toContain('done: issue_refund');
    expect(done).toEqual([{ tool: 'issue_refund', args: refund }]);
    expect(await listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
  });

  test('what the user asked stands beside the call', async () => {
    const running = runAgent([[planRefund()]], { assay: connect() });
    const traceId = await decideNext({ decision: 'approve' });
    await running;
    expect((await read(traceId)).inputContext.prompt).toBe('Refund order A-17');
  });

  test('a rejected call does not run, and the model gets the reason', async () => {
    const running = runAgent([[planRefund()]], { assay: connect() });
    await decideNext({ decision: 'reject', reason: 'the order was delivered' });
    const [told] = await running;
    expect(told).toMatch(/A person rejected it: the order was delivered/);
    expect(done).toEqual([]);
  });

  test('a blocked call does not run, and the model gets the reason', async () => {
    const plan: Plan = [[{ id: 'call-1', tool: 'wire', args: { amount: 1 } }]];
    const [told] = await runAgent(plan, { assay: connect() });
    expect(told).toMatch(/No wires/);
    expect(done).toEqual([]);
  });

  test('a call that is approved with an edit runs the edited arguments', async () => {
    const running = runAgent([[planRefund()]], { assay: connect() });
    const traceId = await decideNext({
      decision: 'approve',
      edits: { arguments: { amount: 45 } },
    });
    await running;
    expect(done).toEqual([{ tool: 'issue_refund', args: { ...refund, amount: 45 } }]);
    expect(await listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
  });

  test('a wait that ends is no denial', async () => {
    const [told] = await runAgent([[planRefund()]], { assay: connect(), wait: 1000 });
    expect(told).toMatch(/No person has decided yet; the request is withdrawn/);
    expect(told).not.toMatch(/reject|den(y|ied)/i);
    expect(done).toEqual([]);
  });

  test('a call with other arguments asks again', async () => {
    const assay = connect();
    const plan: Plan = [[planRefund()], [planRefund({ amount: 45 }, secondId)]];
    const running = assay.run({ runId: crypto.randomUUID() }, () => runAgent(plan, { assay }));
    const first = await decideNext({ decision: 'reject', reason: 'too much' });
    const second = await decideNext({ decision: 'approve' });
    const told = await running;
    expect(second).not.toBe(first);
    expect(told).toEqual([
      expect.stringMatching(/too much/),
      expect.stringMatching(/done: issue_refund/),
    ]);
    expect(done).toEqual([{ tool: 'issue_refund', args: { ...refund, amount: 45 } }]);
  });

  test('parallel calls have a verdict each', async () => {
    const plan: Plan = [[planRefund(), planRefund({ order: 'A-18' }, 'call-2')]];
    const running = runAgent(plan, { assay: connect() });
    const traces = [
      await decideNext({ decision: 'approve' }),
      await decideNext({ decision: 'reject' }),
    ];
    const rejected = await read(traces[1] ?? '');
    const { order } = rejected.outputDecision.action.arguments;
    const told = await running;
    expect(done).toEqual([
      { tool: 'issue_refund', args: { ...refund, order: order === 'A-17' ? 'A-18' : 'A-17' } },
    ]);
    expect(told.filter((words) => words.includes('A person rejected it'))).toHaveLength(1);
  });

  test('without the service nothing runs, and the model hears why', async () => {
    const assay = connect({ url: 'http://127.0.0.1:9', timeout: 500, agent: 'support' });
    const plan: Plan = [[{ id: 'call-1', tool: 'look_up', args: { order: 'A-17' } }]];
    const [told] = await runAgent(plan, { assay });
    expect(told).toMatch(/does not answer/);
    expect(done).toEqual([]);
  });

  test('observed calls run, and are recorded', async () => {
    const assay = connect({ mode: 'observe' });
    const plan: Plan = [[{ id: 'call-1', tool: 'wire', args: { amount: 1 } }]];
    await runAgent(plan, { assay });
    await assay.flush();
    expect(done).toEqual([{ tool: 'wire', args: { amount: 1 } }]);
  });

  test('a policy may ask for a claim without a hold', async () => {
    await createPolicy('Once', 'look_up', { type: 'approve', config: { singleUse: true } });
    const plan: Plan = [[{ id: 'call-1', tool: 'look_up', args: { order: 'A-17' } }]];
    const [told] = await runAgent(plan, { assay: connect() });
    expect(told).toContain('done: look_up');
  });
}

/** For frameworks that say what the model used, which is ten tokens a message. */
export function testTokens(runAgent: RunAgent, { connect }: Stage): void {
  test('a decision says what the run has used since the last one that let a call go on', async () => {
    const said = new Map<string, unknown>();
    const assay = connect({
      async fetch(url, init) {
        if (String(url).endsWith('/api/v1/traces') && init?.method === 'POST') {
          const { outputDecision, metadata } = JSON.parse(String(init.body));
          const { order, amount } = outputDecision.action.arguments;
          said.set(String(order ?? amount), metadata.tokens);
        }
        return fetch(url, init);
      },
    });
    const look = (order: string): Planned => ({
      id: `call-${order}`,
      tool: 'look_up',
      args: { order },
    });
    const wire: Planned = { id: 'call-w', tool: 'wire', args: { amount: 1 } };
    await runAgent([[look('a'), look('b')], [wire], [look('c')], [look('d')]], { assay });
    expect(Object.fromEntries(said)).toEqual({ a: 10, b: 0, 1: 10, c: 20, d: 10 });
    said.clear();
    await assay.run({ metadata: { tokens: 7 } }, () => runAgent([[look('e')]], { assay }));
    expect(Object.fromEntries(said)).toEqual({ e: 7 });
  });
}

/** For frameworks whose calls have names. */
export function testReturningIds(runAgent: RunAgent, { connect, done }: Stage): void {
  test('an id that comes back is another call; a run that comes back repeats none', async () => {
    const assay = connect();
    const call: Planned = { id: 'call_0', tool: 'look_up', args: { order: 'A-17' } };
    const repeat = () => runAgent([[call], [call], [call]], { assay });
    const runId = crypto.randomUUID();
    await assay.run({ runId }, repeat);
    expect(done).toHaveLength(3);
    expect((await assay.run({ runId }, repeat)).join()).toMatch(/did not run|claimed before/);
    expect(done).toHaveLength(3);
    await repeat();
    expect(done).toHaveLength(6);
  });
}
