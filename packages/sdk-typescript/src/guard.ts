// A guarded call: propose, wait where a person decides, claim, run, report. In this order and no other.
import { getContext, type RunContext, runInContext } from './context.ts';
import { hashJson, hashText } from './digest.ts';
import {
  ActionChanged,
  AssayError,
  Held,
  type HeldAction,
  Invalid,
  NotDecided,
  Unavailable,
} from './errors.ts';
import { canonicalize, isObject, type Json, type JsonObject, mergePatch, toJson } from './json.ts';
import { shortenAction } from './large-arguments.ts';
import type { OnUnavailable, Settings } from './options.ts';
import type { ObservedQueue } from './observed-queue.ts';
import {
  assertApproved,
  assertBound,
  type Outcome,
  type Proposal,
  type ReviewStatus,
  type Service,
  type Verdict,
} from './service.ts';

export interface GuardOptions<A extends unknown[] = unknown[]> {
  /** Returns what stands for the arguments in the decision. Default: the only argument if it is an object, else all. */
  toArguments?: (...args: A) => unknown;
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
  /** Whether to claim even what no person had to decide. Default: when a person decided, or a policy asks for it. */
  claim?: 'always' | 'when-needed';
  /** Whether the outcome says what was returned, shortened to 500 characters. Default: its digest alone. */
  summary?: boolean;
  /** Further parts of this call's decisions, such as a framework's call id. */
  context?: RunContext | ((...args: A) => RunContext);
}

interface Action extends JsonObject {
  tool: string;
  arguments: Json;
}

/** One call of one tool. */
export interface Call {
  tool: string;
  arguments: Json;
  options: GuardOptions;
  context: RunContext;
  /** Runs the tool; `edited` are the arguments that a reviewer put in place of the given ones. */
  run: (edited: Json | undefined) => unknown;
  /** Returns the arguments as they are now: they may have been changed while the call waited. */
  read: () => Json;
}

/** Where a call stands, before it runs. */
export interface Standing {
  /** `none`: no person has to decide. */
  status: ReviewStatus;
  /** The reviewer's words. */
  reason: string | null;
  /** What a person has to decide, or had to; null: nothing. */
  held: HeldAction | null;
}

export interface GuardDeps {
  settings: Settings;
  service: Service;
  observed: ObservedQueue;
  /** Returns the agent that decisions name. */
  findAgent: () => Promise<string>;
}

const SDK = { name: 'sdk-typescript', version: '0.1.0' };
const SUMMARY_CHARACTERS = 500;

export class Guard {
  readonly #deps: GuardDeps;

  constructor(deps: GuardDeps) {
    this.#deps = deps;
  }

  /** Wraps a function so that every call of it is asked for. */
  wrap<A extends unknown[], R>(
    tool: string,
    run: (...args: A) => R,
    options: GuardOptions<A> = {},
  ): (...args: A) => Promise<Awaited<R>> {
    return async (...args): Promise<Awaited<R>> => {
      const call = createCall({ tool, run, args, options });
      return (await this.execute(call)) as Awaited<R>;
    };
  }

  /**
   * Asks for a call without running it. The guarded call of the same run and name is the same decision.
   * @throws Blocked when a policy forbids it; Invalid for a call without names of its run and itself
   */
  async askFirst<A extends unknown[]>(
    tool: string,
    args: A,
    options: GuardOptions<A>,
  ): Promise<Standing> {
    const none: Standing = { status: 'none', reason: null, held: null };
    const call = createCall({ tool, run: () => undefined, args, options });
    const { runId, callId } = call.context;
    if (runId === undefined || callId === undefined)
      throw new Invalid('To ask before a call, name the run and the call: runId and callId');
    // A call that is observed, or that nothing governs, is recorded when it runs.
    if (this.#deps.settings.mode !== 'enforce') return none;
    const whole = buildAction(call, call.arguments);
    const key = await deriveKey(call.context, this.#deps.settings);
    const proposal = await this.#propose(call, await shortenAction(whole), key);
    if (proposal.verdict !== 'held') return none;
    const { status, reason } = await this.#readVerdict(proposal);
    return { status, reason, held: toHeldAction(proposal, whole) };
  }

  /** Carries out one call. */
  async execute(call: Call): Promise<unknown> {
    const { settings, observed } = this.#deps;
    if (settings.mode === 'off') return call.run(undefined);
    const whole = buildAction(call, call.arguments);
    const action = await shortenAction(whole);
    const idempotencyKey = await deriveKey(call.context, settings);
    if (settings.mode === 'observe') {
      observed.add({
        idempotencyKey,
        body: await this.#buildBody(call, action, { mode: 'observed' }),
      });
      return call.run(undefined);
    }
    let proposal: Proposal;
    try {
      proposal = await this.#propose(call, action, idempotencyKey);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return this.#runUnasked(call, action, idempotencyKey, error);
    }
    await assertBound(proposal, await hashJson(action));
    if (proposal.verdict === 'approved' && !proposal.mustClaim && call.options.claim !== 'always')
      return this.#runUnclaimed(call, action);
    const held = toHeldAction(proposal, whole);
    let verdict: Verdict = { status: 'approved', edits: null, reason: null };
    if (proposal.verdict === 'held') {
      const suspends = (call.options.onHold ?? settings.onHold) === 'suspend';
      verdict = suspends
        ? await this.#readVerdict(proposal)
        : await this.#awaitVerdict(proposal.traceId, call);
      if (suspends && verdict.status === 'pending') throw new Held(held);
    }
    return this.runApproved(call, held, verdict);
  }

  /** Runs an approved call, after a claim for exactly the arguments that are about to be passed. */
  async runApproved(
    call: Call,
    { traceId, binding, action }: HeldAction,
    verdict: Verdict,
  ): Promise<unknown> {
    assertApproved(traceId, verdict);
    const current = buildAction(call, call.read());
    const sent = await shortenAction(current);
    const rawActionDigest = await hashJson(sent);
    await assertBound({ traceId, binding }, rawActionDigest);
    if (canonicalize(current) !== canonicalize(action))
      throw new ActionChanged('The arguments changed while the call waited', {
        traceId,
        code: 'ACTION_CHANGED',
      });
    const edited = verdict.edits ? applyEdits(call, verdict.edits, traceId) : undefined;
    const digests: JsonObject = { rawActionDigest };
    if (edited !== undefined) {
      // The service keeps no raw action: it applies the edits to this one, compares, and forgets it.
      digests.action = sent;
      digests.editedActionDigest = await hashJson(await shortenAction(buildAction(call, edited)));
    }
    const { executionId } = await this.#deps.service.claim(traceId, digests);
    return this.#runClaimed(call, traceId, executionId, edited);
  }

  /** Runs the call and reports what became of it. Its result and its error pass through unchanged. */
  async #runClaimed(call: Call, traceId: string, executionId: string, edited: Json | undefined) {
    const began = performance.now();
    const countMs = (): number => Math.round(performance.now() - began);
    let result: unknown;
    try {
      result = await runInContext({ parentTraceId: traceId }, () => call.run(edited));
    } catch (error) {
      await this.#report(traceId, executionId, { outcome: 'failed', durationMs: countMs() });
      throw error;
    }
    const durationMs = countMs();
    const described = await describeResult(result, call.options.summary === true);
    await this.#report(traceId, executionId, { outcome: 'succeeded', durationMs, ...described });
    return result;
  }

  /** An outcome that cannot be reported does not undo the action: the service seals `unknown` when the lease ends. */
  async #report(traceId: string, executionId: string, outcome: Outcome): Promise<void> {
    try {
      await this.#deps.service.report(traceId, executionId, outcome);
    } catch (error) {
      this.#deps.settings.onError(error);
    }
  }

  #runUnclaimed(call: Call, action: Action): unknown {
    if (canonicalize(toJson(call.read())) !== canonicalize(call.arguments))
      throw new ActionChanged(`The arguments of ${action.tool} changed while they were asked for`, {
        code: 'ACTION_CHANGED',
      });
    return call.run(undefined);
  }

  /** The service is not there: refuse, or run on the record. */
  async #runUnasked(call: Call, action: Action, idempotencyKey: string, error: Unavailable) {
    const { settings } = this.#deps;
    const how = call.options.onUnavailable ?? settings.onUnavailable;
    const mayRun = how === 'allow' || (how === 'allow-read-only' && call.options.readOnly === true);
    if (!mayRun || !settings.journal) throw error;
    const executedAt = new Date().toISOString();
    const body = await this.#buildBody(call, action, { mode: 'offline', executedAt });
    await settings.journal.append({ idempotencyKey, body });
    return call.run(undefined);
  }

  async #propose(call: Call, action: Action, idempotencyKey: string): Promise<Proposal> {
    const body = await this.#buildBody(call, action, { mode: 'enforced' });
    return this.#deps.service.propose(body, idempotencyKey, call.context.signal);
  }

  /** What was proposed just now is not decided yet. */
  async #readVerdict({ traceId, isReplay }: Proposal): Promise<Verdict> {
    if (isReplay) return this.#deps.service.awaitVerdict(traceId, 0);
    return { status: 'pending', edits: null, reason: null };
  }

  async #awaitVerdict(traceId: string, { options, context }: Call): Promise<Verdict> {
    const { settings, service } = this.#deps;
    const verdict = await service.awaitVerdict(
      traceId,
      options.wait ?? settings.wait,
      context.signal,
    );
    if (verdict.status !== 'pending') return verdict;
    const leaves = (options.onTimeout ?? settings.onTimeout) === 'leave';
    // A verdict that came at the last moment counts.
    if (!leaves && !(await service.withdraw(traceId))) return service.awaitVerdict(traceId, 0);
    throw new NotDecided(
      leaves
        ? 'No person has decided yet; the request stays open'
        : 'No person has decided yet; the request is withdrawn',
      { traceId, code: 'APPROVAL_PENDING' },
    );
  }

  async #buildBody(call: Call, action: Action, assay: JsonObject): Promise<JsonObject> {
    const { context, options } = call;
    const { settings } = this.#deps;
    const isShortened =
      action.arguments !== call.arguments &&
      canonicalize(action.arguments) !== canonicalize(call.arguments);
    const version = context.agentVersion ?? settings.agentVersion;
    const inputContext = describeOccasion(call);
    if (context.systemPrompt !== undefined) inputContext.systemPrompt = context.systemPrompt;
    if (context.conversationId !== undefined) inputContext.conversationId = context.conversationId;
    const outputDecision: JsonObject = { action };
    if (context.rationale !== undefined) outputDecision.rationale = context.rationale;
    if (isShortened) outputDecision.toolCalls = [{ name: call.tool, arguments: call.arguments }];
    const body: JsonObject = {
      agentId: await this.#deps.findAgent(),
      inputContext,
      outputDecision,
      metadata: {
        ...context.metadata,
        assay: { sdk: SDK.name, sdkVersion: SDK.version, ...assay },
      },
    };
    if (version !== undefined) body.agentVersion = version;
    if (context.sessionId !== undefined) body.sessionId = context.sessionId;
    if (context.parentTraceId !== undefined) body.parentTraceId = context.parentTraceId;
    if (context.actor !== undefined) body.actor = context.actor;
    if (options.expiresIn !== undefined) body.review = { expiresIn: options.expiresIn };
    return body;
  }
}

/** What began it: a prompt, a trigger, or at least the call itself. */
function describeOccasion({ tool, context: { prompt, trigger = null } }: Call): JsonObject {
  if (trigger === null) return { prompt: prompt ?? `Call of ${tool}` };
  return prompt === undefined ? { trigger } : { prompt, trigger };
}

interface Wrapped<A extends unknown[]> {
  tool: string;
  run: (...args: A) => unknown;
  args: A;
  options: GuardOptions<A>;
}

function createCall<A extends unknown[]>({ tool, run, args, options }: Wrapped<A>): Call {
  const { context = {} } = options;
  const given = typeof context === 'function' ? context(...args) : context;
  const read = (): Json =>
    toJson(options.toArguments ? options.toArguments(...args) : pickArguments(args));
  return {
    tool,
    arguments: read(),
    options: options as GuardOptions,
    context: { ...getContext(), ...given },
    read,
    run: (edited) => run(...(edited === undefined ? args : (spreadArguments(args, edited) as A))),
  };
}

/** What is asked for. Its members come first, so that they cannot replace tool and arguments. */
const buildAction = ({ tool, options }: Call, args: Json): Action => ({
  ...options.members,
  tool,
  arguments: args,
});

function toHeldAction(
  { traceId, binding, expiresAt, review }: Proposal,
  action: Action,
): HeldAction {
  return { traceId, action, binding, expiresAt, review };
}

/** Applies the reviewer's patch to the raw arguments: masks of what the reviewer saw are never executed. */
function applyEdits(call: Call, edits: JsonObject, traceId: string): Json {
  const patched = mergePatch(buildAction(call, call.read()), edits) as Action;
  if (patched.tool !== call.tool)
    throw new ActionChanged('The reviewer asks for another tool: ask for that one', {
      traceId,
      code: 'ACTION_CHANGED',
    });
  return patched.arguments ?? null;
}

/** The same call in the same run is the same decision; without names of both, each call is another. */
async function deriveKey({ runId, callId }: RunContext, { agent = '' }: Settings): Promise<string> {
  if (runId === undefined || callId === undefined) return crypto.randomUUID();
  return hashText(JSON.stringify([agent, runId, callId]));
}

function pickArguments(args: unknown[]): unknown {
  return args.length === 1 && isObject(args[0]) ? args[0] : args;
}

function spreadArguments(args: unknown[], edited: Json): unknown[] {
  return Array.isArray(edited) && !(args.length === 1 && isObject(args[0]))
    ? edited
    : [edited, ...args.slice(1)];
}

async function describeResult(result: unknown, wantsSummary: boolean): Promise<Partial<Outcome>> {
  try {
    const json = toJson(result ?? null);
    const resultDigest = await hashJson(json);
    if (!wantsSummary) return { resultDigest };
    const text = typeof json === 'string' ? json : JSON.stringify(json);
    return { resultDigest, summary: text.slice(0, SUMMARY_CHARACTERS) };
  } catch (error) {
    // What is no JSON has no digest.
    if (error instanceof AssayError) return {};
    throw error;
  }
}
