// The RSA signature methods that SAML messages may use, in XML and in redirect URLs.
import { constants, type KeyObject, verify } from 'node:crypto';
import { RSA_PSS_SHA256, RSA_SHA256, RSA_SHA512 } from '../names.ts';

const PSS = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
};
const METHODS = new Map<string, { hash: string; padding?: number; saltLength?: number }>([
  [RSA_SHA256, { hash: 'sha256' }],
  [RSA_SHA512, { hash: 'sha512' }],
  [RSA_PSS_SHA256, { hash: 'sha256', ...PSS }],
]);

export interface SignedText {
  /** The algorithm's identifier. */
  method: string;
  text: string;
  /** Base64. */
  value: string;
}

export const isRsaMethod = (method: string): boolean => METHODS.has(method);

/** Verifies a signature; false also for an unsupported method or a key that is not RSA. */
export function hasValidSignature(
  publicKey: KeyObject,
  { method, text, value }: SignedText,
): boolean {
  const known = METHODS.get(method);
  if (!known || publicKey.asymmetricKeyType !== 'rsa') return false;
  const { hash, ...padding } = known;
  return verify(
    hash,
    Buffer.from(text),
    { key: publicKey, ...padding },
    Buffer.from(value, 'base64'),
  );
}
