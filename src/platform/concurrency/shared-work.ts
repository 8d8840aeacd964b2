// Work with several waiting callers: it continues while one of them waits, and is aborted when the last one leaves.

export class SharedWork<T> {
  readonly #controller = new AbortController();
  readonly #result: Promise<T>;
  #callers = 0;

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#result = work(this.#controller.signal);
  }

  /** Aborted work MUST NOT be joined any more. */
  get isAborted(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Rejects with the reason of `signal`: at once while others wait; for the last caller, when the work has ended. */
  async join(signal: AbortSignal | undefined): Promise<T> {
    this.#callers += 1;
    let leave: (() => void) | undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        this.#callers -= 1;
        if (this.#callers === 0) this.#controller.abort(signal?.reason);
        else reject(signal?.reason as Error);
      };
    });
    if (signal?.aborted) leave?.();
    else if (leave) signal?.addEventListener('abort', leave);
    try {
      return await Promise.race([this.#result, left]);
    } finally {
      if (leave) signal?.removeEventListener('abort', leave);
    }
  }
}
