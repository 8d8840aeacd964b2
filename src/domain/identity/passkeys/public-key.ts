// The public key of a passkey: as authenticators write it (COSE), and as entries of the chain say it (formats.md).
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { decode } from 'cborg';
import { canonicalize } from '@assay/json';
import { sha256Hex } from '../../record/chain.ts';

/** COSE algorithms of passkeys: EdDSA, ES256, RS256. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257];

/** What entries say of a passkey. */
export type PasskeyKey = {
  /** DER, base64url. */
  spki: string;
  /** COSE algorithm. */
  alg: number;
  rpId: string;
  aaguid: string;
  deviceType: 'singleDevice' | 'multiDevice';
  backedUp: boolean;
};

/** What is stored of one; `cose`: base64url. */
export interface StoredPasskeyKey extends Omit<PasskeyKey, 'spki' | 'alg'> {
  cose: string;
}

/** @throws Error when it is no key of the algorithms here */
export function toPasskeyKey({
  cose,
  rpId,
  aaguid,
  deviceType,
  backedUp,
}: StoredPasskeyKey): PasskeyKey {
  const members = decode(Buffer.from(cose, 'base64url'), { useMaps: true }) as Map<number, unknown>;
  const key = createPublicKey({ key: toJwk(members), format: 'jwk' });
  const spki = key.export({ type: 'spki', format: 'der' }).toString('base64url');
  return { spki, alg: Number(members.get(3)), rpId, aaguid, deviceType, backedUp };
}

export const computeKeyDigest = (key: PasskeyKey): string => sha256Hex(canonicalize(key));

/** @throws Error for another algorithm */
function toJwk(members: ReadonlyMap<number, unknown>): JsonWebKey {
  const read = (name: number): string =>
    Buffer.from(members.get(name) as Uint8Array).toString('base64url');
  switch (members.get(3)) {
    case -7:
      return { kty: 'EC', crv: 'P-256', x: read(-2), y: read(-3) };
    case -8:
      return { kty: 'OKP', crv: 'Ed25519', x: read(-2) };
    case -257:
      return { kty: 'RSA', n: read(-1), e: read(-2) };
    default:
      throw new Error('the key is of another algorithm');
  }
}
