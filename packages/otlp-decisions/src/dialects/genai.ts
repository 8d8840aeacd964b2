// The semantic conventions of OpenTelemetry for generative AI and MCP (status: development), and what is close to them.
import type { Json, JsonObject } from '@assay/json';
import {
  listObjects,
  parseJson,
  parseJsonOrText,
  toOptionalText,
  unwrapArguments,
} from '../parse-json.ts';
import type { Dialect, ModelCall } from '../dialect.ts';
import { readText, type ExportedSpan } from '../span.ts';

const OPERATION = 'gen_ai.operation.name';
const TOOL = 'gen_ai.tool.name';
const METHOD = 'mcp.method.name';
const NAMED = /^(?:execute_tool|tools\/call|running tool:) (.+)$/s;
/** The arguments in the conventions, of Google ADK, of Pydantic AI, and of others. */
const ARGUMENTS = [
  'gen_ai.tool.call.arguments',
  'gcp.vertex.agent.tool_call_args',
  'tool_arguments',
  'gen_ai.tool.arguments',
  'gen_ai.tool.input',
];
/** Google ADK reports calls at the same time once more, together. */
const MERGED = '(merged tools)';
const INPUT = 'gen_ai.input.messages';
const OUTPUT = 'gen_ai.output.messages';

export const genai: Dialect = {
  name: 'genai',
  mapping: 'genai-2026-11',

  isWrittenIn(span) {
    for (const name of span.attributes.keys())
      if (name.startsWith('gen_ai.') || name === METHOD) return true;
    return false;
  },

  isToolCall(span) {
    if (readText(span, TOOL) === MERGED) return false;
    const operation = readText(span, OPERATION);
    if (operation !== undefined) return operation === 'execute_tool';
    if (span.attributes.has(METHOD)) return readText(span, METHOD) === 'tools/call';
    return span.attributes.has(TOOL) && /^(execute_tool|running tool)\b/.test(span.name);
  },

  readToolCall: (span) => ({
    tool: readText(span, TOOL) ?? NAMED.exec(span.name)?.[1],
    callId: readText(span, 'gen_ai.tool.call.id'),
    arguments:
      ARGUMENTS.map((name) => unwrapArguments(span.attributes.get(name))).find(
        (given) => given !== undefined,
      ) ?? readEventArguments(span),
  }),

  readBackground: (span) => ({
    agent: readText(span, 'gen_ai.agent.name'),
    conversation:
      readText(span, 'gen_ai.conversation.id') ?? readText(span, 'gcp.vertex.agent.session_id'),
  }),

  listModelCalls: (span) => [OUTPUT, INPUT].flatMap((name) => listCalls(span, name)),

  readPrompt: readLastPrompt,
};

/** Strands writes the arguments into an event of the span: as a message of the tool, or as messages of the conventions. */
function readEventArguments(span: ExportedSpan): Json | undefined {
  for (const { name, attributes } of span.events) {
    const content = name === 'gen_ai.tool.message' ? attributes.get('content') : undefined;
    const given = unwrapArguments(content) ?? readCalled(attributes.get(INPUT));
    if (given !== undefined) return given;
  }
  return undefined;
}

function readCalled(messages: Json | undefined): Json | undefined {
  const parts = listObjects(parseJson(messages)).flatMap((each) => listObjects(each['parts']));
  const call = parts.find(({ type }) => type === 'tool_call');
  return unwrapArguments(call?.['arguments']);
}

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
