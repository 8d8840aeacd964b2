// A fake model of the AI SDK that makes planned calls, one turn after the other, then says what it heard.
import { MockLanguageModelV2 } from 'ai5/test';
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
    .map(({ output: { value, reason } }) =>
      typeof value === 'object' ? JSON.stringify(value) : String(value ?? reason),
    );
}

/** Turns are told apart by the calls before them: Mastra 0.24 puts those of several turns into one message. */
function answer(plan: Plan, prompt: readonly Message[]) {
  const made = prompt
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => content as ToolResult[])
    .filter(({ type }) => type === 'tool-call').length;
  const turn = plan.find((_, at) => plan.slice(0, at).flat().length === made);
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

/** In the form that version 5 of the AI SDK had. */
const withFlatEnd = <T extends object>(part: T) =>
  'finishReason' in part
    ? {
        ...part,
        finishReason: (part.finishReason as { unified: 'stop' }).unified,
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      }
    : part;

export const createModel5 = (plan: Plan) =>
  new MockLanguageModelV2({
    doGenerate: async ({ prompt }) => withFlatEnd(answer(plan, prompt)) as never,
    doStream: async ({ prompt }) => ({
      stream: stream(plan, prompt).stream.pipeThrough(
        new TransformStream({
          transform: (part, controller) => controller.enqueue(withFlatEnd(part)),
        }),
      ),
    }),
  });

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
