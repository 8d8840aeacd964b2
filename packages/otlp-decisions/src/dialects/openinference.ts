// OpenInference, the conventions of Phoenix: lists are spread over attributes with numbers in their names.
import { isJsonObject } from '@assay/json';
import { parseJson, parseJsonOrText, toOptionalText } from '../parse-json.ts';
import type { Dialect, ModelCall } from '../dialect.ts';
import { readText, type ExportedSpan } from '../span.ts';

const KIND = 'openinference.span.kind';
const CALL =
  /^(llm\.(?:input|output)_messages\.\d+\.message\.tool_calls\.\d+\.tool_call\.)function\.name$/;
const ROLE = /^(llm\.input_messages\.(\d+)\.message\.)role$/;

export const openinference: Dialect = {
  name: 'openinference',
  mapping: 'openinference-2026-11',

  isWrittenIn: (span) => span.attributes.has(KIND),

  isToolCall: (span) => readText(span, KIND) === 'TOOL',

  readToolCall: (span) => ({
    tool: readText(span, 'tool.name') ?? (span.name === '' ? undefined : span.name),
    callId: readText(span, 'tool_call.id') ?? readText(span, 'tool.id') ?? readResultId(span),
    arguments: parseJsonOrText(span.attributes.get('input.value')),
  }),

  readBackground(span) {
    const metadata = parseJson(span.attributes.get('metadata'));
    const named = isJsonObject(metadata) ? toOptionalText(metadata['lc_agent_name']) : undefined;
    const thread = isJsonObject(metadata) ? toOptionalText(metadata['thread_id']) : undefined;
    const own = readText(span, KIND) === 'AGENT' && span.name !== '' ? span.name : undefined;
    return {
      agent: readText(span, 'agent.name') ?? named ?? own,
      conversation: readText(span, 'session.id') ?? thread,
    };
  },

  listModelCalls(span) {
    const calls: ModelCall[] = [];
    for (const name of span.attributes.keys()) {
      const prefix = CALL.exec(name)?.[1];
      const tool = prefix === undefined ? undefined : readText(span, name);
      if (prefix === undefined || tool === undefined) continue;
      const id = readText(span, `${prefix}id`);
      const given = span.attributes.get(`${prefix}function.arguments`);
      calls.push({ id, tool, arguments: parseJsonOrText(given) });
    }
    return calls;
  },

  readPrompt(span) {
    let last: { at: number; prefix: string } | null = null;
    for (const name of span.attributes.keys()) {
      const [, prefix, at] = ROLE.exec(name) ?? [];
      if (prefix === undefined || readText(span, name) !== 'user') continue;
      if (!last || Number(at) > last.at) last = { at: Number(at), prefix };
    }
    return last ? readContent(span, last.prefix) : undefined;
  },
};

/** The text of a message, or of the last text among its parts. */
function readContent(span: ExportedSpan, prefix: string): string | undefined {
  const whole = readText(span, `${prefix}content`);
  if (whole !== undefined) return whole;
  let text: string | undefined;
  for (const [name, value] of span.attributes)
    if (name.startsWith(`${prefix}contents.`) && name.endsWith('.message_content.text'))
      text = toOptionalText(value) ?? text;
  return text;
}

/** For LangChain the id of the call is in the message that the tool returned. */
function readResultId(span: ExportedSpan): string | undefined {
  const result = parseJson(span.attributes.get('output.value'));
  const data = isJsonObject(result) ? result['data'] : undefined;
  return isJsonObject(data) ? toOptionalText(data['tool_call_id']) : undefined;
}
