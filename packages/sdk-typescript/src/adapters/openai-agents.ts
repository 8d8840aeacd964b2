// OpenAI Agents: tools that ask before they execute; in suspend mode as interruptions of a run whose state can be kept.
import { getContext } from '../context.ts';
import { AlreadyExecuted, AssayError } from '../errors.ts';
import type { Standing } from '../guarding/guard.ts';
import {
  type AdapterOptions,
  describeEnd,
  describeRefusal,
  getClient,
  hasSuspension,
  isForModel,
  isHeld,
  nameCall,
  type NamedCall,
  toGuardOptions,
} from './calls.ts';

export type { AdapterOptions } from './calls.ts';

interface CallDetails {
  toolCall?: { callId: string };
  signal?: AbortSignal;
  /** The call is about its verdict alone: the tool hands the look-up over, and does not execute. */
  assayLookUp?: (standing: Promise<Standing>) => void;
}

type Execute = (input: unknown, context?: unknown, details?: CallDetails) => unknown;
type Approval = boolean | ((context: unknown, input: unknown, callId?: string) => Promise<boolean>);

/** The tools that were made here. */
const GUARDED = new WeakSet<object>();

/** How many of the tokens of a run its decisions have said. */
const SAID_TOKENS = new WeakMap<object, number>();

/** The part of a tool's options that is read here. */
interface ToolOptions {
  name?: string;
  execute: Execute;
  needsApproval?: Approval;
  outputSchema?: unknown;
}

/** The part of a run's context that is read here; a restored run has it again. */
interface RunContext {
  usage?: { requests?: number; totalTokens?: number };
  isToolApproved?: (call: { toolName: string; callId: string }) => boolean | undefined;
}

interface Interruption {
  agent: { tools: readonly object[] };
  rawItem: object;
}

interface ToolCall {
  name?: string;
  callId?: string;
  arguments?: string;
}

interface Invocable {
  name?: string;
  invoke?: (context: never, input: string, details: object) => Promise<unknown>;
}

/** The part of a run's state that is read here. */
export interface InterruptedState {
  getInterruptions(): Interruption[];
  _context?: unknown;
  approve(item: never): void;
  reject(item: never, options?: { message?: string }): void;
}

/**
 * Returns the framework's function `tool`, whose tools ask before they execute. A refusal is the tool's output, with the
 * reason, which the model reads. With `onHold: 'suspend'` a held call is an interruption of the run.
 */
export function guardTool<T extends (options: never) => unknown>(
  tool: T,
  options: AdapterOptions = {},
): T {
  const create = tool as unknown as (given: ToolOptions) => object;
  const createGuarded = (given: ToolOptions): object => {
    const made = create(guardOptions(given, options));
    GUARDED.add(made);
    return made;
  };
  return createGuarded as unknown as T;
}

/**
 * Approves and rejects those interruptions of a run which people have decided, and leaves the others open. Returns the
 * number of open ones: at 0 the run can go on. The verdict is read once more when the tool executes.
 */
export async function resumeAll(state: InterruptedState): Promise<number> {
  let open = 0;
  for (const item of state.getInterruptions()) {
    const standing = await lookUp(item, state._context);
    if (standing?.status === 'approved') state.approve(item as never);
    else if (!standing || standing.status === 'pending' || standing.status === 'none') open += 1;
    else state.reject(item as never, { message: describeEnd(standing) });
  }
  return open;
}

/** Lets the tool itself look its call up: it alone reads the arguments as its schema makes them. Null: not guarded. */
async function lookUp(
  { agent, rawItem }: Interruption,
  context: unknown,
): Promise<Standing | null> {
  const call: ToolCall = rawItem;
  const tool = (agent.tools as readonly Invocable[]).find(({ name }) => name === call.name);
  let found: Promise<Standing> | undefined;
  const details: CallDetails = {
    assayLookUp(standing) {
      found = standing;
    },
  };
  if (GUARDED.has(tool ?? details))
    await tool?.invoke?.(context as never, call.arguments ?? '', { ...details, toolCall: call });
  return (await found) ?? null;
}

function guardOptions(given: ToolOptions, options: AdapterOptions): ToolOptions {
  const { execute, needsApproval, outputSchema } = given;
  const name = given.name ?? execute.name;
  const askFirst = async (
    input: unknown,
    callId: string | undefined,
    context: RunContext | undefined,
  ): Promise<Standing> => {
    const suspended: AdapterOptions = { ...options, onHold: 'suspend' };
    const id = nameInRun(input, callId, context);
    return sayTokens(context, (tokens) =>
      getClient(options).askFirst(name, [input], buildOptions(suspended, id, { tokens })),
    );
  };
  const guardedOptions: ToolOptions = {
    ...given,
    name,
    async execute(input, given, details) {
      const callId = details?.toolCall?.callId;
      const context = given as RunContext | undefined;
      if (details?.assayLookUp) return details.assayLookUp(askFirst(input, callId, context));
      const run = (args: unknown): unknown => execute(args, given, details);
      const runAs = (id: string | undefined, tokens: number | undefined): Promise<unknown> => {
        const named = buildOptions(options, id, { signal: details?.signal, tokens });
        return getClient(options).guard(name, run, named)(input);
      };
      const wasAsked = context?.isToolApproved?.({ toolName: name, callId: callId ?? '' });
      try {
        return await sayTokens(context, (tokens) =>
          runAs(nameInRun(input, callId, context), tokens).catch((error: unknown) => {
            // Another run used it, where the application names none: this call was not suspended, and needs no name.
            const mayBeOther = getContext().runId === undefined && wasAsked !== true;
            if (error instanceof AlreadyExecuted && mayBeOther) return runAs(undefined, tokens);
            throw error;
          }),
        );
      } catch (error) {
        // A tool with a schema for its output cannot say in words that it did not run.
        if (outputSchema !== undefined || !isForModel(error)) throw error;
        return describeRefusal(error);
      }
    },
  };
  if (hasSuspension(options))
    guardedOptions.needsApproval = async (context, input, callId) => {
      const own =
        typeof needsApproval === 'function' ? needsApproval(context, input, callId) : needsApproval;
      const asked = askFirst(input, callId, context as RunContext | undefined);
      const [holds, asks] = await Promise.all([isHeld(asked), own]);
      return holds || asks === true;
    };
  return guardedOptions;
}

/** Ids of calls come back, as those of some models do each turn: what the run has used so far tells its turns apart. */
function nameInRun(
  input: unknown,
  callId: string | undefined,
  context: RunContext | undefined,
): string | undefined {
  const { requests = 0, totalTokens = 0 } = context?.usage ?? {};
  return callId === undefined ? undefined : nameCall(`${callId}:${totalTokens}`, input, requests);
}

/**
 * Asks with the tokens that the run has used since it last asked. What did not let the call go on counts them nowhere: the
 * next decision says them once more. Undefined: the model does not say what it uses.
 */
async function sayTokens<T>(
  context: RunContext | undefined,
  ask: (tokens: number | undefined) => Promise<T>,
): Promise<T> {
  const total = context?.usage?.totalTokens;
  if (!context || !total) return ask(undefined);
  const said = SAID_TOKENS.get(context) ?? 0;
  SAID_TOKENS.set(context, total);
  try {
    return await ask(total - said);
  } catch (error) {
    if (error instanceof AssayError)
      SAID_TOKENS.set(context, (SAID_TOKENS.get(context) ?? 0) - (total - said));
    throw error;
  }
}

function buildOptions(
  options: AdapterOptions,
  id: string | undefined,
  more: Pick<NamedCall, 'signal' | 'tokens'>,
) {
  return toGuardOptions(options, {
    id,
    // The framework names no run: `assay.run` does.
    runId: hasSuspension(options) ? 'openai-agents' : undefined,
    prompt: undefined,
    ...more,
  });
}
