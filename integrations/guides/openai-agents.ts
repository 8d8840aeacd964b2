// The application of the guide to OpenAI Agents.
import { PlannedModel } from '../setup/openai-agent.ts';
import { recordCall, SCHEMAS } from '../setup/tools.ts';
import { done, plan } from './common.ts';

export { load, prompt, save } from './common.ts';
export const model = new PlannedModel(plan);
export const refund = {
  name: 'issue_refund',
  description: 'Pays money back',
  parameters: SCHEMAS.issue_refund,
  execute: async (args: object) => recordCall(done, 'issue_refund', args),
};
