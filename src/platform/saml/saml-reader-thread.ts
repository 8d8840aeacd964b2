// The thread that reads SAML messages, so that no message holds up the event loop; one at a time.
import { createPrivateKey } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import type { LogoutMessage } from '../../domain/saml/logout.ts';
import { SamlError } from '../../domain/saml/saml-error.ts';
import type { Assertion } from '../../domain/saml/response.ts';
import {
  type LogoutRequest,
  readLogoutMessage,
  readResponse,
  type ResponseRequest,
} from './saml-reader.ts';

export type SamlRequest = ResponseRequest | LogoutRequest;
export type SamlResult =
  | { value: Assertion | LogoutMessage }
  | { refusal: string; isDenial: boolean }
  | { fault: unknown };

const { decryptionKey } = workerData as { decryptionKey: string | null };
const key = decryptionKey === null ? null : createPrivateKey(decryptionKey);

function answer(question: SamlRequest): SamlResult {
  try {
    return {
      value:
        question.kind === 'response' ? readResponse(question, key) : readLogoutMessage(question),
    };
  } catch (error) {
    return error instanceof SamlError
      ? { refusal: error.message, isDenial: error.isDenial }
      : { fault: error };
  }
}

parentPort?.on('message', (question: SamlRequest) => parentPort?.postMessage(answer(question)));
parentPort?.postMessage('ready');
