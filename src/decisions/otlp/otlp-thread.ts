// The worker thread of large exports: reads one at a time, without keys and database.
import { parentPort } from 'node:worker_threads';
import { AppError } from '../../errors.ts';
import { lowerThreadPriority } from '../../platform/thread-priority.ts';
import { type ExportBody, readExport } from './export-reader.ts';
import type { ExportAnswer } from './otlp-worker.ts';

function answerRequest(body: ExportBody): ExportAnswer {
  try {
    return { kind: 'read', read: readExport(body) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message } = error;
    return { kind: 'refused', code, message };
  }
}

parentPort?.on('message', (body: ExportBody) => parentPort?.postMessage(answerRequest(body)));
// Not before: a request with a deadline waits for the start, which would take seconds on a busy machine.
lowerThreadPriority();
parentPort?.postMessage('ready');
