// A test thread that answers with its id, waits for an abort, refuses, or measures its young generation.
import { threadId } from 'node:worker_threads';
import { getHeapSpaceStatistics } from 'node:v8';
import { AppError } from '../../../src/errors.ts';
import { answerRequests } from '../../../src/platform/threads/answer-requests.ts';

export type Asked = 'who' | 'wait' | 'refuse' | 'fail' | 'grow';

/** Many times the size of a young generation. */
const ROUNDS = 200;

/** Size of the young generation in megabytes during many allocations, some of which survive. */
function largestYoungGeneration(): number {
  let largest = 0;
  let kept: object[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    kept = Array.from({ length: 20_000 }, (_, at) => ({ at, more: [at, round] }));
    const space = getHeapSpaceStatistics().find((one) => one.space_name === 'new_space');
    largest = Math.max(largest, kept.length > 0 ? (space?.space_size ?? 0) : 0);
  }
  return largest / 1024 / 1024;
}

answerRequests<Asked>((request, signal) => {
  if (request === 'who') return threadId;
  if (request === 'grow') return largestYoungGeneration();
  if (request === 'refuse')
    throw new AppError('VALIDATION_ERROR', 'no', {
      data: { at: 1 },
      headers: { 'Retry-After': '5' },
    });
  if (request === 'fail')
    throw Object.assign(new Error('lost'), { name: 'MongoError', errorLabels: ['Retryable'] });
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
});
