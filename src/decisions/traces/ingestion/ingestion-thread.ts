// The worker thread of large decisions: parses, checks, judges and drafts one at a time, without keys and database.
import { parseBody, parseListBody, type SentText } from '../../../http/checks/parse-body.ts';
import { checkInput } from '../../../platform/inputs/check-input.ts';
import { answerRequests } from '../../../platform/threads/answer-requests.ts';
import { batchBody } from '../batch/batch.schemas.ts';
import { type BodyRequest, createBodyJudge, type SentBody } from './body-judge.ts';
import { ingestBody } from '../traces.schemas.ts';

const INVALID = 'SVC_VALIDATION_FAILED';

const toSentText = ({ rawBody, contentType }: SentBody): SentText => ({
  rawBody: Buffer.from(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength),
  contentType,
});

const judgeBody = createBodyJudge({
  parse: (body) => parseBody(toSentText(body), INVALID),
  check: (parsed) => checkInput(ingestBody, parsed ?? {}, () => INVALID),
  parseBatch(body) {
    const parsed = parseListBody(toSentText(body), 'decisions', INVALID);
    return checkInput(batchBody, parsed ?? {}, () => INVALID).decisions;
  },
});

answerRequests<BodyRequest>(judgeBody);
