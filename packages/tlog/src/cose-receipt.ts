// COSE receipts (RFC 9942) of inclusion in a log, for programs of supply chain transparency (RFC 9943).
import { encode } from 'cborg';
import type { InclusionProof } from './checkpoint.ts';
import type { TreeHead } from './merkle-tree.ts';
import { computeKeyId, type SignNote, type VerifierKey } from './signed-note.ts';

/** Labels of headers: RFC 9052, RFC 9597 (claims), RFC 9942 (data structure and proofs). */
const ALGORITHM = 1;
const KEY_ID = 4;
const CLAIMS = 15;
const DATA_STRUCTURE = 395;
const PROOFS = 396;
const EDDSA = -8;
/** RFC9162_SHA256, and the kind of a proof of inclusion in it. */
const RFC_9162 = 1;
const INCLUSION = -1;
const ISSUER = 1;
const SUBJECT = 2;
/** The tag of COSE_Sign1 (18) as it is encoded. */
const SIGN1_TAG = Buffer.of(0xd2);

export interface ReceiptParts {
  /** The origin of the log. */
  origin: string;
  /** The decision that the entry is about; null: none. */
  subject: string | null;
  proof: InclusionProof;
  head: TreeHead;
}

function encodeHeaders(
  { origin, subject }: Pick<ReceiptParts, 'origin' | 'subject'>,
  key: VerifierKey,
): Uint8Array {
  const claims = new Map<number, string>([[ISSUER, origin]]);
  if (subject !== null) claims.set(SUBJECT, subject);
  return encode(
    new Map<number, unknown>([
      [ALGORITHM, EDDSA],
      [KEY_ID, Uint8Array.from(computeKeyId(key))],
      [CLAIMS, claims],
      [DATA_STRUCTURE, RFC_9162],
    ]),
  );
}

/** Writes a receipt: COSE_Sign1 over the root, which is not repeated, with the proof that leads to it. */
export async function writeReceipt(
  { origin, subject, proof: { index, path }, head: { size, root } }: ReceiptParts,
  key: VerifierKey,
  sign: SignNote,
): Promise<Buffer> {
  const protectedHeaders = encodeHeaders({ origin, subject }, key);
  const signed = encode(['Signature1', protectedHeaders, new Uint8Array(), Uint8Array.from(root)]);
  const steps = encode([size, index, path.map((hash) => Uint8Array.from(hash))]);
  const proofs = new Map([[PROOFS, new Map([[INCLUSION, [steps]]])]]);
  const signature = Uint8Array.from(await sign(Buffer.from(signed)));
  return Buffer.concat([SIGN1_TAG, encode([protectedHeaders, proofs, null, signature])]);
}
