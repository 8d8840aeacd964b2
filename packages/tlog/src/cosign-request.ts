// Reads requests for cosignatures (c2sp.org/tlog-witness), and decides them by the checkpoint that was signed last.
import { type LogCheckpoint, parseCheckpoint } from './checkpoint.ts';
import { HASH_BYTES, isConsistent, type TreeHead } from './merkle-tree.ts';
import {
  decodeBase64,
  formatCosignature,
  formatCosignedText,
  formatSignatureLine,
  isSignedBy,
  parseNote,
  type SignedNote,
  type SignNote,
  type VerifierKey,
} from './signed-note.ts';

export interface ReceivedCheckpoint {
  /** The size that the log believes the witness to know. */
  old: number;
  path: Buffer[];
  /** As it was received, with all its signatures. */
  text: string;
  note: SignedNote;
  checkpoint: LogCheckpoint;
}

/** The answer to a request; `status` is one of HTTP. `size`: the tree that the witness has signed last. */
export type CosignVerdict =
  | { kind: 'sign' }
  | { kind: 'refuse'; status: 400 | 403 | 422; why: string }
  | { kind: 'conflict'; size: number };

const OLD = /^old (0|[1-9]\d{0,15})$/;
const PATH_MAX = 63;

/** Parses a request; null: malformed. */
export function parseCosignRequest(body: string): ReceivedCheckpoint | null {
  const end = body.indexOf('\n\n');
  const [first = '', ...lines] = body.slice(0, Math.max(0, end)).split('\n');
  const [, size] = OLD.exec(first) ?? [];
  const old = size === undefined ? Number.NaN : Number(size);
  const hashes = lines.length > PATH_MAX ? [null] : lines.map(decodeBase64);
  const path = hashes.filter((hash) => hash?.length === HASH_BYTES) as Buffer[];
  const text = body.slice(end + 2);
  const note = parseNote(text);
  const checkpoint = note && parseCheckpoint(note.text);
  if (!Number.isSafeInteger(old) || path.length !== hashes.length || !checkpoint) return null;
  return { old, path, text, note, checkpoint };
}

/** Judges a checkpoint by the keys of its log and what was signed of it last, which is an empty tree at first. */
export function decideCosigning(
  { old, path, note, checkpoint }: ReceivedCheckpoint,
  known: TreeHead,
  keys: readonly VerifierKey[],
): CosignVerdict {
  const { size, root } = checkpoint;
  if (!keys.some((key) => isSignedBy(note, key)))
    return { kind: 'refuse', status: 403, why: 'No known key of the log has signed it' };
  if (old > size)
    return { kind: 'refuse', status: 400, why: 'The old size is beyond the checkpoint' };
  if (old !== known.size) return { kind: 'conflict', size: known.size };
  // An answer of 422 here would be taken for a wrong proof, but there is none to be given.
  if (old === size && old > 0 && !root.equals(known.root))
    return { kind: 'conflict', size: known.size };
  if (!isConsistent(known, checkpoint, path))
    return { kind: 'refuse', status: 422, why: 'The proof does not lead from the old tree to it' };
  return { kind: 'sign' };
}

/** Signs the text of a checkpoint at a time, and returns the signature line. */
export async function writeCosignature(
  text: string,
  { key, at }: { key: VerifierKey; at: Date },
  sign: SignNote,
): Promise<string> {
  const seconds = Math.floor(at.getTime() / 1000);
  const signature = await sign(Buffer.from(formatCosignedText(text, seconds)));
  return formatSignatureLine(key, formatCosignature(seconds, signature));
}
