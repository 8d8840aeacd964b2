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

type Part = ReturnType<typeof splitText>[number] | ReturnType<typeof splitCall>[number];

/** The same answer in parts: a text word by word, a call with its input in two. */
function stream(plan: Plan, prompt: readonly Message[]) {
  const { content, finishReason } = answer(plan, prompt);
  const parts = content.flatMap((part): Part[] =>
    part.type === 'text' ? splitText(part.text) : splitCall(part),
  );
  return {
    stream: new ReadableStream({
      start(controller) {
        controller.enqueue({ type: 'stream-start' as const, warnings: [] });
        for (const part of parts) controller.enqueue(part);
        controller.enqueue({ type: 'finish' as const, usage, finishReason });
        controller.close();
      },
    }),
  };
}

function splitText(text: string) {
  const id = 'text-1';
  const deltas = text.split(/(?<= )/).map((delta) => ({ type: 'text-delta' as const, id, delta }));
  return [{ type: 'text-start' as const, id }, ...deltas, { type: 'text-end' as const, id }];
}

function splitCall(call: {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: string;
}) {
  const { toolCallId: id, toolName, input } = call;
  const half = input.length >> 1;
  return [
    { type: 'tool-input-start' as const, id, toolName },
    ...[input.slice(0, half), input.slice(half)].map((delta) => ({
      type: 'tool-input-delta' as const,
      id,
      delta,
    })),
    { type: 'tool-input-end' as const, id },
    call,
  ];
}

export const createModel6 = (plan: Plan) =>
  new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => answer(plan, prompt),
    doStream: async ({ prompt }) => stream(plan, prompt),
  });

export const createModel7 = (plan: Plan) =>
  new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => answer(plan, prompt),
    doStream: async ({ prompt }) => stream(plan, prompt),
  });
