// Checkpoints and proof files (c2sp.org/tlog-checkpoint, c2sp.org/tlog-proof).
import { HASH_BYTES } from './merkle-tree.ts';
import { decodeBase64 } from './signed-note.ts';

/** A tree head and the name of its log. */
export interface LogCheckpoint {
  origin: string;
  size: number;
  /** 32 bytes. */
  root: Buffer;
}

/** An inclusion proof: the index of the leaf, and the hashes from its sibling up. */
export interface InclusionProof {
  index: number;
  path: readonly Uint8Array[];
}

const SIZE = /^(0|[1-9]\d{0,15})$/;

export function formatCheckpoint({ origin, size, root }: LogCheckpoint): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/** Parses the text of a checkpoint; null: malformed. Extension lines are ignored. */
export function parseCheckpoint(text: string): LogCheckpoint | null {
  const [origin = '', sizeText = '', rootText = ''] = text.split('\n');
  const root = decodeBase64(rootText);
  const size = SIZE.test(sizeText) ? Number(sizeText) : Number.NaN;
  if (origin === '' || !Number.isSafeInteger(size) || root?.length !== HASH_BYTES) return null;
  return { origin, size, root };
}

/** Formats a proof file. `extra`: data that helps the reader, and is not trusted. */
export function formatProofFile(
  { index, path }: InclusionProof,
  note: string,
  extra?: Uint8Array,
): string {
  const lines = [
    'c2sp.org/tlog-proof@v1',
    ...(extra ? [`extra ${Buffer.from(extra).toString('base64')}`] : []),
    `index ${index}`,
    ...path.map((one) => Buffer.from(one).toString('base64')),
  ];
  return `${lines.join('\n')}\n\n${note}`;
}
