// The worker thread that reads SAML messages and metadata one at a time, so that none blocks the event loop.
import { createPrivateKey } from 'node:crypto';
import { SamlError, readRequest, type SamlContents, type SamlRequest } from '@assay/saml';
import { AppError } from '../../errors.ts';
import { answerRequests, readThreadData } from '../threads/answer-requests.ts';
import { UNREADABLE_DOCUMENT } from './unreadable-document.ts';

export interface SamlThreadData {
  /** PEM; null: encrypted assertions are refused. */
  decryptionKey: string | null;
}

const { decryptionKey } = readThreadData<SamlThreadData>();
const key = decryptionKey === null ? null : createPrivateKey(decryptionKey);

/** @throws AppError for what is refused */
function answerRequest(request: SamlRequest): SamlContents {
  try {
    return readRequest(request, key);
  } catch (error) {
    if (!(error instanceof SamlError)) throw error;
    const { code } = UNREADABLE_DOCUMENT[request.kind];
    throw new AppError(error.isDenial ? 'FORBIDDEN' : code, error.message);
  }
}

answerRequests(answerRequest);
