// The parts of JSON-RPC and of the Model Context Protocol that the proxy reads; all else passes through unread.
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { isMarked, toPlain } from './exact-json.ts';

/** Most bytes of a message that is read; clients and servers set no limit of their own. */
export const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

export type RequestId = string | number;

export interface ToolCall extends JsonObject {
  jsonrpc: '2.0';
  id: RequestId;
  method: 'tools/call';
  params: JsonObject & { name: string };
}

/** Where a client finds the decision about a call. */
export const DECISION_META = 'dev.assay/decision';
/** The proxy's own tool, which is listed while something is held. */
export const AWAIT_TOOL = 'assay_await';

export const AWAIT_TOOL_LISTING: JsonObject = {
  name: AWAIT_TOOL,
  title: 'Wait for a held call',
  description:
    'Waits until a person has decided about a held call, then carries that call out once and returns its result.',
  inputSchema: {
    type: 'object',
    properties: {
      decision: { type: 'string', description: 'The id in the answer of the held call' },
    },
    required: ['decision'],
  },
};

export const isRequestId = (value: unknown): value is RequestId =>
  typeof value === 'string' || typeof value === 'number';

/** Whether there is a page of that name; most clients take an empty name for none. */
export const isCursor = (cursor: Json | undefined): cursor is string =>
  typeof cursor === 'string' && cursor !== '';

/** Whether a message would call a tool, well-formed or not. */
export const isCallOfTool = (message: Json): boolean =>
  isObject(message) && message.method === 'tools/call';

/** The answer to a message that the proxy cannot read, and so does not pass on. */
export const createMalformed = (
  message: Json,
  { code, problem }: Problem = NO_CALL,
): JsonObject => ({
  jsonrpc: '2.0',
  id: isObject(message) && isRequestId(message.id) ? message.id : null,
  error: { code, message: problem },
});

interface Problem {
  code: number;
  problem: string;
}
const NO_CALL: Problem = {
  code: -32_602,
  problem: 'tools/call needs an id, params.name, and params.arguments that are an object',
};
export const NO_MESSAGE: Problem = { code: -32_600, problem: 'Send one JSON object a message' };

export function isToolCall(message: Json): message is ToolCall {
  return (
    isObject(message) &&
    message.method === 'tools/call' &&
    isRequestId(message.id) &&
    isObject(message.params) &&
    typeof message.params.name === 'string' &&
    !isMarked(message.params.name) &&
    isObject(message.params.arguments ?? {})
  );
}

/** Returns the id of an answer, or undefined for a request or a notification. */
export function getAnswerId(message: Json): RequestId | undefined {
  if (!isObject(message) || message.method !== undefined) return undefined;
  return isRequestId(message.id) ? message.id : undefined;
}

/** Returns an id as it is compared: 1.0 is 1. */
export const toKey = (id: RequestId): RequestId => toPlain(id) as RequestId;

/** Returns what the id of an answer is compared by; undefined: it is no answer. */
export function getAnswerKey(message: Json): RequestId | undefined {
  const id = getAnswerId(message);
  return id === undefined ? undefined : toKey(id);
}

/** What an answer says about the tool; `unknown`: it says nothing that can be read. */
export function readOutcome({ result = null, error }: JsonObject): Outcome {
  if (error !== undefined || (isObject(result) && result.isError === true)) return 'failed';
  return isObject(result) ? 'succeeded' : 'unknown';
}
export type Outcome = 'succeeded' | 'failed' | 'unknown';

/** Returns the id of a request that its client cancels. */
export function readCancelled({ method, params }: JsonObject): RequestId | undefined {
  if (method !== 'notifications/cancelled' || !isObject(params)) return undefined;
  return isRequestId(params.requestId) ? params.requestId : undefined;
}

export const createAnswer = (id: RequestId, result: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  id,
  result,
});

/** A tool's answer that the call did not run, with the reason in words. */
export function createRefusal(
  id: RequestId,
  text: string,
  decision: string | undefined,
): JsonObject {
  const result: JsonObject = { content: [{ type: 'text', text }], isError: true };
  if (decision !== undefined) result._meta = { [DECISION_META]: decision };
  return createAnswer(id, result);
}

/** Returns the token that a client asks for progress with. */
export function getProgressToken({ params }: ToolCall): RequestId | undefined {
  const meta = isObject(params._meta) ? params._meta : {};
  return isRequestId(meta.progressToken) ? meta.progressToken : undefined;
}

export const createProgress = (
  progressToken: RequestId,
  progress: number,
  message: string,
): JsonObject => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress, message },
});

/** Where a client of the protocol's newer form says, with each call, what it can do. */
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const ELICITATION_ID = 'assay-elicitation-';
const REQUEST_STATE = 'assay:';
/** The name of the proxy's question in an answer that needs input. */
const INPUT_NAME = 'assay_review';

/** Whether capabilities say that the client can show a person an address. */
export const mayOpenAddress = (capabilities: Json | undefined): boolean =>
  isObject(capabilities ?? null) &&
  isObject((capabilities as JsonObject).elicitation ?? null) &&
  ((capabilities as JsonObject).elicitation as JsonObject).url !== undefined;

/** What a call itself says about its client; undefined: the connection said it when it began. */
export function readCallCapabilities({ params }: ToolCall): Json | undefined {
  const meta = isObject(params._meta) ? params._meta : {};
  return meta[CLIENT_CAPABILITIES];
}

interface Question {
  traceId: string;
  message: string;
  url: string;
}

const createQuestion = ({ traceId, message, url }: Question): JsonObject => ({
  mode: 'url',
  message,
  url,
  elicitationId: traceId,
});

/** Asks the client to show a person where to decide, while its call waits. */
export const createElicitation = (question: Question): JsonObject => ({
  jsonrpc: '2.0',
  id: `${ELICITATION_ID}${question.traceId}`,
  method: 'elicitation/create',
  params: createQuestion(question),
});

export const createElicitationEnd = (traceId: string): JsonObject => ({
  jsonrpc: '2.0',
  method: 'notifications/elicitation/complete',
  params: { elicitationId: traceId },
});

/** Answers a call with the same question: the client shows it, and calls again with the state. */
export const createInputRequired = (id: RequestId, question: Question): JsonObject =>
  createAnswer(id, {
    resultType: 'input_required',
    inputRequests: {
      [INPUT_NAME]: { method: 'elicitation/create', params: createQuestion(question) },
    },
    requestState: `${REQUEST_STATE}${question.traceId}`,
  });

/** Whether a message answers a question of the proxy's own, which the server does not know. */
export function isElicitationAnswer(message: Json): boolean {
  const id = getAnswerId(message);
  return typeof id === 'string' && id.startsWith(ELICITATION_ID);
}

/** Returns the decision that a repeated call waits for; undefined: it is no repetition. */
export function readHeldState({ params }: ToolCall): string | undefined {
  const { requestState } = params;
  const isOurs = typeof requestState === 'string' && requestState.startsWith(REQUEST_STATE);
  return isOurs ? requestState.slice(REQUEST_STATE.length) : undefined;
}
