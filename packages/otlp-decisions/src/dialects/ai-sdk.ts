// The telemetry of the AI SDK, which has attributes of its own for tool calls.
import { isJsonObject, type Json } from '@assay/json';
import { listObjects, parseJson, parseJsonOrText, toOptionalText } from '../parse-json.ts';
import type { Dialect } from '../dialect.ts';
import { readText, type ExportedSpan } from '../span.ts';

const OPERATION = 'ai.operationId';

export const aiSdk: Dialect = {
  name: 'ai-sdk',
  mapping: 'ai-sdk-2026-11',

  isWrittenIn: (span) => span.attributes.has(OPERATION),

  isToolCall: (span) => readText(span, OPERATION) === 'ai.toolCall',

  readToolCall: (span) => ({
    tool: readText(span, 'ai.toolCall.name'),
    callId: readText(span, 'ai.toolCall.id'),
    arguments: parseJsonOrText(
      span.attributes.get('ai.toolCall.args') ?? span.attributes.get('ai.toolCall.input'),
    ),
  }),

  readBackground: (span) => ({
    agent: readText(span, 'ai.telemetry.functionId'),
    conversation:
      readText(span, 'ai.telemetry.metadata.conversationId') ??
      readText(span, 'ai.telemetry.metadata.sessionId'),
  }),

  listModelCalls: (span) =>
    listObjects(parseJson(span.attributes.get('ai.response.toolCalls'))).flatMap((call) => {
      const tool = toOptionalText(call['toolName']);
      const given = parseJsonOrText(call['input'] ?? call['args']);
      return tool === undefined
        ? []
        : [{ id: toOptionalText(call['toolCallId']), tool, arguments: given }];
    }),

  readPrompt(span) {
    const messages = listObjects(parseJson(span.attributes.get('ai.prompt.messages')));
    const last = messages.findLast(({ role }) => role === 'user');
    return last ? readContent(last['content']) : readPlainPrompt(span);
  },
};

function readContent(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return toOptionalText(content);
  const texts = listObjects(content).filter(({ type }) => type === 'text');
  return toOptionalText(texts.at(-1)?.['text']);
}

function readPlainPrompt(span: ExportedSpan): string | undefined {
  const given = parseJson(span.attributes.get('ai.prompt'));
  return isJsonObject(given) ? toOptionalText(given['prompt']) : undefined;
}
