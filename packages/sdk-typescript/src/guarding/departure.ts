// What waits for a person when its caller leaves: on abort, on SIGINT and SIGTERM, and when the client is closed.
import { NotDecided } from '../errors.ts';
import { followSignal, sleep } from '../timers.ts';

type Signal = 'SIGINT' | 'SIGTERM';
type Listen = (signal: Signal) => void;
interface Process {
  pid: number;
  on(signal: Signal, listener: Listen): void;
  off(signal: Signal, listener: Listen): void;
  listenerCount(signal: Signal): number;
  kill(pid: number, signal: Signal): void;
}
interface Waiting {
  /** Withdraws it. Its caller hears of that once `until` has resolved. */
  leave: (until?: Promise<void>) => Promise<void>;
}

const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM'];
/** Time for withdrawals before a signal ends the process. */
const SIGNAL_MS = 3_000;

/** What waits in this process. */
const everything = new Set<Waiting>();
const host = (globalThis as { process?: Process }).process;

async function leaveBySignal(signal: Signal): Promise<void> {
  let release = (): void => undefined;
  // An error of a caller would end the process before its requests are withdrawn, and as a failure.
  const until = new Promise<void>((resolve) => (release = resolve));
  await Promise.race([leaveAll(everything, until), sleep(SIGNAL_MS, { isIdle: true })]);
  for (const each of SIGNALS) host?.off(each, listen);
  // A listener of the application's own decides whether the process ends.
  if (host?.listenerCount(signal) === 0) host.kill(host.pid, signal);
  release();
}

const listen: Listen = (signal) => void leaveBySignal(signal);

const leaveAll = async (waiting: ReadonlySet<Waiting>, until?: Promise<void>): Promise<void> =>
  void (await Promise.all([...waiting].map(({ leave }) => leave(until))));

export class Departure {
  readonly #waiting = new Set<Waiting>();

  /** Waits, and calls `leave` when the wait is cut off. */
  async await<T>(
    wait: (signal: AbortSignal) => Promise<T>,
    leave: () => Promise<unknown>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const ending = new AbortController();
    let held: Promise<void> | undefined;
    let isLeft = false;
    const entry: Waiting = {
      async leave(until) {
        [held, isLeft] = [until, true];
        const code = 'APPROVAL_PENDING';
        ending.abort(new NotDecided('The caller left before a person decided', { code }));
        await leave().catch(() => undefined);
      },
    };
    const unfollow = followSignal(ending, signal);
    this.#enter(entry);
    try {
      return await wait(ending.signal);
    } catch (error) {
      if (signal?.aborted && !isLeft) await leave().catch(() => undefined);
      await held;
      throw error;
    } finally {
      unfollow();
      this.#exit(entry);
    }
  }

  /** Withdraws what waits. */
  leaveAll(): Promise<void> {
    return leaveAll(this.#waiting);
  }

  #enter(entry: Waiting): void {
    if (everything.size === 0) for (const signal of SIGNALS) host?.on?.(signal, listen);
    everything.add(entry);
    this.#waiting.add(entry);
  }

  #exit(entry: Waiting): void {
    everything.delete(entry);
    this.#waiting.delete(entry);
    if (everything.size === 0) for (const signal of SIGNALS) host?.off?.(signal, listen);
  }
}

/** Rejects as soon as the signal aborts; what was asked goes on. */
export function rejectOnAbort<T>(asked: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return asked;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    void asked.then(resolve, reject).then(() => signal.removeEventListener('abort', abort));
  });
}
