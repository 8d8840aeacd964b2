// The key of a release, which its owner holds: a file or a text in the environment, never in the repository.
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { p256 } from '@noble/curves/nist.js';
import type { JwsSigner } from '../../src/domain/provenance/jws.ts';

/** Signs with ECDSA on P-256; the same bytes get the same signature (RFC 6979). */
export interface ReleaseKey extends JwsSigner {
  /** Returns a signature of a file's bytes in DER and base64, as `cosign sign-blob` writes it. */
  signFile(bytes: Uint8Array): string;
}

/**
 * Reads `ASSAY_RELEASE_KEY`: a private key on P-256 in PEM, or the path of a file with one; null where it is unset.
 * @throws Error when it is another
 */
export function readReleaseKey(setting = process.env.ASSAY_RELEASE_KEY): ReleaseKey | null {
  if (setting === undefined || setting === '') return null;
  const key = parseKey(setting);
  const { crv, d } = key.export({ format: 'jwk' });
  if (crv !== 'P-256' || d === undefined) throw new Error(`${WANTED}, not of another kind`);
  const secret = Buffer.from(d, 'base64url');
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const sign = (bytes: Uint8Array, format: 'compact' | 'der') =>
    p256.sign(bytes, secret, { format, lowS: false });
  return {
    kid: createHash('sha256').update(spki).digest('hex'),
    sign: (bytes) => Promise.resolve(sign(bytes, 'compact')),
    signFile: (bytes) => Buffer.from(sign(bytes, 'der')).toString('base64'),
  };
}

const WANTED = 'ASSAY_RELEASE_KEY must be a private key on P-256 in PEM, or a file with one';

function parseKey(setting: string): KeyObject {
  try {
    return createPrivateKey(existsSync(setting) ? readFileSync(setting) : setting);
  } catch (cause) {
    throw new Error(WANTED, { cause });
  }
}
