// The application of the guide to LangChain and LangGraph.
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { MongoDBSaver } from '@langchain/langgraph-checkpoint-mongodb';
import { MongoClient } from 'mongodb';
import { createModel, createTools } from '../setup/langchain-agents.ts';
import { done, plan } from './common.ts';

export { load, messages, save } from './common.ts';
export const model = createModel(plan);
export const tools = createTools(done);
const client = new MongoClient(process.env.MONGO_URI ?? '');
export const checkpointer = new MongoDBSaver({
  client,
  dbName: process.env.GRAPH_DATABASE ?? 'graph',
});
export const callModel = async (state: { messages: BaseMessage[] }) => ({
  messages: [await model.bindTools(tools).invoke(state.messages)],
});
export function isDone(state: { messages: BaseMessage[] }): boolean {
  const last = state.messages.at(-1);
  return !(AIMessage.isInstance(last) && last.tool_calls?.length);
}
