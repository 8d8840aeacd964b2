// An agent of OpenAI Agents with a fake model that makes planned calls, one turn after the other.
import { type AdapterOptions, guardTool } from '@assay/sdk/openai-agents';
import {
  Agent,
  type Model,
  type ModelRequest,
  type ModelResponse,
  type StreamEvent,
  setTracingDisabled,
  tool as createTool,
  Usage,
} from '@openai/agents';
import { recordCall, type Done, type Plan, SCHEMAS } from './tools.ts';

setTracingDisabled(true);

/** What a stream ends with. */
type Output = Extract<StreamEvent, { type: 'response_done' }>['response']['output'];
type Item = { type?: string | undefined; output?: unknown };

export class PlannedModel implements Model {
  readonly #plan: Plan;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    const items: Item[] = typeof input === 'string' ? [] : input;
    const told = items
      .filter(({ type }) => type === 'function_call_result')
      .map(({ output }) => (output as { text?: string }).text ?? String(output));
    // A turn is over when all its calls are answered.
    const turn = this.#plan.find((_, index) => {
      const before = this.#plan.slice(0, index + 1).flat().length;
      return told.length < before;
    });
    const usage = new Usage({ requests: 1, inputTokens: 8, outputTokens: 2, totalTokens: 10 });
    if (!turn)
      return {
        usage,
        output: [
          {
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: JSON.stringify(told) }],
          },
        ],
      };
    const calls = turn.map(({ id, tool, args }) => ({
      type: 'function_call' as const,
      callId: id,
      name: tool,
      status: 'completed' as const,
      arguments: JSON.stringify(args),
    }));
    return { usage, output: calls };
  }

  /** The same answer as a stream: each text in two parts, then the whole. */
  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    const { output } = await this.getResponse(request);
    yield { type: 'response_started' };
    for (const item of output) {
      if (item.type !== 'message') continue;
      for (const content of item.content) {
        if (typeof content !== 'object' || content.type !== 'output_text') continue;
        const half = content.text.length >> 1;
        for (const delta of [content.text.slice(0, half), content.text.slice(half)])
          yield { type: 'output_text_delta', delta };
      }
    }
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    yield {
      type: 'response_done',
      response: { id: crypto.randomUUID(), usage, output: output as Output },
    };
  }
}

export function createAgent(plan: Plan, done: Done[], options: AdapterOptions) {
  const tool = guardTool(createTool, options);
  return new Agent({
    name: 'Support',
    model: new PlannedModel(plan),
    tools: [
      tool({
        name: 'issue_refund',
        description: 'Pays money back',
        parameters: SCHEMAS.issue_refund,
        execute: async (args) => recordCall(done, 'issue_refund', args),
      }),
      tool({
        name: 'wire',
        description: 'Sends money',
        parameters: SCHEMAS.wire,
        execute: async (args) => recordCall(done, 'wire', args),
      }),
      tool({
        name: 'look_up',
        description: 'Looks an order up',
        parameters: SCHEMAS.look_up,
        execute: async (args) => recordCall(done, 'look_up', args),
      }),
    ],
  });
}
