// Follows halts: what waits or runs gets an aborted signal as soon as it is halted.
import type { RunContext } from './context.ts';
import { type Halt, Halted } from './errors.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import type { FollowedCall, HaltKeeper, Settings } from './options.ts';
import { followSignal, sleep } from './timers.ts';

/** A call that ends sooner opens no stream. */
const OPEN_AFTER_MS = 250;
/** The stream stays open for the next call. */
const CLOSE_AFTER_MS = 2_000;
/** The service sends something every 15 seconds. */
const SILENCE_MS = 45_000;
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 30_000;
/** Characters of one event, whatever answers in the service's place. */
const EVENT_MAX = 65_536;

interface Followed extends FollowedCall {
  controller: AbortController;
}

interface HaltEvent extends Halt {
  haltId: string;
  workspaceId: Json;
  agentId: Json;
  sessionId: Json;
}

/** For the option `halts` of a client, and of no other client. The service's seal binds in any case. */
export const followHalts = (): HaltKeeper => new HaltFollower();

class HaltFollower implements HaltKeeper {
  readonly #calls = new Set<Followed>();
  /** What is halted now, as far as it was heard of. */
  readonly #halted = new Map<string, HaltEvent>();
  #link: AbortController | undefined;
  #last: number | undefined;

  follow(call: FollowedCall): { context: RunContext; end: () => void } {
    const followed: Followed = { ...call, controller: new AbortController() };
    const unfollow = followSignal(followed.controller, call.context.signal);
    this.#calls.add(followed);
    for (const event of this.#halted.values()) void this.#check(followed, event);
    this.#open();
    const end = (): void => {
      unfollow();
      this.#calls.delete(followed);
      if (this.#calls.size === 0) this.#closeLater();
    };
    return { context: { ...call.context, signal: followed.controller.signal }, end };
  }

  #open(): void {
    if (this.#link) return;
    const link = new AbortController();
    this.#link = link;
    void this.#read(link.signal).catch(() => undefined);
  }

  #closeLater(): void {
    const link = this.#link;
    const close = (): void => {
      if (this.#calls.size > 0 || this.#link !== link) return;
      this.#link = undefined;
      this.#last = undefined;
      this.#halted.clear();
      link?.abort();
    };
    void sleep(CLOSE_AFTER_MS, { isIdle: true }).then(close);
  }

  /** Reads one stream after the other until nothing is followed. */
  async #read(signal: AbortSignal): Promise<void> {
    await sleep(OPEN_AFTER_MS, { signal, isIdle: true });
    for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, PAUSE_MAX_MS)) {
      try {
        await this.#readOnce(signal, () => (pause = PAUSE_MS));
      } catch (error) {
        const [call] = this.#calls;
        if (!signal.aborted) call?.settings.onError(error);
      }
      await sleep(pause, { signal, isIdle: true });
    }
  }

  async #readOnce(ended: AbortSignal, onEvent: () => void): Promise<void> {
    const [call] = this.#calls;
    if (!call) return;
    // What was halted since the decision is sent first.
    this.#last ??= readSequence(await readDecision(call));
    const link = new AbortController();
    const unfollow = followSignal(link, ended);
    const silence = new Silence(() => link.abort(new Error('The stream of halts is silent')));
    try {
      const answer = await openStream(call.settings, this.#last, link.signal);
      for await (const text of readBlocks(answer, () => silence.restart())) {
        const event = parseEvent(text);
        if (!event) continue;
        onEvent();
        this.#last = event.sequence;
        this.#note(event);
      }
    } finally {
      silence.end();
      unfollow();
      link.abort();
    }
  }

  #note(event: HaltEvent): void {
    if (event.state !== 'halted') return void this.#halted.delete(event.haltId);
    this.#halted.set(event.haltId, event);
    for (const call of this.#calls) void this.#check(call, event);
  }

  /** Aborts a call that an event concerns, or may concern where the service does not say. */
  async #check(call: Followed, event: HaltEvent): Promise<void> {
    const decision = await readDecision(call).catch(() => null);
    if (this.#halted.get(event.haltId) !== event || !this.#calls.has(call)) return;
    if (decision && !concerns(event, decision)) return;
    const { traceId, controller } = call;
    const { scope, state, since, sequence, reason } = event;
    const why = reason === null ? '' : `: ${reason}`;
    const message = `It was stopped while it waited or ran${why}`;
    const halt = { scope, state, since, sequence, reason };
    controller.abort(new Halted(message, { traceId, halt }));
  }
}

/** Calls `act` when nothing has happened for a while. */
class Silence {
  readonly #act: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(act: () => void) {
    this.#act = act;
    this.restart();
  }

  restart(): void {
    this.end();
    this.#timer = setTimeout(this.#act, SILENCE_MS);
    (this.#timer as { unref?: () => void }).unref?.();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

const readDecision = async ({ service, traceId }: FollowedCall): Promise<JsonObject> =>
  (await service.read(traceId)).data;

async function openStream(
  { url, agent = '', timeout, fetch, identity, key }: Settings,
  after: number,
  signal: AbortSignal,
): Promise<Response> {
  const found = identity ? await identity({ url, agent, timeout, fetch }) : key;
  const headers = { 'x-api-key': found ?? '' };
  const path = `/api/v1/traces/stream?events=halt&lastEventId=${after}`;
  return fetch(url + path, { headers, redirect: 'manual', signal });
}

function readSequence({ hashChain }: JsonObject): number {
  const sequence = isObject(hashChain) ? Number(hashChain.sequence) : 0;
  return Number.isSafeInteger(sequence) ? sequence : 0;
}

/** Whether a decision was sealed before a halt, and stands within it. */
const concerns = (event: HaltEvent, decision: JsonObject): boolean =>
  readSequence(decision) < event.sequence &&
  (['workspaceId', 'agentId', 'sessionId'] as const).every(
    (name) => event[name] === null || event[name] === decision[name],
  );

async function* readBlocks(answer: Response, onBytes: () => void): AsyncGenerator<string> {
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (answer.status !== 200 || !isStream || !answer.body) {
    await answer.body?.cancel();
    throw new Error(`There is no stream of halts (status ${answer.status})`);
  }
  const decoder = new TextDecoder();
  const reader = answer.body.getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    if (text.length > EVENT_MAX) throw new Error('An event of the stream of halts is too large');
    yield* blocks;
  }
}

/** Null for what is no event of a halt. */
function parseEvent(block: string): HaltEvent | null {
  const lines = block.split('\n');
  const data = lines.find((line) => line.startsWith('data: '))?.slice(6);
  if (!lines.includes('event: halt') || data === undefined) return null;
  try {
    const { at, ...event } = JSON.parse(data) as HaltEvent & { at: string };
    return typeof event.haltId === 'string' && Number.isSafeInteger(event.sequence)
      ? { ...event, since: at }
      : null;
  } catch {
    return null;
  }
}
