// A worker thread that answers many requests at a time: the thread's side. The other one is `answering-thread.ts`.
import { parentPort } from 'node:worker_threads';

export interface ThreadMessage<Q> {
  id: number;
  request: Q;
}

export interface ThreadResponse {
  id: number;
  value?: unknown;
  error?: unknown;
  /** What a copy of the error loses. */
  marks?: { name: string; errorLabels: readonly string[] };
}

/** Answers the requests of the thread that started this one. */
export function answerRequests<Q>(answer: (message: ThreadMessage<Q>) => Promise<unknown>): void {
  parentPort?.on('message', (message: ThreadMessage<Q>) => {
    const { id } = message;
    answer(message).then(
      (value) => respond({ id, value }),
      (error: unknown) => respond({ id, error, marks: marksOf(error) }),
    );
  });
}

/** By them callers tell whether trying again may help. */
function marksOf(error: unknown): { name: string; errorLabels: readonly string[] } {
  const { name = 'Error', errorLabels = [] } = error as { name?: string; errorLabels?: string[] };
  return { name, errorLabels: [...errorLabels] };
}

/** Bytes are transferred, not copied. */
function respond(response: ThreadResponse): void {
  const { value } = response;
  const transfer = value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(response, transfer);
}
