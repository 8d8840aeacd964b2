// Asks before a tool is called. A held call waits with heartbeats; then `assay_await` carries it out, once.
import {
  type Assay,
  AssayError,
  canonicalize,
  Held,
  type HeldAction,
  NotDecided,
} from '../../../sdk-typescript/src/index.ts';
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import {
  AWAIT_TOOL,
  AWAIT_TOOL_LISTING,
  createElicitation,
  createElicitationEnd,
  createInputRequired,
  createProgress,
  createRefusal,
  getProgressToken,
  mayOpenAddress,
  readCallCapabilities,
  readHeldState,
  type ToolCall,
} from './messages.ts';
import type { ToolListWatch } from './tool-list-watch.ts';

export interface GateOptions {
  assay: Assay;
  /** The same client in mode `observe`, for tools that are trusted to read only. */
  observer: Assay;
  /** Name of the upstream server, part of every action. */
  server: string;
  /** Distinguishes this connection, so that a repeated request id of another is another call. */
  session: string;
  /** Milliseconds that a held call waits before its client is sent to `assay_await`. */
  wait: number;
  trustsReadOnly: boolean;
  watch: ToolListWatch;
  /** Milliseconds between heartbeats; for tests. */
  heartbeat?: number;
}

/** How one call reaches the upstream server and its client. */
export interface CallPath {
  /** Sends the call on and resolves with the upstream's answer. */
  forward: (call: ToolCall) => Promise<JsonObject>;
  /** Sends a notification to the client. */
  notify: (message: JsonObject) => void;
  signal: AbortSignal;
  /** Names the call among all of the gate's; the id of its request does not where many clients share a gate. */
  callId: string;
}

const HELD_MAX = 1_000;
const HEARTBEAT_MS = 10_000;

/** The upstream's answer that its tool failed: an outcome, and no failure of ours. */
class ToolFailure extends Error {
  readonly answer: JsonObject;

  constructor(answer: JsonObject) {
    super('The tool failed');
    this.answer = answer;
  }
}

export class ToolGate {
  readonly #options: GateOptions;
  readonly #held = new Map<string, HeldAction>();
  readonly #readers = new Set<string>();
  /** Whether the client said, when the connection began, that it can show a person an address. */
  mayOpenAddress = false;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Whether a call waits for a person. */
  get isHolding(): boolean {
    return this.#held.size > 0;
  }

  /** Answers a call: with the upstream's result, or with the reason that it did not run. It never rejects. */
  async answer(call: ToolCall, path: CallPath): Promise<JsonObject> {
    return markComplete(call, await this.#answerAsIs(call, path));
  }

  async #answerAsIs(call: ToolCall, path: CallPath): Promise<JsonObject> {
    try {
      return await this.#carryOut(call, path);
    } catch (error) {
      if (error instanceof ToolFailure) return error.answer;
      if (error instanceof AssayError)
        return createRefusal(call.id, describeRefusal(error), error.traceId);
      return createRefusal(call.id, `The call did not run: ${(error as Error).message}`, undefined);
    }
  }

  /** Compares a list with what was seen, notes what only reads, and adds `assay_await` while something is held. */
  async listTools(result: JsonObject, isFirstPage: boolean): Promise<JsonObject> {
    const tools = Array.isArray(result.tools) ? result.tools.filter(isObject) : [];
    await this.#options.watch.compare(tools, isFirstPage && result.nextCursor === undefined);
    for (const { name, annotations } of tools) {
      const reads = isObject(annotations) && annotations.readOnlyHint === true;
      if (reads) this.#readers.add(String(name));
      else this.#readers.delete(String(name));
    }
    return this.isHolding ? { ...result, tools: [...tools, AWAIT_TOOL_LISTING] } : result;
  }

  /** Withdraws what is held: the calls are in this process alone, and it ends. */
  async withdrawAll(): Promise<void> {
    const ids = [...this.#held.keys()];
    this.#held.clear();
    await Promise.allSettled(ids.map((traceId) => this.#options.assay.decisions.withdraw(traceId)));
  }

  async #carryOut(call: ToolCall, path: CallPath): Promise<JsonObject> {
    const { name } = call.params;
    if (name === AWAIT_TOOL) return this.#awaitHeld(call, path);
    const state = readHeldState(call);
    if (state !== undefined) return this.#repeatHeld(state, call, path);
    await this.#options.watch.assertKnown(name);
    const { assay, observer, trustsReadOnly, server, session } = this.#options;
    const reads = this.#readers.has(name);
    const client = reads && trustsReadOnly ? observer : assay;
    const guarded = client.guard(name, (args: Json) => this.#forward(call, args, path), {
      members: { server },
      toArguments: (args) => args,
      readOnly: reads,
      onHold: 'suspend',
      context: { runId: session, callId: path.callId, signal: path.signal },
    });
    try {
      return (await guarded(call.params.arguments ?? {})) as JsonObject;
    } catch (error) {
      if (!(error instanceof Held)) throw error;
      if (this.#held.size >= HELD_MAX) {
        await assay.decisions.withdraw(error.held.traceId);
        return createRefusal(call.id, `${HELD_MAX} calls wait for a person already`, error.traceId);
      }
      this.#held.set(error.held.traceId, error.held);
      const { held } = error;
      const capabilities = readCallCapabilities(call);
      if (held.review === null || !mayOpenAddress(capabilities))
        return this.#waitAndRun(held, call, path);
      return createInputRequired(call.id, toQuestion(held, held.review));
    }
  }

  /** Carries on a call that its client repeats after it showed where to decide. What it says counts for nothing. */
  async #repeatHeld(traceId: string, call: ToolCall, path: CallPath): Promise<JsonObject> {
    const { requestState: _, inputResponses: __, ...params } = call.params;
    const held = this.#held.get(traceId);
    const isSame =
      held?.action.tool === params.name &&
      canonicalize(held.action.arguments) === canonicalize(params.arguments ?? {});
    if (held && isSame) return this.#waitAndRun(held, { ...call, params }, path);
    const text = 'Nothing like this is held here: make the call again, without a state';
    return createRefusal(call.id, text, undefined);
  }

  /** Waits with heartbeats, then runs the held call under the id of the request that waits. */
  async #waitAndRun(held: HeldAction, call: ToolCall, path: CallPath): Promise<JsonObject> {
    const { assay, wait } = this.#options;
    const stop = this.#beat(held, call, path);
    const close = this.#askByAddress(held, call, path);
    try {
      const { status } = await assay.decisions.wait(held.traceId, wait, path.signal);
      if (status === 'pending') return createRefusal(call.id, describeHold(held), held.traceId);
      return await this.#resume(held, call, path);
    } catch (error) {
      if (!path.signal.aborted) throw error;
      // The client cancelled the request: no one would get the result.
      this.#held.delete(held.traceId);
      await assay.decisions.withdraw(held.traceId);
      return createRefusal(call.id, 'The call was cancelled', held.traceId);
    } finally {
      stop();
      close();
    }
  }

  /** Has the client show a person where to decide, where it can; returns what tells it that this is over. */
  #askByAddress(held: HeldAction, call: ToolCall, { notify }: CallPath): () => void {
    const isAsked = readCallCapabilities(call) !== undefined;
    if (isAsked || !this.mayOpenAddress || held.review === null) return () => undefined;
    notify(createElicitation(toQuestion(held, held.review)));
    return () => notify(createElicitationEnd(held.traceId));
  }

  async #resume(held: HeldAction, call: ToolCall, path: CallPath): Promise<JsonObject> {
    this.#held.delete(held.traceId);
    const params = { ...call.params, name: held.action.tool };
    const answer = await this.#options.assay.resume(held, (...passed: never[]) => {
      const [args] = passed as Json[];
      return this.#forward({ ...call, params }, args ?? {}, path);
    });
    return answer;
  }

  async #awaitHeld(call: ToolCall, path: CallPath): Promise<JsonObject> {
    const args = isObject(call.params.arguments) ? call.params.arguments : {};
    const id = String(args.decision ?? '');
    const held = this.#held.get(id);
    if (!held)
      return createRefusal(
        call.id,
        'Nothing of that id is held here: make the call again',
        undefined,
      );
    return this.#waitAndRun(held, call, path);
  }

  async #forward(call: ToolCall, args: Json, path: CallPath): Promise<JsonObject> {
    const answer = await path.forward({ ...call, params: { ...call.params, arguments: args } });
    const { result } = answer;
    if (answer.error !== undefined || (isObject(result) && result.isError === true))
      throw new ToolFailure(answer);
    return answer;
  }

  /** Sends progress while a call is held, so that its client does not give up; returns what stops it. */
  #beat(held: HeldAction, call: ToolCall, { notify }: CallPath): () => void {
    const token = getProgressToken(call);
    if (token === undefined) return () => undefined;
    let progress = 0;
    const send = (): void => notify(createProgress(token, ++progress, describeHold(held)));
    send();
    const timer = setInterval(send, this.#options.heartbeat ?? HEARTBEAT_MS);
    return () => clearInterval(timer);
  }
}

/** In the protocol's newer form each result says whether it is complete. */
function markComplete(call: ToolCall, answer: JsonObject): JsonObject {
  const { result = null } = answer;
  if (readCallCapabilities(call) === undefined || !isObject(result)) return answer;
  return { ...answer, result: { resultType: 'complete', ...result } };
}

const toQuestion = ({ traceId, action }: HeldAction, url: string) => ({
  traceId,
  message: `A person has to decide about ${action.tool}.`,
  url,
});

function describeHold({ traceId, review }: HeldAction): string {
  const where = review === null ? '' : ` at ${review}`;
  return `A person has to decide about this call${where}. It has not run. Call ${AWAIT_TOOL} with {"decision":"${traceId}"} to wait on.`;
}

function describeRefusal(error: AssayError): string {
  if (error instanceof NotDecided) return `${error.message}. The call has not run.`;
  return `The call did not run: ${error.message} [${error.code}]`;
}
