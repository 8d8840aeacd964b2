// The application of the guide to Mastra.
import { createTool } from '@mastra/core/tools';
import { MongoDBStore } from '@mastra/mongodb';
import { createModel6 } from '../setup/ai-model.ts';
import { recordCall, SCHEMAS } from '../setup/tools.ts';
import { done, plan } from './common.ts';

process.env.MASTRA_TELEMETRY_DISABLED = '1';
export { load, prompt, save } from './common.ts';
export const described = { id: 'support', name: 'Support', instructions: 'Help with orders.' };
export const model = createModel6(plan);
export const storage = new MongoDBStore({
  id: 'agents',
  uri: process.env.MONGO_URI ?? '',
  dbName: process.env.GRAPH_DATABASE ?? 'agents',
});
export const tools = {
  issue_refund: createTool({
    id: 'issue-refund',
    description: 'Pays money back',
    inputSchema: SCHEMAS.issue_refund,
    execute: async (args) => recordCall(done, 'issue_refund', args),
  }),
};
