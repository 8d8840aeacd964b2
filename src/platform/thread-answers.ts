// A worker thread that answers many requests at a time: the thread's side. The caller's side is `answering-thread.ts`.
import { parentPort } from 'node:worker_threads';

export interface ThreadMessage<Q> {
  id: number;
  request: Q;
}

/** The caller does not need the answer any more. */
export interface ThreadAbort {
  abortedId: number;
}

export interface ThreadResponse {
  id: number;
  value?: unknown;
  error?: unknown;
  /** Members of the error that structured cloning loses. */
  marks?: { name: string; errorLabels: readonly string[] };
}

type Answer<Q> = (message: ThreadMessage<Q>, signal: AbortSignal) => Promise<unknown>;

/** Answers the requests of the parent thread, which may abort them. */
export function answerRequests<Q>(answer: Answer<Q>): void {
  const underWay = new Map<number, AbortController>();
  parentPort?.on('message', (message: ThreadMessage<Q> | ThreadAbort) => {
    if ('abortedId' in message)
      return underWay.get(message.abortedId)?.abort(new Error('the request was aborted'));
    const { id } = message;
    const controller = new AbortController();
    underWay.set(id, controller);
    void answer(message, controller.signal)
      .then(
        (value) => respond({ id, value }),
        (error: unknown) => respond({ id, error, marks: extractMarks(error) }),
      )
      .finally(() => underWay.delete(id));
  });
}

/** Callers decide by name and labels whether a retry may help. */
function extractMarks(error: unknown): { name: string; errorLabels: readonly string[] } {
  const { name = 'Error', errorLabels = [] } = error as { name?: string; errorLabels?: string[] };
  return { name, errorLabels: [...errorLabels] };
}

/** Bytes are transferred, not copied. */
function respond(response: ThreadResponse): void {
  const { value } = response;
  const transfer = value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(response, transfer);
}
