// The worker thread that reads SAML messages one at a time, so that no message blocks the event loop.
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
  | { rejection: string; isDenial: boolean }
  | { error: unknown };

const { decryptionKey } = workerData as { decryptionKey: string | null };
const key = decryptionKey === null ? null : createPrivateKey(decryptionKey);

function processRequest(request: SamlRequest): SamlResult {
  try {
    return {
      value: request.kind === 'response' ? readResponse(request, key) : readLogoutMessage(request),
    };
  } catch (error) {
    return error instanceof SamlError
      ? { rejection: error.message, isDenial: error.isDenial }
      : { error };
  }
}

parentPort?.on('message', (request: SamlRequest) =>
  parentPort?.postMessage(processRequest(request)),
);
parentPort?.postMessage('ready');
