// Dialects that differ in the names of their attributes alone: one row each.
import { isJsonObject, type Json } from '@assay/json';
import type { Dialect } from '../dialect.ts';
import { parseJson, readLastUserText, toOptionalText, unwrapArguments } from '../parse-json.ts';
import { readText, type ExportedSpan } from '../span.ts';
import { genai } from './genai.ts';

/** The names of a dialect, beside those of the conventions. Each list is tried in its order. */
interface Names {
  name: Dialect['name'];
  /** Says what a span is: a tool, an agent or anything else. */
  kind: string;
  callIds: readonly string[];
  inputs: readonly string[];
  agents: readonly string[];
  conversations: readonly string[];
}

const SESSION = 'session.id';

const ROWS: readonly Names[] = [
  {
    name: 'langfuse',
    kind: 'langfuse.observation.type',
    callIds: [],
    inputs: ['langfuse.observation.input', 'input.value'],
    agents: ['gen_ai.agent.name'],
    conversations: ['langfuse.session.id', SESSION],
  },
  {
    name: 'langsmith',
    kind: 'langsmith.span.kind',
    callIds: ['langsmith.metadata.tool_call_id'],
    inputs: ['gen_ai.prompt', 'input.value'],
    agents: ['gen_ai.agent.name', 'langsmith.metadata.lc_agent_name'],
    conversations: [
      'langsmith.metadata.session_id',
      'langsmith.metadata.thread_id',
      'langsmith.metadata.conversation_id',
      SESSION,
    ],
  },
  {
    name: 'mlflow',
    kind: 'mlflow.spanType',
    callIds: [],
    inputs: ['mlflow.spanInputs'],
    agents: ['gen_ai.agent.name'],
    conversations: ['mlflow.trace.session', SESSION],
  },
  {
    name: 'braintrust',
    kind: 'braintrust.span_attributes',
    callIds: [],
    inputs: ['braintrust.input_json', 'braintrust.input'],
    agents: ['gen_ai.agent.name'],
    conversations: [SESSION],
  },
];

export const tableDialects: readonly Dialect[] = ROWS.map(createDialect);

function createDialect(names: Names): Dialect {
  const { kind, inputs } = names;
  const isKind = (span: ExportedSpan, value: string): boolean => readKind(span, kind) === value;
  return {
    name: names.name,
    mapping: `${names.name}-2026-11`,
    isWrittenIn: (span) => span.attributes.has(kind),
    isToolCall: (span) => isKind(span, 'tool') || genai.isToolCall(span),
    readToolCall(span) {
      const found = genai.readToolCall(span);
      return {
        tool: found.tool ?? toOptionalText(span.name),
        callId: found.callId ?? readFirst(span, names.callIds),
        arguments: unwrapArguments(findFirst(span, inputs)) ?? found.arguments,
      };
    },
    readBackground: (span) => ({
      agent:
        readFirst(span, names.agents) ??
        (isKind(span, 'agent') ? toOptionalText(span.name) : undefined),
      conversation: readFirst(span, names.conversations),
    }),
    listModelCalls: () => [],
    readPrompt: (span) =>
      isKind(span, 'tool') ? undefined : readLastUserText(findFirst(span, inputs)),
  };
}

/** A text, a text of JSON, or an object with the member `type`; in lower case. */
function readKind(span: ExportedSpan, name: string): string | undefined {
  const value = span.attributes.get(name);
  const parsed = parseJson(value) ?? value;
  const kind = isJsonObject(parsed) ? parsed['type'] : parsed;
  return toOptionalText(kind)?.toLowerCase();
}

const findFirst = (span: ExportedSpan, names: readonly string[]): Json | undefined =>
  names.map((name) => span.attributes.get(name)).find((value) => value != null && value !== '');

/** The first text; MLflow writes texts as JSON. */
function readFirst(span: ExportedSpan, names: readonly string[]): string | undefined {
  const found = names.map((name) => readText(span, name)).find((text) => text !== undefined);
  return toOptionalText(parseJson(found)) ?? found;
}
