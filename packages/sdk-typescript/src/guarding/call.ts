// One call of a function: what stands for its arguments in the decision, and the way back from what a reviewer made of them.
import type { Action } from '../action-names.ts';
import { getContext, type RunContext } from '../context.ts';
import { ActionChanged, type HeldAction } from '../errors.ts';
import { canonicalize, isObject, type Json, type JsonObject, mergePatch, toJson } from '../json.ts';
import { shortenAction } from '../large-arguments.ts';
import type { OnUnavailable } from '../options.ts';
import type { Outcome, Used } from '../service.ts';

/** How the arguments of a function stand in its decisions, and come back. */
export interface Mapping<A extends unknown[] = unknown[]> {
  /** Returns what stands for the arguments in the decision. Default: the only argument if it is an object, else all. */
  toArguments?: (...args: A) => unknown;
  /**
   * Returns the function's arguments for what a reviewer made of `toArguments`. Default: the argument that `toArguments`
   * shows, with the changed members; an edit for which that is no way back runs nothing.
   */
  fromArguments?: (edited: never, ...args: A) => A;
}

export interface GuardOptions<A extends unknown[] = unknown[], R = unknown> extends Mapping<A> {
  /** Further members of the action, such as the server of the tool. */
  members?: JsonObject;
  /** Whether the tool only reads: `onUnavailable: 'allow-read-only'` lets it pass. */
  readOnly?: boolean;
  onHold?: 'wait' | 'suspend';
  /** Milliseconds. */
  wait?: number;
  onTimeout?: 'withdraw' | 'leave';
  onUnavailable?: OnUnavailable;
  /** Seconds after which the hold expires. */
  expiresIn?: number;
  /**
   * Whether to claim even what no person had to decide. Default: when a person decided, when a policy asks for it, or when
   * run and call are named, so that the decision can be found again.
   */
  claim?: 'always' | 'when-needed';
  /** Whether the outcome says what was returned, shortened to 500 characters. Default: its digest alone. */
  summary?: boolean;
  /**
   * Says what a thrown error means, unless it leaves the end open: what was cancelled, timed out, lost its connection or
   * has no readable answer is `unknown`. Default: `failed`.
   */
  judgeError?: (error: unknown) => Outcome['outcome'];
  /**
   * Says what a call that succeeded used in fact, for limits of policies; of a stream it gets undefined. Where it throws,
   * or returns what is no amount, what the decision reserved counts.
   */
  used?(result: R): Used | undefined;
  /** Further parts of this call's decisions, such as a framework's call id. */
  context?: RunContext | ((...args: A) => RunContext);
}

/** One call of one tool. */
export interface Call {
  tool: string;
  arguments: Json;
  options: GuardOptions;
  context: RunContext;
  /** Runs the tool with the arguments given, or with those that a reviewer put in their place. */
  run: (args: unknown[]) => unknown;
  args: unknown[];
  /** Called when its run has ended. */
  end?: () => void;
  /** Whether `run` is known to do nothing before its result is asked for its first value. */
  isLazy: boolean;
}

interface Wrapped<A extends unknown[]> {
  tool: string;
  run: (...args: A) => unknown;
  args: A;
  options: GuardOptions<A>;
}

export function createCall<A extends unknown[]>({ tool, run, args, options }: Wrapped<A>): Call {
  const { context = {} } = options;
  const own = options as unknown as GuardOptions;
  const given = typeof context === 'function' ? context(...args) : context;
  return {
    tool,
    arguments: readArguments(own, args),
    options: own,
    context: { ...getContext(), ...given },
    args,
    run: (passed) => run(...(passed as A)),
    isLazy: run.constructor.name === 'AsyncGeneratorFunction',
  };
}

/** Returns what stands for these arguments; for those of a call they may have been changed while it waited. */
export const readArguments = ({ toArguments }: Mapping, args: unknown[]): Json =>
  toJson(toArguments ? toArguments(...args) : pickArguments(args));

/** What is asked for. The further members come first, so that they cannot replace tool and arguments. */
export const buildAction = ({ tool, options }: Call, args: Json): Action => ({
  ...options.members,
  tool,
  arguments: args,
});

/** Whether the decision about this call may be found again, by a call of the same name. */
export const isNamed = ({ context: { runId, callId } }: Call): boolean =>
  runId !== undefined && callId !== undefined;

/** Returns the arguments that a held action passes to a function without a mapping. */
export const spreadArguments = (given: Json): Json[] => (Array.isArray(given) ? given : [given]);

/** Whether a process that has the held action alone cannot know the arguments. */
export function hasOwnMapping({ args, arguments: shown, options }: Call): boolean {
  if (options.fromArguments) return true;
  const given = attempt(() => canonicalize(toJson(args)));
  return given !== canonicalize(spreadArguments(shown));
}

/** What runs in the place of the action that was asked for. */
export interface Edited {
  args: unknown[];
  /** What stands for them. */
  arguments: Json;
}

/**
 * Applies the reviewer's patch to the raw action: masks of what the reviewer saw are never executed.
 * @throws ActionChanged unless there are arguments that would have been posted as the edited action
 */
export async function applyEdits(call: Call, edits: JsonObject, traceId: string): Promise<Edited> {
  const before = buildAction(call, readArguments(call.options, call.args));
  const patched = mergePatch(before, edits) as Action;
  const posted = mergePatch(await shortenAction(before), edits) as Action;
  const wanted = patched.arguments ?? null;
  const isOurs = canonicalize(buildAction(call, wanted)) === canonicalize(patched);
  const args = isOurs ? mapBack(call, before.arguments, wanted) : undefined;
  if (!args || canonicalize(await shortenAction(patched)) !== canonicalize(posted))
    throw new ActionChanged(
      patched.tool === call.tool
        ? `The reviewer's edits of ${call.tool} have no way back to its arguments: give fromArguments, or ask for the edited call`
        : 'The reviewer asks for another tool: ask for that one',
      { traceId, code: 'ACTION_CHANGED' },
    );
  return { args, arguments: wanted };
}

/** Returns the first arguments that stand for `wanted`. */
function mapBack({ options, args }: Call, shown: Json, wanted: Json): unknown[] | undefined {
  if (canonicalize(shown) === canonicalize(wanted)) return args;
  const ways: (() => unknown)[] = options.fromArguments
    ? [() => options.fromArguments!(wanted as never, ...args)]
    : [
        ...args.map((_, at) => () => args.with(at, restore(args[at], shown, wanted))),
        () => restore(args, shown, wanted),
      ];
  for (const way of ways) {
    const found = attempt(way);
    if (!Array.isArray(found)) continue;
    const json = attempt(() => readArguments(options, found));
    if (json !== undefined && canonicalize(json) === canonicalize(wanted)) return found;
  }
  return undefined;
}

/**
 * Returns `raw` with what differs between its JSON and the wanted one. What did not change stays the value that it was,
 * and what is no JSON stays as it is. @throws Error where something changed that is no JSON
 */
function restore(raw: unknown, shown: Json | undefined, wanted: Json): unknown {
  if (shown !== undefined && canonicalize(shown) === canonicalize(wanted)) return raw;
  if (typeof raw === 'bigint') return BigInt(wanted as string);
  if (raw === null || raw === undefined || typeof raw !== 'object') {
    if (typeof raw === 'function' || typeof raw === 'symbol') throw new TypeError('No JSON');
    return wanted;
  }
  if (Array.isArray(raw)) {
    if (!Array.isArray(wanted)) return wanted;
    const items = Array.isArray(shown) ? shown : [];
    return wanted.map((item, at) => restore(raw[at], items[at], item));
  }
  const prototype: unknown = Object.getPrototypeOf(raw);
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError('No JSON');
  if (!isObject(wanted)) return wanted;
  const members = isObject(shown) ? shown : {};
  const restored: Record<string, unknown> = { ...(raw as Record<string, unknown>) };
  for (const key of Object.keys(members)) if (!Object.hasOwn(wanted, key)) delete restored[key];
  for (const [key, value] of Object.entries(wanted)) {
    const own = Object.hasOwn(restored, key) ? restored[key] : undefined;
    const known = Object.hasOwn(members, key) ? members[key] : undefined;
    Object.defineProperty(restored, key, {
      value: restore(own, known, value),
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
  return restored;
}

/** Undefined where it fails. */
export function attempt<T>(body: () => T): T | undefined {
  try {
    return body();
  } catch {
    return undefined;
  }
}

function pickArguments(args: unknown[]): unknown {
  return args.length === 1 && isObject(args[0]) ? args[0] : args;
}

export function toHeldAction(
  { traceId, binding, expiresAt, review }: Omit<HeldAction, 'action' | 'isMapped'>,
  action: Action,
  call: Call,
): HeldAction {
  const held: HeldAction = { traceId, action, binding, expiresAt, review };
  return hasOwnMapping(call) ? { ...held, isMapped: true } : held;
}
