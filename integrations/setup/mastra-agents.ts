// The same agent on both versions of Mastra, whole and streamed, with the AI SDK's own mock model.
import { type AdapterOptions, guardTools } from '@assay/sdk/mastra';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore, type MastraCompositeStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { Agent as Agent0 } from 'mastra0/agent';
import { Mastra as Mastra0 } from 'mastra0/mastra';
import { InMemoryStore as InMemoryStore0 } from 'mastra0/storage';
import { createTool as createTool0 } from 'mastra0/tools';
import { createModel5, createModel6, listTold } from './ai-model.ts';
import { type Done, type Plan, recordCall, SCHEMAS } from './tools.ts';

// Mastra reports what it is used for to its makers, unless it is asked not to.
process.env.MASTRA_TELEMETRY_DISABLED = '1';

export interface AgentParts {
  plan: Plan;
  done: Done[];
  storage?: MastraCompositeStore;
}

/** What a run gave, up to its end or to what a person has to decide. */
export interface Outcome {
  /** What the model heard from its tools. */
  told: string[];
  runId: string;
  /** Calls that are suspended, by their ids. */
  suspended: string[];
}

export interface TestAgent {
  /** Runs to the end, as one answer. */
  generate(): Promise<Outcome>;
  stream(): Promise<Outcome>;
  /** Goes on with a suspended call. */
  resume(runId: string, toolCallId: string): Promise<Outcome>;
}

const PROMPT = 'Refund order A-17';
const STEPS = { maxSteps: 10 };
const DESCRIBED = { name: 'Support', instructions: 'Help.' };

interface Model {
  doGenerateCalls: { prompt: Prompt }[];
  doStreamCalls: { prompt: Prompt }[];
}
type Prompt = Parameters<typeof listTold>[0];

function readTold({ doGenerateCalls, doStreamCalls }: Model): string[] {
  const { prompt = [] } = [...doGenerateCalls, ...doStreamCalls].at(-1) ?? {};
  return listTold(prompt);
}

/** Reads a run to its end. */
async function readStream(
  { fullStream, runId }: { fullStream: unknown; runId: string },
  model: Model,
): Promise<Outcome> {
  const suspended: string[] = [];
  const parts = fullStream as AsyncIterable<{ type: string; payload: { toolCallId: string } }>;
  for await (const { type, payload } of parts)
    if (type === 'tool-call-suspended') suspended.push(payload.toolCallId);
  return { told: readTold(model), runId, suspended };
}

/** Version 0.24, the last one for Node.js 20. */
export function createAgent0({ plan, done }: AgentParts, options: AdapterOptions): TestAgent {
  const tools = {
    issue_refund: createTool0({
      id: 'issue-refund',
      description: 'Pays money back',
      inputSchema: SCHEMAS.issue_refund,
      execute: async ({ context }) => recordCall(done, 'issue_refund', context),
    }),
    wire: createTool0({
      id: 'wire',
      description: 'Wires money',
      inputSchema: SCHEMAS.wire,
      execute: async ({ context }) => recordCall(done, 'wire', context),
    }),
    look_up: createTool0({
      id: 'look-up',
      description: 'Looks an order up',
      inputSchema: SCHEMAS.look_up,
      execute: async ({ context }) => recordCall(done, 'look_up', context),
    }),
  };
  const model = createModel5(plan);
  const agent = new Agent0({ ...DESCRIBED, model, tools: guardTools(tools, options) });
  new Mastra0({ agents: { agent }, storage: new InMemoryStore0(), logger: false });
  return {
    async generate() {
      await agent.generate(PROMPT, STEPS);
      return { told: readTold(model), runId: '', suspended: [] };
    },
    stream: async () => readStream(await agent.stream(PROMPT, STEPS), model),
    resume: async (runId, toolCallId) =>
      readStream(await agent.resumeStream({ go: 'on' }, { runId, toolCallId }), model),
  };
}

export function createAgent1(
  { plan, done, storage = new InMemoryStore() }: AgentParts,
  options: AdapterOptions,
): TestAgent {
  const tools = {
    issue_refund: createTool({
      id: 'issue-refund',
      description: 'Pays money back',
      inputSchema: SCHEMAS.issue_refund,
      execute: async (args) => recordCall(done, 'issue_refund', args),
    }),
    wire: createTool({
      id: 'wire',
      description: 'Wires money',
      inputSchema: SCHEMAS.wire,
      execute: async (args) => recordCall(done, 'wire', args),
    }),
    look_up: createTool({
      id: 'look-up',
      description: 'Looks an order up',
      inputSchema: SCHEMAS.look_up,
      execute: async (args) => recordCall(done, 'look_up', args),
    }),
  };
  const model = createModel6(plan);
  const agent = new Agent({
    id: 'support',
    ...DESCRIBED,
    model,
    tools: guardTools(tools, options),
  });
  new Mastra({ agents: { agent }, storage, logger: false });
  return {
    async generate() {
      const { runId = '', suspendPayload } = await agent.generate(PROMPT, STEPS);
      const suspended = suspendPayload ? [suspendPayload.toolCallId] : [];
      return { told: readTold(model), runId, suspended };
    },
    stream: async () => readStream(await agent.stream(PROMPT, STEPS), model),
    resume: async (runId, toolCallId) =>
      readStream(await agent.resumeStream({ go: 'on' }, { runId, toolCallId }), model),
  };
}

export const AGENTS = { 'Mastra 0.24': createAgent0, 'Mastra 1': createAgent1 };
