// The traces of Claude Code, which have attributes of its own for tool calls.
import type { Json, JsonObject } from '@assay/json';
import type { Dialect } from '../dialect.ts';
import { unwrapArguments } from '../parse-json.ts';
import { readText, type ExportedSpan } from '../span.ts';

/** Attributes that repeat an argument, and its name as the tool knows it. */
const DETAILS = [
  ['full_command', 'command'],
  ['file_path', 'file_path'],
  ['skill_name', 'skill'],
  ['subagent_type', 'subagent_type'],
] as const;

export const claudeCode: Dialect = {
  name: 'claude-code',
  mapping: 'claude-code-2026-11',

  isWrittenIn: ({ name }) => name.startsWith('claude_code.'),

  isToolCall: ({ name }) => name === 'claude_code.tool',

  readToolCall: (span) => ({
    tool: readText(span, 'tool_name') ?? readText(span, 'gen_ai.tool.name'),
    callId: readText(span, 'tool_use_id') ?? readText(span, 'gen_ai.tool.call.id'),
    arguments:
      unwrapArguments(span.attributes.get('tool_input')) ??
      unwrapArguments(span.attributes.get('tool_parameters')) ??
      readDetails(span),
  }),

  readBackground: (span) => ({
    agent: readText(span, 'agent_id'),
    conversation: readText(span, 'session.id'),
  }),

  listModelCalls: () => [],

  readPrompt: (span) => readText(span, 'user_prompt'),
};

function readDetails(span: ExportedSpan): Json | undefined {
  const details: JsonObject = {};
  for (const [attribute, name] of DETAILS) {
    const value = readText(span, attribute);
    if (value !== undefined) details[name] = value;
  }
  return Object.keys(details).length === 0 ? undefined : details;
}
