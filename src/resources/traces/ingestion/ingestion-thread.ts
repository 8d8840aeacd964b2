// The worker thread of large decisions: parses, checks, judges and drafts one at a time, without keys and database.
import { parentPort } from 'node:worker_threads';
import { checkInput, parseBody } from '../../../http/checks/parse-body.ts';
import { lowerThreadPriority } from '../../../platform/thread-priority.ts';
import { type BodyRequest, createBodyJudge } from './body-judge.ts';
import { ingestBody } from '../traces.schemas.ts';

const INVALID = 'SVC_VALIDATION_FAILED';

const judgeBody = createBodyJudge({
  parse: ({ rawBody, contentType }) =>
    parseBody(
      Buffer.from(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength),
      contentType,
      INVALID,
    ),
  check: (parsed) => checkInput(ingestBody, parsed ?? {}, () => INVALID),
});

// Small decisions go first: many large ones of one organisation would take half of the processor from them.
lowerThreadPriority();
parentPort?.on('message', (request: BodyRequest) => parentPort?.postMessage(judgeBody(request)));
parentPort?.postMessage('ready');
