// Sends requests to witnesses (c2sp.org/tlog-witness), and reads what they have signed.
import { hash } from 'node:crypto';
import {
  formatCosignatureRequest,
  readWitnessAnswer,
  type WitnessAnswer,
  parseCheckpoint,
  isSignedBy,
  parseNote,
  verifyCosignature,
  type Witness,
} from '@assay/tlog';
import { truncate } from '@assay/json';
import type { Platform } from '../../../platform/platform.ts';
import { HEADS_OWNER } from '../../../ledger/log/heads-log.ts';
import { listVerifierKeys } from '../keys/log-keys.service.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import type { LogDocument } from '../logs.model.ts';
import { buildConsistencyProof } from '../tree/log-tree.service.ts';

/** Time that a witness has for its answer. */
const TIMEOUT_MS = 3000;
const ERROR_LENGTH = 200;

/** The newest head of the heads log, and what is signed of it. */
export interface HeadsSigning {
  heads: LogDocument;
  head: LogHeadDocument;
  text: string;
}

/** Asks from the size that the witness confirmed last, and once more from the size that it names itself. */
export async function askWitness(
  platform: Platform,
  witness: Witness,
  { known, ...signing }: HeadsSigning & { known: number },
): Promise<WitnessAnswer> {
  const { size } = signing.head;
  try {
    const answer = await sendRequest(platform, witness, signing, known);
    if (answer.kind !== 'knows' || answer.size > size) return answer;
    const second = await sendRequest(platform, witness, signing, answer.size);
    if (second.kind !== 'knows' || second.size > size) return second;
    // A witness that refuses the size which it has just named knows another tree of it.
    return second.size === answer.size
      ? { kind: 'fork' }
      : { kind: 'failed', why: 'another request was first' };
  } catch (error) {
    return { kind: 'failed', why: truncate(String(error), ERROR_LENGTH) };
  }
}

/** What the witness shows that it has signed last; null: nothing that both it and a key of the log have signed. */
export async function readSigned(
  platform: Platform,
  { url, key }: Witness,
  { heads: { origin } }: HeadsSigning,
) {
  const response = await platform.http
    .fetch(`${url}/${hash('sha256', origin)}/checkpoint`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    .catch(() => null);
  const note = response?.status === 200 ? parseNote(await response.text()) : null;
  const checkpoint = note && parseCheckpoint(note.text);
  if (!note || checkpoint?.origin !== origin) return null;
  const signers = await listVerifierKeys(platform, 'log', origin);
  const isSigned = signers.some((signer) => isSignedBy(note, signer));
  const isCosigned = note.signatures.some(
    (signature) => verifyCosignature(note.text, signature, key) !== null,
  );
  return isSigned && isCosigned ? checkpoint : null;
}

async function sendRequest(
  platform: Platform,
  { url, key }: Witness,
  { heads, head, text }: HeadsSigning,
  old: number,
): Promise<WitnessAnswer> {
  const path = await buildConsistencyProof(platform, heads, { from: old, size: head.size });
  await platform.probe?.('witness-asked', HEADS_OWNER);
  const response = await platform.http.fetch(`${url}/add-checkpoint`, {
    method: 'POST',
    body: formatCosignatureRequest({ old, path, note: head.note }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer = { status: response.status, body: await response.text() };
  await platform.probe?.('witness-answered', HEADS_OWNER);
  return readWitnessAnswer(answer, text, key);
}
