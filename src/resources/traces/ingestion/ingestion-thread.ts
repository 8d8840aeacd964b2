// The worker thread of large decisions: parses, checks, judges and drafts one at a time, without keys and database.
import { parentPort } from 'node:worker_threads';
import { checkInput, parseBody } from '../../../http/checks/parse-body.ts';
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

parentPort?.on('message', (request: BodyRequest) => parentPort?.postMessage(judgeBody(request)));
parentPort?.postMessage('ready');
