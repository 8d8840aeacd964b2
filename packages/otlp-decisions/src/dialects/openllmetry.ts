// OpenLLMetry: the conventions of generative AI, with kinds and properties of Traceloop beside them.
import { isJsonObject, type Json } from '@assay/json';
import { parseJson, toOptionalText, unwrapArguments } from '../parse-json.ts';
import type { Dialect } from '../dialect.ts';
import { readText, type ExportedSpan } from '../span.ts';
import { genai } from './genai.ts';

const KIND = 'traceloop.span.kind';
const ENTITY = 'traceloop.entity.name';
const INPUT = 'traceloop.entity.input';
const SCOPE = /^(opentelemetry\.instrumentation\.|@traceloop\/)/;
const PROPERTIES = 'traceloop.association.properties.';

export const openllmetry: Dialect = {
  ...genai,
  name: 'openllmetry',
  mapping: 'openllmetry-2026-11',

  isWrittenIn: (span) =>
    span.attributes.has(KIND) || (SCOPE.test(span.scope) && genai.isWrittenIn(span)),

  isToolCall: (span) => readText(span, KIND) === 'tool' || genai.isToolCall(span),

  readToolCall(span) {
    const call = genai.readToolCall(span);
    return {
      tool: call.tool ?? readText(span, ENTITY),
      callId: call.callId ?? readResultId(span),
      arguments: readArguments(call.arguments) ?? readArguments(span.attributes.get(INPUT)),
    };
  },

  readBackground(span) {
    const { agent, conversation } = genai.readBackground(span);
    const own = readText(span, KIND) === 'agent' ? readText(span, ENTITY) : undefined;
    return {
      agent: agent ?? readText(span, `${PROPERTIES}lc_agent_name`) ?? own,
      conversation: conversation ?? readText(span, `${PROPERTIES}thread_id`),
    };
  },
};

/** For LangChain the arguments may be a Python literal inside of JSON, which is not parsed: the model's span has them. */
function readArguments(value: Json | undefined): Json | undefined {
  const given = unwrapArguments(value);
  return isJsonObject(given) && typeof given['input_str'] === 'string' ? undefined : given;
}

/** For LangChain the id of the call is in the message that the tool returned. */
function readResultId(span: ExportedSpan): string | undefined {
  const result = parseJson(span.attributes.get('gen_ai.tool.call.result'));
  const output = isJsonObject(result) ? result['output'] : undefined;
  const members = isJsonObject(output) ? output['kwargs'] : undefined;
  return isJsonObject(members) ? toOptionalText(members['tool_call_id']) : undefined;
}
