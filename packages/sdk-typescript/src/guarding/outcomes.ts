// Sends what became of calls: again until the lease ends, and out of the way of the caller.
import { Invalid, Unavailable } from '../errors.ts';
import { sleep } from '../timers.ts';
import type { Outcome, Service } from '../service.ts';

/** A claimed call. */
export interface Claimed {
  traceId: string;
  executionId: string;
  leaseUntil: string | null;
}

/** How long a caller waits for its outcome to be stored. */
const WAIT_MS = 2_000;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 30_000;
/** The service's lease, where it does not say when it ends. */
const LEASE_MS = 600_000;
/** Pauses keep a process alive for this long; `flush` waits for the rest. */
const ALIVE_MS = 10_000;

export class OutcomeSender {
  readonly #service: Service;
  readonly #onError: (error: unknown) => void;
  readonly #open = new Set<Promise<void>>();

  constructor(service: Service, onError: (error: unknown) => void) {
    this.#service = service;
    this.#onError = onError;
  }

  /** Says what could not be reported. What that throws in turn loses no outcome. */
  tell(error: unknown): void {
    try {
      this.#onError(error);
    } catch {
      // It is the caller's own.
    }
  }

  /** Resolves when it is stored, or after two seconds: then it goes on. It never rejects. */
  async send(claimed: Claimed, outcome: Outcome): Promise<void> {
    const sending = this.#sendUntilStored(claimed, outcome).catch(this.#onError);
    this.#open.add(sending);
    void sending.then(() => this.#open.delete(sending));
    const waiting = new AbortController();
    const late = sleep(WAIT_MS, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([sending, late]);
    waiting.abort();
  }

  /** Resolves when every outcome is stored, or its lease is over. */
  async flush(): Promise<void> {
    await Promise.all(this.#open);
  }

  async #sendUntilStored(
    { traceId, executionId, leaseUntil }: Claimed,
    outcome: Outcome,
  ): Promise<void> {
    let said = outcome;
    const began = Date.now();
    const end = (leaseUntil === null ? NaN : Date.parse(leaseUntil)) || began + LEASE_MS;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, PAUSE_MS_MAX)) {
      try {
        return await this.#service.report(traceId, executionId, said);
      } catch (error) {
        if (error instanceof Invalid && error.status === 400 && said.used) {
          // The outcome is not lost with what was used.
          const { used: _, ...others } = said;
          said = others;
          this.tell(error);
          continue;
        }
        const ms = Math.max(pause, error instanceof Unavailable ? error.retryAfter : 0);
        if (!(error instanceof Unavailable) || Date.now() + ms > end) throw error;
        await sleep(ms, { isIdle: Date.now() - began > ALIVE_MS });
      }
    }
  }
}
