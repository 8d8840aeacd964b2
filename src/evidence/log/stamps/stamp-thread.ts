// The worker thread that checks answers of time-stamping authorities: one at a time, without keys and database.
import '../../../platform/background-thread.ts';
import { parentPort } from 'node:worker_threads';
import {
  readTimeStampAnswer,
  TimeStampRefused,
} from '../../../domain/log/time-stamps/time-stamp.ts';
import type { StampAnswer, StampRequest } from './stamp-worker.ts';

async function answerRequest({ bytes, question, trust }: StampRequest): Promise<StampAnswer> {
  try {
    return { stamp: await readTimeStampAnswer(bytes, question, trust) };
  } catch (error) {
    if (error instanceof TimeStampRefused) return { refusal: error.message };
    return { refusal: 'the answer cannot be read' };
  }
}

parentPort?.on('message', (request: StampRequest) => {
  void answerRequest(request).then((answer) => parentPort?.postMessage(answer));
});
parentPort?.postMessage('ready');
