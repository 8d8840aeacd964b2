// The worker thread that checks answers of time-stamping authorities: one at a time, without keys and database.
import {
  readTimeStampAnswer,
  type TimeStamp,
  type TimeStampQuestion,
  TimeStampRefused,
  type TimeStampTrust,
} from '../../../domain/log/time-stamps/time-stamp.ts';
import { answerRequests } from '../../../platform/threads/answer-requests.ts';

export interface StampRequest {
  bytes: Uint8Array;
  question: TimeStampQuestion;
  trust: TimeStampTrust;
}

async function answerRequest({ bytes, question, trust }: StampRequest): Promise<TimeStamp> {
  try {
    return await readTimeStampAnswer(bytes, question, trust);
  } catch (error) {
    if (error instanceof TimeStampRefused) throw error;
    throw new TimeStampRefused('the answer cannot be read');
  }
}

answerRequests(answerRequest);
