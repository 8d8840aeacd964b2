// A guarded call: propose, wait where a person decides, claim, run, report. In this order and no other.
import type { Action } from '../action-names.ts';
import {
  assertApproved,
  assertBound,
  createReplayed,
  type Proposal,
  type ReviewStatus,
  type Verdict,
} from '../answers.ts';
import {
  applyEdits,
  attempt,
  buildAction,
  type Call,
  createCall,
  type Edited,
  type GuardOptions,
  isNamed,
  readArguments,
  toHeldAction,
} from './call.ts';
import type { RunContext } from '../context.ts';
import { hashJson, hashText } from '../digest.ts';
import { runLazily } from './endings.ts';
import {
  ActionChanged,
  Held,
  type HeldAction,
  Invalid,
  NotDecided,
  Unavailable,
} from '../errors.ts';
import { Execution } from './execution.ts';
import { canonicalize, type Json, type JsonObject } from '../json.ts';
import { countBytes, shortenAction } from '../large-arguments.ts';
import { type Departure, rejectOnAbort } from './departure.ts';
import type { Settings } from '../options.ts';
import type { ObservedQueue } from './observed-queue.ts';
import type { OutcomeSender } from './outcomes.ts';
import type { Service } from '../service.ts';

export type { GuardOptions } from './call.ts';

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
  outcomes: OutcomeSender;
  /** Ends the waits when the process does. */
  departure: Departure;
  /** Returns the agent that decisions name. */
  findAgent: () => Promise<string>;
}

const SDK = { name: 'sdk-typescript', version: '0.1.0' };
/** What a decision can keep of the whole arguments, beside the digest that binds them. */
const WHOLE_BYTES_MAX = 100_000;
/** Decisions that are remembered as this client's own. */
const KNOWN_MAX = 10_000;

export class Guard {
  readonly #deps: GuardDeps;
  /** Decisions that were new: an answer with one of them to a new call is an old answer. */
  readonly #known = new Set<string>();

  constructor(deps: GuardDeps) {
    this.#deps = deps;
  }

  /** Wraps a function so that every call of it is asked for. */
  wrap<A extends unknown[], R>(
    tool: string,
    run: (...args: A) => R,
    options: GuardOptions<A, Awaited<R>> = {},
  ): (...args: A) => Promise<Awaited<R>> {
    const { mode } = this.#deps.settings;
    return async (...args): Promise<Awaited<R>> => {
      if (mode === 'enforce')
        return (await this.#execute(createCall({ tool, run, args, options }))) as Awaited<R>;
      if (mode === 'observe') this.#observe(() => createCall({ tool, run, args, options }));
      return await run(...args);
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
    const call = createCall({ tool, run: (..._: A) => undefined, args, options });
    if (!isNamed(call))
      throw new Invalid('To ask before a call, name the run and the call: runId and callId');
    // A call that is observed, or that nothing governs, is recorded when it runs.
    if (this.#deps.settings.mode !== 'enforce') return none;
    const whole = buildAction(call, call.arguments);
    const key = await deriveKey(call.context, this.#deps.settings);
    const proposal = await this.#propose(call, await shortenAction(whole), key);
    if (proposal.verdict !== 'held') return none;
    const { status, reason } = await this.#readVerdict(proposal);
    return { status, reason, held: toHeldAction(proposal, whole, call) };
  }

  /** Carries out one call. */
  async #execute(call: Call): Promise<unknown> {
    const { settings } = this.#deps;
    const whole = buildAction(call, call.arguments);
    const action = await shortenAction(whole);
    const key = await deriveKey(call.context, settings);
    let proposal: Proposal;
    try {
      proposal = await this.#propose(call, action, key);
    } catch (error) {
      if (!(error instanceof Unavailable) || !error.isAway) throw error;
      return this.#runUnasked(call, action, key, error);
    }
    const mayFindAgain = proposal.mustClaim || isNamed(call) || call.options.claim === 'always';
    if (proposal.verdict === 'approved' && !mayFindAgain) return this.#runUnclaimed(call, proposal);
    const held = toHeldAction(proposal, whole, call);
    let verdict: Verdict = { status: 'approved', edits: null, reason: null };
    if (proposal.verdict === 'held') {
      const suspends = (call.options.onHold ?? settings.onHold) === 'suspend';
      verdict = suspends
        ? await this.#readVerdict(proposal)
        : await this.#awaitVerdict(proposal.traceId, call);
      if (suspends && verdict.status === 'pending') throw new Held(held, proposal.limits);
    }
    return this.runApproved(call, held, verdict);
  }

  /** Runs an approved call, after a claim for exactly the arguments that are about to be passed. */
  async runApproved(call: Call, held: HeldAction, verdict: Verdict): Promise<unknown> {
    assertApproved(held.traceId, verdict);
    const prepared = await this.#prepare(call, held, verdict);
    if (!call.isLazy) return this.#claim(call, held, prepared);
    return runLazily(async () => this.#claim(call, held, await this.#prepare(call, held, verdict)));
  }

  /** Returns what is about to run, and its digests. @throws ActionChanged unless it is what was approved */
  async #prepare(call: Call, { traceId, binding, action }: HeldAction, verdict: Verdict) {
    const current = buildAction(call, readArguments(call.options, call.args));
    const sent = await shortenAction(current);
    const digests: JsonObject = { rawActionDigest: await hashJson(sent) };
    await assertBound({ traceId, binding }, String(digests.rawActionDigest));
    if (canonicalize(current) !== canonicalize(action)) throw createChanged(call.tool, traceId);
    let edited: Edited = { args: call.args, arguments: current.arguments };
    if (verdict.edits) {
      edited = await applyEdits(call, verdict.edits, traceId);
      // The service keeps no raw action: it applies the edits to this one, compares, and forgets it.
      digests.action = sent;
      digests.editedActionDigest = await hashJson(
        await shortenAction(buildAction(call, edited.arguments)),
      );
    }
    return { ...edited, digests };
  }

  async #claim(
    call: Call,
    { traceId, expiresAt }: HeldAction,
    { args, arguments: approved, digests }: Edited & { digests: JsonObject },
  ): Promise<unknown> {
    call.context.signal?.throwIfAborted();
    const claim = await this.#deps.service.claim(traceId, digests, expiresAt);
    const execution = new Execution(
      this.#track(call, traceId),
      { traceId, ...claim },
      this.#deps.outcomes,
    );
    return execution.run(args, () => {
      call.context.signal?.throwIfAborted();
      if (!isStill(call, args, approved)) throw createChanged(call.tool, traceId);
    });
  }

  /** Notes what the call returns, or what it fails with: values of later ones may come from it. */
  #track(given: Call, traceId: string): Call {
    const { origins } = this.#deps.settings;
    const call = this.#follow(given, traceId);
    if (!origins) return call;
    const note = (result: unknown): unknown =>
      attempt(() => origins.addResult(call.context, traceId, result));
    return {
      ...call,
      async run(args) {
        try {
          const result = await call.run(args);
          note(result);
          return result;
        } catch (error) {
          note(error);
          throw error;
        }
      },
    };
  }

  /** Has its signal abort once the decision is halted, until `end` is called. */
  #follow(call: Call, traceId: string): Call {
    const { settings, service } = this.#deps;
    const followed = settings.halts?.follow({ traceId, context: call.context, settings, service });
    return followed ? { ...call, ...followed } : call;
  }

  #runUnclaimed(call: Call, { traceId }: Proposal): unknown {
    const begin = (): unknown => {
      if (!isStill(call, call.args, call.arguments)) throw createChanged(call.tool, traceId);
      return new Execution(this.#track(call, traceId), { traceId }, null).run(call.args);
    };
    return call.isLazy ? runLazily(async () => begin()) : begin();
  }

  /** The service is away: refuse, or run on the record. */
  async #runUnasked(call: Call, action: Action, idempotencyKey: string, error: Unavailable) {
    const { settings } = this.#deps;
    const how = call.options.onUnavailable ?? settings.onUnavailable;
    const mayRun = how === 'allow' || (how === 'allow-read-only' && call.options.readOnly === true);
    if (!mayRun || !settings.journal) throw error;
    const executedAt = new Date().toISOString();
    const body = await this.#buildBody(call, action, { mode: 'offline', executedAt });
    await settings.journal.append({ idempotencyKey, body });
    if (!isStill(call, call.args, call.arguments)) throw createChanged(call.tool, undefined);
    return call.run(call.args);
  }

  /** Records a call that nothing stops: what cannot be recorded is reported. */
  #observe(describe: () => Call): void {
    const { settings, observed } = this.#deps;
    try {
      const call = describe();
      const build = async () => {
        const action = await shortenAction(buildAction(call, call.arguments));
        const idempotencyKey = await deriveKey(call.context, settings);
        const body = await this.#buildBody(call, action, { mode: 'observed' });
        return { idempotencyKey, body };
      };
      observed.add(build());
    } catch (error) {
      settings.onError(error);
    }
  }

  async #propose(call: Call, action: Action, idempotencyKey: string): Promise<Proposal> {
    const { origins } = this.#deps.settings;
    const body = await this.#buildBody(call, action, { mode: 'enforced' });
    const seen = attempt(() => origins?.describe(call.context, action));
    if (seen) body.origins = seen;
    const proposal = await this.#proposeOrLeave(call, body, idempotencyKey);
    if (!isNamed(call)) this.#noteNew(proposal.traceId);
    await assertBound(proposal, await hashJson(action));
    return proposal;
  }

  /** @throws Unavailable for a decision that was given to another call */
  #noteNew(traceId: string): void {
    if (this.#known.has(traceId)) throw createReplayed(traceId);
    const [oldest] = this.#known;
    if (this.#known.size >= KNOWN_MAX) this.#known.delete(oldest!);
    this.#known.add(traceId);
  }

  /** A hold whose caller left before it was answered is withdrawn, unless another process may resume it. */
  async #proposeOrLeave(call: Call, body: JsonObject, idempotencyKey: string): Promise<Proposal> {
    const { service, settings } = this.#deps;
    const { signal } = call.context;
    const proposing = service.propose(body, idempotencyKey);
    try {
      return await rejectOnAbort(proposing, signal);
    } catch (error) {
      const suspends = (call.options.onHold ?? settings.onHold) === 'suspend';
      if (signal?.aborted && !suspends)
        proposing
          .then(({ traceId, verdict }) => verdict === 'held' && service.withdraw(traceId))
          .catch(() => undefined);
      throw error;
    }
  }

  /** What was proposed just now is not decided yet. */
  async #readVerdict({ traceId, isReplay }: Proposal): Promise<Verdict> {
    if (isReplay) return this.#deps.service.awaitVerdict(traceId, 0);
    return { status: 'pending', edits: null, reason: null };
  }

  async #awaitVerdict(traceId: string, call: Call): Promise<Verdict> {
    const { options, context, end } = this.#follow(call, traceId);
    const { settings, service, departure } = this.#deps;
    const leaves = (options.onTimeout ?? settings.onTimeout) === 'leave';
    const leave = async (): Promise<boolean> => !leaves && (await service.withdraw(traceId));
    const wait = (signal: AbortSignal): Promise<Verdict> =>
      service.awaitVerdict(traceId, options.wait ?? settings.wait, signal);
    let isWithdrawn: boolean;
    try {
      const verdict = await departure.await(wait, leave, context.signal);
      if (verdict.status !== 'pending') return verdict;
      isWithdrawn = await leave();
    } catch (error) {
      if (error instanceof Unavailable) await leave().catch(() => undefined);
      throw error;
    } finally {
      end?.();
    }
    // A verdict that came at the last moment counts.
    if (!leaves && !isWithdrawn) return service.awaitVerdict(traceId, 0);
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
    const {
      systemPrompt,
      conversationId,
      rationale,
      agentVersion = settings.agentVersion,
      sessionId,
      parentTraceId,
      actor,
    } = context;
    const { expiresIn } = options;
    const wholeCall = { name: call.tool, arguments: call.arguments };
    const isKept = isShortened && countBytes(wholeCall) <= WHOLE_BYTES_MAX;
    const toolCalls = isKept ? [wholeCall] : undefined;
    return pickDefined({
      agentId: await this.#findAgent(assay.mode === 'offline'),
      inputContext: pickDefined({ ...describeOccasion(call), systemPrompt, conversationId }),
      outputDecision: pickDefined({ action, rationale, toolCalls }),
      metadata: {
        ...context.metadata,
        assay: { sdk: SDK.name, sdkVersion: SDK.version, ...assay },
      },
      agentVersion,
      sessionId,
      parentTraceId,
      actor,
      review: expiresIn === undefined ? expiresIn : { expiresIn },
    });
  }

  /** Without an answer the service takes the agent of the key that sends the decision later. */
  async #findAgent(isOffline: boolean): Promise<string | undefined> {
    try {
      return await this.#deps.findAgent();
    } catch (error) {
      if (isOffline && error instanceof Unavailable) return undefined;
      throw error;
    }
  }
}

/** Returns an object without the members that are undefined. */
const pickDefined = (members: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as JsonObject;

/** What began it: a prompt, a trigger, or at least the call itself. */
function describeOccasion({ tool, context: { prompt, trigger = null } }: Call): JsonObject {
  if (trigger === null) return { prompt: prompt ?? `Call of ${tool}` };
  return prompt === undefined ? { trigger } : { prompt, trigger };
}

/** Whether these arguments still stand for what was approved, now. */
const isStill = ({ options }: Call, args: unknown[], approved: Json): boolean =>
  canonicalize(readArguments(options, args)) === canonicalize(approved);

const createChanged = (tool: string, traceId: string | undefined): ActionChanged =>
  new ActionChanged(`The arguments of ${tool} changed while they were asked for`, {
    code: 'ACTION_CHANGED',
    traceId,
  });

/** The same call in the same run is the same decision; without names of both, each call is another. */
async function deriveKey({ runId, callId }: RunContext, { agent = '' }: Settings): Promise<string> {
  if (runId === undefined || callId === undefined) return crypto.randomUUID();
  return hashText(JSON.stringify([agent, runId, callId]));
}
