// A signing key in the memory of this process.
import { createPublicKey, type KeyObject, sign as signBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { kidOf, publicJwkOf } from '../../domain/provenance/public-key.ts';
import type { SignerMode, SigningKey } from './signing-key.ts';

const sign = promisify(signBytes);

/** @throws TypeError for a key that is not on P-256 */
export function localKey(
  privateKey: KeyObject,
  mode: SignerMode,
  certificates: readonly string[] = [],
): SigningKey {
  const publicKey = publicJwkOf(createPublicKey(privateKey));
  return {
    kid: kidOf(publicKey),
    mode,
    publicKey,
    certificates,
    sign: (bytes) => sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  };
}
