// The semantic conventions of OpenTelemetry for generative AI (status: development).
import { parseJson, parseJsonOrText, listObjects, toOptionalText } from '../parse-json.ts';
import type { Json, JsonObject } from '../../record/json.ts';
import type { Dialect, ModelCall } from '../dialect.ts';
import { readText, type ExportedSpan } from '../span.ts';

const OPERATION = 'gen_ai.operation.name';
const NAMED = /^execute_tool (.+)$/s;
const INPUT = 'gen_ai.input.messages';
const OUTPUT = 'gen_ai.output.messages';

export const genai: Dialect = {
  name: 'genai',
  mapping: 'genai-2026-11',

  isWrittenIn(span) {
    for (const name of span.attributes.keys()) if (name.startsWith('gen_ai.')) return true;
    return false;
  },

  isToolCall: (span) => readText(span, OPERATION) === 'execute_tool',

  readToolCall: (span) => ({
    tool: readText(span, 'gen_ai.tool.name') ?? NAMED.exec(span.name)?.[1],
    callId: readText(span, 'gen_ai.tool.call.id'),
    arguments: parseJsonOrText(span.attributes.get('gen_ai.tool.call.arguments')),
  }),

  readBackground: (span) => ({
    agent: readText(span, 'gen_ai.agent.name'),
    conversation: readText(span, 'gen_ai.conversation.id'),
  }),

  listModelCalls: (span) => [OUTPUT, INPUT].flatMap((name) => listCalls(span, name)),

  readPrompt: readLastPrompt,
};

function listCalls(span: ExportedSpan, name: string): ModelCall[] {
  return readParts(span, name).flatMap(({ part }) => {
    const tool = toOptionalText(part['name']);
    if (part['type'] !== 'tool_call' || tool === undefined) return [];
    const id = toOptionalText(part['id']);
    return [{ id, tool, arguments: parseJsonOrText(part['arguments']) }];
  });
}

function readLastPrompt(span: ExportedSpan): string | undefined {
  const texts = readParts(span, INPUT).filter(
    ({ role, part }) => role === 'user' && part['type'] === 'text',
  );
  return toOptionalText(texts.at(-1)?.part['content']);
}

interface Part {
  role: Json | undefined;
  part: JsonObject;
}

/** The parts of all messages, in order. */
function readParts(span: ExportedSpan, name: string): Part[] {
  return listObjects(parseJson(span.attributes.get(name))).flatMap(({ role, parts }) =>
    listObjects(parts).map((part) => ({ role, part })),
  );
}
