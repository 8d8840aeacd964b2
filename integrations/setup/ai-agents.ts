// The same agent on both versions of the AI SDK.
import { type AdapterOptions, guardTools } from '@assay/sdk/ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { createModel6, createModel7 } from './ai-model.ts';
import { recordCall, type Done, type Plan, SCHEMAS } from './tools.ts';

export interface Outcome {
  text: string;
  messages: ai6.ModelMessage[];
}

/** Runs the agent on a conversation, to its end or to what a person has to decide. */
export type Converse = (
  given: { plan: Plan; messages: ai6.ModelMessage[]; done: Done[] },
  options: AdapterOptions,
) => Promise<Outcome>;

export const runOnVersion6: Converse = async ({ plan, messages, done }, options) => {
  const { tool } = ai6;
  const tools = {
    issue_refund: tool({
      inputSchema: SCHEMAS.issue_refund,
      execute: async (args) => recordCall(done, 'issue_refund', args),
    }),
    wire: tool({
      inputSchema: SCHEMAS.wire,
      execute: async (args) => recordCall(done, 'wire', args),
    }),
    look_up: tool({
      inputSchema: SCHEMAS.look_up,
      execute: async (args) => recordCall(done, 'look_up', args),
    }),
  };
  const { text, response } = await ai6.generateText({
    model: createModel6(plan),
    tools: guardTools(tools, options),
    messages,
    stopWhen: ai6.stepCountIs(10),
  });
  return { text, messages: [...messages, ...response.messages] };
};

export const runOnVersion7: Converse = async ({ plan, messages, done }, options) => {
  const { tool } = ai7;
  const tools = {
    issue_refund: tool({
      inputSchema: SCHEMAS.issue_refund,
      execute: async (args) => recordCall(done, 'issue_refund', args),
    }),
    wire: tool({
      inputSchema: SCHEMAS.wire,
      execute: async (args) => recordCall(done, 'wire', args),
    }),
    look_up: tool({
      inputSchema: SCHEMAS.look_up,
      execute: async (args) => recordCall(done, 'look_up', args),
    }),
  };
  const { text, response } = await ai7.generateText({
    model: createModel7(plan),
    tools: guardTools(tools, options),
    messages: messages as ai7.ModelMessage[],
    stopWhen: ai7.stepCountIs(10),
  });
  return { text, messages: [...messages, ...(response.messages as ai6.ModelMessage[])] };
};

export const CONVERSATIONS = { ai6: runOnVersion6, ai7: runOnVersion7 };

export const ASKED: ai6.ModelMessage[] = [{ role: 'user', content: 'Refund order A-17' }];
