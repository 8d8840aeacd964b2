// OpenAI Agents with a model of its own, which makes planned calls.
import { type AdapterOptions, resumeAll } from '@assay/sdk/openai-agents';
import { run, RunState } from '@openai/agents';
import { describe, expect, test } from 'vitest';
import { type RunAgent, testGuarding, testTokens } from './setup/behaviour.ts';
import { createAgent } from './setup/openai-agent.ts';
import { useStage } from './setup/stage.ts';
import { type Plan, planRefund, refund } from './setup/tools.ts';

const stage = useStage();
const { connect, decideNext, done, listExecutions, read, runProgram } = stage;
const PROMPT = 'Refund order A-17';

const runAgent: RunAgent = async (plan, options) => {
  const { assay = connect() } = options;
  const agent = createAgent(plan, done, options);
  // The framework does not tell its tools what the user asked.
  const { finalOutput } = await assay.run({ prompt: PROMPT }, () => run(agent, PROMPT));
  return JSON.parse(finalOutput ?? '[]') as string[];
};
testGuarding(runAgent, stage, 'call-2');
testTokens(runAgent, stage);

test('an id that comes back in another run is another call, in suspend mode, too', async () => {
  const plan: Plan = [[{ id: 'call_0', tool: 'look_up', args: { order: 'A-17' } }]];
  for (const onHold of ['suspend', 'wait'] as const)
    for (let turn = 1; turn <= 2; turn++) await runAgent(plan, { assay: connect(), onHold });
  expect(done).toHaveLength(4);
});

describe('streamed', () => {
  /** Reads a stream to its end. */
  async function runStreamed(plan: Plan, options: AdapterOptions) {
    const stream = await run(createAgent(plan, done, options), PROMPT, { stream: true });
    const seen: string[] = [];
    for await (const event of stream)
      if (event.type === 'run_item_stream_event') seen.push(event.name);
    await stream.completed;
    return { stream, seen };
  }

  test('a held call waits, and runs once when approved; a blocked one never does', async () => {
    const plan: Plan = [[planRefund(), { id: 'call-2', tool: 'wire', args: { amount: 1 } }]];
    const running = runStreamed(plan, { assay: connect() });
    const traceId = await decideNext({ decision: 'approve' });
    const { stream, seen } = await running;
    expect(seen.indexOf('tool_called')).toBeLessThan(seen.indexOf('tool_output'));
    expect(stream.finalOutput).toMatch(/done: issue_refund.*No wires/);
    expect(done).toEqual([{ tool: 'issue_refund', args: refund }]);
    expect(await listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
  });

  test('a suspended call ends the stream with an interruption, and nothing has run', async () => {
    const { stream } = await runStreamed([[planRefund({}, crypto.randomUUID())]], {
      assay: connect(),
      onHold: 'suspend',
    });
    expect(stream.interruptions).toHaveLength(1);
    for (const item of stream.interruptions) stream.state.approve(item);
    await run(stream.currentAgent!, stream.state);
    expect(done).toEqual([]);
    await decideNext({ decision: 'reject' });
  });
});

describe('suspended', () => {
  const options = () => ({ assay: connect(), onHold: 'suspend' as const });
  const planOne = (): Plan => [[planRefund({}, crypto.randomUUID())]];

  test('a held call interrupts the run, and runs once when a person approved it', async () => {
    const agent = createAgent(planOne(), done, options());
    const { state, interruptions } = await run(agent, PROMPT);
    expect(interruptions).toHaveLength(1);
    expect(await resumeAll(state)).toBe(1);
    const kept = state.toString();
    const traceId = await decideNext({ decision: 'approve' });
    const restored = await RunState.fromString(agent, kept);
    expect(await resumeAll(restored)).toBe(0);
    expect((await run(agent, restored)).finalOutput).toContain('done: issue_refund');
    expect(done).toEqual([{ tool: 'issue_refund', args: refund }]);
    expect(await listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
    // The same state once more: the approval is used.
    const again = await RunState.fromString(agent, kept);
    await resumeAll(again);
    expect((await run(agent, again)).finalOutput).toContain('did not run');
    expect(done).toHaveLength(1);
  });

  test('an approval of the application alone runs nothing', async () => {
    const agent = createAgent(planOne(), done, options());
    const { state } = await run(agent, PROMPT);
    for (const item of state.getInterruptions()) state.approve(item);
    await expect(run(agent, state)).resolves.toMatchObject({
      finalOutput: expect.stringMatching(/error|decide/i),
    });
    expect(done).toEqual([]);
    await decideNext({ decision: 'reject' });
  });

  test('a rejection says why; a hold that ended is no denial', async () => {
    for (const [verdict, words] of [
      [{ decision: 'reject', reason: 'delivered' }, /A person rejected it: delivered/],
      [null, /No person decided: it is withdrawn/],
    ] as const) {
      const agent = createAgent(planOne(), done, options());
      const { state } = await run(agent, PROMPT);
      if (verdict) await decideNext(verdict);
      else await connect().decisions.withdraw(await stage.findHeld());
      expect(await resumeAll(state)).toBe(0);
      expect((await run(agent, state)).finalOutput).toMatch(words);
    }
    expect(done).toEqual([]);
  });

  test('parallel interruptions survive the process, each with its verdict', async () => {
    const ids = [crypto.randomUUID(), crypto.randomUUID()];
    const begun = await runProgram('openai-agents', { step: 'begin', state: { ids } });
    await decideNext({ decision: 'approve' });
    const waiting = await runProgram('openai-agents', { step: 'resume', state: begun.state });
    expect(waiting.done).toEqual([]);
    const rejected = await decideNext({ decision: 'reject', reason: 'delivered' });
    const { order } = (await read(rejected)).outputDecision.action.arguments;
    const resumed = await runProgram('openai-agents', { step: 'resume', state: waiting.state });
    const [approved] = ['A-17', 'A-18'].filter((each) => each !== order);
    expect(resumed.done).toEqual([{ tool: 'issue_refund', args: { ...refund, order: approved } }]);
    expect(resumed.told.join()).toContain('delivered');
  });
});
