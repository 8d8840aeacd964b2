// A call as the messages of the Vercel AI SDK have it, which frameworks above it pass on.
import { isObject } from '../json.ts';
import { type NamedCall, nameCall } from './calls.ts';

/** The part of a message that is read here. */
export interface Message {
  role: string;
  content: unknown;
}

/** What a tool gets beside its input. */
export interface CallInfo {
  toolCallId: string;
  messages: readonly Message[];
  abortSignal?: AbortSignal | undefined;
}

/** Names a call by its id and by how often that id was answered; what names its run is for the framework to say. */
export function nameModelCall(
  input: unknown,
  { toolCallId, messages, abortSignal }: CallInfo,
): NamedCall {
  const earlier = messages
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter((part) => isPart(part, 'tool-result') && part.toolCallId === toolCallId).length;
  return {
    id: nameCall(toolCallId, input, earlier),
    runId: undefined,
    prompt: listSaid(messages).at(-1),
    said: listSaid(messages),
    signal: abortSignal,
  };
}

/** What the user said, in order. */
export const listSaid = (messages: readonly Message[]): string[] =>
  messages.filter(({ role }) => role === 'user').map(({ content }) => readText(content));

function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter((part) => isPart(part, 'text'))
    .map(({ text }) => String(text))
    .join('\n');
}

export const isPart = (part: unknown, type: string): part is Record<string, unknown> =>
  isObject(part) && part.type === type;
