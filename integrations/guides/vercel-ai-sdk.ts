// The application of the guide to the Vercel AI SDK.
import { tool } from 'ai';
import { createModel6, createModel7 } from '../setup/ai-model.ts';
import { recordCall, SCHEMAS } from '../setup/tools.ts';
import { done, plan } from './common.ts';

export { load, messages, save } from './common.ts';
export const model = process.env.AI_VERSION === 'ai6' ? createModel6(plan) : createModel7(plan);
export const tools = {
  issue_refund: tool({
    inputSchema: SCHEMAS.issue_refund,
    execute: async (args) => recordCall(done, 'issue_refund', args),
  }),
};
