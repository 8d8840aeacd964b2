// Mastra, the last version for Node.js 20 and the newest one, with the mock models of the AI SDK.
import { guardTools } from '@assay/sdk/mastra';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type RunAgent, testGuarding } from './setup/behaviour.ts';
import { createModel6 } from './setup/ai-model.ts';
import { AGENTS } from './setup/mastra-agents.ts';
import { useStage } from './setup/stage.ts';
import { type Plan, planRefund, refund } from './setup/tools.ts';

const stage = useStage();
const { connect, decideNext, done, harness, listExecutions, read, runProgram } = stage;
const versions = Object.keys(AGENTS) as (keyof typeof AGENTS)[];
const ways = versions.flatMap((version) => [
  [version, 'generate'] as const,
  [version, 'stream'] as const,
]);

describe.each(ways)('%s, %s', (version, way) => {
  const runAgent: RunAgent = async (plan, options) => {
    const { told } = await AGENTS[version]({ plan, done }, options)[way]();
    return told;
  };
  // Mastra itself takes an id that comes back in a run for the same call.
  testGuarding(runAgent, stage, 'call-2');
});

describe.each(versions)('%s, suspended', (version) => {
  const begin = async (plan: Plan) => {
    const options = { assay: connect(), onHold: 'suspend' as const };
    const agent = AGENTS[version]({ plan, done }, options);
    return { agent, ...(await agent.stream()) };
  };

  test('a held call suspends the run; a resume is no verdict', async () => {
    const { agent, runId, suspended } = await begin([[planRefund()]]);
    expect(suspended).toEqual(['call-1']);
    const forged = await agent.resume(runId, 'call-1');
    expect(forged.suspended).toEqual(['call-1']);
    expect(done).toEqual([]);
    const traceId = await decideNext({ decision: 'approve' });
    const resumed = await agent.resume(runId, 'call-1');
    expect(resumed.told).toEqual([expect.stringContaining('done: issue_refund')]);
    expect(done).toEqual([{ tool: 'issue_refund', args: refund }]);
    expect(await listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
  });

  test('a rejection says why; a hold that ended is no denial', async () => {
    for (const [verdict, words] of [
      [{ decision: 'reject', reason: 'delivered' }, /A person rejected it: delivered/],
      [null, /It was withdrawn/],
    ] as const) {
      const { agent, runId } = await begin([[planRefund()]]);
      if (verdict) await decideNext(verdict);
      else await connect().decisions.withdraw(await stage.findHeld());
      const { told } = await agent.resume(runId, 'call-1');
      expect(told).toEqual([expect.stringMatching(words)]);
    }
    expect(done).toEqual([]);
  });

  test('a reviewer’s edit is what runs after the resume', async () => {
    const { agent, runId } = await begin([[planRefund()]]);
    await decideNext({ decision: 'approve', edits: { arguments: { amount: 45 } } });
    await agent.resume(runId, 'call-1');
    expect(done).toEqual([{ tool: 'issue_refund', args: { ...refund, amount: 45 } }]);
  });

  test('parallel calls have a verdict each', async () => {
    const plan: Plan = [[planRefund(), planRefund({ order: 'A-18' }, 'call-2')]];
    const { agent, runId, suspended } = await begin(plan);
    expect(suspended.sort()).toEqual(['call-1', 'call-2']);
    await decideNext({ decision: 'approve' });
    const rejected = await decideNext({ decision: 'reject', reason: 'delivered' });
    const { order } = (await read(rejected)).outputDecision.action.arguments;
    await agent.resume(runId, 'call-1');
    const { told } = await agent.resume(runId, 'call-2');
    const [approved] = ['A-17', 'A-18'].filter((each) => each !== order);
    expect(done).toEqual([{ tool: 'issue_refund', args: { ...refund, order: approved } }]);
    expect(told.join()).toContain('delivered');
  });
});

test('parallel calls survive the process, each with its verdict', async () => {
  const database = `${harness.db.databaseName}-mastra`;
  const begun = await runProgram('mastra', { step: 'begin', state: { database } });
  expect(begun.done).toEqual([]);
  const waiting = await runProgram('mastra', { step: 'resume', state: begun.state });
  expect(waiting.done).toEqual([]);
  await decideNext({ decision: 'approve' });
  const rejected = await decideNext({ decision: 'reject', reason: 'delivered' });
  const { order } = (await read(rejected)).outputDecision.action.arguments;
  const resumed = await runProgram('mastra', { step: 'resume', state: waiting.state });
  const [approved] = ['A-17', 'A-18'].filter((each) => each !== order);
  expect(resumed.done).toEqual([{ tool: 'issue_refund', args: { ...refund, order: approved } }]);
  expect(resumed.told.join()).toContain('delivered');
  await harness.db.client.db(database).dropDatabase();
});

/** An agent of version 1 with one tool of its own, which a policy holds. */
function createAgent(execute: (args: unknown) => Promise<unknown>, onHold: 'wait' | 'suspend') {
  const issue_refund = createTool({
    id: 'issue-refund',
    description: 'Pays money back',
    inputSchema: z.object({ order: z.string(), currency: z.string().default('EUR') }),
    execute,
  });
  const call = { id: 'call-1', tool: 'issue_refund' as const, args: { order: 'A-17' } };
  const agent = new Agent({
    id: 'support',
    name: 'Support',
    instructions: 'Help.',
    model: createModel6([[call]]),
    tools: guardTools({ issue_refund }, { assay: connect(), onHold }),
  });
  new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
  return agent;
}

test('what a schema adds to the arguments is asked for, and stands after the resume', async () => {
  const ran: unknown[] = [];
  const agent = createAgent(async (args) => ran.push(args), 'suspend');
  const { runId = '' } = await agent.generate('Refund order A-17');
  const traceId = await decideNext({ decision: 'approve' });
  const { action } = (await read(traceId)).outputDecision;
  expect(action.arguments).toEqual({ order: 'A-17', currency: 'EUR' });
  await agent.resumeGenerate({ go: 'on' }, { runId, toolCallId: 'call-1' });
  expect(ran).toEqual([{ order: 'A-17', currency: 'EUR' }]);
});

test('what a tool throws reaches the model, and the outcome is `failed`', async () => {
  const agent = createAgent(async () => {
    throw new RangeError('no money left');
  }, 'wait');
  const running = agent.generate('Refund order A-17');
  const traceId = await decideNext({ decision: 'approve' });
  expect((await running).text).toContain('no money left');
  expect(await listExecutions(traceId)).toMatchObject([{ state: 'failed' }]);
});
