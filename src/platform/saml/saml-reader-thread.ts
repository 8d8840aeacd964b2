// The worker thread that reads SAML messages and metadata one at a time, so that none blocks the event loop.
import { createPrivateKey } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { SamlError } from '../../domain/saml/saml-error.ts';
import { readRequest, type SamlContents, type SamlRequest } from './saml-reader.ts';

export type SamlResult =
  | { value: SamlContents }
  | { rejection: string; isDenial: boolean }
  | { error: unknown };

const { decryptionKey } = workerData as { decryptionKey: string | null };
const key = decryptionKey === null ? null : createPrivateKey(decryptionKey);

function processRequest(request: SamlRequest): SamlResult {
  try {
    return { value: readRequest(request, key) };
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
