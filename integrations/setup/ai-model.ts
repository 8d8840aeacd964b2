// A fake model of the AI SDK that makes planned calls, one turn after the other, then says what it heard.
import { MockLanguageModelV3 } from 'ai6/test';
import { MockLanguageModelV4 } from 'ai7/test';
import type { Plan } from './tools.ts';

interface Message {
  role: string;
  content: unknown;
}

interface ToolResult {
  type: string;
  output: { value?: unknown; reason?: string };
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** What the model heard from its tools, in the order of the conversation. */
export function listTold(prompt: readonly Message[]): string[] {
  return prompt
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content as ToolResult[])
    .filter(({ type }) => type === 'tool-result')
    .map(({ output }) => String(output.value ?? output.reason));
}

function answer(plan: Plan, prompt: readonly Message[]) {
  const turn = plan[prompt.filter(({ role }) => role === 'assistant').length];
  const calls = (turn ?? []).map(({ id, tool, args }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: tool,
    input: JSON.stringify(args),
  }));
  return {
    content: turn ? calls : [{ type: 'text' as const, text: JSON.stringify(listTold(prompt)) }],
    finishReason: { unified: turn ? ('tool-calls' as const) : ('stop' as const), raw: undefined },
    usage,
    warnings: [],
  };
}

export const createModel6 = (plan: Plan) =>
  new MockLanguageModelV3({ doGenerate: async ({ prompt }) => answer(plan, prompt) });

export const createModel7 = (plan: Plan) =>
  new MockLanguageModelV4({ doGenerate: async ({ prompt }) => answer(plan, prompt) });
