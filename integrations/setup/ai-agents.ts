// The same agent on both versions of the AI SDK, whole and streamed.
import { type AdapterOptions, guardTools } from '@assay/sdk/ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { createModel6, createModel7 } from './ai-model.ts';
import { recordCall, type Done, type Plan, SCHEMAS } from './tools.ts';

export interface Outcome {
  text: string;
  messages: ai6.ModelMessage[];
}

export interface Given {
  plan: Plan;
  messages: ai6.ModelMessage[];
  done: Done[];
  /** Called with each part of a stream, as it comes. */
  onPart?: (part: { type: string }) => void | Promise<void>;
}

/** Runs the agent on a conversation, to its end or to what a person has to decide. */
export type Converse = (given: Given, options: AdapterOptions) => Promise<Outcome>;

function createCall6({ plan, messages, done }: Given, options: AdapterOptions) {
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
  return {
    model: createModel6(plan),
    tools: guardTools(tools, options),
    messages,
    stopWhen: ai6.stepCountIs(10),
  };
}

function createCall7({ plan, messages, done }: Given, options: AdapterOptions) {
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
  return {
    model: createModel7(plan),
    tools: guardTools(tools, options),
    messages: messages as ai7.ModelMessage[],
    stopWhen: ai7.stepCountIs(10),
  };
}

const runOnVersion6: Converse = async (given, options) => {
  const { text, response } = await ai6.generateText(createCall6(given, options));
  return { text, messages: [...given.messages, ...response.messages] };
};

const streamOnVersion6: Converse = async (given, options) => {
  const stream = ai6.streamText(createCall6(given, options));
  for await (const part of stream.fullStream) await given.onPart?.(part);
  const { messages } = await stream.response;
  return { text: await stream.text, messages: [...given.messages, ...messages] };
};

const runOnVersion7: Converse = async (given, options) => {
  const { text, response } = await ai7.generateText(createCall7(given, options));
  return { text, messages: [...given.messages, ...(response.messages as ai6.ModelMessage[])] };
};

const streamOnVersion7: Converse = async (given, options) => {
  const stream = ai7.streamText(createCall7(given, options));
  for await (const part of stream.fullStream) await given.onPart?.(part);
  const messages = (await stream.response).messages as ai6.ModelMessage[];
  return { text: await stream.text, messages: [...given.messages, ...messages] };
};

export const CONVERSATIONS = { ai6: runOnVersion6, ai7: runOnVersion7 };
export const STREAMS = { 'ai6, streamed': streamOnVersion6, 'ai7, streamed': streamOnVersion7 };

export const ASKED: ai6.ModelMessage[] = [{ role: 'user', content: 'Refund order A-17' }];
