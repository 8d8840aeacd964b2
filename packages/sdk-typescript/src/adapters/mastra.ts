// Mastra: every tool of a set asks before it executes; in suspend mode its run is suspended, as Mastra's own tools suspend it.
import { Held } from '../errors.ts';
import { isObject } from '../json.ts';
import { type Message, nameModelCall } from './ai-messages.ts';
import {
  type AdapterOptions,
  getClient,
  hasSuspension,
  type NamedCall,
  toGuardOptions,
} from './calls.ts';

export type { AdapterOptions } from './calls.ts';

type Suspend = (payload: unknown) => unknown;

/** What an agent says of a call. */
interface AgentCall {
  toolCallId?: string;
  messages?: readonly Message[];
  suspend?: Suspend;
  /** What the run is resumed with. */
  resumeData?: unknown;
}

/** What a tool gets beside its input. Version 0.24 has the members of `agent` in the object itself, as the AI SDK does. */
interface Context extends AgentCall {
  agent?: AgentCall;
  runId?: string;
  abortSignal?: AbortSignal;
}

type Execute = (input: unknown, context?: Context) => unknown;

interface Executable {
  execute?: Execute;
  inputSchema?: unknown;
}

interface Call {
  input: unknown;
  context: Context;
  /** Executes the tool with this input, or with what a reviewer made of it. */
  run: (input: unknown) => unknown;
}

/** The mark of a tool from version 1 on. */
const MARK = Symbol.for('mastra.core.tool.Tool');

/**
 * Returns the tools, each of which asks before it executes. What does not run is a tool error with the reason, which the
 * model reads. With `onHold: 'suspend'` a held call suspends the run; what the run is resumed with is not believed: the
 * verdict is read from the service.
 */
export function guardTools<T extends object>(tools: T, options: AdapterOptions = {}): T {
  const entries = Object.entries(tools).map(([name, tool]) => [
    name,
    guardTool(name, tool as Executable, options),
  ]);
  return Object.fromEntries(entries) as T;
}

function guardTool(name: string, tool: Executable, options: AdapterOptions): Executable {
  const { execute } = tool;
  // Without `execute` the tool runs elsewhere: at the client, or at the provider of the model.
  if (typeof execute !== 'function') return tool;
  const prototype: unknown = Object.getPrototypeOf(tool);
  const isOfVersion0 = prototype !== Object.prototype && !(MARK in tool);
  const guardedExecute: Execute = async (given, context = {}) => {
    const call = isOfVersion0
      ? readWhole(execute, given, context)
      : await readCall({ ...tool, execute }, given, context);
    const guarded = getClient(options).guard(
      name,
      call.run,
      toGuardOptions(options, toNamedCall(call, options)),
    );
    try {
      return await guarded(call.input);
    } catch (error) {
      const { suspend, toolCallId } = { ...call.context, ...call.context.agent };
      const mayReturn = suspend !== undefined && toolCallId !== undefined;
      if (!(error instanceof Held) || !mayReturn || !hasSuspension(options)) throw error;
      return suspend(error.toJSON());
    }
  };
  return Object.assign(Object.create(prototype as object) as Executable, tool, {
    execute: guardedExecute,
  });
}

/** Version 0.24 gives a tool one object with its input. */
function readWhole(execute: Execute, given: unknown, context: Context): Call {
  const whole = given as { context: unknown; runId?: string };
  return {
    input: whole.context,
    context: { runId: whole.runId!, ...context },
    run: (input) => execute({ ...whole, context: input }, context),
  };
}

/** A resumed tool gets what the model wrote, and not what its schema made of it: the call would be another one. */
async function readCall(
  { execute, inputSchema }: Executable & { execute: Execute },
  given: unknown,
  context: Context,
): Promise<Call> {
  const { resumeData } = { ...context, ...context.agent };
  const input = resumeData === undefined ? given : await applySchema(inputSchema, given);
  return { input, context, run: (passed) => execute(passed, context) };
}

interface Schema {
  '~standard': {
    validate: (
      value: unknown,
    ) => { value?: unknown; issues?: unknown } | Promise<{ value?: unknown; issues?: unknown }>;
  };
}

async function applySchema(schema: unknown, given: unknown): Promise<unknown> {
  if (!isObject(schema) || !isObject(schema['~standard'])) return given;
  const { value, issues } = await (schema as unknown as Schema)['~standard'].validate(given);
  return issues === undefined ? value : given;
}

/** A suspended call comes back in the same run. Outside an agent a call has no name. */
function toNamedCall({ input, context }: Call, options: AdapterOptions): NamedCall {
  const { toolCallId, messages = [] } = { ...context, ...context.agent };
  const { abortSignal } = context;
  const runId = hasSuspension(options) ? context.runId : undefined;
  if (toolCallId !== undefined)
    return { ...nameModelCall(input, { toolCallId, messages, abortSignal }), runId };
  return { id: undefined, runId: undefined, prompt: undefined, signal: abortSignal };
}
