// The thread that reads SAML messages, so that no message holds up the event loop; one at a time.
import { createPrivateKey } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import type { LogoutMessage } from '../domain/saml/logout.ts';
import { SamlRefusal } from '../domain/saml/refusal.ts';
import type { Assertion } from '../domain/saml/response.ts';
import { type LogoutQuestion, readLogoutMessage, readResponse, type ResponseQuestion } from './saml-reader.ts';

export type SamlQuestion = ResponseQuestion | LogoutQuestion;
export type SamlAnswer =
  { value: Assertion | LogoutMessage } | { refusal: string; isDenial: boolean } | { fault: unknown };

const { decryptionKey } = workerData as { decryptionKey: string | null };
const key = decryptionKey === null ? null : createPrivateKey(decryptionKey);

function answer(question: SamlQuestion): SamlAnswer {
  try {
    return { value: question.kind === 'response' ? readResponse(question, key) : readLogoutMessage(question) };
  } catch (error) {
    return error instanceof SamlRefusal ? { refusal: error.message, isDenial: error.isDenial } : { fault: error };
  }
}

parentPort?.on('message', (question: SamlQuestion) => parentPort?.postMessage(answer(question)));
parentPort?.postMessage('ready');
