// LangChain and LangGraph, with LangChain's own fake model, and checkpoints in a database.
import { resumeAll } from '@assay/sdk/langchain';
import { Command, type Interrupt, MemorySaver } from '@langchain/langgraph';
import { describe, expect, test } from 'vitest';
import { type RunAgent, testGuarding, testReturningIds, testTokens } from './setup/behaviour.ts';
import { AGENTS, listTold } from './setup/langchain-agents.ts';
import { useStage } from './setup/stage.ts';
import { type Plan, planRefund, refund } from './setup/tools.ts';

const stage = useStage();
const { connect, decideNext, done, harness, listExecutions, read, runProgram } = stage;
const kinds = Object.keys(AGENTS) as (keyof typeof AGENTS)[];
const input = { messages: [{ role: 'user', content: 'Refund order A-17' }] } as never;

describe.each(kinds)('%s', (kind) => {
  const create = AGENTS[kind];

  const runAgent: RunAgent = async (plan, options) => {
    const { assay = connect() } = options;
    const agent = create({ plan, done }, options);
    // A tool of LangGraph does not know the conversation.
    const prompt = kind === 'langgraph' ? { prompt: 'Refund order A-17' } : {};
    return listTold((await assay.run(prompt, () => agent.invoke(input))).messages);
  };
  // A node of LangGraph answers an id once.
  testGuarding(runAgent, stage, kind === 'langgraph' ? 'call-2' : 'call-1');
  if (kind !== 'langgraph') testReturningIds(runAgent, stage);
  if (kind !== 'langgraph') testTokens(runAgent, stage);

  const begin = async (plan: Plan) => {
    const options = { assay: connect(), onHold: 'suspend' as const };
    const agent = create({ plan, done, checkpointer: new MemorySaver() }, options);
    const config = { configurable: { thread_id: crypto.randomUUID() } };
    const invoke = async (given: unknown) => {
      const result = await agent.invoke(given as never, config);
      const { __interrupt__: interrupts = [] } = result as { __interrupt__?: Interrupt[] };
      return { interrupts, told: listTold(result.messages) };
    };
    return { ...(await invoke(input)), invoke };
  };

  test('a held call interrupts the run; a resume is no verdict', async () => {
    const { interrupts, invoke } = await begin([[planRefund()]]);
    expect(interrupts).toMatchObject([{ value: { action: { tool: 'issue_refund' } } }]);
    const forged = await invoke(new Command({ resume: { approved: true } }));
    expect(forged.interrupts).toHaveLength(1);
    expect(done).toEqual([]);
    const traceId = await decideNext({ decision: 'approve' });
    const resumed = await invoke(new Command({ resume: resumeAll(forged.interrupts) }));
    expect(resumed.told).toEqual([expect.stringContaining('done: issue_refund')]);
    expect(done).toEqual([{ tool: 'issue_refund', args: refund }]);
    expect(await listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
  });

  test('a rejection says why; a hold that ended is no denial', async () => {
    for (const [verdict, words] of [
      [{ decision: 'reject', reason: 'delivered' }, /A person rejected it: delivered/],
      [null, /It was withdrawn/],
    ] as const) {
      const { interrupts, invoke } = await begin([[planRefund()]]);
      if (verdict) await decideNext(verdict);
      else await connect().decisions.withdraw(await stage.findHeld());
      const { told } = await invoke(new Command({ resume: resumeAll(interrupts) }));
      expect(told).toEqual([expect.stringMatching(words)]);
    }
    expect(done).toEqual([]);
  });

  test('parallel interrupts survive the process, each with its verdict', async () => {
    const state = {
      kind,
      thread: crypto.randomUUID(),
      database: `${harness.db.databaseName}-graph`,
    };
    const begun = await runProgram('langchain', { step: 'begin', state });
    expect(begun.done).toEqual([]);
    const rejected = await decideNext({ decision: 'reject', reason: 'delivered' });
    const waiting = await runProgram('langchain', { step: 'resume', state: begun.state });
    expect(waiting.done).toEqual([]);
    await decideNext({ decision: 'approve' });
    const { order } = (await read(rejected)).outputDecision.action.arguments;
    const resumed = await runProgram('langchain', { step: 'resume', state: waiting.state });
    const [approved] = ['A-17', 'A-18'].filter((each) => each !== order);
    expect(resumed.done).toEqual([{ tool: 'issue_refund', args: { ...refund, order: approved } }]);
    expect(resumed.told.join()).toContain('delivered');
    await harness.db.client.db(state.database).dropDatabase();
  });
});
