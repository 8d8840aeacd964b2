// The public half of a signing key for verifiers: a JWK on P-256, named by the digest of its SPKI.
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';

export interface PublicJwk {
  kty: 'EC';
  crv: 'P-256';
  /** Coordinates in base64url, 32 bytes each. */
  x: string;
  y: string;
}

/** @throws TypeError for a key that is not on P-256 */
export function toPublicJwk(publicKey: KeyObject): PublicJwk {
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
  if (kty !== 'EC' || crv !== 'P-256' || !x || !y) throw new TypeError('not a key on P-256');
  return { kty, crv, x, y };
}

/** @throws Error for coordinates that are no point of the curve */
export function toPublicKey({ kty, crv, x, y }: PublicJwk): KeyObject {
  return createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
}

/** The name of a key: SHA-256 of its SPKI in DER, as 64 hex digits. */
export function computeKid(key: PublicJwk): string {
  const spki = toPublicKey(key).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('hex');
}
