// The decision behind every hook: ask, wait within the host's limit, claim. A hold that outlives the hook is found by
// the next call with the same action, which claims what was approved in between.
import { createHash } from 'node:crypto';
import { SHELL } from '../../../sdk-typescript/src/action-names.ts';
import { hashJson } from '../../../sdk-typescript/src/digest.ts';
import {
  ActionChanged,
  AlreadyExecuted,
  AssayError,
  Blocked,
  Expired,
  Halted,
  Invalid,
  Rejected,
  Withdrawn,
} from '../../../sdk-typescript/src/errors.ts';
import {
  canonicalize,
  isObject,
  type Json,
  type JsonObject,
  mergePatch,
} from '../../../sdk-typescript/src/json.ts';
import { shortenAction } from '../../../sdk-typescript/src/large-arguments.ts';
import { assertApproved, assertBound, type Service } from '../../../sdk-typescript/src/service.ts';
import type { Action, HookEvent, HookVerdict, HostCall } from './host-call.ts';
import type { HookStore, KeptHold } from './hook-store.ts';

export interface HookGateOptions {
  service: Service;
  store: HookStore;
  /** Name of the host, as in `claude-code`. */
  host: string;
  agent: string;
  /** Distinguishes services and agents in the store. */
  scope: string;
  /** Milliseconds to wait for a person. */
  wait: number;
}

interface Waiting {
  /** Names the action in the store. */
  key: string;
  hold: KeptHold;
  signal: AbortSignal | undefined;
}

/** Twice the same action at the same moment takes one turn more: one call takes the approval, the other asks. */
const TURNS_MAX = 3;
/** What a decision can keep of the whole arguments, beside the digest that binds them. */
const WHOLE_BYTES_MAX = 100_000;
const PROMPT_MAX = 10_000;
const AGAIN = 'Nothing has run. Make the same call again';

export class HookGate {
  readonly #options: HookGateOptions;

  constructor(options: HookGateOptions) {
    this.#options = options;
  }

  /** Decides about a call. Whatever fails refuses it: this never rejects. */
  async decide(call: HostCall, signal?: AbortSignal): Promise<HookVerdict> {
    const { store } = this.#options;
    const { event } = call;
    try {
      if (
        event !== undefined &&
        (await store.takePass(this.#toActKey(call), { event, at: Date.now() }))
      )
        return { kind: 'run', isApproved: false, input: undefined };
      for (let turn = 1; turn <= TURNS_MAX; turn++) {
        const verdict = await this.#ask(call, turn, signal);
        if (verdict?.kind === 'run' && event !== undefined && verdict.input === undefined)
          await store.keepPass(this.#toActKey(call), { event, at: Date.now() });
        if (verdict) return verdict;
      }
      return refuse(`The same call ran at the same moment. ${AGAIN}`);
    } catch (error) {
      return refuse(describeFailure(error));
    }
  }

  /** Reports what became of a call that was claimed; of others there is nothing to report. */
  async record({ call, outcome, result }: HookEvent & { kind: 'after' }): Promise<void> {
    const { service, store, scope } = this.#options;
    const { session, callId } = call;
    if (callId !== undefined) await store.addEnded(hashParts([scope, session, callId]));
    const key = this.#toCallKey(call);
    await store.seen.addResult(session, key, result).catch(() => undefined);
    const claim = await store.readClaim(key);
    if (!claim) return;
    await service.report(claim.traceId, claim.executionId, {
      outcome,
      durationMs: Math.max(0, Date.now() - claim.claimedAt),
      resultDigest: await hashJson(result),
    });
    await store.forgetClaim(key);
  }

  /** One turn; null: the approval was taken by another call, and a new decision is due. */
  async #ask(call: HostCall, turn: number, signal?: AbortSignal): Promise<HookVerdict | null> {
    const { store } = this.#options;
    const key = this.#toActionKey(call.action);
    const kept = await store.readHold(key);
    const hold = kept ?? (await this.#propose(call, turn));
    if (hold === null) return { kind: 'run', isApproved: false, input: undefined };
    if ('executionId' in hold) return this.#passClaimed(call, hold.traceId, hold.executionId);
    if (!kept) await store.keepHold(key, hold);
    return this.#awaitAndClaim(call, { key, hold, signal });
  }

  /** Returns what is held, what was claimed at once because a policy asks for it, or null for what may simply run. */
  async #propose(
    call: HostCall,
    turn: number,
  ): Promise<KeptHold | { traceId: string; executionId: string } | null> {
    const { service } = this.#options;
    const sent = await shortenAction(call.action);
    const body = await this.#buildBody(call, sent);
    const proposal = await service.propose(body, await this.#toKey(call, turn));
    const { traceId, binding, review, verdict, mustClaim } = proposal;
    // A decision that is found again says nothing about other arguments.
    await assertBound(proposal, await hashJson(sent));
    if (verdict === 'held') return { traceId, binding, review };
    // The answer to a call that was asked for before may be about one that ran.
    if (!mustClaim && call.callId === undefined) {
      await this.#noteDecision(call, traceId);
      return null;
    }
    const { executionId } = await service.claim(traceId, {
      rawActionDigest: await hashJson(sent),
    });
    return { traceId, executionId };
  }

  async #awaitAndClaim(call: HostCall, waiting: Waiting): Promise<HookVerdict | null> {
    const { service, store, wait } = this.#options;
    const { key, hold, signal } = waiting;
    try {
      const verdict = await service.awaitVerdict(hold.traceId, wait, signal);
      signal?.throwIfAborted();
      if (verdict.status === 'pending') return refuse(describeHold(hold));
      assertApproved(hold.traceId, verdict);
      const { asked, edits } = { asked: hold.asked ?? call.action, edits: verdict.edits };
      const approved = edits === null ? asked : (mergePatch(asked, edits) as JsonObject);
      const isAsApproved = canonicalize(approved) === canonicalize(call.action);
      const input = isAsApproved ? undefined : call.toInput?.(approved.arguments ?? null);
      if (!isAsApproved && input === undefined) {
        await store.keepHold(this.#toActionKey(approved), { ...hold, asked });
        await store.forgetHold(key, hold.traceId);
        return refuse(describeEdits(approved));
      }
      if (approved.tool !== call.action.tool)
        throw new ActionChanged('The reviewer asks for another tool', { code: 'ACTION_CHANGED' });
      const executionId = await this.#claim(hold, asked, edits === null ? undefined : approved);
      await store.forgetHold(key, hold.traceId);
      // What the host reports about a call without an id is what ran.
      const passed = { ...call, action: approved as Action };
      return await this.#passClaimed(passed, hold.traceId, executionId, {
        isApproved: true,
        input,
      });
    } catch (error) {
      if (signal?.aborted) return this.#leave(waiting);
      if (!isEnd(error)) throw error;
      await store.forgetHold(key, hold.traceId);
      // Used by another call, or erased: this call needs a decision of its own.
      if (error instanceof AlreadyExecuted || error.status === 404) return null;
      throw error;
    }
  }

  /** The host has gone: no one waits for the verdict. What was decided at the last moment is left to the next call. */
  async #leave({ key, hold: { traceId } }: Waiting): Promise<HookVerdict> {
    const { service, store } = this.#options;
    if (await service.withdraw(traceId)) await store.forgetHold(key, traceId);
    return refuse('the host stopped waiting. Nothing has run.');
  }

  /** Claims an approval for exactly the action that was asked for, and with `approved` for the edited one. */
  async #claim(
    { traceId, binding }: KeptHold,
    asked: JsonObject,
    approved: JsonObject | undefined,
  ): Promise<string> {
    const sent = await shortenAction(asked);
    const rawActionDigest = await hashJson(sent);
    await assertBound({ traceId, binding }, rawActionDigest);
    const digests: JsonObject = { rawActionDigest };
    if (approved !== undefined) {
      digests.action = sent;
      digests.editedActionDigest = await hashJson(await shortenAction(approved));
    }
    return (await this.#options.service.claim(traceId, digests)).executionId;
  }

  async #passClaimed(
    call: HostCall,
    traceId: string,
    executionId: string,
    how: { isApproved: boolean; input: Json | undefined } = { isApproved: false, input: undefined },
  ): Promise<HookVerdict> {
    const claim = { traceId, executionId, claimedAt: Date.now() };
    await this.#options.store.keepClaim(this.#toCallKey(call), claim);
    await this.#noteDecision(call, traceId);
    return { kind: 'run', ...how };
  }

  /** What the call returns is a source of later values, by this decision. Without it they come from nowhere. */
  async #noteDecision(call: HostCall, traceId: string): Promise<void> {
    const { seen } = this.#options.store;
    await seen.addDecision(call.session, this.#toCallKey(call), traceId).catch(() => undefined);
  }

  async #buildBody(call: HostCall, sent: Action): Promise<JsonObject> {
    const { action, session, rationale, about = {} } = call;
    const { host, agent, store } = this.#options;
    const prompt =
      call.prompt ?? (await store.readPrompt(session)) ?? `Call of ${action.tool} in ${host}`;
    const outputDecision: JsonObject = { action: sent };
    if (rationale !== undefined) outputDecision.rationale = rationale.slice(0, 5_000);
    const isWhole = canonicalize(sent) === canonicalize(action);
    if (!isWhole && JSON.stringify(action.arguments).length <= WHOLE_BYTES_MAX)
      outputDecision.toolCalls = [{ name: action.tool, arguments: action.arguments }];
    const origins = await store.seen.describe(session, sent, call.prompt).catch(() => undefined);
    return {
      ...(origins && { origins }),
      agentId: agent,
      inputContext: { prompt: prompt.slice(0, PROMPT_MAX), conversationId: session },
      outputDecision,
      sessionId: session.slice(0, 200),
      metadata: { assay: { sdk: 'cli-hook', host, mode: 'enforced', ...about } },
    };
  }

  /** The same call is the same decision, however often its hook runs. An id may return for another call. */
  async #toKey({ session, callId, action }: HostCall, turn: number): Promise<string> {
    if (callId === undefined) return crypto.randomUUID();
    const { scope, store } = this.#options;
    const earlier = await store.countEnded(hashParts([scope, session, callId]));
    return hashParts([scope, session, callId, earlier, canonicalize(action), turn]);
  }

  #toActionKey(action: JsonObject): string {
    return hashParts([this.#options.scope, this.#options.host, canonicalize(action)]);
  }

  /** Names an act over the events that a host has about it, which say more or less about a shell. */
  #toActKey({ session, action }: HostCall): string {
    const { tool, arguments: args } = action;
    const act = tool === SHELL && isObject(args) ? [tool, args.command ?? null] : action;
    return hashParts([this.#options.scope, session, canonicalize(act)]);
  }

  #toCallKey({ session, callId, action }: HostCall): string {
    const { scope, host } = this.#options;
    return hashParts([scope, host, session, callId ?? canonicalize(action)]);
  }
}

const hashParts = (parts: Json): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

const refuse = (reason: string): HookVerdict => ({ kind: 'refuse', reason: `Assay: ${reason}` });

/** Whether an error is the end of a hold, so that the next call asks again. */
const isEnd = (error: unknown): error is AssayError =>
  [Rejected, Expired, Withdrawn, AlreadyExecuted, ActionChanged, Invalid].some(
    (kind) => error instanceof kind,
  );

const describeHold = ({ review, traceId }: KeptHold): string =>
  `a person has to decide about this call${review === null ? '' : ` at ${review}`} (${traceId}). ` +
  `${AGAIN} later, unchanged: once it is approved, it runs.`;

const describeEdits = (approved: JsonObject): string =>
  `a person approved it with changes. Nothing has run. Call it with exactly these arguments: ${JSON.stringify(approved.arguments)}`;

function describeFailure(error: unknown): string {
  if (!(error instanceof AssayError))
    return `the call was not asked for: ${(error as Error).message}`;
  if (error instanceof Halted)
    return `${error.message} [${error.code}]. ${AGAIN} once a person has resumed it.`;
  const policy = error instanceof Blocked && error.policy ? ` (policy ${error.policy})` : '';
  const what = `${error.message}${policy} [${error.code}]`;
  if (error instanceof Expired) return `${what}. ${AGAIN} to ask once more.`;
  return `${what}. Nothing has run.`;
}
