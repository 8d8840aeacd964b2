// LangChain and LangGraph: tools that ask before they run; in suspend mode as interrupts of the graph.
import { Held } from '../errors.ts';
import { isObject } from '../json.ts';
import {
  type AdapterOptions,
  describeRefusal,
  getClient,
  hasSuspension,
  isForModel,
  isRefusal,
  nameCall,
  toGuardOptions,
} from './calls.ts';

export type { AdapterOptions } from './calls.ts';

/** LangGraph's own `interrupt`: stops the run, and returns when it is resumed. */
type Interrupt = (value: unknown) => unknown;

interface ToolCall {
  id?: string | undefined;
  name: string;
  args: unknown;
}

interface RunConfig {
  configurable?: Record<string, unknown> | undefined;
  signal?: AbortSignal | undefined;
}

/** The part of a request to the hook `wrapToolCall` that is read here. */
interface ToolRequest {
  toolCall: ToolCall;
  tool?: unknown;
  state: unknown;
  runtime: RunConfig & { interrupt?: unknown };
}

interface Message {
  getType?: () => string;
  content?: unknown;
  text?: unknown;
  tool_call_id?: unknown;
  tool_calls?: readonly { id?: string }[];
  status?: unknown;
  usage_metadata?: { total_tokens?: unknown };
}

interface Running {
  call: ToolCall;
  config: RunConfig;
  messages: readonly Message[];
  run: (args: unknown) => unknown;
  interrupt: Interrupt | undefined;
}

/**
 * Returns what LangChain's `createMiddleware` takes: an agent with it asks before each call of a tool. A refusal is a tool
 * message with the reason, which the model reads. With `onHold: 'suspend'` a held call interrupts the run; what the run is
 * resumed with is not believed: the verdict is read from the service.
 */
export function createGuard(options: AdapterOptions = {}) {
  return {
    name: 'Assay',
    async wrapToolCall<R extends ToolRequest, M>(
      request: R,
      handler: (request: R) => M | Promise<M>,
    ): Promise<M> {
      const { toolCall, runtime, state } = request;
      const running: Running = {
        call: toolCall,
        config: runtime,
        messages: listMessages(state),
        run: (args) => handler({ ...request, toolCall: { ...toolCall, args } }),
        interrupt: runtime.interrupt as Interrupt | undefined,
      };
      try {
        return (await runCall(running, options)) as M;
      } catch (error) {
        if (!isForModel(error)) throw error;
        const text = describeRefusal(error);
        // The handler makes a message of what this tool says in the place of the one that may not run.
        const tool = { name: toolCall.name, invoke: async () => text };
        return Object.assign((await handler({ ...request, tool })) as object, {
          status: 'error',
        }) as M;
      }
    },
  };
}

/** A tool as a node of LangGraph invokes it. */
interface InvocableTool {
  name: string;
  invoke: (input: never, config?: never) => Promise<unknown>;
}

export interface ToolOptions extends AdapterOptions {
  /** `interrupt` of `@langchain/langgraph`, for `onHold: 'suspend'`. */
  interrupt?: Interrupt;
}

/** Returns the tools for a graph of one's own, such as for its `ToolNode`; each asks before it runs. */
export function guardTools<T extends readonly InvocableTool[]>(
  tools: T,
  { interrupt, ...options }: ToolOptions = {},
): T {
  return tools.map((tool) => guardTool(tool, interrupt, options)) as unknown as T;
}

/** Returns what resumes all interrupts of a result, for `new Command({ resume })`: each tool reads its own verdict. */
export const resumeAll = (interrupts: readonly { id?: string }[]): Record<string, true> =>
  Object.fromEntries(interrupts.map(({ id }) => [id, true]));

function guardTool(
  tool: InvocableTool,
  interrupt: Interrupt | undefined,
  options: AdapterOptions,
): InvocableTool {
  const invoke = async (input: unknown, config: RunConfig = {}): Promise<unknown> => {
    const isCall = isObject(input) && input.type === 'tool_call';
    const call = isCall ? (input as unknown as ToolCall) : { name: tool.name, args: input };
    const run = (args: unknown): Promise<unknown> =>
      tool.invoke((isCall ? { ...input, args } : args) as never, config as never);
    try {
      return await runCall({ call, config, messages: [], run, interrupt }, options);
    } catch (error) {
      if (!isForModel(error)) throw error;
      return describeRefusal(error);
    }
  };
  return new Proxy(tool, {
    get(target, member) {
      if (member === 'invoke') return invoke;
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Runs a call; while it is held the run is interrupted, and asked once more whenever it is resumed. */
async function runCall(
  { call, config, messages, run, interrupt }: Running,
  options: AdapterOptions,
): Promise<unknown> {
  const guarded = getClient(options).guard(
    call.name,
    run,
    toGuardOptions(options, nameRun(call, config, messages)),
  );
  for (;;) {
    try {
      return await guarded(call.args);
    } catch (error) {
      if (!(error instanceof Held) || !interrupt || !hasSuspension(options)) throw error;
      interrupt(error.toJSON());
    }
  }
}

/** A graph that keeps its state names its run: the node that runs once more asks for the same decision. */
function nameRun({ id, args }: ToolCall, config: RunConfig, messages: readonly Message[]) {
  const { thread_id: thread, checkpoint_ns: place } = config.configurable ?? {};
  const earlier = messages.filter(({ tool_call_id }) => tool_call_id === id).length;
  const said = messages
    .filter((message) => message.getType?.() === 'human')
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  // Without the messages before it the place tells a call from others: it is the same when the node runs once more.
  const isKnown = messages.length > 0 || typeof place === 'string';
  const named = messages.length > 0 ? id : `${id}:${String(place)}`;
  return {
    id: id === undefined || !isKnown ? undefined : nameCall(String(named), args, earlier),
    runId: typeof thread === 'string' ? thread : undefined,
    prompt: said.at(-1),
    said,
    signal: config.signal,
    tokens: countTokens(id, messages),
  };
}

/**
 * Counts what the model has used since the last decision that let a call go on. It is said of the first call of a message.
 * Undefined: there are no messages, or one does not say what it used.
 */
function countTokens(id: string | undefined, messages: readonly Message[]): number | undefined {
  const asks = messages.findLastIndex(({ tool_calls }) =>
    tool_calls?.some((call) => call.id === id),
  );
  if (asks < 0) return undefined;
  if (messages[asks]!.tool_calls![0]!.id !== id) return 0;
  let tokens = 0;
  let hasRun = false;
  for (const message of messages.slice(0, asks + 1).reverse()) {
    const { tool_calls: calls = [], status, text, usage_metadata: usage } = message;
    const type = message.getType?.();
    if (type === 'tool') hasRun ||= status !== 'error' || !isRefusal(text);
    if (type !== 'ai') continue;
    if (hasRun && calls.length > 0) break;
    if (typeof usage?.total_tokens !== 'number') return undefined;
    tokens += usage.total_tokens;
  }
  return tokens;
}

const listMessages = (state: unknown): readonly Message[] =>
  isObject(state) && Array.isArray(state.messages) ? (state.messages as Message[]) : [];
