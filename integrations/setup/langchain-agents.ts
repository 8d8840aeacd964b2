// The same agent of LangChain and as a graph of LangGraph, with LangChain's own fake model.
import { type AdapterOptions, createGuard, guardTools } from '@assay/sdk/langchain';
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import {
  type BaseCheckpointSaver,
  interrupt,
  MessagesAnnotation,
  StateGraph,
} from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { createAgent, createMiddleware, fakeModel, tool } from 'langchain';
import { recordCall, type Done, type Plan, SCHEMAS, TOOL_NAMES } from './tools.ts';

export interface AgentParts {
  plan: Plan;
  done: Done[];
  checkpointer?: BaseCheckpointSaver;
}

/** What the model heard from its tools. */
export const listTold = (messages: readonly BaseMessage[]): string[] =>
  messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text);

export function createTools(done: Done[]) {
  return TOOL_NAMES.map((name) =>
    tool(async (args) => recordCall(done, name, args), { name, schema: SCHEMAS[name] }),
  );
}

/** Answers by the conversation alone, so that any process goes on where another ended. */
function answer(plan: Plan, messages: readonly BaseMessage[]): AIMessage {
  const turn = plan[messages.filter((message) => AIMessage.isInstance(message)).length];
  if (!turn) return new AIMessage(JSON.stringify(listTold(messages)));
  const tool_calls = turn.map((call) => ({ id: call.id, name: call.tool, args: { ...call.args } }));
  const usage_metadata = { input_tokens: 8, output_tokens: 2, total_tokens: 10 };
  return Object.assign(new AIMessage({ content: '', tool_calls }), { usage_metadata });
}

export function createModel(plan: Plan) {
  const model = fakeModel();
  for (let turn = 0; turn <= plan.length; turn++)
    model.respond((messages) => answer(plan, messages));
  return model;
}

/** Two lines of glue: the middleware, and its import. */
export function createLangChain({ plan, done, checkpointer }: AgentParts, options: AdapterOptions) {
  return createAgent({
    model: createModel(plan),
    tools: createTools(done),
    middleware: [createMiddleware(createGuard(options))],
    ...(checkpointer && { checkpointer }),
  });
}

export function createGraph({ plan, done, checkpointer }: AgentParts, options: AdapterOptions) {
  const tools = guardTools(createTools(done), { ...options, interrupt });
  const model = createModel(plan).bindTools(tools);
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('tools', new ToolNode(tools))
    .addEdge('__start__', 'model')
    .addConditionalEdges('model', ({ messages }) => {
      const last = messages.at(-1);
      return AIMessage.isInstance(last) && last.tool_calls?.length ? 'tools' : '__end__';
    })
    .addEdge('tools', 'model')
    .compile(checkpointer ? { checkpointer } : {});
}

export const AGENTS = { langchain: createLangChain, langgraph: createGraph };
