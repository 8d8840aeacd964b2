// DSSE envelopes (DSSE 1.0) with in-toto Statements (v1) about entries of a ledger, signed with ES256.
import { joseToDer } from 'ecdsa-sig-formatter';
import { canonicalize, type Json } from '@assay/json';
import type { JwsSigner } from './jws.ts';

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
export const ENTRY_PREDICATE = 'urn:assay:predicate:ledger-entry:v1';
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
/** The media type of an envelope by itself. */
export const ENVELOPE_TYPE = 'application/vnd.in-toto.ledger-entry+dsse';

/** An entry of a ledger, and the proof that a signed checkpoint covers it. */
export interface ProvenEntry {
  sequence: number;
  /** Names the record that the entry is about. */
  traceId: string;
  prevHash: string;
  payloadDigest: string;
  chainHash: string;
  /** 24 characters. */
  createdAt: string;
  /** The stored text, which `payloadDigest` digests. */
  view: string;
  /** A proof file. */
  proof: string;
}

/** The canonical text of the statement about an entry; its subject is the digest that all others depend on. */
export function formatEntryStatement(entry: ProvenEntry): string {
  const { traceId, view, proof, sequence, prevHash, payloadDigest, chainHash, createdAt } = entry;
  return canonicalize({
    _type: STATEMENT_TYPE,
    subject: [{ name: traceId, digest: { sha256: chainHash } }],
    predicateType: ENTRY_PREDICATE,
    predicate: {
      view: JSON.parse(view) as Json,
      receipt: { sequence, prevHash, payloadDigest, chainHash, createdAt },
      proof,
    },
  });
}

/** The bytes that are signed: the lengths keep type and payload apart. */
export function encodePreAuthentication(payloadType: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** Signs a statement; the signature is in DER, as programs of in-toto expect it. */
export async function signDsse(text: string, { kid, sign }: JwsSigner): Promise<string> {
  const payload = Buffer.from(text);
  const signature = Buffer.from(await sign(encodePreAuthentication(PAYLOAD_TYPE, payload)));
  const sig = joseToDer(signature, 'ES256').toString('base64');
  return canonicalize({
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ keyid: kid, sig }],
  });
}
