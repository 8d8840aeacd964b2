// An agent of Mastra that suspends: its snapshot in a database is all that the next process gets.
import { json } from 'node:stream/consumers';
import { MongoDBStore } from '@mastra/mongodb';
import { createAgent1, type Outcome } from '../setup/mastra-agents.ts';
import type { Order, Report } from '../setup/program.ts';
import { type Done, planRefund } from '../setup/tools.ts';

interface State {
  database: string;
  runId?: string;
  suspended?: string[];
}

const { state } = (await json(process.stdin)) as Order;
const { database, runId, suspended = [] } = state as State;
const done: Done[] = [];
const storage = new MongoDBStore({
  id: 'agents',
  uri: process.env.MONGO_URI ?? '',
  dbName: database,
});
const plan = [[planRefund(), planRefund({ order: 'A-18' }, 'call-2')]];
const agent = createAgent1({ plan, done, storage }, { onHold: 'suspend' });
let outcome: Outcome | undefined;
if (runId === undefined) outcome = await agent.stream();
else for (const call of suspended) outcome = await agent.resume(runId, call);
const report: Report = {
  state: { database, runId: outcome?.runId, suspended: runId ? suspended : outcome?.suspended },
  done,
  told: outcome?.told ?? [],
};
process.stdout.write(JSON.stringify(report));
await storage.close();
