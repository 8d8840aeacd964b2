// A signing key in the memory of this process.
import { createPublicKey, type KeyObject, sign as signBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { computeKid, toPublicJwk } from '../../domain/provenance/public-key.ts';
import type { SignerMode, SigningKey } from './signing-key.ts';

const sign = promisify(signBytes);

/** @throws TypeError for a key that is not on P-256 */
export function createLocalKey(
  privateKey: KeyObject,
  mode: SignerMode,
  certificates: readonly string[] = [],
): SigningKey {
  const publicKey = toPublicJwk(createPublicKey(privateKey));
  return {
    kid: computeKid(publicKey),
    mode,
    publicKey,
    certificates,
    sign: (bytes) => sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  };
}
