// The thread's side of a worker thread: it answers requests. The caller's side is `running-thread.ts`.
import { parentPort, workerData } from 'node:worker_threads';
import { packError, type ThreadFailure } from './failures.ts';
import { lowerThreadPriority } from './thread-priority.ts';

/** What a thread is started with. */
export interface ThreadStart {
  priority: 'usual' | 'low';
  data?: unknown;
  /** URL of the source of a thread that is not compiled. */
  sourceUrl?: string | undefined;
}

/** A request, or the id of one whose answer is not needed any more. */
export type ThreadMessage<Q> = { id: number; request: Q } | { abortedId: number };

/** `ready`, once: the thread has loaded. */
export type ThreadAnswer =
  | 'ready'
  | { id: number; value: unknown }
  | { id: number; failure: ThreadFailure };

/** The data that the pool of this thread was opened with. */
export const readThreadData = <T>(): T => (workerData as ThreadStart).data as T;

/**
 * Answers the requests of the parent thread with what `answer` returns or throws; `signal` is aborted with its request.
 * Each thread calls it once, when it has loaded all else.
 */
export function answerRequests<Q>(answer: (request: Q, signal: AbortSignal) => unknown): void {
  const underWay = new Map<number, AbortController>();

  async function answerRequest(id: number, request: Q): Promise<void> {
    const controller = new AbortController();
    underWay.set(id, controller);
    try {
      postAnswer({ id, value: await answer(request, controller.signal) });
    } catch (error) {
      postAnswer({ id, failure: packError(error) });
    } finally {
      underWay.delete(id);
    }
  }

  parentPort?.on('message', (message: ThreadMessage<Q>) => {
    if ('id' in message) void answerRequest(message.id, message.request);
    else underWay.get(message.abortedId)?.abort(new Error('the request was aborted'));
  });
  postAnswer('ready');
  // Not before: requests wait for the start, which would take seconds at a low priority on a busy machine.
  if ((workerData as ThreadStart).priority === 'low') lowerThreadPriority();
}

/** Bytes are transferred, not copied: an answer of bytes MUST have a buffer of its own. */
function postAnswer(answer: ThreadAnswer): void {
  const value = answer !== 'ready' && 'value' in answer ? answer.value : null;
  const transfer = value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(answer, transfer);
}
