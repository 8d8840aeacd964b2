// Converts ECDSA signatures of key management services (DER) to the form of a JWS (IEEE P1363: r and s, 32 bytes each).
import { derToJose, joseToDer } from 'ecdsa-sig-formatter';

const HALF = 32;

/** The concatenated r and s of a signature on P-256. @throws TypeError for anything else */
export function convertDerSignature(der: Uint8Array): Uint8Array {
  const signature = convertLeniently(Buffer.from(der));
  // The library also reads negative, padded and oversized integers; only strict DER comes back as it was.
  const isStrict = joseToDer(signature, 'ES256').equals(der);
  const [r, s] = [signature.subarray(0, HALF), signature.subarray(HALF)];
  if (!isStrict || isZero(r) || isZero(s)) throw createMalformedError();
  return signature;
}

function convertLeniently(der: Buffer): Buffer {
  try {
    return Buffer.from(derToJose(der, 'ES256'), 'base64url');
  } catch {
    throw createMalformedError();
  }
}

const isZero = (number: Buffer): boolean => number.every((byte) => byte === 0);

const createMalformedError = (): TypeError => new TypeError('not a DER signature on P-256');
