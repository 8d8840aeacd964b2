// Timers as an argument, so that tests can pass virtual time; sleeping, time-outs and retries on top of them.

/** Runs a function after `ms` milliseconds; the returned function cancels it. */
export interface Timer {
  schedule(ms: number, run: () => void): () => void;
}

export const systemTimer: Timer = {
  schedule(ms, run) {
    const handle = setTimeout(run, ms);
    return () => {
      clearTimeout(handle);
    };
  },
};

/** Resolves after `ms` milliseconds. */
export function sleep(timer: Timer, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timer.schedule(ms, resolve);
  });
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

/** Computes the milliseconds before an attempt: none before the first, then 1, 2, 4 ... 250. */
export function computeBackoff(attempt: number): number {
  return attempt === 0 ? 0 : Math.min(250, 2 ** (attempt - 1));
}

/** Retries a read until it succeeds: the caller MUST NOT build on an unknown state. It never rejects. */
export async function retryRead<T>(timer: Timer, read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch {
      await sleep(timer, computeBackoff(attempt));
    }
  }
}
