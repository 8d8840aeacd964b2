// Timers as an argument, so that tests can pass virtual time; sleeping, periods and time limits on top of them.

export interface Timer {
  /** Runs a function after `ms` milliseconds; the returned function cancels it. */
  schedule(ms: number, run: () => void): () => void;
  /** Milliseconds that have passed: the difference of two calls counts. A clock that is set changes nothing. */
  elapsed(): number;
}

const elapsed = (): number => performance.now();

export const systemTimer: Timer = {
  schedule(ms, run) {
    const handle = setTimeout(run, ms);
    return () => {
      clearTimeout(handle);
    };
  },
  elapsed,
};

/** A timer that does not keep the process alive. */
export const backgroundTimer: Timer = {
  schedule(ms, run) {
    const handle = setTimeout(run, ms).unref();
    return () => {
      clearTimeout(handle);
    };
  },
  elapsed,
};

/** Resolves after `ms` milliseconds. */
export function sleep(timer: Timer, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timer.schedule(ms, resolve);
  });
}

/** Runs a function every `ms` milliseconds; the returned function ends it. */
export function repeatEvery(timer: Timer, ms: number, run: () => void): () => void {
  let cancel = timer.schedule(ms, repeat);
  function repeat(): void {
    cancel = timer.schedule(ms, repeat);
    run();
  }
  return () => cancel();
}

/** Resolves with the result of `work`, or after `ms` as the time-out returns or throws; `work` itself continues. */
export function awaitWithin<T>(
  timer: Timer,
  ms: number,
  { work, onTimeout }: { work: Promise<T>; onTimeout: () => T },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = timer.schedule(ms, () => {
      try {
        resolve(onTimeout());
      } catch (error) {
        reject(error as Error);
      }
    });
    work.then(
      (result) => {
        cancel();
        resolve(result);
      },
      (error: unknown) => {
        cancel();
        reject(error as Error);
      },
    );
  });
}

/**
 * Does work with a signal that aborts after `ms` with a `TimeoutError`, or with the caller's. The timer holds the signal: on
 * Node.js 20 an `AbortSignal.timeout` within `AbortSignal.any` is collected as garbage and never aborts.
 */
export async function limitTime<T>(
  ms: number,
  signal: AbortSignal | null | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const leave = (): void => limit.abort(signal!.reason);
  const end = (): void => limit.abort(new DOMException('No answer in time', 'TimeoutError'));
  const cancel = backgroundTimer.schedule(ms, end);
  signal?.addEventListener('abort', leave);
  if (signal?.aborted) leave();
  try {
    return await work(limit.signal);
  } finally {
    cancel();
    signal?.removeEventListener('abort', leave);
  }
}
