// The interface of a dialect: the conventions by which an instrumentation describes the work of agents.
import type { Json } from '@assay/json';
import type { ExportedSpan } from './span.ts';

/** The dialects that are read, and `none`. */
export const SPAN_DIALECTS = [
  'genai',
  'openinference',
  'openllmetry',
  'ai-sdk',
  'langfuse',
  'langsmith',
  'mlflow',
  'braintrust',
  'claude-code',
  'none',
] as const;
export type DialectName = (typeof SPAN_DIALECTS)[number];

/** A tool call as a model's answer names it. */
export interface ModelCall {
  id: string | undefined;
  tool: string;
  arguments: Json | undefined;
}

/** A tool call as its own span describes it. */
export interface ToolCall {
  /** Undefined: the span does not say which. */
  tool: string | undefined;
  callId: string | undefined;
  /** Undefined: the span does not hold them. */
  arguments: Json | undefined;
}

/** Facts about a tool call from the other spans of its trace. */
export interface CallBackground {
  agent: string | undefined;
  conversation: string | undefined;
}

export interface Dialect {
  name: DialectName;
  /** The version of the mapping, which a decision names. */
  mapping: string;
  /** Whether a span is written in this dialect. The first dialect that says so reads it. */
  isWrittenIn(span: ExportedSpan): boolean;
  /** Whether the span is one tool call. */
  isToolCall(span: ExportedSpan): boolean;
  readToolCall(span: ExportedSpan): ToolCall;
  readBackground(span: ExportedSpan): CallBackground;
  /** The tool calls in the messages of a model's span. */
  listModelCalls(span: ExportedSpan): ModelCall[];
  /** The last message of the user in a model's span. */
  readPrompt(span: ExportedSpan): string | undefined;
}
