// Requests to witnesses (c2sp.org/tlog-witness) and what their answers mean.
import { parseSignatureLine, verifyCosignature, type VerifierKey } from './signed-note.ts';

/** A checkpoint to be cosigned, with the proof that it continues what the witness knows. */
export interface CosignatureRequest {
  /** The size that the witness knows. */
  old: number;
  path: readonly Uint8Array[];
  note: string;
}

export type WitnessAnswer =
  /** It has signed. `line`: the signature line; `seconds`: its time. */
  | { kind: 'signed'; line: string; seconds: number }
  /** It knows another size. */
  | { kind: 'knows'; size: number }
  /** It has seen another tree: what it knows is no beginning of this one. */
  | { kind: 'fork' }
  | { kind: 'failed'; why: string };

const SIZE = /^(0|[1-9]\d{0,15})\n?$/;
/** Lines of an answer that are looked at, each of which can be a signature to verify. */
const LINES_MAX = 100;

export function formatCosignatureRequest({ old, path, note }: CosignatureRequest): string {
  const hashes = path.map((hash) => `${Buffer.from(hash).toString('base64')}\n`);
  return `old ${old}\n${hashes.join('')}\n${note}`;
}

/** Reads an answer about a checkpoint text. A signature that does not verify is none. */
export function readWitnessAnswer(
  { status, body }: { status: number; body: string },
  text: string,
  key: VerifierKey,
): WitnessAnswer {
  if (status === 422) return { kind: 'fork' };
  if (status === 409 && SIZE.test(body)) return { kind: 'knows', size: Number(body) };
  if (status !== 200) return { kind: 'failed', why: `it answered ${status}` };
  for (const line of body.split('\n', LINES_MAX)) {
    const signature = parseSignatureLine(line);
    const seconds = signature && verifyCosignature(text, signature, key);
    if (seconds !== null) return { kind: 'signed', line, seconds };
  }
  return { kind: 'failed', why: 'its signature does not verify' };
}
