// Asks before a tool is called. A held call waits with heartbeats; then `assay_await` carries it out, once.
import {
  type Assay,
  AssayError,
  canonicalize,
  Halted,
  Held,
  type HeldAction,
  NotDecided,
} from '../../../sdk-typescript/src/index.ts';
import {
  isObject,
  type Json,
  type JsonObject,
  mergePatch,
} from '../../../sdk-typescript/src/json.ts';
import {
  AWAIT_TOOL,
  AWAIT_TOOL_LISTING,
  createElicitation,
  createElicitationEnd,
  createInputRequired,
  createProgress,
  createRefusal,
  getProgressToken,
  isCursor,
  mayOpenAddress,
  readCallCapabilities,
  readHeldState,
  type ToolCall,
} from './messages.ts';
import { restoreExact, toPlain } from './exact-json.ts';
import { Passed, Unsuccessful } from './passed.ts';
import { type RunningCall, RunningCalls } from './running-calls.ts';
import type { ServerName } from './server-name.ts';
import { NotReached } from './upstream.ts';
import type { ToolListWatch } from './tool-list-watch.ts';

export interface GateOptions {
  assay: Assay;
  /** The same client in mode `observe`, for tools that are trusted to read only. */
  observer: Assay;
  /** The upstream server, whose name is part of every action. */
  server: ServerName;
  /** Distinguishes this connection. */
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
  running: RunningCall;
  /** Sends the call on, as the client wrote it where it is the client's own. @throws NotReached */
  forward: (call: ToolCall) => Promise<Passed>;
  /** Has the server say its name, for a client that did not ask. @throws AssayError where nothing is called before */
  discover: () => Promise<void>;
  /** Sends a notification to the client. */
  notify: (message: JsonObject) => void;
  /** Answers the client in place of the server. */
  reply: (message: JsonObject) => void;
}

const HELD_MAX = 1_000;
const HEARTBEAT_MS = 10_000;

interface KeptCall {
  held: HeldAction;
  /** The arguments, with their numbers as they came. */
  args: JsonObject;
}

export class ToolGate {
  readonly #options: GateOptions;
  readonly #held = new Map<string, KeptCall>();
  readonly #readers = new Set<string>();
  readonly calls = new RunningCalls();
  /** Whether the client said, when the connection began, that it can show a person an address. */
  mayOpenAddress = false;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  get server(): ServerName {
    return this.#options.server;
  }

  /** Whether a call waits for a person. */
  get isHolding(): boolean {
    return this.#held.size > 0;
  }

  /** Answers a call: with what the server answers, or with the reason that it did not run. It never rejects. */
  async answer(call: ToolCall, path: CallPath): Promise<void> {
    const answer = await this.#answerAsIs(call, path);
    if (!(answer instanceof Passed)) return path.reply(markComplete(call, answer));
    if (answer.relay) return answer.relay();
    return path.reply(markComplete(call, createRefusal(call.id, describeLoss(answer), undefined)));
  }

  async #answerAsIs(call: ToolCall, path: CallPath): Promise<JsonObject | Passed> {
    try {
      return await this.#carryOut(call, path);
    } catch (error) {
      if (error instanceof Unsuccessful) return error.passed;
      const { message } = error as Error;
      if (error instanceof NotReached)
        return createRefusal(
          call.id,
          `The call did not run: no server answers (${message})`,
          undefined,
        );
      if (path.running.isPassedOn)
        return new Passed({ outcome: 'unknown', problem: `no answer came (${message})` });
      if (error instanceof AssayError)
        return createRefusal(call.id, describeRefusal(error), error.traceId);
      return createRefusal(call.id, `The call did not run: ${message}`, undefined);
    }
  }

  /**
   * Compares a list with what was seen, and notes what only reads. Returns the list with `assay_await` while something
   * is held; null: it stays as it is.
   */
  async listTools(result: JsonObject, cursor: Json | undefined): Promise<JsonObject | null> {
    const tools = Array.isArray(result.tools) ? result.tools.filter(isObject) : [];
    const { nextCursor } = result;
    await this.#options.watch.compare(tools, { cursor, nextCursor });
    for (const { name, annotations } of tools) {
      const reads = isObject(annotations) && annotations.readOnlyHint === true;
      if (reads) this.#readers.add(String(name));
      else this.#readers.delete(String(name));
    }
    return this.isHolding && !isCursor(nextCursor)
      ? { ...result, tools: [...tools, AWAIT_TOOL_LISTING] }
      : null;
  }

  /** Withdraws what is held: the calls are in this process alone, and it ends. */
  async withdrawAll(): Promise<void> {
    await this.calls.endAll('The connection ended');
    const ids = [...this.#held.keys()];
    this.#held.clear();
    await Promise.allSettled(ids.map((traceId) => this.#options.assay.decisions.withdraw(traceId)));
  }

  async #carryOut(call: ToolCall, path: CallPath): Promise<JsonObject | Passed> {
    const { name } = call.params;
    if (name === AWAIT_TOOL) return this.#awaitHeld(call, path);
    const state = readHeldState(call);
    if (state !== undefined) return this.#repeatHeld(state, call, path);
    if (!this.server.isKnown) await path.discover();
    await this.#options.watch.assertKnown(name);
    const { assay, observer, trustsReadOnly, session } = this.#options;
    const reads = this.#readers.has(name);
    const client = reads && trustsReadOnly ? observer : assay;
    const args = readArguments(call);
    const given = toPlain(args);
    const run = (approved: Json): Promise<Passed> =>
      this.#forward(
        approved === given ? call : replaceArguments(call, restoreExact(approved, args)),
        path,
      );
    const guarded = client.guard(name, run, {
      members: { server: this.server.value },
      toArguments: (passed) => passed,
      readOnly: reads,
      onHold: 'suspend',
      // Each request is a call of its own, whatever its client calls it.
      context: { runId: session, sessionId: session, signal: path.running.signal },
    });
    try {
      return await guarded(given);
    } catch (error) {
      if (!(error instanceof Held)) throw error;
      return this.#keep({ held: error.held, args }, call, path);
    }
  }

  async #keep(kept: KeptCall, call: ToolCall, path: CallPath): Promise<JsonObject | Passed> {
    const { held } = kept;
    if (this.#held.size >= HELD_MAX) {
      await this.#options.assay.decisions.withdraw(held.traceId);
      return createRefusal(call.id, `${HELD_MAX} calls wait for a person already`, held.traceId);
    }
    this.#held.set(held.traceId, kept);
    if (held.review === null || !mayOpenAddress(readCallCapabilities(call)))
      return this.#waitAndRun(kept, call, path);
    return createInputRequired(call.id, toQuestion(held, held.review));
  }

  /** Carries on a call that its client repeats after it showed where to decide. What it says counts for nothing. */
  async #repeatHeld(traceId: string, call: ToolCall, path: CallPath): Promise<JsonObject | Passed> {
    const { requestState: _, inputResponses: __, ...params } = call.params;
    const kept = this.#held.get(traceId);
    const isSame =
      kept?.held.action.tool === params.name &&
      canonicalize(kept.held.action.arguments) === canonicalize(toPlain(readArguments(call)));
    if (kept && isSame) return this.#waitAndRun(kept, { ...call, params }, path);
    const text = 'Nothing like this is held here: make the call again, without a state';
    return createRefusal(call.id, text, undefined);
  }

  /** Waits with heartbeats, then runs the held call under the id of the request that waits. */
  async #waitAndRun(kept: KeptCall, call: ToolCall, path: CallPath): Promise<JsonObject | Passed> {
    const { assay, wait } = this.#options;
    const { held } = kept;
    const { signal } = path.running;
    const stop = this.#beat(held, call, path);
    const close = this.#askByAddress(held, call, path);
    try {
      const { status, edits } = await assay.decisions.wait(held.traceId, wait, signal);
      if (status === 'pending') return createRefusal(call.id, describeHold(held), held.traceId);
      this.#held.delete(held.traceId);
      // Before the claim: an edit without a way back to the numbers of the call runs nothing.
      if (edits) restoreExact(readEdited(held, edits), kept.args);
      return await this.#resume(kept, call, path);
    } catch (error) {
      // Its approval stands, and is claimed once it goes on.
      if (error instanceof Halted) this.#held.set(held.traceId, kept);
      const mayWaitOn = error instanceof AssayError && this.#held.has(held.traceId);
      if (!signal.aborted && mayWaitOn)
        return createRefusal(call.id, describeHold(held, error), held.traceId);
      if (!signal.aborted || path.running.isPassedOn) throw error;
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

  async #resume({ held, args }: KeptCall, call: ToolCall, path: CallPath): Promise<Passed> {
    const named = { ...call, params: { ...call.params, name: held.action.tool } };
    const { assay, session: sessionId } = this.#options;
    return assay.run({ sessionId }, () =>
      assay.resume(held, (...passed: never[]) => {
        const [approved = {}] = passed as Json[];
        return this.#forward(replaceArguments(named, restoreExact(approved, args)), path);
      }),
    );
  }

  async #awaitHeld(call: ToolCall, path: CallPath): Promise<JsonObject | Passed> {
    const args = isObject(call.params.arguments) ? call.params.arguments : {};
    const id = String(args.decision ?? '');
    const kept = this.#held.get(id);
    if (!kept)
      return createRefusal(
        call.id,
        'Nothing of that id is held here: make the call again',
        undefined,
      );
    return this.#waitAndRun(kept, call, path);
  }

  async #forward(call: ToolCall, path: CallPath): Promise<Passed> {
    path.running.signal.throwIfAborted();
    path.running.isPassedOn = true;
    const passed = await path.forward(call).catch((error: Error) => {
      if (error instanceof NotReached) throw error;
      return new Passed({ outcome: 'unknown', problem: `no answer came (${error.message})` });
    });
    if (passed.outcome === 'succeeded') return passed;
    throw new Unsuccessful(passed);
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

const readEdited = ({ action }: HeldAction, edits: JsonObject): Json =>
  (mergePatch(action, edits) as JsonObject).arguments ?? {};

const readArguments = ({ params }: ToolCall): JsonObject =>
  isObject(params.arguments) ? params.arguments : {};

const replaceArguments = (call: ToolCall, args: Json): ToolCall => ({
  ...call,
  params: { ...call.params, arguments: args },
});

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

/** `failure`: what the wait ended with. */
function describeHold({ traceId, review }: HeldAction, failure?: AssayError): string {
  const next = `Call ${AWAIT_TOOL} with {"decision":"${traceId}"}`;
  if (failure instanceof Halted)
    return `${failure.message} [${failure.code}]. It has not run. ${next} once a person has resumed it.`;
  const where = review === null ? '' : ` at ${review}`;
  const why = failure === undefined ? '' : `${failure.message} [${failure.code}]. `;
  return `${why}A person has to decide about this call${where}. It has not run. ${next} to wait on.`;
}

const describeLoss = ({ outcome, problem }: Passed): string =>
  outcome === 'failed'
    ? `The server refused the call: ${problem}`
    : `The call was passed on, and ${problem}. It may have run: look before you make it again.`;

function describeRefusal(error: AssayError): string {
  if (error instanceof NotDecided) return `${error.message}. The call has not run.`;
  return `The call did not run: ${error.message} [${error.code}]`;
}
