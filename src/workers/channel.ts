// Requests and responses between the primary and a worker over the channel of a forked process; both sides are alike.
import type { Handle } from '../platform/handed-connections.ts';

/** Time-out for requests with a connection: Node drops one silently when the other process has no free descriptors. */
const ANSWER_MS = 5_000;

/** The requests of one side by kind, with the payload and the result of each. */
type Protocol<Kinds> = Record<keyof Kinds, { payload: unknown; result: unknown }>;

export type Answers<P extends Protocol<P>> = {
  [K in keyof P]: (
    payload: P[K]['payload'],
    handle?: Handle,
  ) => P[K]['result'] | Promise<P[K]['result']>;
};

/** One end of the channel, as a forked process or its parent has it. */
export interface ChannelEnd {
  send(
    message: object,
    handle: unknown,
    options: undefined,
    callback: (error: Error | null) => void,
  ): unknown;
  on(event: 'message', listener: (message: Message, handle?: unknown) => void): unknown;
}

interface Message {
  question?: { id: number; kind: string; payload: unknown };
  answer?: { id: number; result?: unknown; error?: string };
}

type Answer = (payload: unknown, handle?: Handle) => unknown;

interface PendingRequest {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** One side of the channel: sends requests of `Asks` and answers those of `Answered`. */
export class Channel<Asks extends Protocol<Asks>, Answered extends Protocol<Answered>> {
  readonly #end: ChannelEnd;
  readonly #answers: Answers<Answered>;
  readonly #asked = new Map<number, PendingRequest>();
  /** Messages to send once the other side listens; null: it listens. */
  #unheard: (() => void)[] | null;
  #lastId = 0;
  #isClosed = false;

  /** `speaksFirst`: this side starts to listen last. Node drops messages to a worker that does not listen yet. */
  constructor(
    end: ChannelEnd,
    answers: Answers<Answered>,
    { speaksFirst = false }: { speaksFirst?: boolean } = {},
  ) {
    this.#end = end;
    this.#answers = answers;
    this.#unheard = speaksFirst ? null : [];
    end.on('message', ({ question, answer }, handle) => {
      this.#sendUnheard();
      if (question) void this.#answer(question, handle as Handle | undefined);
      if (answer) this.#settle(answer);
    });
  }

  /**
   * Sends a request and resolves with its result. Rejects with what the other side threw, when it is gone, or, for a
   * request with a `handle`, after five seconds; the other side may have the connection then too.
   */
  sendRequest<K extends keyof Asks & string>(
    kind: K,
    payload: Asks[K]['payload'],
    handle?: Handle,
  ): Promise<Asks[K]['result']> {
    if (this.#isClosed) return Promise.reject(createGoneError());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve: resolve as PendingRequest['resolve'], reject });
      if (handle)
        setTimeout(() => this.#settle({ id, error: 'it does not answer' }), ANSWER_MS).unref();
      this.#send({ question: { id, kind, payload } }, handle);
    });
  }

  /** Closes the channel because the other side is gone; pending requests are rejected. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#asked.values()) reject(createGoneError());
    this.#asked.clear();
  }

  async #answer(
    { id, kind, payload }: NonNullable<Message['question']>,
    handle?: Handle,
  ): Promise<void> {
    try {
      const answer = this.#answers[kind as keyof Answered] as Answer | undefined;
      if (!answer) throw new Error(`no answer is defined for ${kind}`);
      this.#send({ answer: { id, result: await answer(payload, handle) } });
    } catch (error) {
      this.#send({ answer: { id, error: error instanceof Error ? error.message : String(error) } });
    }
  }

  #settle({ id, result, error }: NonNullable<Message['answer']>): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error));
  }

  #sendUnheard(): void {
    const unheard = this.#unheard ?? [];
    this.#unheard = null;
    for (const send of unheard) send();
  }

  #send(message: Message, handle?: Handle): void {
    if (this.#isClosed) return;
    if (this.#unheard) return void this.#unheard.push(() => this.#send(message, handle));
    this.#end.send(message, handle, undefined, (error) => {
      if (error) this.#failed(error, handle && message.question);
    });
  }

  /** Handles a failed send. Only a message without a connection closes the channel: a connection may just be closed. */
  #failed({ message }: Error, withConnection: Message['question']): void {
    if (withConnection) this.#settle({ id: withConnection.id, error: message });
    else this.close();
  }
}

const createGoneError = (): Error => new Error('the other process is gone');
