// An agent of LangChain or LangGraph that suspends: its checkpoint in a database is all that the next process gets.
import { json } from 'node:stream/consumers';
import { resumeAll } from '@assay/sdk/langchain';
import { Command, type Interrupt } from '@langchain/langgraph';
import { MongoDBSaver } from '@langchain/langgraph-checkpoint-mongodb';
import { MongoClient } from 'mongodb';
import { AGENTS, listTold } from '../setup/langchain-agents.ts';
import type { Order, Report } from '../setup/program.ts';
import { type Done, planRefund } from '../setup/tools.ts';

interface State {
  kind: keyof typeof AGENTS;
  thread: string;
  database: string;
  interrupts?: Interrupt[];
}

const { step, state } = (await json(process.stdin)) as Order;
const { kind, thread, database, interrupts = [] } = state as State;
const client = await MongoClient.connect(process.env.MONGO_URI ?? '');
const done: Done[] = [];
const checkpointer = new MongoDBSaver({ client, dbName: database });
const plan = [[planRefund(), planRefund({ order: 'A-18' }, 'call-2')]];
const agent = AGENTS[kind]({ plan, done, checkpointer }, { onHold: 'suspend' });
const input =
  step === 'begin'
    ? { messages: [{ role: 'user', content: 'Refund order A-17' }] }
    : new Command({ resume: resumeAll(interrupts) });
const result = await agent.invoke(input as never, { configurable: { thread_id: thread } });
const { __interrupt__: next = [] } = result as { __interrupt__?: Interrupt[] };
const report: Report = {
  state: { kind, thread, database, interrupts: next },
  done,
  told: listTold(result.messages),
};
process.stdout.write(JSON.stringify(report));
await client.close();
