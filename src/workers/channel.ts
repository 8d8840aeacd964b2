// Requests and responses between the primary and a worker over the channel of a forked process; both sides are alike.

/** The requests of one side by kind, with the payload and the result of each. */
type Protocol<Kinds> = Record<keyof Kinds, { payload: unknown; result: unknown }>;

/** The functions that answer the requests of the other side, by kind. */
export type Answers<P extends Protocol<P>> = {
  [K in keyof P]: (payload: P[K]['payload']) => P[K]['result'] | Promise<P[K]['result']>;
};

/** One end of the channel, as a forked process or its parent has it. */
export interface ChannelEnd {
  send(message: object, callback: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: Message) => void): unknown;
}

interface Message {
  request?: { id: number; kind: string; payload: unknown };
  response?: { id: number; result?: unknown; error?: string };
}

type Answer = (payload: unknown) => unknown;

interface PendingRequest {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** One side of the channel: sends requests of `Sent` and answers those of `Received`. */
export class Channel<Sent extends Protocol<Sent>, Received extends Protocol<Received>> {
  readonly #end: ChannelEnd;
  readonly #answers: Answers<Received>;
  readonly #pending = new Map<number, PendingRequest>();
  /** Messages to send once the other side listens; null: it listens. */
  #unsent: Message[] | null;
  #lastId = 0;
  #isClosed = false;

  /** `speaksFirst`: this side starts to listen last. Node drops messages to a worker that does not listen yet. */
  constructor(
    end: ChannelEnd,
    answers: Answers<Received>,
    { speaksFirst = false }: { speaksFirst?: boolean } = {},
  ) {
    this.#end = end;
    this.#answers = answers;
    this.#unsent = speaksFirst ? null : [];
    end.on('message', ({ request, response }) => {
      this.#sendUnsent();
      if (request) void this.#answer(request);
      if (response) this.#settle(response);
    });
  }

  /** Sends a request and resolves with its result. Rejects with what the other side threw, or when it is gone. */
  sendRequest<K extends keyof Sent & string>(
    kind: K,
    payload: Sent[K]['payload'],
  ): Promise<Sent[K]['result']> {
    if (this.#isClosed) return Promise.reject(createGoneError());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as PendingRequest['resolve'], reject });
      this.#send({ request: { id, kind, payload } });
    });
  }

  /** Closes the channel because the other side is gone; pending requests are rejected. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#pending.values()) reject(createGoneError());
    this.#pending.clear();
  }

  async #answer({ id, kind, payload }: NonNullable<Message['request']>): Promise<void> {
    try {
      const answer = this.#answers[kind as keyof Received] as Answer | undefined;
      if (!answer) throw new Error(`no answer is defined for ${kind}`);
      this.#send({ response: { id, result: await answer(payload) } });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#send({ response: { id, error: reason } });
    }
  }

  #settle({ id, result, error }: NonNullable<Message['response']>): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(new Error(error));
  }

  #sendUnsent(): void {
    const unsent = this.#unsent ?? [];
    this.#unsent = null;
    for (const message of unsent) this.#send(message);
  }

  #send(message: Message): void {
    if (this.#isClosed) return;
    if (this.#unsent) return void this.#unsent.push(message);
    this.#end.send(message, (error) => {
      if (error) this.close();
    });
  }
}

const createGoneError = (): Error => new Error('the other process is gone');
