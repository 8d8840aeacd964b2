// Pauses, and time limits of requests.

/** The longest time that a timer takes. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Aborts a controller as a signal does, until the returned function is called. */
export function followSignal(
  controller: AbortController,
  signal: AbortSignal | undefined,
): () => void {
  const follow = (): void => controller.abort(signal!.reason);
  if (signal?.aborted) follow();
  signal?.addEventListener('abort', follow);
  return () => signal?.removeEventListener('abort', follow);
}

/**
 * Does work with a signal that aborts after so many milliseconds, or with the caller's. The timer holds the signal: on Node.js 20
 * an `AbortSignal.timeout` within `AbortSignal.any` is collected as garbage and never aborts.
 */
export async function limitTime<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const end = (): void => limit.abort(new DOMException('No answer in time', 'TimeoutError'));
  const timer = setTimeout(end, Math.max(1, Math.min(ms, TIMER_MAX_MS)));
  const unfollow = followSignal(limit, signal);
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    unfollow();
  }
}

/** Waits; rejects when the signal aborts. A pause that is `isIdle` keeps no process alive. */
export function sleep(
  ms: number,
  { signal, isIdle = false }: { signal?: AbortSignal | undefined; isIdle?: boolean } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const timer: { unref?: () => void } | number = setTimeout(end, Math.min(ms, TIMER_MAX_MS));
    if (isIdle && typeof timer === 'object') timer.unref?.();
    function end(): void {
      signal?.removeEventListener('abort', abort);
      resolve();
    }
    function abort(): void {
      clearTimeout(timer as never);
      reject(signal!.reason as Error);
    }
    signal?.addEventListener('abort', abort, { once: true });
  });
}
