// What all adapters share: their options, the context of a call, and what a model reads when a call does not run.
import { Assay } from '../assay.ts';
import { getContext, type RunContext } from '../context.ts';
import { AssayError, Held, NotDecided, Unauthorised } from '../errors.ts';
import type { GuardOptions, Mapping } from '../guarding/call.ts';
import type { Standing } from '../guarding/guard.ts';
import { canonicalize, toJson } from '../json.ts';

/** Options of every adapter; all are optional. */
export interface AdapterOptions extends Omit<GuardOptions, keyof Mapping | 'context'> {
  /** Default: one client for all adapters, set up by the environment. */
  assay?: Assay;
}

/** A call as a framework knows it. */
export interface NamedCall {
  /** The framework's id of the call. */
  id: string | undefined;
  /** Names the run; a run of the application's own (`assay.run`) comes first. */
  runId: string | undefined;
  prompt: string | undefined;
  /** All that the person wrote, as far as the framework has it. */
  said?: readonly string[];
  signal?: AbortSignal | undefined;
  /** What the run has used since its last decision; undefined: the framework does not say. */
  tokens?: number | undefined;
}

const PROMPT_CHARACTERS = 10_000;

let common: Assay | undefined;

/** Returns the client of the options, or the common one. */
export function getClient({ assay }: AdapterOptions): Assay {
  return assay ?? (common ??= new Assay());
}

export const hasSuspension = (options: AdapterOptions): boolean =>
  (options.onHold ?? getClient(options).onHold) === 'suspend';

/** Returns the options of a guard for one call. */
export function toGuardOptions(
  { assay: _, ...options }: AdapterOptions,
  { id, runId, prompt, said = [], signal, tokens }: NamedCall,
): GuardOptions<[unknown]> {
  const context: RunContext = {};
  if (runId !== undefined) context.runId = runId;
  if (prompt) context.prompt = shortenPrompt(prompt);
  const around = getContext();
  if (said.length > 0) context.prompts = [...said, around.prompt ?? ''];
  Object.assign(context, around);
  if (id !== undefined) context.callId = id;
  if (signal) context.signal = signal;
  if (tokens !== undefined) context.metadata = { tokens, ...context.metadata };
  return { ...options, toArguments: (args) => args, context };
}

/**
 * Names a call by its id and its arguments: a repeated id with other arguments is another call.
 * @param earlier counts the calls of that id that were answered before, as some models count theirs per turn
 */
export const nameCall = (id: string, args: unknown, earlier: number): string =>
  `${id}:${earlier}:${canonicalize(toJson(args))}`;

/** Whether the model reads it, so that it can go on; what only the application can put right is thrown. */
export const isForModel = (error: unknown): error is AssayError =>
  error instanceof AssayError && !(error instanceof Unauthorised) && !(error instanceof Held);

/** Says to a model that a call did not run, and why. */
export function describeRefusal(error: AssayError): string {
  if (error instanceof NotDecided) return `${error.message}. The call has not run.`;
  return `The call did not run: ${error.message} [${error.code}]`;
}

/** Whether a text is one of `describeRefusal`. */
export const isRefusal = (text: unknown): boolean =>
  /^The call did not run: |The call has not run\.$/.test(String(text));

/** Says how a held call ended that may not run. The end of its time is no denial. */
export function describeEnd({ status, reason }: Omit<Standing, 'held'>): string {
  const words =
    status === 'rejected' ? 'A person rejected it' : `No person decided: it is ${status}`;
  return reason === null ? words : `${words}: ${reason}`;
}

/** Whether a person has to decide, or had to. What is refused without a person is no question: the call itself says why. */
export async function isHeld(asked: Promise<Standing>): Promise<boolean> {
  try {
    return (await asked).held !== null;
  } catch (error) {
    if (error instanceof AssayError) return false;
    throw error;
  }
}

/** Cuts a text, but no character in two. */
const shortenPrompt = (text: string): string =>
  text.length <= PROMPT_CHARACTERS
    ? text
    : text.slice(0, PROMPT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
