// OpenAI Agents with a model of its own, which makes planned calls.
import { resumeAll } from '@assay/sdk/openai-agents';
import { run, RunState } from '@openai/agents';
import { describe, expect, test } from 'vitest';
import { type RunAgent, testGuarding } from './setup/behaviour.ts';
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
